//! The rows of the state pane on errors: deadlines, retriers, catchers and attempts.
//!
//! It must not know selection or scrolling.

use super::Paint;
use super::line::{Line, clock, span_of_time, style, width, words};
use super::state_line::List;
use super::state_row::Row;
use crate::json::Text;
use crate::session::view::{AttemptView, CatcherView, HandlingView, RetrierView};
use crate::source::Span;
use crate::tui::border::wrapped;
use crate::tui::theme::Role;
use ratatui::style::Style;

/// Columns before the names that a retrier or catcher takes.
const HEAD: usize = 6;
/// Blanks behind them.
const GAP: usize = 2;
/// Columns behind those of a retrier: how often it was used.
const USED: usize = 16;
/// Columns of an attempt's number, and of its sign.
const NUMBER: usize = 6;
const SIGN: usize = 3;
/// Columns of most lines' numbers.
const LINE: usize = 6;

pub(super) fn handling_lines(
    paint: &Paint,
    handling: &HandlingView,
    cells: usize,
    list: &mut List,
) {
    let theme = paint.theme;
    let (title, dim) = (style(theme, Role::Title), style(theme, Role::Dim));
    let heading = |list: &mut List, text: &str, words: &str| {
        list.say(Line::new().text(text, title).right(words, dim));
    };
    for (name, deadline) in [
        ("times out", handling.timeout_at),
        ("heartbeat due", handling.heartbeat_at),
    ] {
        if let Some(at) = deadline {
            let left = at.saturating_sub(paint.view.header.clock);
            let waiting = style(theme, Role::Waiting);
            list.say(
                Line::new()
                    .text(format!("{name} at {}", clock(at)), waiting)
                    .right(format!("in {}", span_of_time(left)), waiting),
            );
        }
    }
    if handling.retriers.is_empty() && handling.catchers.is_empty() {
        list.say(Line::new().text("no retriers, no catchers", dim));
    } else if handling.retriers.is_empty() {
        list.say(Line::new().text("no retriers", dim));
    } else {
        heading(list, "Retry", "");
        let names = handling.retriers.iter().map(|retrier| &retrier.errors);
        let names = column(names, cells.saturating_sub(HEAD + GAP + USED));
        for (place, retrier) in handling.retriers.iter().enumerate() {
            retrier_lines(paint, place, retrier, names, cells, list);
        }
    }
    if handling.catchers.is_empty() {
        if !handling.retriers.is_empty() {
            list.say(Line::new().text("no catchers", dim));
        }
    } else {
        heading(list, "Catch", "tried after retries");
        let names = handling.catchers.iter().map(|catcher| &catcher.errors);
        let after = handling.catchers.iter().map(after_names).max();
        let names = column(names, cells.saturating_sub(HEAD + GAP + after.unwrap_or(0)));
        for (place, catcher) in handling.catchers.iter().enumerate() {
            catcher_lines(paint, place, catcher, names, cells, list);
        }
    }
    if handling.attempts.is_empty() {
        return;
    }
    heading(list, "Attempts", &handling.attempts.len().to_string());
    let widest = |of: &dyn Fn(&AttemptView) -> usize| handling.attempts.iter().map(of).max();
    let clocks = widest(&|attempt| width(&clock(attempt.started)) + 2).unwrap_or(0);
    let took = widest(&|attempt| {
        attempt
            .took
            .map_or(0, |took| width(&span_of_time(took)) + 2)
    });
    let took = took.unwrap_or(0);
    let words = widest(&|attempt| width(came(paint, attempt))).unwrap_or(0);
    // When it began, then how long it took, is left away before the name of an error is cut.
    let left = cells.saturating_sub(NUMBER + SIGN + words);
    let columns = match left {
        left if left >= clocks + took => [clocks, took],
        left if left >= took => [0, took],
        _ => [0, 0],
    };
    for attempt in &handling.attempts {
        let line = attempt_line(paint, attempt, columns);
        list.row(Row::Attempt(attempt.number), line);
    }
}

/// The column of the names that retriers or catchers take: as wide as the widest that leaves the rest of its row in place.
fn column<'a>(errors: impl Iterator<Item = &'a Vec<Text>>, most: usize) -> usize {
    let widths = errors.map(|errors| width(&errors.join(", ")));
    widths.filter(|wide| *wide <= most).max().unwrap_or(0)
}

/// Cells behind the names of a catcher: where it leads, and where it puts the error.
fn after_names(catcher: &CatcherView) -> usize {
    2 + width(&catcher.next) + LINE + 1 + width(&catcher.result_path)
}

/// The line it stands in, in front of it what keeps it apart.
fn line_of(paint: &Paint, span: Span) -> String {
    let place = paint.definition.sources.place(span);
    place.map_or_else(String::new, |place| format!("  :{}", place.line))
}

/// Begins the row of a retrier or catcher with the names that it takes. Those that its column does not hold stand above, in
/// rows of their own: the one that took an error is not cut.
fn begin(
    paint: &Paint,
    (row, place): (Row, usize),
    (mark, own): ((&str, Style), Style),
    errors: &[Text],
    (column, cells): (usize, usize),
    list: &mut List,
) -> (Option<Row>, Line) {
    let head = Line::new().cell(mark.0, 2, mark.1).cell(
        format!("[{place}]"),
        HEAD - 2,
        style(paint.theme, Role::Dim),
    );
    let names = errors.join(", ");
    if width(&names) <= column {
        return (Some(row), head.cell(names, column + GAP, own));
    }
    let mut parts = wrapped(&names, cells.saturating_sub(HEAD)).into_iter();
    list.row(row, head.text(parts.next().unwrap_or_default(), own));
    for part in parts {
        list.say(Line::new().gap(HEAD).text(part, own));
    }
    (None, Line::new().gap(HEAD))
}

fn retrier_lines(
    paint: &Paint,
    place: usize,
    retrier: &RetrierView,
    names: usize,
    cells: usize,
    list: &mut List,
) {
    let (theme, glyphs) = (paint.theme, paint.glyphs);
    let (mark, role) = match (retrier.takes, retrier.used >= retrier.max) {
        (true, _) => (glyphs.here, Role::Retrying),
        (false, true) if retrier.max > 0 => ("", Role::Failed),
        _ => ("", Role::Text),
    };
    let own = style(theme, role);
    let styles = ((mark, style(theme, Role::Mark)), own);
    let row = (Row::Retrier(place), place);
    let (row, line) = begin(paint, row, styles, &retrier.errors, (names, cells), list);
    if retrier.max == 0 {
        let at = line_of(paint, retrier.span);
        let line = line.text("never retries", own);
        list.lines
            .push((row, line.text(at, style(theme, Role::Dim))));
        why_lines(paint, &retrier.why, retrier.takes, cells, list);
        return;
    }
    let line = line
        .cell(format!("{}/{}", retrier.used, retrier.max), 6, own)
        .text(glyphs.gauge(retrier.used, retrier.max, 8), own);
    list.lines.push((row, line));
    let dim = style(theme, Role::Dim);
    let mut timing = vec![(words(glyphs, &retrier.back_off), dim)];
    if !retrier.waited.is_empty() {
        let skipped = retrier.waited.len().saturating_sub(4);
        let waited = retrier.waited.iter().skip(skipped);
        let mut waited: Vec<String> = waited.map(|time| span_of_time(*time)).collect();
        let last = if skipped > 0 { "last waited" } else { "waited" };
        let cut = retrier.cut_short.map_or_else(String::new, |passed| {
            format!(", of which {} passed", span_of_time(passed))
        });
        let waits = if retrier.waits { waited.pop() } else { None };
        if !waited.is_empty() {
            timing.push((format!("{last} {}{cut}", waited.join(", ")), dim));
        }
        if let Some(waits) = waits {
            timing.push((format!("waits {waits}"), style(theme, Role::Waiting)));
        }
    }
    if let Some(next) = retrier.next {
        let next = format!("next {}", span_of_time(next));
        timing.push((next, style(theme, Role::Waiting)));
    }
    let at = line_of(paint, retrier.span);
    timing.push((at.trim_start().to_owned(), dim));
    filled(timing, cells, list);
    why_lines(paint, &retrier.why, retrier.takes, cells, list);
}

/// Texts side by side, as many in a row as it holds.
fn filled(texts: Vec<(String, Style)>, cells: usize, list: &mut List) {
    let begin = || Line::new().gap(HEAD);
    let mut line = begin();
    for (text, own) in texts {
        let used = line.width();
        if used > HEAD && used + 3 + width(&text) <= cells {
            line = line.text(format!("   {text}"), own);
            continue;
        }
        if used > HEAD {
            list.say(std::mem::replace(&mut line, begin()));
        }
        let mut parts = wrapped(&text, cells.saturating_sub(HEAD));
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            list.say(begin().text(part, own));
        }
        line = begin().text(last, own);
    }
    list.say(line);
}

fn catcher_lines(
    paint: &Paint,
    place: usize,
    catcher: &CatcherView,
    names: usize,
    cells: usize,
    list: &mut List,
) {
    let (theme, glyphs) = (paint.theme, paint.glyphs);
    let mark = if catcher.takes {
        glyphs.catch_arrow
    } else {
        ""
    };
    let role = if catcher.takes {
        Role::Caught
    } else {
        Role::Text
    };
    let own = style(theme, role);
    let row = (Row::Catcher(place), place);
    let (row, line) = begin(
        paint,
        row,
        ((mark, own), own),
        &catcher.errors,
        (names, cells),
        list,
    );
    let line = line
        .text(format!("{} {}", glyphs.arrow, catcher.next), own)
        .text(line_of(paint, catcher.span), style(theme, Role::Dim));
    let path = style(theme, Role::Path);
    match HEAD + after_names(catcher) <= cells {
        true => list
            .lines
            .push((row, line.right(&*catcher.result_path, path))),
        false => {
            list.lines.push((row, line));
            list.say(Line::new().gap(HEAD).text(&*catcher.result_path, path));
        }
    }
    why_lines(paint, &catcher.why, catcher.takes, cells, list);
}

fn why_lines(paint: &Paint, why: &str, takes: bool, cells: usize, list: &mut List) {
    if why.is_empty() {
        return;
    }
    let role = if takes { Role::Info } else { Role::Dim };
    for part in wrapped(&words(paint.glyphs, why), cells.saturating_sub(6)) {
        list.say(Line::new().gap(6).text(part, style(paint.theme, role)));
    }
}

/// What came of an attempt.
fn came<'v>(paint: &Paint<'v>, attempt: &'v AttemptView) -> &'v str {
    match attempt.error.as_deref() {
        Some("") => "an error without a name",
        Some(named) => named,
        None => paint.glyphs.word(attempt.status),
    }
}

fn attempt_line(paint: &Paint, attempt: &AttemptView, [clocks, took]: [usize; 2]) -> Line {
    let theme = paint.theme;
    let status = attempt.status;
    let dim = style(theme, Role::Dim);
    let number = format!("{:>4}", attempt.number);
    let mut line = Line::new().cell(number, NUMBER, style(theme, Role::Text));
    if clocks > 0 {
        line = line.cell(clock(attempt.started), clocks, dim);
    }
    if took > 0 {
        line = line.cell(attempt.took.map_or(String::new(), span_of_time), took, dim);
    }
    line.cell(paint.glyphs.status(status), SIGN, theme.status(status))
        .text(came(paint, attempt), theme.status(status))
}
