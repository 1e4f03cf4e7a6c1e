//! The columns of the timeline's rows. The columns depend only on the definition and the width of the pane, not on the
//! events, so they keep their positions for a whole run.

use super::Paint;
use super::line::{Line, clock, span_of_time};
use super::visit_row::Visit;
use crate::interpreter::EventKind;
use crate::session::view::{EventRow, StateStatus};
use crate::tui::fit::{Piece, clip, clip_middle, fit, width, words};
use crate::tui::theme::Role;
use crate::wording;

pub(super) fn mark<'g>(paint: &Paint<'g>, here: bool, future: bool) -> &'g str {
    if here {
        paint.glyphs.here
    } else if future {
        paint.glyphs.dotted
    } else {
        ""
    }
}

/// The widths of the columns that fit into a row of the timeline.
pub(super) struct Columns {
    /// Width of the pane's rows, in cells.
    cells: usize,
    /// Width of the column for AWS's event id, in cells; 0 if there is no such column.
    history: usize,
    clock: usize,
    frames: Frames,
    state: usize,
    title: usize,
}

/// The content of the column for frames; it is of the same kind in all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frames {
    /// There is no column for frames.
    None,
    /// Only the indices of items and branches, in a column of this many cells.
    Indices(usize),
    /// The names and the indices, cut to this many cells.
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

    /// The indices in the name of a frame: `[3]/[0]` for `Regions[3]/Shops[0]`.
    fn indices(frame: &str) -> String {
        named(frame, |_| String::new())
    }

    /// Text that this column shows for a frame.
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

/// Replaces each name in a frame's path, such as `Regions[3]/Shops[0]`, by the result of `name`; the indices stay.
fn named(frame: &str, name: impl Fn(&str) -> String) -> String {
    let parts = frame.split('/').map(|part| {
        let (state, index) = part.split_at(part.rfind('[').unwrap_or(part.len()));
        format!("{name}{index}", name = name(state))
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Text before AWS's event id.
const HISTORY: &str = "aws ";
/// Width of an event's number, in cells; a number of five digits also uses the space after it.
const NUMBER: usize = 4;
/// Width of a time, in cells: with milliseconds, and without them.
const CLOCK: (usize, usize) = (10, 6);
/// Width of the milliseconds in a time, in cells.
const MILLIS: usize = 4;
/// Width of the longest event title, in cells.
const TITLE: usize = 19;
/// Width of the column for frames, in cells: if it shows names and indices, and if it shows only the indices.
const FRAME: (usize, usize) = (22, 5);
/// Minimum width of the text about an event.
const SAID: usize = 28;
/// Width of most durations at the end of a row.
const TOOK: usize = 7;

impl Columns {
    /// Chooses the columns that fit into a pane with a width of `cells` cells.
    pub(super) fn new(paint: &Paint, cells: usize) -> Self {
        let state = paint.longest_name().clamp(8, (cells / 3).clamp(8, 28));
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

    /// The row for one attempt of a state, with the outcome and the duration of the attempt.
    pub(super) fn visit_line(&self, paint: &Paint, visit: &Visit) -> Line {
        self.put(paint, &visit.first, of_visit(paint, visit))
    }

    /// The row for an event.
    pub(super) fn line(&self, paint: &Paint, row: &EventRow) -> Line {
        self.put(paint, row, of_event(paint, row, self.title))
    }

    fn put(&self, paint: &Paint, row: &EventRow, said: Said) -> Line {
        let line = self.begin(paint, row);
        let room = self.cells.saturating_sub(line.width());
        let (mut pieces, roles): (Vec<Piece>, Vec<Role>) = said.into_iter().unzip();
        let taken = |pieces: &[Piece]| pieces.iter().map(Piece::cells).sum::<usize>();
        fit(&mut pieces, |pieces| taken(pieces) <= room);
        let mut texts = pieces.iter().map(Piece::text).zip(roles);
        let took = texts.next_back().map_or("", |(text, _)| text.trim_start());
        let took = took.to_owned();
        let line = texts.fold(line, |line, (text, role)| line.text(text, role));
        let line = self.frame_behind(line, row, &took);
        line.right(took, Role::Dim)
    }

    /// Appends the index of the item or branch to a row, before the duration. Appends nothing if the pane has a column
    /// for frames, or if the row has no room for the index.
    fn frame_behind(&self, line: Line, row: &EventRow, took: &str) -> Line {
        if self.frames != Frames::None || row.frame.is_empty() {
            return line;
        }
        // Every row, even one without a duration, keeps room for a duration after the index, so that the indices are
        // aligned.
        let behind = TOOK.max(width(took)) + 1;
        let left = self.cells.saturating_sub(line.width() + 1 + behind);
        let form = Frames::indices(&row.frame);
        if width(&form) > left {
            return line;
        }
        let gap = " ".repeat(behind - width(took));
        line.right(format!("{form}{gap}"), Role::Dim)
    }

    /// The start of a row: a symbol if the event is the current or a later one, then the number, time, frame and state,
    /// each in its column.
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

/// The events of a run that contain the text of a search.
#[derive(Clone, Debug)]
pub(super) struct Matched {
    wanted: String,
    /// Numbers of the events that contain the text, ascending.
    pub(super) numbers: Vec<u64>,
    /// Number of the run, and the number of events that it had at the time of the search. If it has more events now,
    /// the search does not cover all of them.
    of: (u32, u64),
}

impl Matched {
    pub(super) fn new(paint: &Paint, wanted: String, numbers: Vec<u64>) -> Self {
        let header = &paint.view.header;
        Self {
            wanted,
            numbers,
            of: (header.run, header.event_count),
        }
    }

    /// True if the search covered all events that the run has now.
    pub(super) fn is_of(&self, paint: &Paint) -> bool {
        let header = &paint.view.header;
        self.of == (header.run, header.event_count)
    }

    /// Title of a timeline that shows only the matches, such as `"Ship": match 3 of 41`.
    pub(super) fn title(&self, selected: u64) -> String {
        let number = self
            .numbers
            .partition_point(|event| *event <= selected)
            .max(1);
        let count = self.numbers.len();
        format!(
            "\"{wanted}\": match {number} of {count}; / without a text shows all",
            wanted = self.wanted
        )
    }
}

/// Number of cells between the brackets of the slider.
pub(super) fn slider_width(paint: &Paint, cells: usize) -> usize {
    let digits = paint.view.header.event_count.to_string().len();
    cells.saturating_sub(digits + 3)
}

/// The slider, a line such as `[start====|15-----now] 26`. It shows the position of the current event among all events.
pub(super) fn slider(paint: &Paint, cells: usize) -> Line {
    let header = &paint.view.header;
    let glyphs = paint.glyphs;
    let inner = slider_width(paint, cells);
    let knob = if header.event == header.event_count {
        glyphs.knob.to_owned()
    } else {
        format!("{}{}", glyphs.knob, header.event)
    };
    let room = inner.saturating_sub(width(&knob));
    let past = u128::from(header.event.min(header.event_count)) * room as u128
        / u128::from(header.event_count.max(1));
    let past = usize::try_from(past).unwrap_or(0);
    let future = room - past;
    let start = if past >= 8 { "start" } else { "" };
    let now = if future >= 6 { "now" } else { "" };
    Line::new()
        .text(format!("[{start}"), Role::Dim)
        .text(glyphs.past.repeat(past - start.len()), Role::Focus)
        .text(knob, Role::Mark)
        .text(glyphs.future.repeat(future - now.len()), Role::Dim)
        .text(format!("{now}] {}", header.event_count), Role::Dim)
}

/// The text of a row: pieces of text, each with its style role. The last piece is shown at the end of the row.
type Said = Vec<(Piece, Role)>;

/// Text for one attempt of a state. If room is short, the first part to be omitted is the outcome that the attempt gets
/// only after the current event. Then the text after the outcome's name is omitted, and then the attempt's number. Only
/// then is the outcome's name shortened.
fn of_visit(paint: &Paint, visit: &Visit) -> Said {
    let role = Role::of(visit.last.status);
    let sign = sign(paint, visit.last.status);
    let (name, rest) = parted(outcome(paint, visit));
    let name = words(paint.glyphs, name);
    let attempt = match visit.attempt {
        0 | 1 => Piece::default(),
        number => Piece::new(format!("attempt {number}: "), 8).or(format!("{number}: "), 5),
    };
    let took = match visit.took() {
        took if took > 0 && !visit.is_open() => format!(" {}", span_of_time(took)),
        _ => String::new(),
    };
    vec![
        (Piece::new(sign, 0), role),
        (attempt, Role::Text),
        (name_piece(&name), role),
        (Piece::new(words(paint.glyphs, rest), 7), role),
        (Piece::new(visit.by_hand(), 6), Role::Warning),
        (Piece::new(later(paint, visit), 9), Role::Dim),
        (Piece::new(took, 3), Role::Dim),
    ]
}

/// Text for an event, with its title in a column of `column` cells. For an error, the title is omitted before the
/// error's name is cut, because the symbol already shows that the event is an error.
fn of_event(paint: &Paint, row: &EventRow, column: usize) -> Said {
    let role = Role::of(row.status);
    let title = words(paint.glyphs, &wording::title(row, paint.definition));
    if is_quiet(row) {
        return vec![
            (Piece::new(title, 0), Role::Text),
            (Piece::default(), Role::Dim),
        ];
    }
    let detail = wording::detail(row);
    let (name, rest) = parted(&detail);
    let (name, sign) = (words(paint.glyphs, name), sign(paint, row.status));
    let is_error = names_error(row);
    // Rows about the same error differ only in their titles. These titles stay aligned even if the pane is too narrow
    // for the text after the error's name.
    let padded = if is_error { 6 } else { 8 };
    let title = Piece::new(format!("{title:<column$} "), padded).or(format!("{title} "), 2);
    vec![
        (title, Role::Text),
        (Piece::new(sign, 0), role),
        (name_piece(&name), role),
        (Piece::new(words(paint.glyphs, rest), 7), role),
        (Piece::default(), Role::Dim),
    ]
}

/// A name. If room is short, its prefix `States.` is omitted.
fn name_piece(name: &str) -> Piece {
    Piece::new(name, 4).or(bare(name), 0)
}

/// Text for the outcome of a visit.
fn outcome<'v>(paint: &Paint<'v>, visit: &'v Visit) -> &'v str {
    match visit.outcome.as_str() {
        "" if visit.last.status == StateStatus::Asking => "called",
        "" => paint.glyphs.word(visit.last.status),
        outcome => outcome,
    }
}

/// Text such as `later: ok after 3 s`: the outcome that a visit gets after the current event, and the time from the
/// visit's start to this outcome. Empty if the later events do not change the outcome.
fn later(paint: &Paint, visit: &Visit) -> String {
    let Some(later) = visit.later() else {
        return String::new();
    };
    let took = match later.took() {
        0 => String::new(),
        took => format!(" after {time}", time = span_of_time(took)),
    };
    let outcome = words(paint.glyphs, outcome(paint, later));
    format!("  later: {outcome}{took}")
}

fn sign(paint: &Paint, status: StateStatus) -> String {
    format!("{} ", paint.glyphs.status(status))
}

/// Splits a text before its first comma or arrow, into a name and the rest: `Card.Declined` and ` → Refund`.
fn parted(text: &str) -> (&str, &str) {
    let marks = [", ", " → "].into_iter().filter_map(|mark| text.find(mark));
    text.split_at(marks.min().unwrap_or(text.len()))
}

/// A name without the prefix `States.`, with which the names of the language's own errors begin.
fn bare(name: &str) -> &str {
    name.strip_prefix("States.").unwrap_or(name)
}

/// True if the text of the event begins with the name of an error.
fn names_error(row: &EventRow) -> bool {
    matches!(
        row.kind,
        EventKind::ErrorRaised
            | EventKind::TaskFailed
            | EventKind::TaskTimedOut
            | EventKind::Caught
            | EventKind::Uncaught
    )
}

/// True if the row of the event has only a title and no further text.
pub(super) fn is_quiet(row: &EventRow) -> bool {
    wording::detail(row).is_empty()
        && matches!(row.status, StateStatus::Running | StateStatus::NotReached)
        && matches!(row.kind, EventKind::StateEntered | EventKind::Stage(_))
}
