//! Searches for text among the recorded events, in parts, so that keys are handled in between.

use super::action::Pane;
use super::pane::search::next_match;
use super::pane::{DataSearch, Looked};
use crate::definition::Definition;
use crate::session::Session;
use crate::session::view::EventRow;
use crate::wording;

/// Number of events to search at a time.
const AT_ONCE: u64 = 2_000;

/// A search in progress.
pub(super) struct EventSearch {
    pub(super) wanted: String,
    pub(super) forward: bool,
    /// The event at which the search started.
    pub(super) from: u64,
    /// The pane in which the search started.
    pub(super) pane: Pane,
    /// Numbers of the matching events among those before `next`.
    found: Vec<u64>,
    /// The next event to examine.
    next: u64,
}

impl EventSearch {
    pub(super) fn new(wanted: String, forward: bool, from: u64, pane: Pane) -> Self {
        Self {
            wanted,
            forward,
            from,
            pane,
            found: Vec::new(),
            next: 1,
        }
    }

    /// Searches the state, texts and frame of the next events; returns whether there are more.
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

    /// The next match in the search direction: its position among all matches and their count, its event number, and
    /// all matches. The search wraps around.
    pub(super) fn result(&self) -> Option<((usize, usize), u64, Vec<u64>)> {
        let (numbers, event) = next_match(&self.found, self.from, self.forward)?;
        Some((numbers, event, self.found.clone()))
    }
}

fn text_of(row: &EventRow, definition: &Definition) -> String {
    let state = row.state.and_then(|id| definition.state(id));
    let state = state.map_or("", |state| &*state.path.0);
    let (title, detail) = (wording::title(row, definition), wording::detail(row));
    [state, &title, &detail, &row.frame].join(" ")
}

/// A search.
pub(super) enum Searching {
    /// Among the recorded events.
    Events(EventSearch),
    /// In the values of the data pane.
    Data(Box<DataSearch>),
    /// The search is already over, with this result.
    Done(Looked),
}
