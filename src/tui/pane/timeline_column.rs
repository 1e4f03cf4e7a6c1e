//! The columns of the timeline's rows: how wide each is, what gives way where they do not fit, and a row in them.
//!
//! It must not know which rows are shown, nor selection.

use super::Paint;
use super::line::{Line, clock};
use super::timeline_said::{Said, is_quiet};
use super::visit_row::Visit as Folded;
use crate::session::view::EventRow;
use crate::tui::fit::{clip, clip_middle, width};
use crate::tui::theme::Role;
use crate::wording;

/// What the columns would need.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Widths {
    number: usize,
    clock: usize,
    frame: usize,
    /// Of the frames their indices alone.
    indices: usize,
    state: usize,
    title: usize,
    detail: usize,
    /// What rows say at least, no name cut.
    least: usize,
    /// Whether the clock has moved.
    moved: bool,
}

impl Widths {
    /// At least as wide as a folded row needs.
    pub(super) fn grow_by(&mut self, paint: &Paint, visit: &Folded) {
        let row = &visit.first;
        let state = row.state.and_then(|state| paint.definition.state(state));
        self.number = self.number.max(row.number.to_string().len());
        self.clock = self.clock.max(clock(row.time).len());
        self.moved |= row.time > 0;
        self.grow_frame(&row.frame);
        self.state = self.state.max(state.map_or(0, |state| width(&state.name)));
        let (whole, least) = Said::of_visit(paint, visit).cells;
        self.least = self.least.max(least);
        // What came of it begins where the titles of events do.
        self.detail = self.detail.max(whole.saturating_sub(self.title.max(9) + 4));
    }

    fn grow_frame(&mut self, frame: &str) {
        self.frame = self.frame.max(width(frame));
        self.indices = self.indices.max(width(&Frames::indices(frame)));
    }

    /// At least as wide as an event needs.
    pub(super) fn grow(&mut self, paint: &Paint, number: usize, row: &EventRow) {
        self.number = self.number.max(number);
        let state = row.state.and_then(|state| paint.definition.state(state));
        self.clock = self.clock.max(clock(row.time).len());
        self.moved |= row.time > 0;
        self.grow_frame(&row.frame);
        self.state = self.state.max(state.map_or(0, |state| width(&state.name)));
        let (_, least) = Said::of_event(paint, row, 0).cells;
        self.least = self.least.max(least);
        // Only what has details behind it needs a column: the others may go on over the rest of the line.
        if !is_quiet(row) {
            self.title = self.title.max(width(&wording::title(row)));
            self.detail = self.detail.max(width(&wording::detail(row)));
        }
    }
}

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
    /// Cells of a row.
    cells: usize,
    number: usize,
    /// Of AWS's event id; none where there is no room.
    history: usize,
    clock: usize,
    frames: Frames,
    state: usize,
    title: usize,
}

/// What rows have of the names of their frames: all rows the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frames {
    /// No column.
    None,
    /// In so many cells the indices alone, which tell items and branches apart.
    Indices(usize),
    /// In so many cells the names too, cut where they are longer.
    Names(usize),
}

impl Frames {
    /// Cells of the column.
    fn cells(self) -> usize {
        match self {
            Self::None => 0,
            Self::Indices(cells) | Self::Names(cells) => cells,
        }
    }

    /// `[3]/[0]` of `Regions[3]/Shops[0]`.
    fn indices(frame: &str) -> String {
        named(frame, |_| String::new())
    }

    /// A frame as the rows have it.
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

/// A frame with each of its names made another, the indices behind them as they are.
fn named(frame: &str, name: impl Fn(&str) -> String) -> String {
    let parts = frame.split('/').map(|part| {
        let (own, index) = part.split_at(part.rfind('[').unwrap_or(part.len()));
        format!("{}{index}", name(own))
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Before AWS's event id.
const HISTORY: &str = "aws ";
/// Digits of AWS's event id that have room in every run.
const HISTORY_DIGITS: usize = 4;
/// A detail longer than this is cut before other panes give columns.
const MOST_DETAIL: usize = 56;
/// Cells of a frame at the least: its indices, and a few letters of its names.
const LEAST_FRAME: usize = 14;
/// Cells of a clock's milliseconds.
const MILLIS: usize = 4;

/// Cells of most durations at the end of a row.
const TOOK: usize = 7;

/// A column and the blanks behind it; none where it is empty.
fn gap(width: usize) -> usize {
    if width == 0 { 0 } else { width + 2 }
}

impl Columns {
    /// Cells of mark, number and clock.
    fn fixed(widths: Widths) -> usize {
        2 + widths.number + 1 + widths.clock.max(10) + 2
    }

    /// Cells of all, details up to a length included.
    pub(super) fn whole(widths: Widths) -> usize {
        let before = Self::fixed(widths) + gap(widths.frame) + widths.state.max(8) + 2;
        let titled = widths.title.max(9) + 5 + widths.detail.min(MOST_DETAIL);
        // What has no details behind it may be longer.
        before + titled.max(widths.least.min(MOST_DETAIL))
    }

    pub(super) fn new(cells: usize, widths: Widths) -> Self {
        let whole = Self::whole(widths);
        let fits = whole <= cells;
        let (clock, state) = (widths.clock.max(10), widths.state.max(8));
        let title = widths.title.max(9);
        let besides = 2 + widths.number + 1 + state + 2 + widths.least;
        let left = |clock: usize| cells.checked_sub(besides + gap(clock));
        // Where columns are short a clock that stands at the start says less than its columns take.
        let clocks = match widths.moved || fits {
            true => [clock, clock.saturating_sub(MILLIS), 0],
            false => [0; 3],
        };
        // A frame keeps the indices of its items and branches before the clock goes, and that before the frame.
        let cut = |clock: usize| {
            let frame = left(clock).map_or(0, |left| left.saturating_sub(2));
            match frame.min(widths.frame) {
                0..LEAST_FRAME => usize::MAX / 2,
                frame => frame,
            }
        };
        let [long, short, none] = clocks;
        let ways = [
            (long, widths.frame),
            (short, widths.frame),
            (short, cut(short)),
            (none, widths.frame),
            (none, cut(none)),
            (long, widths.indices),
            (short, widths.indices),
            (none, widths.indices),
            (long, 0),
            (short, 0),
            (none, 0),
        ];
        let has_room =
            |(clock, frame): &(usize, usize)| left(*clock).is_some_and(|left| left >= gap(*frame));
        let way = match fits {
            true => Some((clock, widths.frame)),
            false => ways.into_iter().find(has_room),
        };
        let (clock, frame) = way.unwrap_or((0, 0));
        // AWS counts fewer events: no id of it is longer than a number.
        let history = HISTORY.len() + widths.number.max(HISTORY_DIGITS) + 1;
        Self {
            cells,
            number: widths.number,
            history: if whole + history <= cells { history } else { 0 },
            clock,
            frames: match frame {
                0 => Frames::None,
                frame if frame == widths.indices => Frames::Indices(frame),
                frame => Frames::Names(frame),
            },
            state: match cells {
                _ if way.is_some() => state,
                // What is said keeps its columns: the names share what those leave.
                _ => cells
                    .saturating_sub(2 + widths.number + 1 + 2 + widths.least)
                    .clamp((cells / 3).clamp(8, 28).min(state), state),
            },
            title: match fits {
                true => title,
                false => title.min((cells / 4).clamp(9, 20)),
            },
        }
    }

    /// A state and attempt in one row: what came of it, and how long it took.
    pub(super) fn visit_line(&self, paint: &Paint, visit: &Folded) -> Line {
        self.put(paint, &visit.first, Said::of_visit(paint, visit))
    }

    /// An event in one row.
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

    /// The index of the branch or item at the end of a row that has room for it, where there is no column for them: alike
    /// in all rows.
    fn frame_behind(&self, line: Line, row: &EventRow, took: &str) -> Line {
        if self.frames != Frames::None || row.frame.is_empty() {
            return line;
        }
        // What it took stands in a column of its own.
        let behind = TOOK.max(width(took)) + 1;
        let left = self.cells.saturating_sub(line.width() + 1 + behind);
        let form = Frames::indices(&row.frame);
        if width(&form) > left {
            return line;
        }
        let gap = " ".repeat(behind - width(took));
        line.right(format!("{form}{gap}"), Role::Dim)
    }

    /// Mark, number, clock, frame and state: all rows have the same columns.
    fn begin(&self, paint: &Paint, row: &EventRow) -> Line {
        let header = &paint.view.header;
        let here = row.number == header.event;
        let mark = mark(paint, here, row.number > header.event);
        let mut line = Line::new().cell(mark, 2, Role::Mark).cell(
            format!("{:>1$}", row.number, self.number),
            self.number + 1,
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
