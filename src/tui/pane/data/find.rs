//! Searches the text of all rows in the data pane, folded or not, in parts so that keys are handled in between.

use super::DataPane;
use crate::json::{Step, Value, one_line};
use crate::tui::pane::Paint;
use crate::tui::pane::block::{Listed, Part, Spot};
use crate::tui::pane::data_line::preview;
use crate::tui::pane::folds::{Folds, Marks};
use crate::tui::pane::folds::{Hop, Place};
use crate::tui::pane::pipeline::{expression_at, template};
use crate::tui::pane::search::{Match, Search, holds, order_of, removed};
use std::collections::VecDeque;
use std::rc::Rc;

/// Maximum number of matches per value.
const FOUND: usize = 10_000;

/// Position in row order: index of the block, and the indices that lead to the place in its value.
type At = (usize, Vec<usize>);

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
    /// Number of blocks started.
    begun: usize,
    /// Position of the selection.
    here: At,
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
        let (part, spot) = match self.selection.clone() {
            Some(selection) => selection,
            None => (plan.first()?.block.part, Spot::Node(Place::default())),
        };
        let left: VecDeque<Sought> = plan.blocks.into_iter().map(Sought::new).collect();
        let own = left.iter().position(|sought| sought.part == part);
        let sought = own.and_then(|own| left.get(own));
        let order = match &spot {
            Spot::Node(place) => sought.map_or_else(Vec::new, |sought| {
                order_of(place, &sought.value, &sought.marks)
            }),
            Spot::Note(row) => order_of_note(*row),
        };
        Some(DataSearch {
            wanted: text.to_owned(),
            forward,
            left,
            open: None,
            begun: 0,
            here: (own.unwrap_or(0), order),
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
        let state = paint.view.data.state;
        let folds = self.folds.entry((state, hit.part)).or_default();
        let folds = Rc::make_mut(folds);
        match &hit.spot {
            Spot::Node(place) => open_to(folds, place),
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

/// Position of a note in the search order: after the block's value.
fn order_of_note(row: usize) -> Vec<usize> {
    vec![usize::MAX, row]
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
                    Some(Some((order, place))) => {
                        found += 1;
                        self.note(sought.part, order, Spot::Node(place));
                        if found >= FOUND {
                            break;
                        }
                    }
                }
            }
            for row in sought.noted(&self.wanted) {
                self.note(sought.part, order_of_note(row), Spot::Note(row));
            }
        }
    }

    /// Starts with the next block; its title comes first.
    fn begin(&mut self) -> Option<(Sought, Search, usize)> {
        let sought = self.left.pop_front()?;
        self.begun += 1;
        if holds(&sought.title, &self.wanted.to_lowercase()) {
            self.note(sought.part, Vec::new(), Spot::Node(Place::default()));
        }
        let search = Search::new(&sought.value, sought.marks.clone(), &self.wanted);
        Some((sought, search, 0))
    }

    fn note(&mut self, part: Part, order: Vec<usize>, spot: Spot) {
        self.count += 1;
        let hit = Hit {
            number: self.count,
            part,
            spot,
        };
        let at = (self.begun.saturating_sub(1), order);
        if at < self.here {
            self.before = Some(hit.clone());
        } else if at > self.here && self.after.is_none() {
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

/// Unfolds everything that contains `place`.
fn open_to(folds: &mut Folds, place: &Place) {
    for end in 0..place.0.len() {
        let above = Place(place.0.iter().take(end).cloned().collect());
        folds.set(&above, true);
    }
}
