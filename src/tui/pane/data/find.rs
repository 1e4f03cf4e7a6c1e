//! Searches the text of all rows in the data pane, folded or not, in parts so that keys are handled in between.

use super::DataPane;
use crate::json::{Step, Value, one_line};
use crate::tui::pane::Paint;
use crate::tui::pane::block::{Listed, Part, Spot};
use crate::tui::pane::data_line::preview;
use crate::tui::pane::folds::{Hop, Marks, Place};
use crate::tui::pane::pipeline::{expression_at, template};
use crate::tui::pane::search::{Match, Search, holds, removed};
use std::collections::VecDeque;
use std::rc::Rc;

/// Maximum number of matches per value.
const FOUND: usize = 10_000;

/// A search in progress.
#[derive(Debug)]
pub struct DataSearch {
    /// The text to find.
    pub wanted: String,
    forward: bool,
    /// Blocks still to be searched.
    left: VecDeque<Sought>,
    /// The block being searched, and the number of matches in its value.
    open: Option<(Sought, Search, usize)>,
    /// The selection, and whether the search has passed it.
    here: (Part, Spot),
    passed: bool,
    /// Number of matches so far.
    count: usize,
    first: Option<Hit>,
    /// The last match before the selection, and the first one after it.
    before: Option<Hit>,
    after: Option<Hit>,
    last: Option<Hit>,
    /// True if the wanted match has been shown.
    shown: bool,
}

/// The searchable content of a block.
#[derive(Debug)]
struct Sought {
    part: Part,
    title: String,
    value: Value,
    marks: Rc<Marks>,
    notes: Vec<String>,
}

impl Sought {
    fn new(listed: Listed) -> Self {
        let (title, notes) = (title_of(&listed), notes_of(&listed));
        Self {
            part: listed.block.part,
            title,
            value: listed.block.value.unwrap_or_default(),
            marks: listed.marks,
            notes,
        }
    }

    /// Note rows that contain a text; a match that is split by a line break belongs to the first row.
    fn noted(&self, wanted: &str) -> Vec<usize> {
        let wanted = wanted.to_lowercase();
        let mut after = self.notes.iter().skip(1);
        let rows = self.notes.iter().enumerate();
        let rows = rows.filter(|(_, own)| {
            let next = after.next();
            let breaks = |next: &&String| {
                !holds(next, &wanted) && holds(&format!("{own} {}", next.trim_start()), &wanted)
            };
            holds(own, &wanted) || next.as_ref().is_some_and(breaks)
        });
        rows.map(|(row, _)| row).collect()
    }
}

/// Text of a block's title.
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

/// Texts of the rows below a block's value.
fn notes_of(listed: &Listed) -> Vec<String> {
    let notes = listed.block.notes.iter();
    notes
        .map(|note| match note.label.is_empty() {
            true => note.text.clone(),
            false => format!("{}  {}", note.label, note.text),
        })
        .collect()
}

#[derive(Clone, Debug)]
struct Hit {
    /// Number of the match, starting at 1.
    number: usize,
    part: Part,
    spot: Spot,
}

/// Progress of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    /// The search continues; the match selected so far, if any.
    Further(Option<Match>),
    /// The search is over; the selected match.
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
            None => (plan.first()?.block.part, Spot::Node(Place::default())),
        };
        Some(DataSearch {
            wanted: text.to_owned(),
            forward,
            left: plan.blocks.into_iter().map(Sought::new).collect(),
            open: None,
            here,
            passed: false,
            count: 0,
            first: None,
            before: None,
            after: None,
            last: None,
            shown: false,
        })
    }

    /// Continues the search while `goes_on` returns true; selects the wanted match as soon as it is known.
    pub fn look(
        &mut self,
        paint: &Paint,
        search: &mut DataSearch,
        goes_on: impl FnMut() -> bool,
    ) -> Looked {
        let over = search.look(paint, goes_on);
        let Some(hit) = search.target(over).cloned() else {
            return match over {
                true => Looked::Nowhere,
                false => Looked::Further(None),
            };
        };
        if !search.shown {
            search.shown = true;
            self.show_place(paint, &hit);
        }
        let found = self.matched(paint, &hit, search);
        match over {
            true => Looked::Here(found),
            false => Looked::Further(Some(found)),
        }
    }

    fn show_place(&mut self, paint: &Paint, hit: &Hit) {
        let folds = self.folds_of(paint, hit.part);
        match &hit.spot {
            Spot::Node(place) => folds.open_above(place),
            Spot::Note(_) => folds.set(&Place::default(), true),
        }
        self.selection = Some((hit.part, hit.spot.clone()));
        self.chosen = true;
    }

    fn matched(&mut self, paint: &Paint, hit: &Hit, search: &DataSearch) -> Match {
        let mut blocks = self.plan(paint).blocks.into_iter();
        let listed = blocks.find(|listed| listed.block.part == hit.part);
        let said = listed.map(|listed| match &hit.spot {
            Spot::Node(place) if place.0.is_empty() => title_of(&listed),
            Spot::Node(place) => said_at(paint, &listed, place),
            Spot::Note(row) => {
                let mut rows = notes_of(&listed).into_iter().skip(*row);
                let own = rows.next().unwrap_or_default();
                match holds(&own, &search.wanted.to_lowercase()) {
                    true => own,
                    // The match is split by a line break.
                    false => format!("{own} {}", rows.next().unwrap_or_default()),
                }
            }
        });
        let numbers = (hit.number, search.count);
        Match::new(numbers, &said.unwrap_or_default(), &search.wanted)
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
    /// Examines nodes one by one; returns whether there are no more.
    fn look(&mut self, paint: &Paint, mut goes_on: impl FnMut() -> bool) -> bool {
        let mut looked = 0_u32;
        loop {
            let Some((sought, mut search, mut found)) = self.open.take().or_else(|| self.begin())
            else {
                return true;
            };
            let template = template(paint, sought.part);
            loop {
                looked += 1;
                // Checks the time only now and then.
                if looked.is_multiple_of(64) && !goes_on() {
                    self.open = Some((sought, search, found));
                    return false;
                }
                match search.next(template) {
                    None => break,
                    Some(None) => {}
                    Some(Some(place)) => {
                        found += 1;
                        self.note(sought.part, Spot::Node(place), search.passed);
                        if found >= FOUND {
                            break;
                        }
                    }
                }
            }
            // A value may be too large for the search to reach the selection in it.
            let is_here = self.here.0 == sought.part;
            self.passed |= is_here && matches!(self.here.1, Spot::Node(_));
            for row in sought.noted(&self.wanted) {
                let is_behind = matches!(self.here.1, Spot::Note(note) if note <= row);
                self.note(sought.part, Spot::Note(row), is_here && is_behind);
            }
            self.passed |= is_here;
        }
    }

    /// Starts with the next block; its title comes first.
    fn begin(&mut self) -> Option<(Sought, Search, usize)> {
        let sought = self.left.pop_front()?;
        let root = Spot::Node(Place::default());
        let is_here = self.here == (sought.part, root.clone());
        if holds(&sought.title, &self.wanted.to_lowercase()) {
            self.note(sought.part, root, is_here);
        }
        self.passed |= is_here;
        let mut search = Search::new(&sought.value, sought.marks.clone(), &self.wanted);
        if let (part, Spot::Node(place)) = &self.here
            && *part == sought.part
        {
            search.here = Some(place.clone());
        }
        Some((sought, search, 0))
    }

    /// Notes a match; `passed` is true if the selection is not after it.
    fn note(&mut self, part: Part, spot: Spot, passed: bool) {
        self.count += 1;
        self.passed |= passed;
        let number = self.count;
        let hit = Hit { number, part, spot };
        if !self.passed {
            self.before = Some(hit.clone());
        } else if self.after.is_none() && self.here != (part, hit.spot.clone()) {
            self.after = Some(hit.clone());
        }
        self.first.get_or_insert_with(|| hit.clone());
        self.last = Some(hit);
    }

    /// The wanted match, as soon as it is known.
    fn target(&self, over: bool) -> Option<&Hit> {
        let (near, far) = match self.forward {
            true => (&self.after, &self.first),
            false => (&self.before, &self.last),
        };
        // The last match before the selection is known once one after it was found.
        let known = over || self.after.is_some();
        let around = far.as_ref().filter(|_| over);
        near.as_ref().filter(|_| known).or(around)
    }
}
