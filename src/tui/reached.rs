//! Coverage of states and lines by test cases, for the graph and the source pane.

use crate::coverage::{Coverage, Covered, Kind, lines, points};
use crate::definition::{Definition, StateId};
use crate::interpreter::Edge;
use crate::source::{SourceId, counted};
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Role;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The coverage of a state or source line by the test cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Share {
    /// The test cases did not reach the state, or anything in the line.
    #[default]
    Nothing,
    /// The test cases reached the state or line, but not all of its transitions, retriers, items and so on.
    Part,
    /// The test cases reached the state or line with all of its transitions, retriers, items and so on.
    Whole,
}

impl Share {
    fn of(hits: impl Iterator<Item = u64>) -> Self {
        let (mut all, mut any) = (true, false);
        for hit in hits {
            all &= hit > 0;
            any |= hit > 0;
        }
        match (all, any) {
            (true, _) => Self::Whole,
            (false, true) => Self::Part,
            (false, false) => Self::Nothing,
        }
    }

    /// How this coverage is shown: its style role, a short text, an ASCII symbol (always used after a line number), and
    /// a Unicode symbol.
    fn look(self) -> (Role, &'static str, &'static str, &'static str) {
        match self {
            Self::Nothing => (Role::Error, "not reached", "-", "· "),
            Self::Part => (Role::Warning, "partly reached", "~", "◐ "),
            Self::Whole => (Role::Ok, "reached", "+", "✓ "),
        }
    }

    /// Style role in which this coverage is drawn.
    #[must_use]
    pub fn role(self) -> Role {
        self.look().0
    }

    /// Short text about this coverage, such as `partly reached`.
    #[must_use]
    pub fn words(self) -> &'static str {
        self.look().1
    }

    /// Symbol of this coverage, for use before a name. The Unicode symbol ends with a space, the ASCII symbol does not.
    #[must_use]
    pub fn sign(self, glyphs: &Glyphs) -> &'static str {
        let (_, _, ascii, unicode) = self.look();
        if glyphs.ascii { ascii } else { unicode }
    }

    /// ASCII symbol of this coverage, for use after a line number.
    #[must_use]
    pub fn mark(self) -> &'static str {
        self.look().2
    }
}

/// The coverage of one state by the test cases, with counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReachedState {
    /// The part of the state that was reached.
    pub share: Share,
    /// Number of times that the test cases entered the state.
    pub times: u64,
}

/// Coverage of a definition by test cases: which states, transitions and lines the test cases reached.
#[derive(Clone, Debug)]
pub struct Reached {
    definition: Arc<Definition>,
    /// The coverage of each state, indexed by [`StateId`].
    states: Vec<ReachedState>,
    edges: HashSet<(StateId, Edge)>,
    lines: HashMap<SourceId, BTreeMap<usize, Share>>,
    /// The number of test cases as a text, such as `3 test cases`.
    pub cases: String,
    /// Coverage of the whole definition, in percent.
    pub percent: f64,
}

impl Reached {
    /// Computes the coverage of each state, transition and line from `coverage`, which `cases` test cases produced.
    #[must_use]
    pub fn of(definition: &Arc<Definition>, coverage: &Coverage, cases: usize) -> Self {
        let all = points(definition);
        let states = definition.state_ids().map(|state| {
            let in_state = all.iter().filter(|point| point.state == state);
            let entered = in_state.clone().find(|point| point.kind == Kind::Entered);
            let times = entered.map_or(0, |point| coverage.hits(*point));
            let share = match times {
                0 => Share::Nothing,
                _ => Share::of(in_state.map(|point| coverage.hits(*point))),
            };
            ReachedState { share, times }
        });
        let taken = all.iter().filter(|point| coverage.hits(**point) > 0);
        let edges = taken.filter_map(|point| match point.kind {
            Kind::Left(edge) => Some((point.state, edge)),
            _ => None,
        });
        let covered = Covered {
            definition: Arc::clone(definition),
            coverage: coverage.clone(),
        };
        let files = lines(&covered).into_iter().map(|file| {
            let shares = file.lines.iter().map(|line| {
                let share = Share::of(line.points.iter().map(|(_, hits)| *hits));
                (line.number, share)
            });
            (file.source, shares.collect())
        });
        Self {
            states: states.collect(),
            edges: edges.collect(),
            lines: files.collect(),
            cases: counted(cases, "test case"),
            percent: coverage.tally(definition).percent(),
            definition: Arc::clone(definition),
        }
    }

    /// True if the coverage is for this definition, not for an earlier version of it.
    #[must_use]
    pub fn is_of(&self, definition: &Definition) -> bool {
        std::ptr::eq(Arc::as_ptr(&self.definition), definition)
    }

    /// Coverage of a state.
    #[must_use]
    pub fn state(&self, state: StateId) -> ReachedState {
        let reached = self.states.get(state.0 as usize);
        reached.copied().unwrap_or_default()
    }

    /// The transitions that were taken.
    #[must_use]
    pub fn edges(&self) -> &HashSet<(StateId, Edge)> {
        &self.edges
    }

    /// Coverage of a line; `None` if the line contains nothing that a run can reach.
    #[must_use]
    pub fn line(&self, source: SourceId, number: usize) -> Option<Share> {
        self.lines.get(&source)?.get(&number).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_of_all_there_is() {
        let share = |hits: &[u64]| Share::of(hits.iter().copied());
        assert_eq!(share(&[1, 2]), Share::Whole);
        assert_eq!(share(&[0, 2]), Share::Part);
        assert_eq!(share(&[0, 0]), Share::Nothing);
    }
}
