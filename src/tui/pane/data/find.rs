//! Finding a text in the data pane: in all that its rows say, folded or not, bit by bit so that keys are answered
//! meanwhile.
//!
//! It must not know how a row is drawn, nor when the search goes on.

use super::super::Paint;
use super::super::data_line::preview;
use super::super::data_plan::{Listed, Spot};
use super::super::folds::{Folds, Marks};
use super::super::part::Part;
use super::super::pipeline::{expression_at, template};
use super::super::place::{Hop, Place};
use super::super::search::{Match, Search, holds, order_of, removed};
use super::DataPane;
use crate::json::{Step, Value, one_line};
use std::collections::VecDeque;
use std::rc::Rc;

/// At most so many places are found in a value.
const FOUND: usize = 10_000;

/// A place in the order of rows: which value, and the indexes that lead to it.
type At = (usize, Vec<usize>);

/// A search that is under way.
#[derive(Debug)]
pub struct DataSearch {
    /// What is looked for.
    pub wanted: String,
    forward: bool,
    /// Blocks that are still to be searched.
    left: VecDeque<Sought>,
    /// The one that is searched, and how many places were found in its value.
    open: Option<(Sought, Search, usize)>,
    /// How many blocks were begun.
    begun: usize,
    /// Where the selection was.
    here: At,
    /// Places so far.
    count: usize,
    first: Option<Hit>,
    /// The last one before the selection, and the first one after it.
    before: Option<Hit>,
    after: Option<Hit>,
    last: Option<Hit>,
    /// Whether what is looked for was shown already.
    shown: bool,
}

/// What is searched of a block.
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

    /// The rows of words below the value that hold a text; one that a line's end breaks is on the first.
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

/// What the title of a block says.
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

/// What stands below the value of a block, row by row.
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
    /// From 1.
    number: usize,
    part: Part,
    spot: Spot,
}

/// How far a search came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    /// It goes on; what is selected so far.
    Further(Option<Match>),
    /// It is over; what is selected.
    Here(Match),
    /// It is over and found nothing.
    Nowhere,
}

impl DataPane {
    /// Begins to look for the next or previous row whose name or value holds `text`.
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

    /// Looks on for as long as `goes_on` says; selects what is looked for as soon as it is known.
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
                    // A line's end breaks it.
                    false => format!("{own} {}", rows.next().unwrap_or_default()),
                }
            }
        });
        let numbers = (hit.number, search.count);
        Match::new(numbers, &said.unwrap_or_default(), &search.wanted)
    }
}

/// What the row of a place says: its name, its value and the expression that made it.
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

/// Words stand below the value.
fn order_of_note(row: usize) -> Vec<usize> {
    vec![usize::MAX, row]
}

impl DataSearch {
    /// Looks at one node after the other; whether there is no more.
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
                // The time is asked for now and then.
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

    /// Begins with the next block: its title stands first.
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

    /// What is looked for, as soon as it is known.
    fn target(&self, over: bool) -> Option<&Hit> {
        let (near, far) = match self.forward {
            true => (&self.after, &self.first),
            false => (&self.before, &self.last),
        };
        // Of those before the selection the last one is known once one after it was found.
        let known = over || self.after.is_some();
        let around = far.as_ref().filter(|_| over);
        near.as_ref().filter(|_| known).or(around)
    }
}

/// Unfolds everything that `place` is in.
fn open_to(folds: &mut Folds, place: &Place) {
    for end in 0..place.0.len() {
        let above = Place(place.0.iter().take(end).cloned().collect());
        folds.set(&above, true);
    }
}
