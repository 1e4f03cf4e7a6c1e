//! Rows of the state pane about error handling: deadlines, retriers, catchers and attempts.

use super::Paint;
use super::line::{Line, clock, span_of_time};
use super::state_line::{Row, StateRows};
use crate::json::Text;
use crate::session::view::{AttemptView, CatcherView, HandlingView, RetrierView};
use crate::tui::fit::{width, words, wrapped};
use crate::tui::theme::Role;

/// Columns in the row of a retrier or catcher before its error names.
const HEAD: usize = 6;
/// Number of spaces after the error names.
const GAP: usize = 2;
/// Columns after the error names of a retrier, for the number of uses.
const USED: usize = 16;
/// Columns of an attempt's number, and columns of its status symbol.
const NUMBER: usize = 6;
const SIGN: usize = 3;
/// Columns that are enough for most line numbers.
const LINE: usize = 6;

pub(super) fn handling_lines(paint: &Paint, handling: &HandlingView, rows: &mut StateRows) {
    for (event, deadline) in [
        ("times out", handling.timeout_at),
        ("heartbeat due", handling.heartbeat_at),
    ] {
        if let Some(at) = deadline {
            let left = at.saturating_sub(paint.view.header.clock);
            let time = clock(at);
            let line = Line::new().text(format!("{event} at {time}"), Role::Waiting);
            rows.say(line.right(
                format!("in {time}", time = span_of_time(left)),
                Role::Waiting,
            ));
        }
    }
    let (retriers, catchers) = (&handling.retriers, &handling.catchers);
    // Only if there is an error, the pane mentions that the state has no retriers or no catchers.
    let nothing = match (retriers.is_empty(), catchers.is_empty()) {
        _ if paint.view.data.fault.is_none() => "",
        (true, true) => "no retriers, no catchers",
        (true, false) => "no retriers",
        (false, true) => "no catchers",
        (false, false) => "",
    };
    if !nothing.is_empty() {
        rows.note(0, nothing, Role::Dim);
    }
    if !retriers.is_empty() {
        rows.title("Retry", "");
        let names = retriers.iter().map(|retrier| &retrier.errors);
        let names = column(names, rows.cells.saturating_sub(HEAD + GAP + USED));
        for (place, retrier) in retriers.iter().enumerate() {
            retrier_lines(paint, place, retrier, names, rows);
        }
    }
    if !catchers.is_empty() {
        rows.title("Catch", "tried after retries");
        let names = catchers.iter().map(|catcher| &catcher.errors);
        let after = catchers.iter().map(after_names).max().unwrap_or(0);
        let names = column(names, rows.cells.saturating_sub(HEAD + GAP + after));
        for (place, catcher) in catchers.iter().enumerate() {
            catcher_lines(paint, place, catcher, names, rows);
        }
    }
    // A single attempt of a state without retriers is not listed, because the banner and the timeline already describe
    // it.
    if handling.attempts.is_empty() || handling.attempts.len() == 1 && retriers.is_empty() {
        return;
    }
    rows.title("Attempts", handling.attempts.len().to_string());
    let took = |attempt: &AttemptView| {
        let took = attempt.took.filter(|took| *took > 0);
        took.map_or(String::new(), span_of_time)
    };
    let widest = |of: &dyn Fn(&AttemptView) -> usize| {
        let widths = handling.attempts.iter().map(of);
        widths.max().unwrap_or(0)
    };
    let clocks = widest(&|attempt| width(&clock(attempt.started)) + 2);
    let tooks = match widest(&|attempt| width(&took(attempt))) {
        0 => 0,
        cells => cells + 2,
    };
    let words = widest(&|attempt| width(came(paint, attempt)));
    // If room is short, first the start time is omitted, then the duration. The name of an error is cut only if this is
    // not enough.
    let left = rows.cells.saturating_sub(NUMBER + SIGN + words);
    let (clocks, tooks) = match left {
        left if left >= clocks + tooks => (clocks, tooks),
        left if left >= tooks => (0, tooks),
        _ => (0, 0),
    };
    for attempt in &handling.attempts {
        let role = Role::of(attempt.status);
        let line = Line::new()
            .cell(format!("{:>4}", attempt.number), NUMBER, Role::Text)
            .cell(clock(attempt.started), clocks, Role::Dim)
            .cell(took(attempt), tooks, Role::Dim)
            .cell(paint.glyphs.status(attempt.status), SIGN, role);
        let line = line.text(came(paint, attempt), role);
        rows.row(Row::Attempt(attempt.number), line);
    }
}

/// Width of the column of error names: the width of the longest list of names that is at most `most` cells wide.
fn column<'a>(errors: impl Iterator<Item = &'a Vec<Text>>, most: usize) -> usize {
    let widths = errors.map(|errors| width(&errors.join(", ")));
    widths.filter(|wide| *wide <= most).max().unwrap_or(0)
}

/// Width of the texts after a catcher's error names: the next state and ResultPath.
fn after_names(catcher: &CatcherView) -> usize {
    2 + width(&catcher.next) + LINE + 1 + width(&catcher.result_path)
}

/// Begins the row of a retrier or catcher with its error names. Names that do not fit into the column are wrapped into
/// rows of their own above this row, so no name is cut.
fn begin(
    (row, place): (Row, usize),
    mark: (&str, Role),
    (errors, role): (&[Text], Role),
    column: usize,
    rows: &mut StateRows,
) -> (Option<Row>, Line) {
    let head = Line::new().cell(mark.0, 2, mark.1);
    let head = head.cell(format!("[{place}]"), HEAD - 2, Role::Dim);
    let names = errors.join(", ");
    if width(&names) <= column {
        return (Some(row), head.cell(names, column + GAP, role));
    }
    let mut parts = wrapped(&names, rows.cells.saturating_sub(HEAD)).into_iter();
    rows.row(row, head.text(parts.next().unwrap_or_default(), role));
    for part in parts {
        rows.say(Line::new().gap(HEAD).text(part, role));
    }
    (None, Line::new().gap(HEAD))
}

fn retrier_lines(
    paint: &Paint,
    place: usize,
    retrier: &RetrierView,
    names: usize,
    rows: &mut StateRows,
) {
    let glyphs = paint.glyphs;
    let (mark, role) = match (retrier.takes, retrier.used >= retrier.max) {
        (true, _) => (glyphs.here, Role::Retrying),
        (false, true) if retrier.max > 0 => ("", Role::Failed),
        _ => ("", Role::Text),
    };
    let row = (Row::Retrier(place), place);
    let errors = (&*retrier.errors, role);
    let (row, line) = begin(row, (mark, Role::Mark), errors, names, rows);
    let at = paint.line_of(Some(retrier.span));
    if retrier.max == 0 {
        let line = line.text("never retries", role);
        rows.add(row, line.text(format!("  {at}"), Role::Dim));
    } else {
        let line = line.cell(format!("{}/{}", retrier.used, retrier.max), 6, role);
        let gauge = glyphs.gauge(retrier.used, retrier.max, 8);
        rows.add(row, line.text(gauge, role));
        rows.fill(HEAD, "   ", timing(paint, retrier, at));
    }
    let role = match (retrier.takes, retrier.is_close) {
        (true, _) => Role::Info,
        (false, true) => Role::Warning,
        (false, false) => Role::Dim,
    };
    rows.note(HEAD, &retrier.why, role);
}

/// Texts about a retrier: the rule for its delays, the delays so far, the next delay, and the line in the source.
fn timing(paint: &Paint, retrier: &RetrierView, at: String) -> Vec<(String, Role)> {
    let mut timing = vec![(words(paint.glyphs, &retrier.back_off), Role::Dim)];
    let skipped = retrier.waited.len().saturating_sub(4);
    let waited = retrier.waited.iter().skip(skipped);
    let mut waited: Vec<String> = waited.map(|time| span_of_time(*time)).collect();
    let waits = if retrier.waits { waited.pop() } else { None };
    if !waited.is_empty() {
        let waited_label = if skipped > 0 { "last waited" } else { "waited" };
        let delays = waited.join(", ");
        let passed_part = retrier.cut_short.map_or_else(String::new, |passed| {
            format!(", of which {time} passed", time = span_of_time(passed))
        });
        timing.push((format!("{waited_label} {delays}{passed_part}"), Role::Dim));
    }
    timing.extend(waits.map(|delay| (format!("waits {delay}"), Role::Waiting)));
    let next = retrier.next.map(span_of_time);
    timing.extend(next.map(|delay| (format!("next {delay}"), Role::Waiting)));
    timing.push((at, Role::Dim));
    timing
}

fn catcher_lines(
    paint: &Paint,
    place: usize,
    catcher: &CatcherView,
    names: usize,
    rows: &mut StateRows,
) {
    let glyphs = paint.glyphs;
    let (mark, role) = match catcher.takes {
        true => (glyphs.catch_arrow, Role::Caught),
        false => ("", Role::Text),
    };
    let row = (Row::Catcher(place), place);
    let errors = (&*catcher.errors, role);
    let (row, line) = begin(row, (mark, role), errors, names, rows);
    let at = paint.line_of(Some(catcher.span));
    let line = line
        .text(format!("{} {}", glyphs.arrow, catcher.next), role)
        .text(format!("  {at}"), Role::Dim);
    if HEAD + after_names(catcher) <= rows.cells {
        rows.add(row, line.right(&*catcher.result_path, Role::Path));
    } else {
        rows.add(row, line);
        let path = Line::new().gap(HEAD);
        rows.say(path.text(&*catcher.result_path, Role::Path));
    }
    let role = if catcher.takes { Role::Info } else { Role::Dim };
    rows.note(HEAD, &catcher.why, role);
}

/// Text about the outcome of an attempt.
fn came<'v>(paint: &Paint<'v>, attempt: &'v AttemptView) -> &'v str {
    match attempt.error.as_deref() {
        Some("") => "an error without a name",
        Some(named) => named,
        None => paint.glyphs.word(attempt.status),
    }
}
