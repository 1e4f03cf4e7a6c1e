//! Where a run first differs from the recorded execution that it repeats, as lines: what happened there, what happens here,
//! and why.
//!
//! It must not know selection or scrolling.

use super::Paint;
use super::line::{Line, style, words};
use super::state_line::List;
use crate::json::{diff, visible};
use crate::query::abridged;
use crate::session::recorded::FirstDifference;
use crate::tui::border::wrapped;
use crate::tui::theme::Role;

/// So many places of a value are shown side by side.
const PLACES: usize = 12;
/// Longest value of a side, in bytes.
const VALUE: usize = 300;

pub(super) fn difference_lines(
    paint: &Paint,
    found: &FirstDifference,
    cells: usize,
    list: &mut List,
) {
    let theme = paint.theme;
    let (title, dim) = (style(theme, Role::Title), style(theme, Role::Dim));
    let at = found
        .event
        .map_or_else(String::new, |id| format!("AWS event #{id}"));
    list.say(
        Line::new()
            .text("First difference", style(theme, Role::Changed))
            .right(at, dim),
    );
    let mut say = |head: &str, text: &str, role: Role| {
        let room = cells.saturating_sub(9).max(10);
        for (row, part) in wrapped(&words(paint.glyphs, &visible(text)), room)
            .into_iter()
            .enumerate()
        {
            let head = if row == 0 { head } else { "" };
            list.say(
                Line::new()
                    .cell(head, 8, title)
                    .text(part, style(theme, role)),
            );
        }
    };
    match &found.values {
        None => {
            say("on AWS", &found.there, Role::Text);
            say("here", &found.here, Role::Text);
        }
        Some((there, here)) => {
            say("event", &found.recorded, Role::Text);
            for change in diff(there, here, PLACES) {
                say("at", &change.at.to_string(), Role::Text);
                let side = |value| change.at.get(value).map(|value| abridged(value, VALUE));
                say(
                    "on AWS",
                    &side(there).unwrap_or_else(|| "nothing".to_owned()),
                    Role::Removed,
                );
                say(
                    "here",
                    &side(here).unwrap_or_else(|| "nothing".to_owned()),
                    Role::Added,
                );
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
    list.say(Line::new());
}
