//! Finding a text in the data pane: in names and values, folded or not, bit by bit so that keys are answered meanwhile.
//!
//! It must not know how a row is drawn, nor when the search goes on.

use super::super::Paint;
use super::super::data_plan::Spot;
use super::super::folds::Folds;
use super::super::part::Part;
use super::super::place::{Hop, Place};
use super::super::search::{Match, Search, order_of};
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
    /// Values that are still to be searched.
    left: VecDeque<(Part, Value)>,
    /// The one that is searched, and how many places were found in it.
    open: Option<(Part, Search, usize)>,
    /// How many values were begun.
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

#[derive(Clone, Debug)]
struct Hit {
    /// From 1.
    number: usize,
    part: Part,
    place: Place,
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
        let blocks = plan.blocks.into_iter();
        let values: VecDeque<(Part, Option<Value>)> = blocks
            .map(|listed| (listed.block.part, listed.block.value))
            .collect();
        let own = values.iter().position(|(listed, _)| *listed == part);
        let value = own.and_then(|own| values.get(own)?.1.as_ref());
        let order = match &spot {
            Spot::Node(place) => value.map_or_else(Vec::new, |value| order_of(place, value)),
            Spot::Note(_) => vec![usize::MAX],
        };
        let left = values
            .into_iter()
            .map(|(part, value)| (part, value.unwrap_or_default()));
        Some(DataSearch {
            wanted: text.to_owned(),
            forward,
            left: left.collect(),
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
        let over = search.look(goes_on);
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
        open_to(Rc::make_mut(folds), &hit.place);
        self.selection = Some((hit.part, Spot::Node(hit.place.clone())));
    }

    fn matched(&mut self, paint: &Paint, hit: &Hit, search: &DataSearch) -> Match {
        let blocks = self.plan(paint).blocks.into_iter();
        let shown = blocks
            .filter(|listed| listed.block.part == hit.part)
            .find_map(|listed| hit.place.get(listed.block.value.as_ref()?))
            .map_or_else(String::new, |value| one_line(&value));
        let name = match hit.place.0.last() {
            Some(Hop::Into(Step::Member(name))) => format!("{name}: "),
            _ => String::new(),
        };
        let numbers = (hit.number, search.count);
        Match::new(numbers, &format!("{name}{shown}"), &search.wanted)
    }
}

impl DataSearch {
    /// Looks at one node after the other; whether there is no more.
    fn look(&mut self, mut goes_on: impl FnMut() -> bool) -> bool {
        let mut looked = 0_u32;
        loop {
            let Some((part, search, found)) = &mut self.open else {
                let Some((part, value)) = self.left.pop_front() else {
                    return true;
                };
                self.begun += 1;
                self.open = Some((part, Search::new(&value, &self.wanted), 0));
                continue;
            };
            looked += 1;
            // The time is asked for now and then.
            if looked.is_multiple_of(64) && !goes_on() {
                return false;
            }
            match search.next() {
                None => self.open = None,
                Some(None) => {}
                Some(Some((order, place))) => {
                    *found += 1;
                    let (part, enough) = (*part, *found >= FOUND);
                    self.note(part, order, place);
                    if enough {
                        self.open = None;
                    }
                }
            }
        }
    }

    fn note(&mut self, part: Part, order: Vec<usize>, place: Place) {
        self.count += 1;
        let hit = Hit {
            number: self.count,
            part,
            place,
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
