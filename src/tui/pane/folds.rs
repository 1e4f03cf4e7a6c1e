//! The places of a value that the user folded or unfolded, and the differences between two values. Only these places
//! are stored, not the others.

use crate::json::{Change, ChangeKind, Pointer, Step, Value, parse};
use std::collections::BTreeMap;

/// The places that the user folded or unfolded; all other places are open or closed by default.
#[derive(Clone, Debug, Default)]
pub struct Folds {
    pub(super) open: Option<bool>,
    pub(super) below: BTreeMap<Hop, Folds>,
}

impl Folds {
    /// Folds or unfolds a place.
    pub fn set(&mut self, place: &Place, open: bool) {
        self.at(place).open = Some(open);
    }

    fn at(&mut self, place: &Place) -> &mut Self {
        (place.0.iter()).fold(self, |at, hop| at.below.entry(hop.clone()).or_default())
    }

    /// Unfolds the ancestors of a place, so that the place remains visible.
    pub fn open_above(&mut self, place: &Place) {
        let mut at = self;
        for hop in &place.0 {
            at.open = Some(true);
            at = at.below.entry(hop.clone()).or_default();
        }
    }

    /// True if the user unfolded the place, false if the user folded it; `None` if neither.
    #[must_use]
    pub fn get(&self, place: &Place) -> Option<bool> {
        let mut hops = place.0.iter();
        hops.try_fold(self, |at, hop| at.below.get(hop))?.open
    }

    /// Unfolds the container at `place` and the containers inside it, at most `limit` of them.
    pub fn open_below(&mut self, value: &Value, place: &Place, limit: usize) {
        if let Some(start) = place.get(value) {
            let mut left = limit;
            self.at(place).open_all(&start, &mut left);
        }
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
    /// Number of removed members of the root that have no rows, because `without_root` was true in [`Self::new`].
    pub(super) omitted: usize,
    pub(super) below: BTreeMap<Step, Marks>,
}

impl Marks {
    /// Creates the differences from the changes that [`crate::json::diff`] found; `old` is the old value. If
    /// `without_root` is true, removed members of the root are counted but get no rows.
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

    /// True if the old and the new value are equal: no row has a mark of a difference.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kind.is_none() && self.removed.is_empty() && self.below.is_empty()
    }

    /// Three numbers: of the added, the changed and the removed values.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        let change = match self.kind {
            Some(ChangeKind::Added) => [1, 0, 0],
            Some(ChangeKind::Changed) => [0, 1, 0],
            Some(ChangeKind::Removed) | None => [0, 0, 0],
        };
        self.below.values().fold(
            [
                change[0],
                change[1],
                change[2] + self.removed.len() + self.omitted,
            ],
            |[a, b, c], marks| {
                let [d, e, f] = marks.counts();
                [a + d, b + e, c + f]
            },
        )
    }
}

/// Maximum length of a string that is parsed to see whether it contains JSON text, in bytes.
const TEXT_LIMIT: usize = 256 << 10;

/// One step of a [`Place`]: from a displayed value to something that is displayed inside or below this value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hop {
    /// To a member or an item of the value.
    Into(Step),
    /// From a string that contains JSON text to the value that this text describes.
    Text,
    /// To a note, a text that is displayed below the whole value; the number is the note's index.
    Note(usize),
}

/// A position in a displayed value, as the steps that lead to it; it may be inside a string that contains JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub Vec<Hop>);

impl Place {
    /// The position as a pointer into the value. For a place inside JSON text, this is the position of the string that
    /// contains the text.
    #[must_use]
    pub fn pointer(&self) -> Pointer {
        Pointer(
            self.0
                .iter()
                .map_while(|hop| match hop {
                    Hop::Into(step) => Some(step.clone()),
                    Hop::Text | Hop::Note(_) => None,
                })
                .collect(),
        )
    }

    /// Index of the note, if this place is a note below the value.
    pub(super) fn note(&self) -> Option<usize> {
        match self.0.as_slice() {
            [Hop::Note(note)] => Some(*note),
            _ => None,
        }
    }

    /// This place, if it is inside the value; for a note below the value, the place of the whole value.
    pub(super) fn of_value(self) -> Self {
        match self.note() {
            Some(_) => Self::default(),
            None => self,
        }
    }

    /// Nesting depth; 0 for the value itself.
    pub(super) fn depth(&self) -> usize {
        self.0.iter().filter(|hop| **hop != Hop::Text).count()
    }

    /// True if the position is inside JSON text.
    #[must_use]
    pub fn is_in_text(&self) -> bool {
        self.0.contains(&Hop::Text)
    }

    /// The value at the position.
    #[must_use]
    pub fn get(&self, value: &Value) -> Option<Value> {
        self.0.iter().try_fold(value.clone(), |at, hop| match hop {
            Hop::Into(step) => get(&at, step).cloned(),
            Hop::Text => json_text(&at),
            Hop::Note(_) => None,
        })
    }

    pub(super) fn child(&self, hop: Hop) -> Self {
        let mut hops = self.0.clone();
        hops.push(hop);
        Self(hops)
    }
}

/// The object or array that a string contains as JSON text; `None` for all other values.
#[must_use]
pub fn json_text(value: &Value) -> Option<Value> {
    let text = value.as_str()?.trim();
    let looks = (text.starts_with('{') && text.ends_with('}'))
        || (text.starts_with('[') && text.ends_with(']'));
    if !looks || text.len() < 3 || text.len() > TEXT_LIMIT {
        return None;
    }
    parse(text).ok()
}

pub(super) fn has_children(value: &Value) -> bool {
    length(value) > 0
}

/// Number of items of an array or members of an object; 0 for other values.
pub(super) fn length(value: &Value) -> usize {
    match value {
        Value::Array(array) => array.len(),
        Value::Object(object) => object.members().len(),
        _ => 0,
    }
}

/// Index of an item or a member in its array or object.
pub(super) fn place_of(value: &Value, step: &Step) -> Option<usize> {
    match step {
        Step::Member(name) => value.as_object()?.place(name),
        Step::Item(index) => Some(*index).filter(|index| *index < length(value)),
    }
}

pub(super) fn get<'v>(value: &'v Value, step: &Step) -> Option<&'v Value> {
    match step {
        Step::Member(name) => value.get(name),
        Step::Item(index) => value.item(*index),
    }
}

pub(super) fn steps(value: &Value) -> impl Iterator<Item = (Step, &Value)> {
    steps_from(value, 0)
}

pub(super) fn steps_from(value: &Value, from: usize) -> impl Iterator<Item = (Step, &Value)> {
    let members = value.as_object().map_or(&[][..], |object| object.members());
    let array = match value {
        Value::Array(array) => Some(array),
        _ => None,
    };
    let members = members.iter().skip(from);
    let items = array
        .into_iter()
        .flat_map(move |array| (from..).zip(array.from(from)));
    members
        .map(|(name, child)| (Step::Member(name.clone()), child))
        .chain(items.map(|(index, child)| (Step::Item(index), child)))
}
