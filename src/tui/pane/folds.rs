//! Folds of a tree, and differences between values; both stored sparsely.

use super::place::{Hop, Place, has_children, steps};
use crate::json::{Change, ChangeKind, Step, Value};
use std::collections::BTreeMap;

/// The places that the user folded and unfolded; all others have their default.
#[derive(Clone, Debug, Default)]
pub struct Folds {
    pub(super) open: Option<bool>,
    pub(super) below: BTreeMap<Hop, Folds>,
}

impl Folds {
    /// Folds or unfolds a place.
    pub fn set(&mut self, place: &Place, open: bool) {
        let mut at = self;
        for hop in &place.0 {
            at = at.below.entry(hop.clone()).or_default();
        }
        at.open = Some(open);
    }

    /// Unfolds the ancestors of a place, so that the place remains visible.
    pub fn open_above(&mut self, place: &Place) {
        let mut at = self;
        for hop in &place.0 {
            at.open = Some(true);
            at = at.below.entry(hop.clone()).or_default();
        }
    }

    /// True if the user unfolded the place, false if folded; `None` for the default.
    #[must_use]
    pub fn get(&self, place: &Place) -> Option<bool> {
        place
            .0
            .iter()
            .try_fold(self, |at, hop| at.below.get(hop))?
            .open
    }

    /// Unfolds all containers from `place` downwards, at most `limit`.
    pub fn open_below(&mut self, value: &Value, place: &Place, limit: usize) {
        let Some(start) = place.get(value) else {
            return;
        };
        let mut at = self;
        for hop in &place.0 {
            at = at.below.entry(hop.clone()).or_default();
        }
        let mut left = limit;
        at.open_all(&start, &mut left);
    }

    fn open_all(&mut self, value: &Value, left: &mut usize) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        self.open = Some(true);
        for (step, child) in steps(value) {
            if has_children(child) {
                self.below
                    .entry(Hop::Into(step))
                    .or_default()
                    .open_all(child, left);
            }
        }
    }
}

/// Differences between two values.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    pub(super) kind: Option<ChangeKind>,
    pub(super) removed: Vec<(Step, Value)>,
    /// Number of further removed members that are not shown as rows.
    pub(super) omitted: usize,
    pub(super) below: BTreeMap<Step, Marks>,
}

impl Marks {
    /// Marks for the changes that [`crate::json::diff`] found against `old`. With `without_root`, removed members of
    /// the root are omitted.
    #[must_use]
    pub fn new(changes: &[Change], old: &Value, without_root: bool) -> Self {
        let mut marks = Self::default();
        for change in changes {
            let mut at = &mut marks;
            let removed = change.kind == ChangeKind::Removed;
            let (last, parents) = match change.at.0.split_last() {
                Some((last, parents)) if removed => (Some(last), parents),
                _ => (None, change.at.0.as_slice()),
            };
            for step in parents {
                at = at.below.entry(step.clone()).or_default();
            }
            match last {
                Some(_) if without_root && parents.is_empty() => at.omitted += 1,
                Some(last) => {
                    let was = change.at.get(old).cloned().unwrap_or_default();
                    at.removed.push((last.clone(), was));
                }
                None => at.kind = Some(change.kind),
            }
        }
        marks
    }

    /// True if nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kind.is_none() && self.removed.is_empty() && self.below.is_empty()
    }

    /// Number of additions, changes and removals.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        let own = match self.kind {
            Some(ChangeKind::Added) => [1, 0, 0],
            Some(ChangeKind::Changed) => [0, 1, 0],
            Some(ChangeKind::Removed) | None => [0, 0, 0],
        };
        self.below.values().fold(
            [own[0], own[1], own[2] + self.removed.len() + self.omitted],
            |[a, b, c], marks| {
                let [d, e, f] = marks.counts();
                [a + d, b + e, c + f]
            },
        )
    }
}
