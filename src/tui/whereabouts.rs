//! Texts that say where something is or happened: in which frame, in which state and at which line.

use crate::definition::{Definition, StateId};
use crate::session::origin::Absence;
use crate::session::view::{EventRow, FaultView, View};
use crate::source::{Span, in_line};
use crate::wording;

/// Minimum width, in cells, of the first sentence about an error. The second constant is the minimum width of the text
/// about a missing value.
pub(super) const HEADLINE: usize = 42;
pub(super) const MISSING: usize = 24;

/// The name of a state; `the run` for `None`.
#[must_use]
pub fn name(definition: &Definition, state: Option<StateId>) -> String {
    state
        .and_then(|id| definition.state(id))
        .map_or_else(|| "the run".to_owned(), |state| state.name.to_string())
}

/// The kind of a state in parentheses, if the state was generated and is not written in the definition; empty for other
/// states.
#[must_use]
pub fn generated(definition: &Definition, state: Option<StateId>) -> String {
    state
        .and_then(|id| definition.state(id)?.generated)
        .map_or_else(String::new, |kind| format!(" ({})", kind.caption()))
}

/// Text that says where the current state's error was raised (by the state itself or inside it), and the error. If the
/// state has no error, the location of the state and `None`.
pub(super) fn arose<'v>(
    view: &'v View,
    definition: &Definition,
) -> (String, Option<&'v FaultView>) {
    match &view.raised {
        Some(raised) => (wording::raised_at(raised, definition), Some(&raised.fault)),
        None => (place(view, definition), view.data.fault.as_ref()),
    }
}

/// Text that says why a value is missing, if a missing value caused the error; `None` otherwise.
pub(super) fn missing(view: &View, definition: &Definition) -> Option<wording::Missing> {
    let raised = view.raised.as_ref();
    let missing = match raised {
        Some(raised) => raised.missing.as_deref(),
        None => view.missing.as_ref(),
    };
    missing.map(|absent| wording::absent(absent, definition))
}

/// Text such as `ProcessParcels[27] QuoteInsurance (line 154)`: the shown frame and state, with the line of the error
/// or, without an error, the line of the state.
pub(super) fn place(view: &View, definition: &Definition) -> String {
    let state = view.data.state.and_then(|id| definition.state(id));
    let fault = view.data.fault.as_ref().and_then(|fault| fault.span);
    let span = fault.or(state.map(|state| state.name_span));
    place_at(view, definition, span)
}

/// Text with the shown frame and state, and with the line of `span`.
pub(super) fn place_at(view: &View, definition: &Definition, span: Option<Span>) -> String {
    let header = &view.header;
    let frame = match view.frames.len() {
        0 | 1 => String::new(),
        _ => format!("{} ", header.frame),
    };
    let line = in_line(span.and_then(|span| definition.sources.line(span)));
    let made = generated(definition, view.data.state);
    format!("{frame}{}{made}{line}", name(definition, view.data.state))
}

/// True if an event belongs to the frame and state that the screen shows.
pub(super) fn is_in_focus(view: &View, row: &EventRow) -> bool {
    let focus = view.frames.last().map(|frame| frame.frame);
    focus == Some(row.frame_id) && row.state == view.data.state
}

/// Text such as `Each[2] Pay (line 12)`: the frame, state and line of an event.
pub(super) fn place_of(definition: &Definition, row: &EventRow) -> String {
    let line = in_line(line_of(definition, row.state));
    let place = format!("{} {}{line}", row.frame, name(definition, row.state));
    place.trim_start().to_owned()
}

pub(super) fn line_of(definition: &Definition, state: Option<StateId>) -> Option<usize> {
    let state = definition.state(state?)?;
    definition.sources.line(state.name_span)
}

/// Text about what the user did in the run, such as `2 answers typed, 1 value edited`; `None` if both numbers are 0.
#[must_use]
pub fn touched((answers, edits): (usize, usize)) -> Option<String> {
    let count = |number: usize, noun: &str, participle: &str| match number {
        0 => None,
        1 => Some(format!("1 {noun} {participle}")),
        count => Some(format!("{count} {noun}s {participle}")),
    };
    let parts = [
        count(answers, "answer", "typed"),
        count(edits, "value", "edited"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Position in the source of the field because of which the missing value is missing; `None` if no field is known.
pub(super) fn lost_at(view: &View) -> Option<Span> {
    let missing = view.missing.as_ref()?;
    match &missing.absence {
        Absence::Dropped(drop) => drop.by.span,
        Absence::Withheld(withheld) => withheld.by.span,
        Absence::Never => missing.assigned.as_ref().map(|assigned| assigned.span),
    }
}
