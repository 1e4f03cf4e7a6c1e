//! The timeline as a table: one row per visit of a state, with a bar for the duration of the visit.

use super::Paint;
use super::line::{Line, span_of_time};
use super::outline::status_word;
use super::timeline_column::mark;
use crate::definition::StateId;
use crate::interpreter::{EventKind, FrameId, Millis};
use crate::session::view::{EventDetail, EventRow, StateStatus, stands_after};
use crate::tui::fit::width;
use crate::tui::theme::Role;
use std::collections::HashMap;
use std::ops::Range;

/// Width of the complete table, in columns.
pub(super) const COLUMNS: u16 = 94;
/// Width of the bar for the longest visit, in cells.
const BAR: usize = 10;

/// Width of the column for the status, in cells. Most words for a status fit into this column.
const WORD: usize = 12;

/// A visit of a state, as a row of the table shows it.
struct Visit {
    first: u64,
    state: Option<StateId>,
    frame: FrameId,
    name: String,
    since: Millis,
    /// Status and end of the visit as of the current event. For a visit that begins after the current event: its status
    /// and end after all its events.
    came: Came,
    /// Status and end of the visit after all its events; `None` if the visit has no event after the current event, or
    /// begins after it.
    later: Option<Came>,
}

/// State of a visit after some of its events: its status, its number of tries, and its end or latest event.
#[derive(Clone, Copy)]
struct Came {
    status: StateStatus,
    tries: u32,
    until: Millis,
    is_over: bool,
}

/// The table: the visits in the order of their rows.
pub(super) struct VisitTable {
    visits: Vec<Visit>,
    /// Number of the first event of the visit that contains the current event.
    pub(super) here: Option<u64>,
}

impl Visit {
    fn took(&self) -> Millis {
        self.came.until.saturating_sub(self.since)
    }

    /// The field that the event `number` changes: `later` for an event after `cursor`, the current event, and `came`
    /// for any other event. If the whole visit is after the current event, always `came`.
    fn at(&mut self, number: u64, cursor: u64) -> &mut Came {
        match number > cursor && self.first <= cursor {
            true => self.later.get_or_insert(self.came),
            false => &mut self.came,
        }
    }

    /// Text about the status that the visit gets after the current event, such as `later: ok after 3 s`.
    fn later(&self, paint: &Paint) -> String {
        let Some(later) = self.later.filter(|_| !self.came.is_over) else {
            return String::new();
        };
        let took = match later.until.saturating_sub(self.since) {
            0 => String::new(),
            took => format!(" after {time}", time = span_of_time(took)),
        };
        let status = match later.is_over {
            true => status_word(paint, later.status),
            false => "…",
        };
        format!("later: {status}{took}")
    }
}

impl Came {
    /// Records that the run, the branch or the item ended during the visit, which also ends the visit.
    fn end_with(&mut self, row: &EventRow) {
        (self.until, self.is_over) = (row.time, true);
        self.status = match (row.kind, self.status) {
            (_, StateStatus::Failed | StateStatus::ErrorRaised) => StateStatus::Failed,
            (EventKind::ExecutionTimedOut, _) => StateStatus::TimedOut,
            _ => StateStatus::Aborted,
        };
    }
}

impl VisitTable {
    /// Creates the table of the visits to which these events belong, with the status of each visit at the current
    /// event. The visits are in the order of their start; if `longest_first`, the longest visits come first.
    pub(super) fn new(paint: &Paint, rows: Vec<EventRow>, longest_first: bool) -> Self {
        let header = &paint.view.header;
        let seen = rows.last().map_or(0, |row| row.number);
        let (mut visits, here) = visits(rows, header.event);
        // A visit that has not ended lasts until the current time of the run.
        let open = visits.iter_mut().filter(|visit| !visit.came.is_over);
        for visit in open.filter(|visit| visit.first <= header.event && seen >= header.event) {
            visit.came.until = header.clock;
        }
        // A task that already has an answer no longer asks for one; it waits until the answer arrives.
        let held = |visit: &Visit| {
            let mut held = paint.view.held.iter();
            held.any(|task| task.ask.frame == visit.frame && Some(task.ask.state) == visit.state)
        };
        let asking = (visits.iter_mut()).filter(|visit| visit.came.status == StateStatus::Asking);
        asking.filter(|visit| held(visit)).for_each(|visit| {
            visit.came.status = StateStatus::Waiting;
        });
        if longest_first {
            visits.sort_by_key(|visit| std::cmp::Reverse(visit.took()));
        }
        Self { visits, here }
    }

    /// Number of the first event of each visit, in the order of the rows.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.visits.iter().map(|visit| visit.first).collect()
    }

    /// The heading and the rows `shown`, for a pane of `cells` cells.
    pub(super) fn lines(&self, paint: &Paint, shown: Range<usize>, cells: usize) -> Vec<Line> {
        let visits = &self.visits;
        let names = paint.longest_name().clamp(5, (cells / 3).clamp(5, 24));
        let digits = paint.view.header.event_count.to_string().len().max(2);
        // If room is short, the column for the types of the states is omitted, because the bars are more informative.
        let kinds = if cells + 10 < COLUMNS.into() { 0 } else { 10 };
        let words = visits.iter();
        let words = words.map(|visit| width(status_word(paint, visit.came.status)));
        let words = words.max().unwrap_or(0).max(WORD) + 1;
        let heading = Line::new()
            .gap(3)
            .cell(format!("{:>digits$}", "#"), digits + 2, Role::Title)
            .cell("state", names + 2, Role::Title)
            .cell("type", kinds, Role::Title)
            .cell("status", 3 + words, Role::Title)
            .cell("tries", 7, Role::Title)
            .cell("duration", 14 + BAR, Role::Title)
            .text("frame", Role::Title);
        let longest = visits.iter().map(Visit::took).max().unwrap_or(0).max(1);
        let lines = visits.get(shown).unwrap_or_default().iter().map(|visit| {
            let share = u128::from(visit.took()) * BAR as u128 / u128::from(longest);
            let bar = usize::try_from(share).unwrap_or(BAR);
            let state = visit.state.and_then(|state| paint.definition.state(state));
            let status = Role::of(visit.came.status);
            let future = visit.first > paint.view.header.event;
            let tries = match visit.came.tries {
                0 => String::new(),
                tries => tries.to_string(),
            };
            let mut beside = vec![visit.name.clone(), visit.later(paint)];
            beside.retain(|text| !text.is_empty());
            Line::new()
                .cell(
                    mark(paint, Some(visit.first) == self.here, future),
                    3,
                    Role::Mark,
                )
                .cell(format!("{:>digits$}", visit.first), digits + 2, Role::Text)
                .cell(state.map_or("", |state| &state.name), names + 2, Role::Text)
                .cell(state.map_or("", |state| state.caption()), kinds, Role::Text)
                .cell(paint.glyphs.status(visit.came.status), 3, status)
                .cell(status_word(paint, visit.came.status), words, status)
                .cell(tries, 7, Role::Text)
                .cell(span_of_time(visit.took()), 12, Role::Text)
                .cell(paint.glyphs.past.repeat(bar), BAR + 2, Role::Waiting)
                .text(beside.join("  "), Role::Dim)
        });
        std::iter::once(heading).chain(lines).collect()
    }
}

/// The frame that an event ends. `Some(None)` if the event ends the whole run, `None` if it ends no frame.
fn ending(row: &EventRow) -> Option<Option<FrameId>> {
    match row.kind {
        EventKind::ExecutionFailed | EventKind::ExecutionTimedOut => Some(None),
        EventKind::BranchFailed | EventKind::IterationFailed | EventKind::IterationAborted => {
            Some(Some(row.frame_id))
        }
        _ => None,
    }
}

/// The visits to which these events belong, and the number of the first event of the visit that contains the current
/// event.
fn visits(rows: Vec<EventRow>, cursor: u64) -> (Vec<Visit>, Option<u64>) {
    let mut visits: Vec<Visit> = Vec::new();
    let mut here = None;
    let mut open: HashMap<(FrameId, Option<StateId>), usize> = HashMap::new();
    for row in rows {
        let key = (row.frame_id, row.state);
        if row.number == cursor {
            let of = open.get(&key).and_then(|place| visits.get(*place));
            here = of.map(|visit| visit.first);
        }
        if row.kind == EventKind::StateEntered {
            here = here.or((row.number == cursor).then_some(cursor));
            open.insert(key, visits.len());
            visits.push(Visit {
                first: row.number,
                state: row.state,
                frame: row.frame_id,
                name: row.frame,
                since: row.time,
                came: Came {
                    status: row.status,
                    tries: 0,
                    until: row.time,
                    is_over: false,
                },
                later: None,
            });
            continue;
        }
        if let Some(whose) = ending(&row) {
            // The event ends a frame, or the whole run. With the frame, all its open visits end; with the run, the open
            // visits of all frames end.
            open.retain(|(frame, _), place| {
                let visit = visits.get_mut(*place);
                let Some(visit) = visit.filter(|_| whose.is_none_or(|ended| ended == *frame))
                else {
                    return true;
                };
                visit.at(row.number, cursor).end_with(&row);
                false
            });
            continue;
        }
        let Some(visit) = open.get(&key).and_then(|place| visits.get_mut(*place)) else {
            continue;
        };
        debug_assert_eq!(visit.frame, row.frame_id);
        let came = visit.at(row.number, cursor);
        came.until = row.time;
        // The status of the exit event is more precise, for example for a Map in which all items failed.
        came.status = match row.kind {
            EventKind::StateExited => row.status,
            kind => stands_after(came.status, kind, row.arg).unwrap_or(came.status),
        };
        match row.kind {
            EventKind::TaskScheduled if row.detail != EventDetail::Withdrawn => came.tries += 1,
            EventKind::StateExited => {
                came.is_over = true;
                open.remove(&key);
            }
            _ => {}
        }
    }
    (visits, here)
}
