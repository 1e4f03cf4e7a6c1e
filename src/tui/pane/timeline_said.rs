//! What a row of the timeline says behind the name of its state, in forms from all of it to the least that tells.
//!
//! It must not know the columns before it, nor selection.

use super::Paint;
use super::line::{Line, span_of_time};
use super::visit_row::Visit;
use crate::interpreter::EventKind;
use crate::session::view::{EventRow, StateStatus};
use crate::tui::fit::{width, words};
use crate::tui::theme::Role;
use crate::wording;

/// Texts side by side, and how long it took, which stands at the end of the row.
#[derive(Clone)]
struct Form {
    texts: Vec<(String, Role)>,
    took: String,
}

impl Form {
    fn cells(&self) -> usize {
        let texts: usize = self.texts.iter().map(|(text, _)| width(text)).sum();
        texts
            + if self.took.is_empty() {
                0
            } else {
                1 + width(&self.took)
            }
    }
}

/// What a row says.
pub(super) struct Said {
    /// The most telling first.
    forms: Vec<Form>,
    /// Cells of the shortest form that is worth more than the columns before it.
    least: usize,
}

impl Said {
    /// What a state and attempt comes to: how it is tried again is left away before its number, and that before a name.
    pub(super) fn of_visit(paint: &Paint, visit: &Visit) -> Self {
        let own = Role::of(visit.last.status);
        let sign = sign(paint, visit.last.status);
        let outcome = outcome(paint, visit);
        let (name, rest) = parted(outcome);
        let name = words(paint.glyphs, name);
        let rest = (words(paint.glyphs, rest), own);
        let by_hand = (visit.by_hand().to_owned(), Role::Warning);
        let attempt = |word: &str| {
            let text = match visit.attempt {
                0 | 1 => String::new(),
                number => format!("{word}{number}: "),
            };
            (text, Role::Text)
        };
        let named = (name.clone(), own);
        let took = match visit.took() {
            _ if visit.is_open() => String::new(),
            0 => String::new(),
            took => span_of_time(took),
        };
        let later = (later(paint, visit), Role::Dim);
        let form = |texts: &[&(String, Role)], took: &str| Form {
            texts: texts.iter().copied().cloned().collect(),
            took: took.to_owned(),
        };
        let [whole, number] = [attempt("attempt "), attempt("")];
        let least = form(&[&sign, &named], &took);
        let bare = (bare(&name).to_owned(), own);
        Self {
            least: least.cells(),
            forms: vec![
                form(&[&sign, &whole, &named, &rest, &by_hand, &later], &took),
                form(&[&sign, &whole, &named, &rest, &by_hand], &took),
                form(&[&sign, &number, &named, &rest, &by_hand], &took),
                form(&[&sign, &whole, &named, &by_hand], &took),
                form(&[&sign, &number, &named], &took),
                least,
                form(&[&sign, &bare], &took),
                form(&[&sign, &named], ""),
            ],
        }
    }

    /// What an event says, its title in a column of so many cells: an error is seen by its sign, so its title is left away
    /// before its name is cut.
    pub(super) fn of_event(paint: &Paint, row: &EventRow, column: usize) -> Self {
        let own = Role::of(row.status);
        let title = words(paint.glyphs, &wording::title(row));
        let detail = wording::detail(row);
        let form = |texts: &[&(String, Role)]| Form {
            texts: texts.iter().copied().cloned().collect(),
            took: String::new(),
        };
        if is_quiet(row) {
            let quiet = form(&[&(title, Role::Text)]);
            return Self {
                least: quiet.cells(),
                forms: vec![quiet],
            };
        }
        let (name, rest) = parted(&detail);
        let name = words(paint.glyphs, name);
        let named = (name.clone(), own);
        let rest = (words(paint.glyphs, rest), own);
        let sign = sign(paint, row.status);
        let [padded, title] = [column, 0].map(|column| (format!("{title:<column$} "), Role::Text));
        let short = form(&[&sign, &named]);
        let titled = form(&[&title, &sign, &named]);
        let whole = form(&[&padded, &sign, &named, &rest]);
        let forms = match names_error(row) {
            true => vec![
                whole,
                form(&[&padded, &sign, &named]),
                // Rows of one error are told apart by what happened.
                titled.clone(),
                form(&[&title, &sign, &(bare(&name).to_owned(), own)]),
                short.clone(),
                form(&[&sign, &(bare(&name).to_owned(), own)]),
            ],
            false => vec![
                whole,
                form(&[&title, &sign, &named, &rest]),
                titled.clone(),
                short.clone(),
            ],
        };
        let least = if names_error(row) { short } else { titled };
        Self {
            least: least.cells(),
            forms,
        }
    }

    /// Cells of all of it, and of the least that is worth more than the columns before it.
    pub(super) fn cells(&self) -> (usize, usize) {
        (self.forms.first().map_or(0, Form::cells), self.least)
    }

    /// The most telling form that so many cells hold, behind what stands in the line; and what stands at the end of the row.
    pub(super) fn put(&self, line: Line, room: usize) -> (Line, &str) {
        let form = self.forms.iter().find(|form| form.cells() <= room);
        let Some(form) = form.or(self.forms.last()) else {
            return (line, "");
        };
        let texts = form.texts.iter();
        let line = texts.fold(line, |line, (text, own)| line.text(text, *own));
        (line, &form.took)
    }
}

/// What came of a visit.
fn outcome<'v>(paint: &Paint<'v>, visit: &'v Visit) -> &'v str {
    match visit.outcome.as_str() {
        "" if visit.last.status == StateStatus::Asking => "called",
        "" => paint.glyphs.word(visit.last.status),
        outcome => outcome,
    }
}

/// What comes of a visit behind the cursor, and how long it takes until then.
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

fn sign(paint: &Paint, status: StateStatus) -> (String, Role) {
    let sign = format!("{} ", paint.glyphs.status(status));
    (sign, Role::of(status))
}

/// What is named, and what is told of it: `Card.Declined` and ` → Refund`.
fn parted(text: &str) -> (&str, &str) {
    let marks = [", ", " → "].into_iter().filter_map(|mark| text.find(mark));
    text.split_at(marks.min().unwrap_or(text.len()))
}

/// A name as far as it tells it from others: those of the language are known without what they begin with.
fn bare(name: &str) -> &str {
    name.strip_prefix("States.").unwrap_or(name)
}

/// Whether what is told of it is an error.
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

/// Whether the row has nothing but its title.
pub(super) fn is_quiet(row: &EventRow) -> bool {
    wording::detail(row).is_empty()
        && matches!(row.status, StateStatus::Running | StateStatus::NotReached)
        && matches!(row.kind, EventKind::StateEntered | EventKind::Stage(_))
}
