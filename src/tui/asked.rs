//! The row of a Choice that was asked where its value comes from: the way back to it, and which of its values is next.

use super::action::Action;
use super::keymap::Keymap;
use super::pane::Row;
use super::theme::Role;
use crate::session::view::View;

/// A row of the state pane that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// At which event, and which row.
    here: (u64, Row),
    /// Which of the values that it looks at.
    pub place: usize,
    /// How many there are.
    all: usize,
    /// The value that is next, if the row is asked again.
    other: Option<String>,
    /// Whether the way back is being gone.
    returns: bool,
}

impl Asked {
    /// Asks about a row's first value; about the next, if it is the row that was asked before.
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

    /// The message about the next value that the row looks at, given once, with the answer about this value.
    pub(super) fn other(&mut self, keymap: &Keymap) -> Option<(String, Role)> {
        let other = self.other.take()?;
        let key = |action| keymap.shown(action).unwrap_or_default();
        let (back, ask) = (key(Action::Now), key(Action::WhoWrote));
        let (number, all) = (self.place + 1, self.all);
        let text = format!("value {number} of {all}: {back} {ask} follows {other}");
        Some((text, Role::Info))
    }

    /// Begins the way back to the row.
    pub(super) fn return_to(&mut self) {
        self.returns = true;
    }

    /// The row, once the debugger is back at its event. Ends the way back.
    pub(super) fn arrived(&mut self, view: &View) -> Option<Row> {
        let (event, row) = self.here;
        let arrived = self.returns && event == view.header.event;
        self.returns &= !arrived;
        arrived.then_some(row)
    }
}
