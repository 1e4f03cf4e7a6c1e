//! The text of a timeline row after the name of its state, in several forms from complete to minimal.

use super::Paint;
use super::line::{Line, span_of_time};
use super::visit_row::Visit;
use crate::interpreter::EventKind;
use crate::session::view::{EventRow, StateStatus};
use crate::tui::fit::{Piece, fit, words};
use crate::tui::theme::Role;
use crate::wording;

/// The text of a row.
pub(super) struct Said {
    pieces: Vec<Piece>,
    roles: Vec<Role>,
}

impl Said {
    /// Creates a text from pieces with their roles; the last piece is at the end of the row.
    fn new<const N: usize>(pieces: [(Piece, Role); N]) -> Self {
        let (pieces, roles) = pieces.into_iter().unzip();
        Self { pieces, roles }
    }

    /// Text of a state and attempt. How it is retried is omitted first, then the attempt's number, before a name is
    /// shortened.
    pub(super) fn of_visit(paint: &Paint, visit: &Visit) -> Self {
        let own = Role::of(visit.last.status);
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
        let pieces = [
            (Piece::new(sign, 0), own),
            (attempt, Role::Text),
            (named(&name), own),
            (Piece::new(words(paint.glyphs, rest), 7), own),
            (Piece::new(visit.by_hand(), 6), Role::Warning),
            (Piece::new(later(paint, visit), 9), Role::Dim),
            (Piece::new(took, 3), Role::Dim),
        ];
        Self::new(pieces)
    }

    /// Text of an event, with its title in a column of this width. An error is visible by its symbol, so its title is
    /// omitted before its name is cut.
    pub(super) fn of_event(paint: &Paint, row: &EventRow, column: usize) -> Self {
        let own = Role::of(row.status);
        let title = words(paint.glyphs, &wording::title(row, paint.definition));
        if is_quiet(row) {
            return Self::new([
                (Piece::new(title, 0), Role::Text),
                (Piece::default(), Role::Dim),
            ]);
        }
        let detail = wording::detail(row);
        let (name, rest) = parted(&detail);
        let (name, sign) = (words(paint.glyphs, name), sign(paint, row.status));
        let is_error = names_error(row);
        // Rows about the same error are distinguished by their titles.
        let padded = if is_error { 6 } else { 8 };
        let title = Piece::new(format!("{title:<column$} "), padded).or(format!("{title} "), 2);
        let pieces = [
            (title, Role::Text),
            (Piece::new(sign, 0), own),
            (named(&name), own),
            (Piece::new(words(paint.glyphs, rest), 7), own),
            (Piece::default(), Role::Dim),
        ];
        Self::new(pieces)
    }

    /// Appends as much of the text as fits into `room` cells; returns the line and the text for the end of the row.
    pub(super) fn put(mut self, line: Line, room: usize) -> (Line, String) {
        fit(&mut self.pieces, 0, room, |text, _| text.to_owned());
        let mut texts = self.pieces.iter().map(Piece::text).zip(self.roles);
        let took = texts.next_back().map_or("", |(text, _)| text.trim_start());
        let took = took.to_owned();
        (
            texts.fold(line, |line, (text, role)| line.text(text, role)),
            took,
        )
    }
}

/// A name that loses its prefix if there is no room.
fn named(name: &str) -> Piece {
    Piece::new(name, 4).or(bare(name), 0)
}

/// Outcome of a visit.
fn outcome<'v>(paint: &Paint<'v>, visit: &'v Visit) -> &'v str {
    match visit.outcome.as_str() {
        "" if visit.last.status == StateStatus::Asking => "called",
        "" => paint.glyphs.word(visit.last.status),
        outcome => outcome,
    }
}

/// Outcome of a visit after the cursor, and the time until then.
fn later(paint: &Paint, visit: &Visit) -> String {
    let Some(later) = visit.later() else {
        return String::new();
    };
    let took = match later.took() {
        0 => String::new(),
        took => format!(" after {}", span_of_time(took)),
    };
    let came = words(paint.glyphs, outcome(paint, later));
    format!("  later: {came}{took}")
}

fn sign(paint: &Paint, status: StateStatus) -> String {
    format!("{} ", paint.glyphs.status(status))
}

/// Splits a text into a name and the rest: `Card.Declined` and ` → Refund`.
fn parted(text: &str) -> (&str, &str) {
    let marks = [", ", " → "].into_iter().filter_map(|mark| text.find(mark));
    text.split_at(marks.min().unwrap_or(text.len()))
}

/// A name without the prefix of the language's own names.
fn bare(name: &str) -> &str {
    name.strip_prefix("States.").unwrap_or(name)
}

/// True if the text is about an error.
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

/// True if the row has nothing but its title.
pub(super) fn is_quiet(row: &EventRow) -> bool {
    wording::detail(row).is_empty()
        && matches!(row.status, StateStatus::Running | StateStatus::NotReached)
        && matches!(row.kind, EventKind::StateEntered | EventKind::Stage(_))
}
