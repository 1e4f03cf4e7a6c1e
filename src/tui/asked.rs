//! The row of a Choice that was asked where its value comes from: the way back to it, and which of its values is next.
//!
//! It must not know where values come from.

use super::action::{Action, Pane};
use super::keymap::Keymap;
use super::model::Model;
use super::pane::Row;
use super::theme::Role;
use crate::session::Output;
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
}

impl Model {
    /// That there is another value beside the one that was asked about, told once, with its answer.
    pub(super) fn other_asked(
        &mut self,
        outputs: &[Output],
        keymap: &Keymap,
    ) -> Option<(String, Role)> {
        let is_answer = |one: &Output| matches!(one, Output::Origin { .. } | Output::Absent(_));
        let asked = self
            .asked
            .as_mut()
            .filter(|_| outputs.iter().any(is_answer))?;
        let other = asked.other.take()?;
        let key = |action| keymap.shown(action).unwrap_or_default();
        let (back, ask) = (key(Action::Now), key(Action::WhoWrote));
        let (own, all) = (asked.place + 1, asked.all);
        let text = format!("value {own} of {all}: {back} {ask} follows {other}");
        Some((text, Role::Info))
    }

    /// Goes back to where was asked.
    pub(super) fn returns(&mut self) {
        if let Some(asked) = &mut self.asked {
            asked.returns = true;
        }
    }

    /// Selects the row that was asked about, once its event is there again.
    pub(super) fn come_back(&mut self, view: &View) {
        let Some(asked) = self.asked.as_mut() else {
            return;
        };
        let (event, row) = asked.here;
        if asked.returns && event == view.header.event {
            asked.returns = false;
            self.panes.state.select(view.data.state, row);
            self.focus_on(Pane::State);
        }
    }
}
