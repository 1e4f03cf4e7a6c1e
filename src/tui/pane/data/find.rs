//! Finding a text in the data pane: in names and values, folded or not.
//!
//! It must not know how a row is drawn.

use super::super::Paint;
use super::super::data_plan::Spot;
use super::super::folds::Folds;
use super::super::part::Part;
use super::super::place::{Hop, Place};
use super::super::search::{Match, search};
use super::DataPane;
use crate::json::{Step, one_line};
use std::rc::Rc;

/// At most so many places are found.
const FOUND: usize = 10_000;

impl DataPane {
    /// To the next or previous row whose name or value holds `text`, unfolding the way there.
    pub fn find(&mut self, paint: &Paint, text: &str, forward: bool) -> Option<Match> {
        self.note_position(paint);
        if text.is_empty() {
            return None;
        }
        let state = paint.view.data.state;
        let before = self.folds.clone();
        let mut found: Vec<(Part, Place)> = Vec::new();
        for listed in self.plan(paint).blocks {
            if let Some(value) = &listed.block.value {
                let places = search(value, text, FOUND);
                found.extend(places.into_iter().map(|place| (listed.block.part, place)));
            }
        }
        // Unfolded all the way, every found place has a row to be ordered by.
        let selection = self.selection.clone();
        let (part, spot) = match selection {
            Some(selection) => selection,
            None => {
                let plan = self.plan(paint);
                match plan.first() {
                    Some(listed) => (listed.block.part, Spot::Node(Place::default())),
                    None => return None,
                }
            }
        };
        for (part, place) in &found {
            let folds = self.folds.entry((state, *part)).or_default();
            open_to(Rc::make_mut(folds), place);
        }
        let plan = self.plan(paint);
        let here = plan.row_of(part, &spot).unwrap_or(0);
        let mut rows: Vec<(usize, (Part, Place))> = found
            .into_iter()
            .filter_map(|(part, place)| {
                let row = plan.row_of(part, &Spot::Node(place.clone()))?;
                Some((row, (part, place)))
            })
            .collect();
        rows.sort_by_key(|(row, _)| *row);
        let number = if forward {
            let next = rows.iter().position(|(row, _)| *row > here);
            next.or((!rows.is_empty()).then_some(0))
        } else {
            let back = rows.iter().rposition(|(row, _)| *row < here);
            back.or(rows.len().checked_sub(1))
        };
        let next = number.and_then(|number| Some((number, rows.get(number)?.1.clone())));
        self.folds = before;
        let (number, (part, place)) = next?;
        let blocks = self.plan(paint).blocks.into_iter();
        let shown = blocks
            .filter(|listed| listed.block.part == part)
            .find_map(|listed| place.get(listed.block.value.as_ref()?))
            .map_or_else(String::new, |value| one_line(&value));
        let name = match place.0.last() {
            Some(Hop::Into(Step::Member(name))) => format!("{name}: "),
            _ => String::new(),
        };
        let folds = self.folds.entry((state, part)).or_default();
        open_to(Rc::make_mut(folds), &place);
        self.selection = Some((part, Spot::Node(place)));
        let numbers = (number + 1, rows.len());
        Some(Match::new(numbers, &format!("{name}{shown}"), text))
    }
}

/// Unfolds everything that `place` is in.
fn open_to(folds: &mut Folds, place: &Place) {
    for end in 0..place.0.len() {
        let above = Place(place.0.iter().take(end).cloned().collect());
        folds.set(&above, true);
    }
}
