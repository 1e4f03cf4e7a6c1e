//! Where something is, in words: the frame, the state and its line.

use crate::definition::{Definition, StateId};
use crate::session::view::{EventRow, FaultView, View};
use crate::source::Span;
use crate::wording;

/// Cells that the headline of an error has at least, and what is missing, where they are told at all.
pub(super) const HEADLINE: usize = 42;
pub(super) const MISSING: usize = 24;

/// The name of a state.
#[must_use]
pub fn name(definition: &Definition, state: Option<StateId>) -> String {
    state
        .and_then(|id| definition.state(id))
        .map_or_else(|| "the run".to_owned(), |state| state.name.to_string())
}

/// What a state is that nobody wrote, in brackets; nothing for others.
#[must_use]
pub fn generated(definition: &Definition, state: Option<StateId>) -> String {
    state
        .and_then(|id| definition.state(id)?.generated)
        .map_or_else(String::new, |kind| format!(" ({})", kind.caption()))
}

/// Where the error arose that the state in focus shows, took over or stands around, and that error.
pub(super) fn arose<'v>(
    view: &'v View,
    definition: &Definition,
) -> (String, Option<&'v FaultView>) {
    match &view.raised {
        Some(raised) => (wording::raised_at(raised, definition), Some(&raised.fault)),
        None => (place(view, definition), view.data.fault.as_ref()),
    }
}

/// Why the value is missing that it arose for, in words; nothing where it arose for something else.
pub(super) fn missing(view: &View, definition: &Definition) -> Option<wording::Missing> {
    let raised = view.raised.as_ref();
    let missing = match raised {
        Some(raised) => raised.missing.as_deref(),
        None => view.missing.as_ref(),
    };
    missing.map(|absent| wording::absent(absent, definition))
}

/// `ProcessParcels[27] QuoteInsurance (line 154)`: where a fault arose.
pub(super) fn place(view: &View, definition: &Definition) -> String {
    let own = view.data.state.and_then(|id| definition.state(id));
    let fault = view.data.fault.as_ref().and_then(|fault| fault.span);
    let span = fault.or(own.map(|state| state.name_span));
    place_at(view, definition, span)
}

/// The frame and the state that are looked at, with a line.
pub(super) fn place_at(view: &View, definition: &Definition, span: Option<Span>) -> String {
    let header = &view.header;
    let frame = match view.frames.len() {
        0 | 1 => String::new(),
        _ => format!("{} ", header.frame),
    };
    let line = span.and_then(|span| definition.sources.place(span));
    let line = line.map_or_else(String::new, |place| format!(" (line {})", place.line));
    let made = generated(definition, view.data.state);
    format!("{frame}{}{made}{line}", name(definition, view.data.state))
}

/// Whether an event is of the frame and the state that are looked at.
pub(super) fn is_in_focus(view: &View, row: &EventRow) -> bool {
    let focus = view.frames.last().map(|frame| frame.frame);
    focus == Some(row.frame_id) && row.state == view.data.state
}

/// `Each[2] Pay (line 12)`: the state that an event is of.
pub(super) fn place_of(definition: &Definition, row: &EventRow) -> String {
    let line = line_of(definition, row.state);
    let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
    let place = format!("{} {}{line}", row.frame, name(definition, row.state));
    place.trim_start().to_owned()
}

pub(super) fn line_of(definition: &Definition, state: Option<StateId>) -> Option<usize> {
    let state = definition.state(state?)?;
    let place = definition.sources.place(state.name_span)?;
    Some(place.line)
}

/// `2 answers typed, 1 value edited`; `None` where a person put nothing in.
#[must_use]
pub fn touched((answers, edits): (usize, usize)) -> Option<String> {
    let count = |number: usize, word: &str, what: &str| match number {
        0 => None,
        1 => Some(format!("1 {word} {what}")),
        many => Some(format!("{many} {word}s {what}")),
    };
    let parts = [
        count(answers, "answer", "typed"),
        count(edits, "value", "edited"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
