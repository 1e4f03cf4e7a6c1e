//! Shows a JSON value as rows. A row is made only when it is needed.

use super::folds::{Hop, Place, get, has_children, json_text, length, place_of, steps, steps_from};
use crate::json::{ChangeKind, Step, Text, Value};
use crate::tui::fit::width;
use crate::tui::pane::folds::{Folds, Marks};

/// A value up to this size, in bytes, is unfolded by default.
const SMALL: u64 = 1500;
/// Maximum number of an object's names that are measured to choose the width of the column of names.
const LOOKED_AT: usize = 200;
/// Maximum width of the column of names, in cells.
const NAME_WIDTH: usize = 24;

/// The fold state of a row: no children, children shown, or children hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// The row has no children.
    Leaf,
    /// The children are shown.
    Open,
    /// The children are hidden.
    Closed,
}

/// One row of a displayed value: the value itself, or a member or item inside it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Place of the row's value in the displayed value.
    pub place: Place,
    /// Nesting depth; 0 for the root.
    pub depth: usize,
    /// Name of the row: `order`, `[3]`; empty for the root.
    pub name: Text,
    /// True if the row is an item of an array.
    pub item: bool,
    /// Width of the column of names, in cells.
    pub name_width: usize,
    /// The value that the row shows.
    pub value: Value,
    /// The fold state of the row.
    pub fold: Fold,
    /// How the row's value differs from the value that it is compared with; `None` if it does not differ.
    pub change: Option<ChangeKind>,
    /// True if the row's value is a string that contains JSON text.
    pub text: bool,
}

/// A value that is shown as rows, together with the folds and the marked differences that determine the rows.
pub struct Tree<'a> {
    value: &'a Value,
    folds: &'a Folds,
    marks: &'a Marks,
    small: bool,
}

#[derive(Clone, Copy)]
struct At<'a> {
    folds: Option<&'a Folds>,
    marks: Option<&'a Marks>,
}

struct Window {
    skip: usize,
    take: usize,
    out: Vec<Row>,
}

impl Row {
    /// The row for a value at a place; `width` is the width of the column of names.
    fn new(place: Place, value: &Value, width: usize) -> Self {
        let (name, item) = match place.0.last() {
            Some(Hop::Into(step)) => (step_name(step), matches!(step, Step::Item(_))),
            _ => ("".into(), false),
        };
        Self {
            depth: place.depth(),
            place,
            name,
            item,
            name_width: width,
            value: value.clone(),
            fold: Fold::Leaf,
            change: None,
            text: false,
        }
    }
}

impl<'a> Tree<'a> {
    /// Creates the tree of `value`; the root is always open.
    #[must_use]
    pub fn new(value: &'a Value, folds: &'a Folds, marks: &'a Marks) -> Self {
        let small = value.size() <= SMALL;
        Self {
            value,
            folds,
            marks,
            small,
        }
    }

    /// If `shallow`, opens only the first level of the value by default, even if the value is small.
    #[must_use]
    pub fn shallow(mut self, shallow: bool) -> Self {
        self.small &= !shallow;
        self
    }

    fn root(&self) -> At<'a> {
        At {
            folds: Some(self.folds),
            marks: Some(self.marks),
        }
    }

    /// Number of rows below the root.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count_children(self.value, self.root())
    }

    /// True if there are no rows below the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// At most `take` rows below the root, starting with row `skip`.
    #[must_use]
    pub fn rows(&self, skip: usize, take: usize) -> Vec<Row> {
        let mut window = Window {
            skip,
            take,
            out: Vec::new(),
        };
        self.emit_children(self.value, self.root(), &Place::default(), &mut window);
        window.out
    }

    /// Index of the row for the value at `place`; `None` if this row is hidden. The root itself has no row.
    #[must_use]
    pub fn row_of(&self, place: &Place) -> Option<usize> {
        let mut at = self.root();
        let mut value = self.value.clone();
        let mut row = 0_usize;
        let mut hops = place.0.iter();
        let mut first = true;
        while let Some(hop) = hops.next() {
            if !first && !self.is_open(&value, at) {
                return None;
            }
            let (inner, step) = match hop {
                Hop::Into(step) => (value.clone(), step),
                Hop::Text => match hops.next() {
                    Some(Hop::Into(step)) => {
                        at = below_text(at);
                        (json_text(&value)?, step)
                    }
                    _ => return None,
                },
                Hop::Note(_) => return None,
            };
            row += usize::from(!first);
            first = false;
            let Some(index) = place_of(&inner, step) else {
                let gone = at.marks?.removed.iter().position(|(key, _)| key == step)?;
                row += self.rows_before(&inner, at, length(&inner)) + gone;
                return hops.next().is_none().then_some(row);
            };
            row += self.rows_before(&inner, at, index);
            value = get(&inner, step)?.clone();
            at = below(at, step);
        }
        (!first).then_some(row)
    }

    fn is_open(&self, value: &Value, at: At) -> bool {
        let said = at.folds.and_then(|folds| folds.open);
        let open = said.unwrap_or_else(|| {
            self.small
                || at
                    .marks
                    .is_some_and(|marks| !marks.below.is_empty() || !marks.removed.is_empty())
        });
        open && (has_children(value)
            || at.marks.is_some_and(|marks| !marks.removed.is_empty())
            || json_text(value).is_some())
    }

    fn count(&self, value: &Value, at: At) -> usize {
        if self.is_open(value, at) {
            1 + self.count_children(value, at)
        } else {
            1
        }
    }

    fn count_children(&self, value: &Value, at: At) -> usize {
        if let Value::String(_) = value {
            return json_text(value).map_or(0, |inner| self.count_children(&inner, below_text(at)));
        }
        let removed = at.marks.map_or(0, |marks| marks.removed.len());
        // The children may be counted in any order, because only the sum matters.
        let more: usize = match self.small {
            true => steps(value)
                .map(|(step, child)| self.count(child, below(at, &step)) - 1)
                .sum(),
            false => noted(at)
                .filter_map(|(step, next)| Some(self.count(get(value, step)?, next) - 1))
                .sum(),
        };
        length(value) + removed + more
    }

    /// Number of rows between the row of a container and the row of its child with the index `index`.
    fn rows_before(&self, value: &Value, at: At, index: usize) -> usize {
        let unfolded = self.unfolded(value, at);
        let before = unfolded.take_while(|(place, _)| *place < index);
        index + before.map(|(_, rows)| rows - 1).sum::<usize>()
    }

    /// The children of a container that take more than one row, in order: each child's index and number of rows. In a
    /// large value, only those children are examined that contain a difference or that the user folded or unfolded. The
    /// rows of a child are counted only when the iterator reaches the child.
    fn unfolded<'t>(
        &'t self,
        value: &'t Value,
        at: At<'t>,
    ) -> impl Iterator<Item = (usize, usize)> + 't {
        let mut all: Vec<(usize, At)> = match self.small {
            true => (steps(value).enumerate())
                .map(|(index, (step, _))| (index, below(at, &step)))
                .collect(),
            false => noted(at)
                .filter_map(|(step, next)| Some((place_of(value, step)?, next)))
                .collect(),
        };
        all.sort_by_key(|(index, _)| *index);
        let rows = move |(index, next)| {
            let (_, child) = steps_from(value, index).next()?;
            let rows = self.count(child, next);
            (rows > 1).then_some((index, rows))
        };
        all.into_iter().filter_map(rows)
    }

    fn emit(&self, value: &Value, at: At, place: Place, width: usize, window: &mut Window) {
        let open = self.is_open(value, at);
        if window.skip > 0 {
            window.skip -= 1;
        } else {
            let text = json_text(value).is_some();
            let fold = if open {
                Fold::Open
            } else if has_children(value) || text {
                Fold::Closed
            } else {
                Fold::Leaf
            };
            let change = at.marks.and_then(|marks| {
                marks
                    .kind
                    .or_else(|| (!open && !marks.is_empty()).then_some(ChangeKind::Changed))
            });
            window.take -= 1;
            window.out.push(Row {
                fold,
                change,
                text,
                ..Row::new(place.clone(), value, width)
            });
        }
        if open {
            self.emit_children(value, at, &place, window);
        }
    }

    fn emit_children(&self, value: &Value, at: At, place: &Place, window: &mut Window) {
        if let Value::String(_) = value {
            if let Some(inner) = json_text(value) {
                self.emit_children(&inner, below_text(at), &place.child(Hop::Text), window);
            }
            return;
        }
        let removed = at.marks.map_or(&[][..], |marks| marks.removed.as_slice());
        let gone = removed.iter().map(|(step, _)| width(&step_name(step)));
        let gone = gone.max().unwrap_or(0).min(NAME_WIDTH);
        let width = name_width(value).max(gone);
        // The rows before the first requested row are counted but not made. Children that take a single row need not be
        // visited for this.
        let (mut first, mut until) = (0, length(value));
        let counted = (window.skip > 0).then(|| self.unfolded(value, at));
        for (index, rows) in counted.into_iter().flatten() {
            let all = index - first + rows;
            if window.skip < all {
                until = index;
                break;
            }
            window.skip -= all;
            first = index + 1;
        }
        let jump = window.skip.min(until - first);
        window.skip -= jump;
        for (step, child) in steps_from(value, first + jump) {
            if window.take == 0 {
                return;
            }
            let next = below(at, &step);
            self.emit(child, next, place.child(Hop::Into(step)), width, window);
        }
        for (step, was) in removed {
            if window.skip > 0 {
                window.skip -= 1;
            } else if window.take > 0 {
                window.take -= 1;
                window.out.push(Row {
                    change: Some(ChangeKind::Removed),
                    ..Row::new(place.child(Hop::Into(step.clone())), was, width)
                });
            }
        }
    }
}

/// The children of a container that contain a difference or that the user folded or unfolded, each once. The folded and
/// unfolded children come first.
fn noted(at: At<'_>) -> impl Iterator<Item = (&Step, At<'_>)> {
    let marks = at.marks.map(|marks| &marks.below);
    let marks = marks.filter(|marks| !marks.is_empty());
    let folds = at.folds.map(|folds| &folds.below);
    let folded = folds.into_iter().flatten();
    let folded = folded.filter_map(move |(hop, folds)| match hop {
        Hop::Into(step) => {
            let marks = marks.and_then(|marks| marks.get(step));
            let folds = Some(folds);
            Some((step, At { folds, marks }))
        }
        Hop::Text | Hop::Note(_) => None,
    });
    let is_folded =
        move |step: &Step| folds.is_some_and(|folds| folds.contains_key(&Hop::Into(step.clone())));
    let only = marks.into_iter().flatten();
    let only = only.filter(move |(step, _)| !is_folded(step));
    let only = only.map(|(step, marks)| {
        let marks = Some(marks);
        (step, At { folds: None, marks })
    });
    folded.chain(only)
}

fn step_name(step: &Step) -> Text {
    match step {
        Step::Member(name) => name.clone(),
        Step::Item(index) => format!("[{index}]").into(),
    }
}

fn name_width(value: &Value) -> usize {
    match value {
        Value::Array(array) => array.len().saturating_sub(1).to_string().len() + 2,
        Value::Object(object) => object
            .members()
            .iter()
            .take(LOOKED_AT)
            .map(|(name, _)| width(name.get(..name.len().min(64)).unwrap_or(name)))
            .max()
            .unwrap_or(0)
            .min(NAME_WIDTH),
        _ => 0,
    }
}

fn below<'a>(at: At<'a>, step: &Step) -> At<'a> {
    let folds = at.folds.filter(|folds| !folds.below.is_empty());
    let marks = at.marks.filter(|marks| !marks.below.is_empty());
    At {
        folds: folds.and_then(|folds| folds.below.get(&Hop::Into(step.clone()))),
        marks: marks.and_then(|marks| marks.below.get(step)),
    }
}

fn below_text(at: At<'_>) -> At<'_> {
    At {
        folds: at.folds.and_then(|folds| folds.below.get(&Hop::Text)),
        marks: None,
    }
}

#[cfg(test)]
mod tests;
