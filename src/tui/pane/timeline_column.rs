//! The columns of the timeline's rows: how wide each is, and a row in them.
//!
//! It must not know which rows are shown, nor selection.

use super::Paint;
use super::line::{Line, clock, span_of_time, style, width, words};
use super::visit_row::Visit as Folded;
use crate::interpreter::EventKind;
use crate::session::view::{EventRow, StateStatus};
use crate::tui::theme::Role;
use crate::wording;

/// What the columns would need.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Widths {
    number: usize,
    clock: usize,
    frame: usize,
    state: usize,
    title: usize,
    detail: usize,
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
        self.frame = self.frame.max(width(&row.frame));
        self.state = self.state.max(state.map_or(0, |state| width(&state.name)));
        let said = width(&visit.title()) + 2 + width(&visit.outcome) + visit.by_hand().len();
        let said = said + width(&span_of_time(visit.took())) + 2;
        // What came of it begins where the titles of events do.
        self.detail = self.detail.max(said.saturating_sub(self.title.max(9) + 1));
    }

    /// At least as wide as these rows need.
    pub(super) fn grow(&mut self, paint: &Paint, number: usize, rows: &[EventRow]) {
        self.number = self.number.max(number);
        for row in rows {
            let state = row.state.and_then(|state| paint.definition.state(state));
            let state = state.map_or(0, |state| width(&state.name));
            self.clock = self.clock.max(clock(row.time).len());
            self.moved |= row.time > 0;
            self.frame = self.frame.max(width(&row.frame));
            self.state = self.state.max(state);
            // Only what has details behind it needs a column: the others may go on over the rest of the line.
            if !is_quiet(row) {
                self.title = self.title.max(width(&wording::title(row.kind, row.arg)));
                self.detail = self.detail.max(width(&wording::detail(row)));
            }
        }
    }
}

/// The columns that fit.
pub(super) struct Columns {
    number: usize,
    history: bool,
    clock: usize,
    frame: usize,
    state: usize,
    title: usize,
}

/// Cells of AWS's event id.
const HISTORY: usize = 9;
/// A detail longer than this is cut before other panes give columns.
const MOST_DETAIL: usize = 44;

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
        before + widths.title.max(9) + 5 + widths.detail.min(MOST_DETAIL)
    }

    pub(super) fn new(cells: usize, widths: Widths) -> Self {
        let whole = Self::whole(widths);
        let fits = whole <= cells;
        Self {
            number: widths.number,
            history: whole + HISTORY <= cells,
            // A clock that stands at the start says less than the columns it takes.
            clock: match fits || cells >= 48 && widths.moved {
                true => widths.clock.max(10),
                false => 0,
            },
            frame: match cells {
                _ if fits => widths.frame,
                100.. => widths.frame.min(20),
                64.. => widths.frame.min(12),
                _ => 0,
            },
            state: match fits {
                true => widths.state.max(8),
                // Beside no frame, a name has more.
                false if cells < 64 => widths.state.clamp(8, (cells / 3).max(8)),
                false => widths.state.clamp(8, (cells / 4).clamp(8, 28)),
            },
            title: match fits {
                true => widths.title.max(9),
                false => widths.title.clamp(9, (cells / 4).clamp(9, 20)),
            },
        }
    }

    /// A state and attempt in one row: what came of it, and how long it took.
    pub(super) fn visit_line(&self, paint: &Paint, visit: &Folded) -> Line {
        let theme = paint.theme;
        let status = theme.status(visit.last.status);
        let outcome = match visit.outcome.as_str() {
            // Its answer may have come since, further on than what is folded here.
            "" if visit.last.status == StateStatus::Asking => "called",
            "" => paint.glyphs.word(visit.last.status),
            outcome => outcome,
        };
        let took = match visit.took() {
            0 => String::new(),
            took => span_of_time(took),
        };
        let attempt = match visit.title() {
            title if title.is_empty() => title,
            title => format!("{title}: "),
        };
        self.begin(paint, &visit.first)
            .cell(paint.glyphs.status(visit.last.status), 3, status)
            .text(attempt, style(theme, Role::Text))
            .text(words(paint.glyphs, outcome), status)
            .text(visit.by_hand(), style(theme, Role::Warning))
            .right(took, style(theme, Role::Dim))
    }

    pub(super) fn line(&self, paint: &Paint, row: &EventRow) -> Line {
        let theme = paint.theme;
        let text = style(theme, Role::Text);
        let line = self.begin(paint, row);
        let status = theme.status(row.status);
        let title = words(paint.glyphs, &wording::title(row.kind, row.arg));
        if is_quiet(row) {
            return line.text(title, text);
        }
        line.cell(title, self.title + 1, text)
            .cell(paint.glyphs.status(row.status), 3, status)
            .text(words(paint.glyphs, &wording::detail(row)), status)
    }

    /// Mark, number, clock, frame and state.
    fn begin(&self, paint: &Paint, row: &EventRow) -> Line {
        let theme = paint.theme;
        let header = &paint.view.header;
        let (text, dim) = (style(theme, Role::Text), style(theme, Role::Dim));
        let here = row.number == header.event;
        let mark = mark(paint, here, row.number > header.event);
        let mut line = Line::new().cell(mark, 2, style(theme, Role::Mark)).cell(
            format!("{:>1$}", row.number, self.number),
            self.number + 1,
            text,
        );
        if self.history {
            let id = match row.history_id {
                0 => String::new(),
                id => format!("aws {id}"),
            };
            line = line.cell(id, HISTORY, dim);
        }
        if self.clock > 0 {
            line = line.cell(clock(row.time), self.clock + 2, dim);
        }
        if self.frame > 0 {
            // The index at its end tells items apart.
            let frame = super::line::clip_middle(&row.frame, self.frame, paint.glyphs);
            line = line.cell(frame, self.frame + 2, dim);
        }
        let state = row.state.and_then(|state| paint.definition.state(state));
        let name = state.map_or("", |state| &*state.name);
        let name = super::line::clip_middle(name, self.state, paint.glyphs);
        line.cell(name, self.state + 2, text)
    }
}

/// Whether the row has nothing but its title.
fn is_quiet(row: &EventRow) -> bool {
    wording::detail(row).is_empty()
        && matches!(row.status, StateStatus::Running | StateStatus::NotReached)
        && matches!(row.kind, EventKind::StateEntered | EventKind::Stage(_))
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
