//! A search for a text among the recorded events, some at a time, so that keys are answered meanwhile.
//!
//! It must not know how a row is drawn, nor what becomes of what is found.

use super::action::Pane;
use crate::session::view::Found;
use crate::session::{Direction, Session};

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

impl EventSearch {
    /// What the next events hold.
    pub(super) fn look(&self, session: &Session) -> Found {
        session.find_event(&self.wanted, self.direction, self.at, AT_ONCE)
    }
}
