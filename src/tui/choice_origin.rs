//! Remembers the row of a Choice for whose values the user asked the origin, to return to it or ask for the next value.

use super::action::Action;
use super::keymap::Keymap;
use super::pane::Row;
use super::theme::Role;
use crate::session::view::View;

/// A row of the state pane that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The event and the row.
    here: (u64, Row),
    /// Index of the value that was asked about.
    pub place: usize,
    /// Number of values that the row reads.
    all: usize,
    /// The value that is asked about next.
    other: Option<String>,
    /// True while the cursor is travelling back.
    returns: bool,
}

impl Asked {
    /// Asks about the first value of a row, or about the next one if the same row was asked about before.
    #[must_use]
    pub fn next(before: Option<Self>, here: (u64, Row), paths: &[String]) -> Self {
        let again = before.filter(|before| before.here == here);
        let place = again.map_or(0, |before| before.place + 1) % paths.len().max(1);
        let other = paths.get((place + 1) % paths.len().max(1));
        Self {
            here,
            place,
            all: paths.len(),
            other: other.filter(|_| paths.len() > 1).cloned(),
            returns: false,
        }
    }

    /// A message about the next value of the row; given once, together with the answer about the current value.
    pub(super) fn other(&mut self, keymap: &Keymap) -> Option<(String, Role)> {
        let other = self.other.take()?;
        let key = |action| keymap.shown(action).unwrap_or_default();
        let (back, ask) = (key(Action::Now), key(Action::WhoWrote));
        let (number, all) = (self.place + 1, self.all);
        let text = format!("value {number} of {all}: {back} {ask} follows {other}");
        Some((text, Role::Info))
    }

    /// Starts the way back to the row.
    pub(super) fn return_to(&mut self) {
        self.returns = true;
    }

    /// The row, once the cursor is back at its event; ends the way back.
    pub(super) fn arrived(&mut self, view: &View) -> Option<Row> {
        let (event, row) = self.here;
        let arrived = self.returns && event == view.header.event;
        self.returns &= !arrived;
        arrived.then_some(row)
    }
}
