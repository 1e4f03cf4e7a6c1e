//! The timeline as a table: a row for each visit of a state, with a bar for how long it took.
//!
//! It must not know selection or scrolling beyond the row that is shown.

use super::Paint;
use super::line::{Line, scroll, span_of_time, style, width};
use super::timeline_column::mark;
use crate::definition::StateId;
use crate::interpreter::{EventKind, FrameId, Millis};
use crate::session::view::{EventDetail, EventRow, StateStatus};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::HashMap;

/// Columns of the table.
pub(super) const COLUMNS: u16 = 94;
/// Cells of the bar of the longest visit.
const BAR: usize = 10;

/// One visit of a state.
struct Visit {
    first: u64,
    last: u64,
    state: Option<StateId>,
    frame: FrameId,
    name: String,
    status: StateStatus,
    tries: u32,
    since: Millis,
    until: Millis,
}

/// The table.
pub(super) struct VisitTable {
    visits: Vec<Visit>,
}

impl Visit {
    fn took(&self) -> Millis {
        self.until.saturating_sub(self.since)
    }

    /// The run, its branch or its item ended while it was in the state.
    fn end_with(&mut self, row: &EventRow) {
        (self.last, self.until) = (row.number, row.time);
        match row.kind {
            EventKind::ExecutionTimedOut => self.status = StateStatus::TimedOut,
            _ if self.status == StateStatus::ErrorRaised => self.status = StateStatus::Failed,
            _ if self.status != StateStatus::Failed => self.status = StateStatus::Aborted,
            _ => {}
        }
    }
}

/// The first row that is shown, where the selected one is at `at`.
pub(super) fn top(at: usize, len: usize, height: u16) -> usize {
    let room = usize::from(height.saturating_sub(1)).max(1);
    scroll(at.saturating_sub(room / 2), at, len, room)
}

impl VisitTable {
    /// The visits of these events, in their order or the longest first.
    pub(super) fn new(rows: Vec<EventRow>, longest_first: bool) -> Self {
        let mut visits = visits(rows);
        if longest_first {
            visits.sort_by_key(|visit| std::cmp::Reverse(visit.took()));
        }
        Self { visits }
    }

    /// The first event of each row.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.visits.iter().map(|visit| visit.first).collect()
    }

    /// Draws it, with the row that is selected and the one that the run is at.
    pub(super) fn draw(
        &self,
        paint: &Paint,
        (at, cursor): (usize, usize),
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let visits = &self.visits;
        let count = paint.view.header.event_count;
        let top = top(at, visits.len(), area.height);
        let plain = style(paint.theme, Role::Title);
        let names = name_width(paint, usize::from(area.width) / 3);
        let digits = count.to_string().len().max(2);
        // The bars say more than the types.
        let kinds = if area.width < COLUMNS - 10 { 0 } else { 10 };
        let mut lines = area.rows();
        if area.height > 1
            && let Some(y) = lines.next()
        {
            Line::new()
                .gap(3)
                .cell(format!("{:>digits$}", "#"), digits + 2, plain)
                .cell("state", names + 2, plain)
                .cell("type", kinds, plain)
                .cell("status", 16, plain)
                .cell("tries", 7, plain)
                .cell("duration", 14 + BAR, plain)
                .text("frame", plain)
                .draw(paint, y, buffer);
        }
        let longest = visits.iter().map(Visit::took).max().unwrap_or(0).max(1);
        for ((place, visit), y) in visits.iter().enumerate().skip(top).zip(lines) {
            let share = u128::from(visit.took()) * BAR as u128 / u128::from(longest);
            let bar = paint
                .glyphs
                .past
                .repeat(usize::try_from(share).unwrap_or(BAR));
            let state = visit.state.and_then(|state| paint.definition.state(state));
            let text = style(paint.theme, Role::Text);
            let status = paint.theme.status(visit.status);
            let future = visit.first > paint.view.header.event;
            let mark = mark(paint, place == cursor && !future, future);
            let tries = match visit.tries {
                0 => String::new(),
                tries => tries.to_string(),
            };
            Line::new()
                .cell(mark, 3, style(paint.theme, Role::Mark))
                .cell(format!("{:>digits$}", visit.first), digits + 2, text)
                .cell(state.map_or("", |state| &state.name), names + 2, text)
                .cell(state.map_or("", |state| state.caption()), kinds, text)
                .cell(paint.glyphs.status(visit.status), 3, status)
                .cell(paint.glyphs.word(visit.status), 13, status)
                .cell(tries, 7, text)
                .cell(span_of_time(visit.took()), 12, text)
                .cell(bar, BAR + 2, style(paint.theme, Role::Waiting))
                .text(&visit.name, style(paint.theme, Role::Dim))
                .selected(place == at, paint.focused)
                .dim(future)
                .draw(paint, y, buffer);
        }
    }
}

fn name_width(paint: &Paint, most: usize) -> usize {
    paint
        .definition
        .states
        .iter()
        .map(|state| width(&state.name))
        .max()
        .unwrap_or(0)
        .clamp(5, most.clamp(5, 24))
}

/// Of what ends a frame the frame that it ends, and `None` in it for the end of all.
fn ending(row: &EventRow) -> Option<Option<FrameId>> {
    match row.kind {
        EventKind::ExecutionFailed | EventKind::ExecutionTimedOut => Some(None),
        EventKind::BranchFailed | EventKind::IterationFailed | EventKind::IterationAborted => {
            Some(Some(row.frame_id))
        }
        _ => None,
    }
}

/// Groups consecutive events by the visit they belong to.
fn visits(rows: Vec<EventRow>) -> Vec<Visit> {
    let mut visits: Vec<Visit> = Vec::new();
    let mut open: HashMap<(FrameId, Option<StateId>), usize> = HashMap::new();
    for row in rows {
        let key = (row.frame_id, row.state);
        if row.kind == EventKind::StateEntered {
            open.insert(key, visits.len());
            visits.push(Visit {
                first: row.number,
                last: row.number,
                state: row.state,
                frame: row.frame_id,
                name: row.frame,
                status: row.status,
                tries: 0,
                since: row.time,
                until: row.time,
            });
            continue;
        }
        if let Some(whose) = ending(&row) {
            // What is still open then ended with it.
            open.retain(|(frame, _), place| {
                let visit = visits.get_mut(*place);
                let Some(visit) = visit.filter(|_| whose.is_none_or(|own| own == *frame)) else {
                    return true;
                };
                visit.end_with(&row);
                false
            });
            continue;
        }
        let Some(visit) = open.get(&key).and_then(|place| visits.get_mut(*place)) else {
            continue;
        };
        debug_assert_eq!(visit.frame, row.frame_id);
        visit.last = row.number;
        visit.status = row.status;
        visit.until = row.time;
        match row.kind {
            EventKind::TaskScheduled if row.detail != EventDetail::Withdrawn => visit.tries += 1,
            EventKind::StateExited => {
                open.remove(&key);
            }
            _ => {}
        }
    }
    visits
}
