//! A search for a text among the recorded events, some at a time, so that keys are answered meanwhile.
//!
//! It must not know how a row is drawn, nor what becomes of what is found.

use super::action::Pane;
use crate::definition::Definition;
use crate::session::view::EventRow;
use crate::session::{Direction, Session};
use crate::wording;

/// So many events are looked at before the next key is.
const AT_ONCE: u64 = 2_000;

/// A search that is under way.
pub(super) struct EventSearch {
    pub(super) wanted: String,
    pub(super) direction: Direction,
    /// The next event to be looked at.
    pub(super) at: u64,
    /// The pane that it was begun in.
    pub(super) pane: Pane,
}

/// What a search among some of the recorded events came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It is this one.
    At(u64),
    /// None of those; the search goes on with this one.
    Further(u64),
    /// There is none that way.
    Nowhere,
}

impl EventSearch {
    /// What the next events hold, in their state, their words or their frame.
    pub(super) fn look(&self, session: &Session) -> Found {
        let wanted = self.wanted.to_lowercase();
        let (from, last) = (self.at, session.event_count());
        let definition = session.definition();
        let holds = |row: &EventRow| text_of(row, definition).to_lowercase().contains(&wanted);
        let (found, further) = match self.direction {
            Direction::Forward => {
                let end = last.saturating_add(1).min(from.saturating_add(AT_ONCE));
                let mut rows = session.rows(from..end).into_iter();
                (rows.find(holds), (end <= last).then_some(end))
            }
            Direction::Backward => {
                let start = from.saturating_add(1).saturating_sub(AT_ONCE).max(1);
                let end = from.min(last).saturating_add(1);
                let mut rows = session.rows(start..end).into_iter().rev();
                (rows.find(holds), (start > 1).then(|| start - 1))
            }
        };
        match (found, further) {
            (Some(row), _) => Found::At(row.number),
            (None, Some(next)) => Found::Further(next),
            (None, None) => Found::Nowhere,
        }
    }
}

fn text_of(row: &EventRow, definition: &Definition) -> String {
    let state = row.state.and_then(|id| definition.state(id));
    let state = state.map_or("", |state| &*state.path.0);
    let (title, detail) = (wording::title(row.kind, row.arg), wording::detail(row));
    [state, &title, &detail, &row.frame].join(" ")
}
