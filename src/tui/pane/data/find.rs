//! Searches the text of all rows of the data pane, including folded rows. The search runs in parts, so that the user's
//! keys are handled between two parts.

use super::DataPane;
use crate::json::{Step, Value, one_line};
use crate::tui::pane::Paint;
use crate::tui::pane::block::{Listed, Part};
use crate::tui::pane::data_line::preview;
use crate::tui::pane::folds::{Hop, Place};
use crate::tui::pane::pipeline::{expression_at, template};
use crate::tui::pane::search::{Match, Search, holds, removed};
use std::collections::VecDeque;

/// Maximum number of matches that a search collects in the value of one block.
const FOUND: usize = 10_000;

/// A search in progress.
#[derive(Debug)]
pub struct DataSearch {
    /// The text to find.
    pub wanted: String,
    forward: bool,
    /// Blocks of the data pane that have not been searched yet.
    left: VecDeque<Listed>,
    /// The block that is being searched, the search in its value, and the number of matches in this value so far.
    open: Option<(Listed, Search, usize)>,
    /// The block and the place in its value that were selected when the search began.
    here: (Part, Place),
    /// The matches found so far, in the order of the rows.
    hits: Vec<(Part, Place)>,
    /// Number of matches before the row that was selected at the beginning; `None` until the search has reached this
    /// row.
    behind: Option<usize>,
    /// True if the match that the user wants was found and is now selected.
    shown: bool,
}

/// Indices of the note rows of a block that contain the text `wanted`. If a match is split over two rows, only the
/// index of the first row is returned.
fn noted(listed: &Listed, wanted: &str) -> Vec<usize> {
    let (wanted, notes) = (wanted.to_lowercase(), notes_of(listed));
    let mut after = notes.iter().skip(1);
    let rows = notes.iter().enumerate();
    let rows = rows.filter(|(_, text)| {
        let next = after.next();
        let breaks = |next: &&String| {
            !holds(next, &wanted) && holds(&format!("{text} {}", next.trim_start()), &wanted)
        };
        holds(text, &wanted) || next.as_ref().is_some_and(breaks)
    });
    rows.map(|(row, _)| row).collect()
}

/// Text of a block's title row, in which the search looks for matches.
fn title_of(listed: &Listed) -> String {
    let block = &listed.block;
    let is_container = |value: &Value| value.as_object().is_some() || value.is_array();
    let value = block.value.as_ref();
    let scalar = value.filter(|value| !is_container(value) && block.part != Part::Error);
    let said = [
        Some(block.name.clone()),
        block.expression.clone(),
        scalar.map(|value| preview(value, usize::MAX).0),
        block.remark.as_ref().map(|(remark, _)| remark.clone()),
    ];
    said.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// Texts of the note rows below a block's value, in which the search looks for matches.
fn notes_of(listed: &Listed) -> Vec<String> {
    let notes = listed.block.notes.iter();
    notes
        .map(|note| match note.label.is_empty() {
            true => note.text.clone(),
            false => format!("{label}  {text}", label = note.label, text = note.text),
        })
        .collect()
}

/// The progress of a search after one of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    /// The search is not over; contains the match that it has already selected, if any.
    Further(Option<Match>),
    /// The search is over; contains the selected match.
    Here(Match),
    /// The search is over without a match.
    Nowhere,
}

impl DataPane {
    /// Starts to search for the next or previous row whose name or value contains `text`.
    pub fn begin_find(&mut self, paint: &Paint, text: &str, forward: bool) -> Option<DataSearch> {
        self.note_position(paint);
        if text.is_empty() {
            return None;
        }
        let plan = self.plan(paint);
        let selected = self.selection.clone();
        let here = match selected.filter(|(part, _)| plan.listed(*part).is_some()) {
            Some(selection) => selection,
            None => (plan.first()?.block.part, Place::default()),
        };
        Some(DataSearch {
            wanted: text.to_owned(),
            forward,
            left: plan.blocks.into(),
            open: None,
            here,
            hits: Vec::new(),
            behind: None,
            shown: false,
        })
    }

    /// Continues the search while `goes_on` returns true. Selects the wanted match as soon as it is known.
    pub fn look(
        &mut self,
        paint: &Paint,
        search: &mut DataSearch,
        goes_on: impl FnMut() -> bool,
    ) -> Looked {
        let over = search.look(paint, goes_on);
        let matched = search.target(over);
        let matched = matched.and_then(|place| Some((place + 1, search.hits.get(place)?)));
        let matched = matched.map(|(number, (part, place))| {
            if !search.shown {
                self.show_place(paint, *part, place.clone());
            }
            let said = self.said_at(paint, *part, place, &search.wanted);
            let numbers = (number, search.hits.len());
            Match::new(numbers, &said, &search.wanted)
        });
        search.shown |= matched.is_some();
        match (over, matched) {
            (true, Some(matched)) => Looked::Here(matched),
            (true, None) => Looked::Nowhere,
            (false, matched) => Looked::Further(matched),
        }
    }

    fn show_place(&mut self, paint: &Paint, part: Part, place: Place) {
        self.reveal(paint, part, place);
        self.chosen = true;
    }

    /// Text of the row that matches `wanted`; includes the next row if the match continues there.
    fn said_at(&mut self, paint: &Paint, part: Part, place: &Place, wanted: &str) -> String {
        let plan = self.plan(paint);
        let Some(listed) = plan.listed(part) else {
            return String::new();
        };
        match place.0.as_slice() {
            [] => title_of(listed),
            [Hop::Note(row)] => {
                let mut rows = notes_of(listed).into_iter().skip(*row);
                let text = rows.next().unwrap_or_default();
                match holds(&text, &wanted.to_lowercase()) {
                    true => text,
                    // The row alone does not contain the match, so the match continues in the next row.
                    false => format!("{text} {}", rows.next().unwrap_or_default()),
                }
            }
            _ => said_at(paint, listed, place),
        }
    }
}

/// Text of the row at a place: its name, its value and the expression that produced it.
fn said_at(paint: &Paint, listed: &Listed, place: &Place) -> String {
    let root = listed.block.value.as_ref();
    let value = root.and_then(|root| place.get(root)).or_else(|| {
        let (last, above) = place.0.split_last()?;
        let gone = removed(&listed.marks, above).iter();
        let mut gone = gone.filter(|(step, _)| Hop::Into(step.clone()) == *last);
        gone.next().map(|(_, was)| was.clone())
    });
    let shown = value.map_or_else(String::new, |value| one_line(&value));
    let name = match place.0.last() {
        Some(Hop::Into(Step::Member(name))) => format!("{name}: "),
        _ => String::new(),
    };
    let steps = place.pointer();
    let made = template(paint, listed.block.part)
        .filter(|_| !place.is_in_text())
        .and_then(|template| expression_at(template, &steps.0))
        .map_or_else(String::new, |made| format!(" = {made}"));
    format!("{name}{shown}{made}")
}

impl DataSearch {
    /// Searches the remaining rows one by one while `goes_on` returns true. Returns true once everything has been
    /// searched.
    fn look(&mut self, paint: &Paint, mut goes_on: impl FnMut() -> bool) -> bool {
        let mut looked = 0_u32;
        loop {
            let Some((listed, mut search, mut hit_count)) =
                self.open.take().or_else(|| self.begin())
            else {
                return true;
            };
            let part = listed.block.part;
            let template = template(paint, part);
            loop {
                looked += 1;
                // `goes_on` looks at the clock, so it is called only once for 64 nodes.
                if looked.is_multiple_of(64) && !goes_on() {
                    self.open = Some((listed, search, hit_count));
                    return false;
                }
                match search.next(template) {
                    None => break,
                    Some(None) => {}
                    Some(Some(place)) => {
                        hit_count += 1;
                        self.pass(search.passed);
                        self.hits.push((part, place));
                        if hit_count >= FOUND {
                            break;
                        }
                    }
                }
            }
            // The search in this block's value is over, perhaps early because of too many matches. If the selection was
            // in this value, it counts as passed now.
            let is_here = self.here.0 == part;
            let note = self.here.1.note();
            self.pass(is_here && note.is_none());
            for row in noted(&listed, &self.wanted) {
                self.pass(is_here && note.is_some_and(|note| note <= row));
                self.hits.push((part, Place(vec![Hop::Note(row)])));
            }
            self.pass(is_here);
        }
    }

    /// Begins to search the next block: searches its title, and prepares the search in its value.
    fn begin(&mut self) -> Option<(Listed, Search, usize)> {
        let listed = self.left.pop_front()?;
        let title = (listed.block.part, Place::default());
        self.pass(self.here == title);
        if holds(&title_of(&listed), &self.wanted.to_lowercase()) {
            self.hits.push(title);
        }
        let value = listed.block.value.as_ref().unwrap_or(&Value::Null);
        let mut search = Search::new(value, listed.marks.clone(), &self.wanted);
        let here = Some(&self.here).filter(|(part, _)| *part == listed.block.part);
        search.here = here.map(|(_, place)| place.clone());
        Some((listed, search, 0))
    }

    /// The first time that `is_passed` is true, records how many matches there are before the selected row.
    fn pass(&mut self, is_passed: bool) {
        if is_passed && self.behind.is_none() {
            self.behind = Some(self.hits.len());
        }
    }

    /// Index of the match to select; `None` until it is known. `over` is true once everything has been searched.
    fn target(&self, over: bool) -> Option<usize> {
        let count = self.hits.len();
        let behind = self.behind.unwrap_or(count);
        let is_other = |place: &usize| self.hits.get(*place) != Some(&self.here);
        let after = (behind..count).find(is_other);
        let last = count.checked_sub(1);
        let (near, far) = match self.forward {
            true => (after, last.map(|_| 0)),
            false => (behind.checked_sub(1), last),
        };
        // A search backwards needs the last match before the selection. Whether a match is the last one is known only
        // after a match beyond the selection has been found.
        let known = near.filter(|_| over || after.is_some());
        known.or(far.filter(|_| over))
    }
}
