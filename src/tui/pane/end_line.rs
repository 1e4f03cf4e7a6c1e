//! Rows of the state pane about a finished run: its errors, and how each error was handled.

use super::Paint;
use super::line::{Line, clock, count, span_of_time};
use super::state_line::{NAME, Row, StateRows, state_name};
use crate::definition::StateId;
use crate::session::view::{
    Became, EndView, ErrorRow, KeptAway, LeftOut, Remarked, RunStatus, StateStatus,
};
use crate::tui::fit::{clip, width, words};
use crate::tui::theme::Role;
use crate::tui::whereabouts::arose;
use crate::wording;

/// Width of the column for a status symbol, and indentation of the text below an error's name, in cells.
const SIGN: usize = 3;
const BELOW: usize = 6;
/// Maximum width of an error's reason, in cells. The pane shows the whole reason at the event of the error.
const REASON: usize = 240;

pub(super) fn end_lines(paint: &Paint, end: &EndView, rows: &mut StateRows) {
    let raised = usize::try_from(end.raised).unwrap_or(usize::MAX);
    if raised == 0 {
        run_lines(paint, end, rows);
    } else {
        let mut counts = vec![count(raised, "error")];
        counts.extend(end.handled());
        let (heading, counts) = ("Errors of the run", counts.join(", "));
        if width(heading) + 1 + width(&counts) <= rows.cells {
            rows.title(heading, counts);
        } else {
            rows.title(heading, "");
            rows.note(SIGN, &counts, Role::Dim);
        }
        if raised > end.errors.len() {
            let text = format!("the first {shown} errors", shown = end.errors.len());
            rows.note(SIGN, &text, Role::Dim);
        }
    }
    if let Some(timeout) = end.timeout.as_ref().filter(|_| raised > 0) {
        let words = "the run timed out";
        let limit = signed(paint, StateStatus::TimedOut, Role::Failed, words);
        rows.say(limit.right(clock(paint.view.header.clock), Role::Dim));
        rows.note(BELOW, &wording::limit_in_short(timeout), Role::Text);
    }
    error_lines(paint, end, rows);
    for remark in &end.no_waits {
        let text = wording::no_wait(&remark.why);
        remarked(paint, StateStatus::Waiting, remark, &text, rows);
    }
    for (place, remark) in end.no_items.iter().enumerate() {
        let unit = paint.definition.unit(remark.state);
        // The banner already explains why the first Map had no items, so the row of this Map does not repeat the
        // reason.
        let text = match place {
            0 => format!("no {items}", items = unit.plural()),
            _ => wording::no_items(&remark.why, unit).to_string(),
        };
        remarked(paint, StateStatus::NotReached, remark, &text, rows);
    }
    for (place, remark) in end.misfits.iter().enumerate() {
        // The banner already explains the first Choice whose rule could not match, so the row of this Choice does not
        // repeat the reason.
        let text = match place {
            0 => "this rule cannot match the compared data",
            _ => &remark.why,
        };
        remarked(paint, StateStatus::NotReached, remark, text, rows);
    }
    for remark in &end.differing {
        let text = "spec and AWS behave differently here";
        remarked(paint, StateStatus::Caught, remark, text, rows);
    }
    timeout_lines(end, rows);
    if went_well(paint) {
        left_out_lines(paint, end, rows);
    }
}

/// A row with the symbol of a status and a text.
fn signed(paint: &Paint, status: StateStatus, role: Role, text: &str) -> Line {
    let line = Line::new().cell(paint.glyphs.status(status), SIGN, role);
    line.text(words(paint.glyphs, text), role)
}

/// Returns a state's name and source line: `Ship:41`.
fn state_at(paint: &Paint, state: Option<StateId>, line: Option<usize>) -> String {
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    format!("{}{line}", state_name(paint, state))
}

/// Adds a row about something unusual in a state: the state with its source line, the number of occurrences, and a
/// text. From this row, the user can go to the event of the first occurrence.
fn remarked<T>(
    paint: &Paint,
    sign: StateStatus,
    remark: &Remarked<T>,
    text: &str,
    rows: &mut StateRows,
) {
    let times = match remark.times {
        1 => String::new(),
        times => format!("  {}{times}", paint.glyphs.times),
    };
    let head = state_at(paint, Some(remark.state), remark.line) + &times;
    let head = signed(paint, sign, Role::Warning, &head);
    rows.row(Row::Event(remark.number), head);
    rows.note(BELOW, text, Role::Text);
}

/// True if the run has succeeded.
pub(super) fn went_well(paint: &Paint) -> bool {
    matches!(paint.view.header.status, RunStatus::Succeeded { .. })
}

/// For a run that timed out, adds rows that say how the run spent its time.
fn timeout_lines(end: &EndView, rows: &mut StateRows) {
    let Some(timeout) = &end.timeout else {
        return;
    };
    rows.title("Where the time went", "");
    for spent in &timeout.spent {
        let line = Line::new().gap(SIGN).text(&*spent.state, Role::Text);
        rows.say(line.right(span_of_time(spent.time), Role::Dim));
        if spent.between_tries > 0 {
            let waited = span_of_time(spent.between_tries);
            let text = format!("{waited} of this time was spent waiting for retries");
            rows.note(BELOW, &text, Role::Dim);
        }
    }
    if let Some((state, catcher)) = &timeout.not_caught {
        let text =
            format!("A state machine's timeout cannot be caught, not even by {catcher} of {state}");
        rows.note(0, &text, Role::Failed);
    }
}

/// Errors that are equal except for the items in which they occurred; `first` is the error that is shown.
struct Group<'e> {
    first: &'e ErrorRow,
    frames: Vec<&'e str>,
}

fn groups(errors: &[ErrorRow]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for row in errors {
        let same = groups.iter_mut().find(|group| {
            let first = group.first;
            (first.state, first.line, &first.error) == (row.state, row.line, &row.error)
                && (&first.reason, &first.no_retry) == (&row.reason, &row.no_retry)
                && first.became == row.became
        });
        match same {
            Some(group) => group.frames.push(&row.frame),
            None => groups.push(Group {
                first: row,
                frames: vec![&row.frame],
            }),
        }
    }
    groups
}

impl Group<'_> {
    fn error(&self) -> String {
        match self.frames.len() {
            1 => self.first.error.to_string(),
            times => format!("{times} × {error}", error = self.first.error),
        }
    }

    /// Where the errors occurred: the items, as many as fit into `cells`, then the state with its source line. Example:
    /// `Send Bills[5] [11] [12] … Render Pdf:93`.
    fn place(&self, paint: &Paint, cells: usize) -> String {
        let state = state_at(paint, self.first.state, self.first.line);
        let Some((first, others)) = self
            .frames
            .split_first()
            .filter(|(first, _)| !first.is_empty())
        else {
            return state;
        };
        let head = first.rfind('[').and_then(|at| first.get(..at));
        let mut frames = (*first).to_owned();
        for (place, frame) in others.iter().enumerate() {
            let index = head.and_then(|head| frame.strip_prefix(head));
            let more = match index.filter(|index| index.starts_with('[')) {
                Some(index) => format!(" {index}"),
                None => format!(", {frame}"),
            };
            let rest = if place + 1 == others.len() { 0 } else { 2 };
            if width(&frames) + width(&more) + rest + 1 + width(&state) > cells {
                frames.push_str(&format!(" {}", paint.glyphs.cut));
                break;
            }
            frames.push_str(&more);
        }
        format!("{frames} {state}")
    }
}

/// Symbol and text for the way in which an error was handled: a retry, a catcher, or a failure.
fn came_of(became: &Became, timed_out: bool) -> (StateStatus, String) {
    match became {
        Became::Raised => (StateStatus::ErrorRaised, String::new()),
        Became::Retried(retrier) => (StateStatus::Retrying, format!("retried by {retrier}")),
        Became::CutShort(_) if timed_out => (StateStatus::Failed, "retry cut short".to_owned()),
        Became::CutShort(how) => (StateStatus::Failed, how.clone()),
        Became::Overtaken(by) => (StateStatus::ErrorRaised, by.clone()),
        Became::Caught(by) => (StateStatus::Caught, by.clone()),
        Became::Failed => (StateStatus::Failed, "not caught".to_owned()),
        Became::Tolerated(reason) => (StateStatus::Failed, format!("not caught; {reason}")),
    }
}

/// Adds rows about the errors of the run. Equal errors are combined in one entry, and all entries have the same format.
fn error_lines(paint: &Paint, end: &EndView, rows: &mut StateRows) {
    let groups = groups(&end.errors);
    let place = |group: &Group| group.place(paint, rows.cells.saturating_sub(BELOW));
    let places: Vec<String> = groups.iter().map(place).collect();
    // All entries have the same format: the place of the error is beside the error's name in all entries or in none,
    // and the time is at the right end of all entries or of none.
    let fits = |(is_beside, is_timed): &(bool, bool)| {
        groups.iter().zip(&places).all(|(group, place)| {
            let beside = if *is_beside { 2 + width(place) } else { 0 };
            let time = width(&clock(group.first.time)) + 1;
            let time = if *is_timed { time } else { 0 };
            SIGN + width(&group.error()) + beside + time <= rows.cells
        })
    };
    let forms = [(true, true), (true, false), (false, true)];
    let form = forms.into_iter().find(fits);
    let (is_beside, is_timed) = form.unwrap_or((false, false));
    let in_banner = arose(paint.view, paint.definition).1;
    let in_banner = in_banner.map_or_else(String::new, |fault| fault.finding.to_string());
    let mut before: Option<&ErrorRow> = None;
    for (group, place) in groups.iter().zip(&places) {
        let row = group.first;
        // If the error in the entry above has the same state, frame and reason, the reason is not repeated.
        let is_said = before.is_some_and(|before| {
            (before.state, &before.reason) == (row.state, &row.reason) && before.frame == row.frame
        });
        before = Some(row);
        let (status, text) = came_of(&row.became, end.timeout.is_some());
        let role = Role::of(status);
        let mut head = signed(paint, status, role, &group.error());
        if is_beside {
            head = head.text(format!("  {place}"), Role::Text);
        }
        if is_timed {
            head = head.right(clock(row.time), Role::Dim);
        }
        rows.row(Row::Event(row.number), head);
        if !is_beside {
            rows.note(BELOW, place, Role::Text);
        }
        if !is_said && !in_banner.contains(row.reason.trim_end_matches('.')) {
            rows.note(BELOW, &clip(&row.reason, REASON, paint.glyphs), Role::Text);
        }
        let no_retry = row.no_retry.as_deref().unwrap_or_default();
        rows.note(BELOW, no_retry, Role::Text);
        rows.note(BELOW, &text, role);
    }
}

/// Rows for the states that the run did not reach, each with the reason, such as a Choice that led elsewhere.
pub(super) fn left_out_lines(paint: &Paint, end: &EndView, rows: &mut StateRows) {
    if end.left_out.is_empty() {
        return;
    }
    let all = paint.definition.states.len();
    let not_reached = end.not_reached;
    rows.title("Not reached", format!("{not_reached} of {all} states"));
    let name = |row: &LeftOut| state_at(paint, Some(row.state), row.line);
    let by = |row: &LeftOut, is_long: bool| {
        let states = row.by.iter();
        let states = states.map(|(state, line)| state_at(paint, Some(*state), *line));
        let states = states.collect::<Vec<_>>().join(", ");
        match (row.how, is_long) {
            (KeptAway::Ended, _) if end.timeout.is_some() => "the run timed out".to_owned(),
            (KeptAway::Ended, _) if !went_well(paint) => "the run failed".to_owned(),
            (KeptAway::Ended, _) => String::new(),
            (KeptAway::Led, true) => format!("{states} led elsewhere"),
            (KeptAway::Empty, true) => format!("{states} had no items"),
            (KeptAway::Unfailed, true) => format!("no error in {states}"),
            (_, false) => format!("see {states}"),
        }
    };
    // All rows have the same format: the whole reason, or a short reason such as `see Check:12`, or no reason if
    // neither fits into all rows. Even then, the user can go from a row to the state that is the reason.
    let fits = |is_long: &bool| {
        let cells = |row| match width(&by(row, *is_long)) {
            0 => SIGN + width(&name(row)),
            by => SIGN + width(&name(row)) + 2 + by,
        };
        end.left_out.iter().all(|row| cells(row) <= rows.cells)
    };
    let form = [true, false].into_iter().find(fits);
    for row in &end.left_out {
        let sign = paint.glyphs.status(StateStatus::NotReached);
        let line = Line::new()
            .cell(sign, SIGN, Role::Dim)
            .text(name(row), Role::Text);
        let by = form.map_or_else(String::new, |is_long| by(row, is_long));
        // From this row, the user can go to the last state in `by`, because the states before it only led to it.
        let choice = row.by.last().map(|(choice, _)| *choice);
        rows.row(Row::LeftOut(row.state, choice), line.right(by, Role::Dim));
    }
    let more = end.not_reached.saturating_sub(end.left_out.len());
    if more > 0 {
        rows.note(SIGN, &format!("and {more} more states"), Role::Dim);
    }
}

/// Rows about a run without errors: its duration, and whether it reached every state.
fn run_lines(paint: &Paint, end: &EndView, rows: &mut StateRows) {
    let raised = match end.timeout {
        Some(_) => "timed out without earlier errors",
        None => "no error raised",
    };
    rows.title("The run", raised);
    let took = span_of_time(paint.view.header.clock);
    rows.field(("duration", NAME), &took, Role::Text);
    if end.not_reached == 0 {
        let reached = match paint.definition.states.len() {
            1 => "the only state was reached".to_owned(),
            2 => "both states were reached".to_owned(),
            all => format!("all {all} states were reached"),
        };
        rows.field(("states", NAME), &reached, Role::Text);
    }
}
