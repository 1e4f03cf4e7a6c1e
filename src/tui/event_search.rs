//! A search for a text among the recorded events, some at a time, so that keys are answered meanwhile.

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
    /// The event that it was begun at.
    pub(super) from: u64,
    /// The pane that it was begun in.
    pub(super) pane: Pane,
    /// The events that hold it, of those before `next`.
    found: Vec<u64>,
    /// The next event to be looked at.
    next: u64,
}

impl EventSearch {
    pub(super) fn new(wanted: String, direction: Direction, from: u64, pane: Pane) -> Self {
        Self {
            wanted,
            direction,
            from,
            pane,
            found: Vec::new(),
            next: 1,
        }
    }

    /// Looks at the next events for it, in their state, their words or their frame; whether there are more.
    pub(super) fn look(&mut self, session: &Session) -> bool {
        let wanted = self.wanted.to_lowercase();
        let definition = session.definition();
        let last = session.event_count();
        let end = last
            .saturating_add(1)
            .min(self.next.saturating_add(AT_ONCE));
        let rows = session.rows(self.next..end).into_iter();
        let holding = rows.filter(|row| text_of(row, definition).to_lowercase().contains(&wanted));
        self.found.extend(holding.map(|row| row.number));
        self.next = end;
        end <= last
    }

    /// The next event that way, from the other end where there is none; its place among all, which come with it.
    pub(super) fn result(self) -> Option<(usize, Vec<u64>)> {
        let last = self.found.len().checked_sub(1)?;
        let place = match self.direction {
            Direction::Forward => {
                let place = self.found.partition_point(|number| *number <= self.from);
                if place > last { 0 } else { place }
            }
            Direction::Backward => {
                let until = self.found.partition_point(|number| *number < self.from);
                until.checked_sub(1).unwrap_or(last)
            }
        };
        Some((place, self.found))
    }
}

fn text_of(row: &EventRow, definition: &Definition) -> String {
    let state = row.state.and_then(|id| definition.state(id));
    let state = state.map_or("", |state| &*state.path.0);
    let (title, detail) = (wording::title(row, definition), wording::detail(row));
    [state, &title, &detail, &row.frame].join(" ")
}
