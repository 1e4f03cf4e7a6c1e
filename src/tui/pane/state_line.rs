//! Rows of the state pane about a state's details, a deadline, the branches of a Parallel and the items of a Map.

use super::Paint;
use super::block::state_of;
use super::data_line::{preview, preview_of_item};
use super::line::{Line, align, clock, span_of_time};
use super::list::Rows;
use crate::definition::{State, StateId, StateKind, Transition};
use crate::interpreter::EventKind;
use crate::json::{Text, Value, diff, visible};
use crate::query::abridged;
use crate::session::recorded::FirstDifference;
use crate::session::view::{
    EventRow, Inner, ItemStanding, ItemView, LaneView, RunStatus, StatePane, StateStatus, ToCome,
};
use crate::source::in_line;
use crate::tui::fit::width;
use crate::tui::theme::Role;
use crate::wording;

pub(super) fn state_name(paint: &Paint, state: Option<StateId>) -> Text {
    state
        .and_then(|id| paint.definition.state(id))
        .map_or_else(|| "".into(), |state| state.name.clone())
}

/// Text for a state that was not entered in the shown frame. The pane does not show visits in other frames.
pub(super) fn not_entered(paint: &Paint) -> &'static str {
    match paint.view.end {
        Some(_) => "not entered",
        None => "not entered yet",
    }
}

/// Width of the column of the details' names, in cells.
pub(super) const NAME: usize = 10;

/// Adds rows with the details of a state that AWS's console also shows: status, start, duration, resource, next state.
pub(super) fn detail_lines(paint: &Paint, state: &State, rows: &mut StateRows) {
    let mut say = |name, words: &str, role| rows.field((name, NAME), words, role);
    match &paint.view.data.visit {
        None => say("status", not_entered(paint), Role::Dim),
        Some(visit) => {
            if visit.number > 1 {
                say("visit", &visit.number.to_string(), Role::Text);
            }
            let left = left_later(paint).filter(|_| !visit.is_over);
            say("entered", &clock(visit.entered), Role::Text);
            // If the state failed and nothing handles the error, its duration no longer grows.
            let is_over = visit.is_over || paint.view.data.to_come == ToCome::Nothing;
            let so_far = if is_over { "" } else { " so far" };
            if let Some(row) = left {
                let took = span_of_time(row.time.saturating_sub(visit.entered));
                say("took", &took, Role::Text);
            } else if is_over || visit.took > 0 {
                let took = span_of_time(visit.took);
                say("duration", &format!("{took}{so_far}"), Role::Text);
            }
        }
    }
    if let StateKind::Task(task) = &state.kind {
        say("resource", &task.resource, Role::Text);
    }
    match &state.transition {
        Transition::Next(next) => say("next", &next.name, Role::Text),
        Transition::End => say("next", "end", Role::Text),
        _ => {}
    }
}

/// The event after the current event at which the state is left; `None` if the current event is the latest of the run,
/// or if the exit is not found.
fn left_later(paint: &Paint) -> Option<EventRow> {
    let header = &paint.view.header;
    let frame = paint.view.frames.last()?.frame;
    let is_past = header.status == RunStatus::Past;
    let until = header.event.saturating_add(LOOKED_AHEAD);
    let rows = is_past.then(|| (paint.rows)(header.event + 1..until))?;
    let mut rows = rows.into_iter();
    rows.find(|row| row.frame_id == frame && row.kind == EventKind::StateExited)
}

/// Maximum number of events after the current event to search for the exit of a state.
const LOOKED_AHEAD: u64 = 500;

pub(super) fn wait_lines(paint: &Paint, wait: &StatePane, rows: &mut StateRows) {
    let StatePane::Wait {
        since,
        until,
        date,
        written,
        no_wait,
        cut,
    } = wait
    else {
        return;
    };
    let now = paint.view.header.clock;
    let by = written.as_deref().unwrap_or_default();
    if paint.view.data.visit.is_none() {
        return rows.field(("by", NAME), by, Role::Text);
    }
    let Some(until) = *until else {
        let text = match paint.view.data.fault {
            Some(_) => {
                rows.field(("by", NAME), by, Role::Text);
                "the duration could not be evaluated"
            }
            None => "the duration has not been evaluated yet",
        };
        return rows.note(0, text, Role::Dim);
    };
    let since = *since;
    if no_wait.is_some() {
        rows.note(0, "does not wait", Role::Warning);
        rows.field(("by", NAME), by, Role::Text);
        return rows.field(("at", NAME), &clock(since), Role::Text);
    }
    let length = until.saturating_sub(since);
    // The execution's time limit may end the wait earlier.
    let ends = cut.as_ref().map_or(until, |cut| cut.at);
    let left = ends.saturating_sub(now);
    if let Some(cut) = cut {
        let text = wording::cut_wait(cut.line, &clock(cut.at), paint.view.end.is_some());
        rows.note(0, &text, Role::Warning);
    }
    let left = match (left, &paint.view.end) {
        (0, Some(_)) if cut.is_some() => {
            let left = span_of_time(until.saturating_sub(now));
            format!("{left} remained when the run timed out")
        }
        (0, _) => "nothing".to_owned(),
        (left, None) => format!("{left} on the virtual clock", left = span_of_time(left)),
        (left, Some(_)) => format!(
            "{left} remained when the run ended",
            left = span_of_time(left)
        ),
    };
    let ends = if cut.is_some() { "planned" } else { "until" };
    for (name, text) in [
        ("since", &*clock(since)),
        (ends, &*clock(until)),
        ("date", date.as_deref().unwrap_or_default()),
        ("by", by),
        ("waits", &*span_of_time(length)),
        ("left", &*left),
    ] {
        rows.field((name, NAME), text, Role::Waiting);
    }
    let room = rows.cells.saturating_sub(4).clamp(1, 40) as u64;
    let passed = u128::from(now.saturating_sub(since).min(length));
    let passed = passed * u128::from(room) / u128::from(length.max(1));
    let passed = u64::try_from(passed).unwrap_or(room);
    rows.note(0, &paint.glyphs.gauge(passed, room, room), Role::Waiting);
}

/// Word for the status of an item or branch: `not yet` instead of `not reached` if the state is still running.
pub(super) fn to_come(paint: &Paint, status: StateStatus) -> &'static str {
    match (status, paint.view.data.visit.as_ref()) {
        (StateStatus::NotReached, Some(visit)) if !visit.is_over && paint.view.end.is_none() => {
            "not yet"
        }
        _ => paint.glyphs.word(status),
    }
}

/// Rows for the branches of a Parallel, each with its current state and status.
pub(super) fn lane_lines(paint: &Paint, lanes: &[LaneView], rows: &mut StateRows) {
    let (parallel, cells) = (state_of(paint), rows.cells);
    let lines = lanes.iter().map(|lane| {
        let status = Role::of(lane.status);
        let branch = parallel.and_then(|state| paint.definition.branch(state, lane.index));
        let branch = branch.map_or_else(|| lane.index.to_string(), str::to_owned);
        let state = state_name(paint, lane.state);
        // If the branch has the same name as its current state, the name is shown only once.
        let state = if *state == *branch { "".into() } else { state };
        let word = match &lane.error {
            Some(error) => with_place(error, lane.inner.as_ref()),
            None => to_come(paint, lane.status).to_owned(),
        };
        // A long name is cut, so that the outcome beside it stays readable.
        let line = Line::new()
            .cell(paint.glyphs.status(lane.status), 3, status)
            .column(branch, cells / 3, Role::Text)
            .column(&*state, cells / 3, Role::Text)
            .text(word, status);
        (Row::Lane(lane.index), line)
    });
    rows.table(lines);
}

/// Adds the number of items of each status. If `summary` has no numbers, adds the text `all`, which is the total.
pub(super) fn summary_lines(
    paint: &Paint,
    summary: &[(ItemStanding, u32)],
    all: String,
    rows: &mut StateRows,
) {
    let parts = summary.iter().map(|(item, number)| {
        let role = match item {
            ItemStanding::Ok => Role::Ok,
            ItemStanding::Running => Role::Running,
            ItemStanding::CutShort | ItemStanding::Aborted => Role::Aborted,
            ItemStanding::NotBegun => Role::NotReached,
            ItemStanding::Failed(_) => Role::Failed,
        };
        (format!("{number} {status}", status = item.words()), role)
    });
    let mut parts: Vec<(String, Role)> = parts.collect();
    if parts.is_empty() {
        parts.push((all, Role::Dim));
    }
    rows.fill(0, &format!(" {} ", paint.glyphs.dot), parts);
}

/// Minimum width of an item's value, in cells, if the row also has the name of an error.
const ITEM: usize = 10;

/// Maximum and minimum width of an item's result, in cells.
const RESULT: (usize, usize) = (40, 8);

/// The error of an item, with the inner item or branch in which it occurred; empty if the item did not fail.
fn failed_with(item: &ItemView) -> String {
    let error = item.lane.error.as_deref();
    error.map_or_else(String::new, |error| {
        with_place(error, item.lane.inner.as_ref())
    })
}

/// An error with the inner item or branch in which it occurred, such as `inner item 3: Payment.Declined`.
fn with_place(error: &str, inner: Option<&Inner>) -> String {
    match inner {
        Some(inner) => format!("{place}: {error}", place = wording::inner(inner)),
        None => error.to_owned(),
    }
}

/// Outcome of an item. For a failed item, its error, with the name of its state if both fit into `cells` cells. For any
/// other item, its result, or the name of its current state if it has no result.
fn outcome(paint: &Paint, item: &ItemView, cells: usize) -> String {
    let (state, error) = (state_name(paint, item.lane.state), failed_with(item));
    match (&item.result, error.is_empty()) {
        (_, false) if state.is_empty() => error,
        (_, false) if width(&state) + 2 + width(&error) > cells => error,
        (_, false) => format!("{state}  {error}"),
        (Some(result), true) => {
            let result = preview_of_item(result, RESULT.0).0;
            format!("{arrow} {result}", arrow = paint.glyphs.arrow)
        }
        (None, true) => state.to_string(),
    }
}

/// The text for an item in the column that the user added to the list of items; `-` if the evaluation failed.
fn beside(value: &Result<Value, String>) -> (String, Role) {
    match value {
        Ok(value) => (preview(value, 48).0, Role::Text),
        Err(_) => ("-".to_owned(), Role::Dim),
    }
}

/// Rows for the items of a Map with their outcomes. If there is not enough room, the item's value is cut, not the
/// error.
pub(super) fn item_lines(paint: &Paint, items: &[ItemView], total: u32, rows: &mut StateRows) {
    let (glyphs, cells) = (paint.glyphs, rows.cells);
    let digits = total.saturating_sub(1).to_string().len();
    let heads = items.iter().map(|item| {
        let (point, role) = match item.point {
            Some(true) => (glyphs.breakpoint, Role::Breakpoint),
            Some(false) => (glyphs.breakpoint_off, Role::BreakpointOff),
            None => ("", Role::Dim),
        };
        let tries = match item.tries {
            0 | 1 => String::new(),
            tries => format!("{}{tries}", glyphs.times),
        };
        let chosen = item.column.as_ref().map(beside);
        let (chosen, chosen_role) = chosen.unwrap_or((String::new(), Role::Dim));
        Line::new()
            .column(point, 1, role)
            .cell(
                format!("{:>digits$}", item.lane.index),
                digits + 2,
                Role::Text,
            )
            .cell(
                glyphs.status(item.lane.status),
                3,
                Role::of(item.lane.status),
            )
            .column(tries, 2, Role::Retrying)
            .column(chosen, cells / 3, chosen_role)
    });
    let mut heads: Vec<Line> = heads.collect();
    align(&mut heads);
    let left = cells.saturating_sub(heads.first().map_or(0, Line::width));
    let names: Vec<String> = (items.iter())
        .map(|item| preview_of_item(&item.item, 60).0)
        .collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    for ((item, name), head) in items.iter().zip(names).zip(heads) {
        let came = outcome(paint, item, left.saturating_sub(ITEM + 2));
        // The result gets only the room that the item's value leaves, because the data pane shows the result, too.
        let (most, role) = match (item.lane.error.is_some(), item.result.is_some()) {
            (false, true) => (left, Role::Dim),
            (is_failed, _) => {
                let beside = match width(&came) {
                    0 => left,
                    came => left.saturating_sub(came + 2).max(ITEM.min(left / 3)),
                };
                let role = Role::of(item.lane.status);
                (beside, if is_failed { role } else { Role::Text })
            }
        };
        let line = head.cell(name, widest.min(most) + 2, Role::Dim);
        let is_stub = role == Role::Dim && line.width() + RESULT.1 > cells;
        let came = if is_stub { String::new() } else { came };
        rows.row(Row::Item(item.lane.index), line.text(came, role));
    }
}

/// Maximum number of listed places at which the run's event differs from the recorded event.
const PLACES: usize = 12;
/// Maximum length of a value at one of these places, in bytes.
const VALUE: usize = 300;

pub(super) fn difference_lines(paint: &Paint, first: &FirstDifference, rows: &mut StateRows) {
    let at = first.event.map(|id| format!("AWS event #{id}"));
    let head = Line::new().text("First difference from AWS", Role::Changed);
    rows.say(head.right(at.unwrap_or_default(), Role::Dim));
    let mut say = |name, text: &str, role| rows.field((name, 8), &visible(text), role);
    match &first.values {
        None => {
            say("on AWS", &first.there, Role::Text);
            say("here", &first.here, Role::Text);
        }
        Some((there, here)) => {
            say("event", &first.recorded, Role::Text);
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
    if let Some(reason) = &first.reason {
        let line = reason.span;
        let line = in_line(line.and_then(|span| paint.definition.sources.line(span)));
        say("because", &format!("{}{line}", reason.text), Role::Info);
    }
    rows.say(Line::new());
}

/// A row of the state pane that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// A retrier, by index.
    Retrier(usize),
    /// A catcher, by index.
    Catcher(usize),
    /// An attempt, by its number; the first attempt has number 1.
    Attempt(u32),
    /// A rule of a Choice, by index in the list; Default comes last.
    Rule(usize),
    /// A test of a rule, by the indices of rule and test.
    Test(usize, usize),
    /// A branch of a Parallel, by index.
    Lane(u32),
    /// An item of a Map, by index.
    Item(u32),
    /// An event, by number, in the summary of a finished run.
    Event(u64),
    /// A state that the finished run did not reach, and the state that explains why, such as a Choice that led
    /// elsewhere.
    LeftOut(StateId, Option<StateId>),
}

/// The rows of the state pane.
pub(super) type StateRows<'a> = Rows<'a, Row>;
