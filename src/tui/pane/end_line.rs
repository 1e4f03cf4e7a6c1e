//! What a run that is over came to, as lines: each error with what became of it.
//!
//! It must not know selection or scrolling.

use super::Paint;
use super::line::{Line, clock, count, span_of_time, style, width, words};
use super::state_line::{List, state_name};
use super::state_row::Row;
use crate::session::view::{Became, EndView, StateStatus};
use crate::tui::border::wrapped;
use crate::tui::theme::Role;

pub(super) fn end_lines(paint: &Paint, end: &EndView, cells: usize, list: &mut List) {
    let theme = paint.theme;
    let (title, dim) = (style(theme, Role::Title), style(theme, Role::Dim));
    let mut counts = vec![count(
        usize::try_from(end.raised).unwrap_or(usize::MAX),
        "error",
    )];
    counts.extend(end.handled());
    if end.raised > 0 {
        let (heading, counts) = ("Errors of the run", counts.join(", "));
        let head = Line::new().text(heading, title);
        if width(heading) + 1 + width(&counts) <= cells {
            list.say(head.right(counts, dim));
        } else {
            list.say(head);
            list.say(Line::new().gap(3).text(counts, dim));
        }
    }
    for row in &end.errors {
        let (status, role, text) = match &row.became {
            Became::Raised => (StateStatus::ErrorRaised, Role::Raised, String::new()),
            Became::Retried(by) => (
                StateStatus::Retrying,
                Role::Retrying,
                format!("retried by {by}"),
            ),
            Became::CutShort(how) => (StateStatus::Failed, Role::Failed, how.clone()),
            Became::Caught(by) => (StateStatus::Caught, Role::Caught, by.clone()),
            Became::Failed => (StateStatus::Failed, Role::Failed, "not caught".to_owned()),
        };
        let own = style(theme, role);
        let line = row.line.map_or_else(String::new, |line| format!(":{line}"));
        let state = match row.frame.as_str() {
            "" => state_name(paint, row.state).to_string(),
            frame => format!("{frame} {}", state_name(paint, row.state)),
        };
        let head = Line::new()
            .cell(paint.glyphs.status(status), 3, own)
            .text(&*row.error, own)
            .text(format!("  {state}{line}"), style(theme, Role::Text));
        let time = clock(row.time);
        let used = 3 + width(&row.error) + 2 + width(&state) + width(&line);
        let head = match used + width(&time) + 1 < cells {
            true => head.right(time, dim),
            false => head,
        };
        list.row(Row::Error(row.number), head);
        for part in wrapped(&words(paint.glyphs, &text), cells.saturating_sub(6)) {
            if !part.is_empty() {
                list.say(Line::new().gap(6).text(part, own));
            }
        }
    }
    if let Some(timeout) = &end.timeout {
        list.say(Line::new().text("What the time went to", title));
        for spent in &timeout.spent {
            list.say(
                Line::new()
                    .gap(3)
                    .text(&*spent.state, style(theme, Role::Text))
                    .right(span_of_time(spent.time), dim),
            );
            if spent.between_tries > 0 {
                let waited = span_of_time(spent.between_tries);
                let words = format!("of that waiting between tries: {waited}");
                list.say(Line::new().gap(6).text(words, dim));
            }
        }
        if let Some((state, name)) = &timeout.not_caught {
            let words = format!(
                "A state machine's timeout cannot be caught, not even by {name} of {state}"
            );
            for part in wrapped(&words, cells) {
                list.say(Line::new().text(part, style(theme, Role::Failed)));
            }
        }
    }
}
