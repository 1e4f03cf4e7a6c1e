//! Lines about the first difference from the recorded execution: what was recorded, what happens, and why.

use super::Paint;
use super::line::Line;
use super::state_row::StateRows;
use crate::json::{diff, visible};
use crate::query::abridged;
use crate::session::recorded::FirstDifference;
use crate::tui::theme::Role;

/// Maximum number of differing positions to show side by side.
const PLACES: usize = 12;
/// Maximum length of a value, in bytes.
const VALUE: usize = 300;

pub(super) fn difference_lines(paint: &Paint, found: &FirstDifference, rows: &mut StateRows) {
    let at = found.event.map(|id| format!("AWS event #{id}"));
    let head = Line::new().text("First difference", Role::Changed);
    rows.say(head.right(at.unwrap_or_default(), Role::Dim));
    let mut say = |name, text: &str, role| rows.field((name, 8), &visible(text), role);
    match &found.values {
        None => {
            say("on AWS", &found.there, Role::Text);
            say("here", &found.here, Role::Text);
        }
        Some((there, here)) => {
            say("event", &found.recorded, Role::Text);
            for change in diff(there, here, PLACES) {
                say("at", &change.at.to_string(), Role::Text);
                let side = |value| match change.at.get(value) {
                    Some(value) => abridged(value, VALUE),
                    None => "nothing".to_owned(),
                };
                say("on AWS", &side(there), Role::Removed);
                say("here", &side(here), Role::Added);
            }
        }
    }
    if let Some(reason) = &found.reason {
        let place = reason
            .span
            .and_then(|span| paint.definition.sources.place(span));
        let line = place.map_or_else(String::new, |place| format!(" (line {})", place.line));
        say("because", &format!("{}{line}", reason.text), Role::Info);
    }
    rows.say(Line::new());
}
