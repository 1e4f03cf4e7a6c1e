//! Determines the subject of the key `W`: what the key explains at the current stop. Usually, this is the origin of a
//! value. The footer's label and the end of the banner name the subject.
//!
//! Also makes the text at the end of the banner, which says where the key moves the cursor. The text names the line if
//! it is known without a search.

use super::action::Action;
use super::keymap::Keymap;
use super::pane::Row;
use super::theme::Role;
use super::whereabouts::{lost_at, name};
use crate::definition::Definition;
use crate::session::view::{OperandView, RunStatus, StatePane, View};

/// The subject that the key `W` explains at the current stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// Something unusual in a run that succeeded. The number is the number of the event at which it happened.
    Odd(u64, Odd),
    /// The value that the deciding comparison of a Choice reads.
    Test,
    /// The selected row of the data pane.
    Selected,
}

/// An unusual event in a run that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Odd {
    /// A Map had no items; the number is the line of the field that provides the items.
    Empty(Option<usize>),
    /// The data had a type or format that a rule of a Choice can never match.
    Misfit,
    /// No rule of a Choice matched, and because of its Default the run did not reach some states.
    Default,
}

/// Determines the subject that the key `W` explains, usually the origin of a value; `is_chosen` is true if the user
/// selected a row in the data pane.
pub(super) fn subject(view: &View, is_chosen: bool) -> Subject {
    // If an earlier press of the key has moved the cursor here, the key now asks about the selected value.
    if is_chosen || view.led_to.is_some() {
        return Subject::Selected;
    }
    let end = view.end.as_ref();
    let end = end.filter(|_| matches!(view.header.status, RunStatus::Succeeded { .. }));
    let empty = end.and_then(|end| end.no_items.first());
    let empty = empty.map(|row| Subject::Odd(row.number, Odd::Empty(row.line)));
    let misfit = end.and_then(|end| end.misfits.first());
    let misfit = misfit.map(|row| Subject::Odd(row.number, Odd::Misfit));
    let by_default = end.and_then(|end| end.by_default.as_ref());
    let by_default = by_default.map(|row| Subject::Odd(row.number, Odd::Default));
    match empty.or(misfit).or(by_default) {
        Some(odd) => odd,
        // If the Choice failed, the key explains the error of the Choice instead.
        None if matches!(view.state, StatePane::Choice(_)) && view.data.fault.is_none() => {
            Subject::Test
        }
        None => Subject::Selected,
    }
}

/// Text that says where the key `W` moves the cursor, such as `W goes to line 15`; empty if the key can explain
/// nothing. `is_selected` is true if the run has ended and a value is selected in the data pane.
pub(super) fn leads_to(
    view: &View,
    definition: &Definition,
    key: &str,
    (subject, test): (Subject, Option<&OperandView>),
    is_selected: bool,
) -> String {
    match (subject, test) {
        (Subject::Odd(_, Odd::Empty(Some(line))), _) => {
            return format!("{key} goes to line {line}");
        }
        (Subject::Odd(_, Odd::Misfit), _) => {
            return format!("{key} goes to the origin of the value");
        }
        (Subject::Odd(..), _) => return format!("{key} shows the reason"),
        (Subject::Test, Some(test)) if is_decided(view) => {
            let path = test.paths.first().map_or("the value", String::as_str);
            return format!("{key} goes to the origin of {path}");
        }
        _ => {}
    }
    if view.data.fault.is_some() {
        let span = match view.missing {
            Some(_) => lost_at(view),
            None => view.led.as_ref().and_then(|led| led.lead.explained_at()),
        };
        let line = span.and_then(|span| definition.sources.line(span));
        let maker = view.made_by.first().and_then(|makers| makers.first());
        return match (line, maker) {
            (Some(line), _) => format!("{key} goes to line {line}"),
            (None, Some(state)) => {
                let state = name(definition, Some(*state));
                format!("{key} goes to {state}")
            }
            (None, None) => String::new(),
        };
    }
    match is_selected {
        true => format!("Select a value: {key} goes to its origin"),
        false => String::new(),
    }
}

/// True if the state pane shows a Choice that has chosen a rule or failed.
fn is_decided(view: &View) -> bool {
    match &view.state {
        StatePane::Choice(rules) => rules.iter().any(|rule| rule.taken || rule.asked),
        _ => false,
    }
}

/// A question of the user about the origin of a value that a row of the state pane reads, such as a rule of a Choice.
/// The row may read several values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The event at the cursor when the user asked, and the row that was selected.
    here: (u64, Row),
    /// Index of the value that the user asked about, among the values that the row reads.
    pub place: usize,
    /// Number of values that the row reads.
    all: usize,
    /// The value that the next question about this row will be about; `None` if the row reads only one value.
    other: Option<String>,
    /// True while the cursor is on its way back to the event at which the user asked.
    returns: bool,
}

impl Asked {
    /// A question about the first value of a row. If the previous question was about the same row, asks about the next
    /// value instead.
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

    /// A message that says how to ask about the next value of the row. `None` if the row reads only one value, or if
    /// the message was already returned.
    pub(super) fn other(&mut self, keymap: &Keymap) -> Option<(String, Role)> {
        let path = self.other.take()?;
        let key = |action| keymap.shown(action);
        let (back_key, origin_key) = (key(Action::Now), key(Action::WhoWrote));
        let (number, count) = (self.place + 1, self.all);
        let text = format!(
            "value {number} of {count}; press {back_key}, then {origin_key}, to follow {path}"
        );
        Some((text, Role::Info))
    }

    /// Records that the cursor is now being moved back to the event at which the user asked.
    pub(super) fn return_to(&mut self) {
        self.returns = true;
    }

    /// The row about which the user asked, once the cursor has come back to the event; `None` before and after that.
    pub(super) fn arrived(&mut self, view: &View) -> Option<Row> {
        let (event, row) = self.here;
        let arrived = self.returns && event == view.header.event;
        self.returns &= !arrived;
        arrived.then_some(row)
    }
}
