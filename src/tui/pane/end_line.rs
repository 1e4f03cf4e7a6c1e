//! What a run that is over came to, as lines: each error with what became of it.
//!
//! It must not know selection or scrolling.

use super::Paint;
use super::line::{Line, clip, clock, count, span_of_time, style, width, words};
use super::state_line::{List, state_name};
use super::state_row::Row;
use crate::session::view::{Became, EndView, ErrorRow, StateStatus};
use crate::tui::border::wrapped;
use crate::tui::theme::Role;

/// Cells of a name before what is said of it.
const NAME: usize = 10;
/// So many states that were not reached are named.
const LEFT_OUT: usize = 40;
/// The reason of an error takes at most so many cells: all of it is read at the error.
const REASON: usize = 240;

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
    if end.raised == 0 {
        run_lines(paint, cells, list);
    }
    let mut before: Option<&ErrorRow> = None;
    for row in &end.errors {
        // What is raised again and again is said once.
        let is_said = before.is_some_and(|before| {
            (before.state, &before.reason) == (row.state, &row.reason) && before.frame == row.frame
        });
        before = Some(row);
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
            Became::Tolerated(why) => {
                let text = format!("not caught; {why}");
                (StateStatus::Failed, Role::Failed, text)
            }
        };
        let own = style(theme, role);
        let line = row.line.map_or_else(String::new, |line| format!(":{line}"));
        let state = match row.frame.as_str() {
            "" => state_name(paint, row.state).to_string(),
            frame => format!("{frame} {}", state_name(paint, row.state)),
        };
        let place = format!("{state}{line}");
        let head = Line::new()
            .cell(paint.glyphs.status(status), 3, own)
            .text(&*row.error, own);
        let time = clock(row.time);
        let used = 3 + width(&row.error);
        let plain = style(theme, Role::Text);
        let is_wide = used + 2 + width(&place) <= cells;
        let (head, used) = match is_wide {
            true => {
                let text = format!("  {place}");
                let used = used + width(&text);
                (head.text(text, plain), used)
            }
            false => (head, used),
        };
        let head = match used + width(&time) + 1 < cells {
            true => head.right(time, dim),
            false => head,
        };
        list.row(Row::Error(row.number), head);
        let mut below = |text: &str, own| {
            for part in wrapped(&words(paint.glyphs, text), cells.saturating_sub(6)) {
                if !part.is_empty() {
                    list.say(Line::new().gap(6).text(part, own));
                }
            }
        };
        if !is_wide {
            below(&place, plain);
        }
        if !is_said {
            below(&clip(&row.reason, REASON, paint.glyphs), plain);
        }
        below(&text, own);
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

/// What there is to say of a run in which no error was raised: how long it took, and which states it left out.
fn run_lines(paint: &Paint, cells: usize, list: &mut List) {
    let theme = paint.theme;
    let (dim, text) = (style(theme, Role::Dim), style(theme, Role::Text));
    let title = style(theme, Role::Title);
    let states = paint.definition.states.iter().zip(&paint.view.states);
    let left_out = states.filter(|(_, view)| view.visits == 0);
    let left_out: Vec<&str> = left_out.map(|(state, _)| &*state.name).collect();
    let all = paint.definition.states.len();
    list.say(
        Line::new()
            .text("The run", title)
            .right("no error raised", dim),
    );
    let took = span_of_time(paint.view.header.clock);
    list.say(Line::new().cell("duration", NAME, dim).text(took, text));
    let reached = match left_out.len() {
        0 => format!("all {all} reached"),
        count => format!("{} of {all} reached, not reached:", all - count),
    };
    list.say(Line::new().cell("states", NAME, dim).text(reached, text));
    let more = left_out.len().saturating_sub(LEFT_OUT);
    let mut names: Vec<String> = left_out
        .iter()
        .take(LEFT_OUT)
        .map(|name| (*name).to_owned())
        .collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    for part in wrapped(&names.join(", "), cells.saturating_sub(NAME)) {
        if !part.is_empty() {
            list.say(Line::new().gap(NAME).text(part, dim));
        }
    }
}
