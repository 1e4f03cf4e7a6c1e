//! Where something is, in words: the frame, the state and its line.
//!
//! It must not know what happened there.

use super::caption::{generated, name};
use crate::definition::{Definition, StateId};
use crate::session::view::{EventRow, View};
use crate::source::Span;

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
