//! The columns of timeline rows. They depend on the definition and the pane's width, never on what has happened, so
//! that they keep their positions for a whole run.

use super::Paint;
use super::line::{Line, clock};
use super::timeline_said::Said;
use super::visit_row::Visit as Folded;
use crate::session::view::EventRow;
use crate::tui::fit::{clip, clip_middle, width};
use crate::tui::theme::Role;

pub(super) fn mark<'g>(paint: &Paint<'g>, here: bool, future: bool) -> &'g str {
    if here {
        paint.glyphs.here
    } else if future {
        paint.glyphs.dotted
    } else {
        ""
    }
}

/// The columns that fit.
pub(super) struct Columns {
    /// Width of a row, in cells.
    cells: usize,
    /// Width of AWS's event id; 0 if there is no room.
    history: usize,
    clock: usize,
    frames: Frames,
    state: usize,
    title: usize,
}

/// How rows show the names of frames; the same for all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frames {
    /// There is no column.
    None,
    /// Only the indices, which distinguish items and branches, in this width.
    Indices(usize),
    /// The names, too, cut to this width.
    Names(usize),
}

impl Frames {
    /// Width of the column, in cells.
    fn cells(self) -> usize {
        match self {
            Self::None => 0,
            Self::Indices(cells) | Self::Names(cells) => cells,
        }
    }

    /// `[3]/[0]` for `Regions[3]/Shops[0]`.
    fn indices(frame: &str) -> String {
        named(frame, |_| String::new())
    }

    /// Text of a frame in the column.
    fn written(self, paint: &Paint, frame: &str) -> String {
        match self {
            Self::Names(room) if width(frame) <= room => frame.to_owned(),
            Self::Names(room) => {
                let parts = frame.split('/').count();
                let besides = width(&Self::indices(frame));
                let each = room.saturating_sub(besides) / parts;
                named(frame, |name| match each {
                    0 => String::new(),
                    each => clip(name, each, paint.glyphs),
                })
            }
            Self::None | Self::Indices(_) => Self::indices(frame),
        }
    }
}

/// Replaces each name in a frame's path; the indices stay.
fn named(frame: &str, name: impl Fn(&str) -> String) -> String {
    let parts = frame.split('/').map(|part| {
        let (own, index) = part.split_at(part.rfind('[').unwrap_or(part.len()));
        format!("{}{index}", name(own))
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Text before AWS's event id.
const HISTORY: &str = "aws ";
/// Width of an event's number; a number of five digits also uses the space after it.
const NUMBER: usize = 4;
/// Width of a time, with and without milliseconds.
const CLOCK: (usize, usize) = (10, 6);
/// Width of a time's milliseconds.
const MILLIS: usize = 4;
/// Width of the longest event title.
const TITLE: usize = 19;
/// Width of a frame's names with indices, and of the indices alone.
const FRAME: (usize, usize) = (22, 5);
/// Minimum width for the text of an event.
const SAID: usize = 28;
/// Width of most durations at the end of a row.
const TOOK: usize = 7;

impl Columns {
    /// The columns for a pane of this width.
    pub(super) fn new(paint: &Paint, cells: usize) -> Self {
        let states = paint.definition.states.iter();
        let longest = states.map(|state| width(&state.name)).max().unwrap_or(0);
        let state = longest.clamp(8, (cells / 3).clamp(8, 28));
        let has_frames = paint.definition.scopes.len() > 1;
        let is_recorded = paint.view.recorded.is_some();
        let mut left = cells.saturating_sub(SAID + 2 + NUMBER + 1 + state + 2);
        let mut take = |wanted: usize| {
            let is_taken = left >= wanted + 2;
            left -= if is_taken { wanted + 2 } else { 0 };
            is_taken
        };
        let clock = match () {
            () if take(CLOCK.0) => CLOCK.0,
            () if take(CLOCK.1) => CLOCK.1,
            () => 0,
        };
        let frames = match has_frames {
            true if take(FRAME.0) => Frames::Names(FRAME.0),
            true if take(FRAME.1) => Frames::Indices(FRAME.1),
            _ => Frames::None,
        };
        let history = HISTORY.len() + NUMBER;
        Self {
            cells,
            history: if is_recorded && take(history) {
                history + 1
            } else {
                0
            },
            clock,
            frames,
            state,
            title: TITLE.min(cells / 4).max(9),
        }
    }

    /// A row for a state and attempt: its outcome and duration.
    pub(super) fn visit_line(&self, paint: &Paint, visit: &Folded) -> Line {
        self.put(paint, &visit.first, Said::of_visit(paint, visit))
    }

    /// A row for an event.
    pub(super) fn line(&self, paint: &Paint, row: &EventRow) -> Line {
        self.put(paint, row, Said::of_event(paint, row, self.title))
    }

    fn put(&self, paint: &Paint, row: &EventRow, said: Said) -> Line {
        let line = self.begin(paint, row);
        let room = self.cells.saturating_sub(line.width());
        let (line, took) = said.put(line, room);
        let line = self.frame_behind(line, row, &took);
        line.right(took, Role::Dim)
    }

    /// Appends the index of the branch or item if there is no column for it and the row has room, at the same position
    /// in all rows.
    fn frame_behind(&self, line: Line, row: &EventRow, took: &str) -> Line {
        if self.frames != Frames::None || row.frame.is_empty() {
            return line;
        }
        // The duration has its own column.
        let behind = TOOK.max(width(took)) + 1;
        let left = self.cells.saturating_sub(line.width() + 1 + behind);
        let form = Frames::indices(&row.frame);
        if width(&form) > left {
            return line;
        }
        let gap = " ".repeat(behind - width(took));
        line.right(format!("{form}{gap}"), Role::Dim)
    }

    /// Mark, number, time, frame and state, in the same columns in all rows.
    fn begin(&self, paint: &Paint, row: &EventRow) -> Line {
        let header = &paint.view.header;
        let here = row.number == header.event;
        let mark = mark(paint, here, row.number > header.event);
        let mut line = Line::new().cell(mark, 2, Role::Mark).cell(
            format!("{:>NUMBER$}", row.number),
            NUMBER + 1,
            Role::Text,
        );
        if self.history > 0 {
            let id = match row.history_id {
                0 => String::new(),
                id => format!("{HISTORY}{id}"),
            };
            line = line.cell(id, self.history, Role::Dim);
        }
        if self.clock > 0 {
            let mut time = clock(row.time);
            if width(&time) > self.clock {
                time.truncate(time.len().saturating_sub(MILLIS));
            }
            line = line.cell(time, self.clock + 2, Role::Dim);
        }
        if self.frames != Frames::None {
            let frame = self.frames.written(paint, &row.frame);
            line = line.cell(frame, self.frames.cells() + 2, Role::Dim);
        }
        let state = row.state.and_then(|state| paint.definition.state(state));
        let name = state.map_or("", |state| &*state.name);
        let name = clip_middle(name, self.state, paint.glyphs);
        line.cell(name, self.state + 2, Role::Text)
    }
}
