//! Finding a text in the data pane: in names and values, folded or not.
//!
//! It must not know how a row is drawn.

use super::super::Paint;
use super::super::data_plan::Spot;
use super::super::folds::Folds;
use super::super::part::Part;
use super::super::place::Place;
use super::super::search::search;
use super::DataPane;
use std::rc::Rc;

/// At most so many places are found.
const FOUND: usize = 10_000;

impl DataPane {
    /// To the next or previous row whose name or value holds `text`, unfolding the way there; whether there is one.
    pub fn find(&mut self, paint: &Paint, text: &str, forward: bool) -> bool {
        self.note_position(paint);
        if text.is_empty() {
            return false;
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
                    None => return false,
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
        let next = if forward {
            rows.iter().find(|(row, _)| *row > here).or(rows.first())
        } else {
            let mut back = rows.iter().rev();
            back.find(|(row, _)| *row < here).or(rows.last())
        };
        let next = next.map(|(_, found)| found.clone());
        self.folds = before;
        let Some((part, place)) = next else {
            return false;
        };
        let folds = self.folds.entry((state, part)).or_default();
        open_to(Rc::make_mut(folds), &place);
        self.selection = Some((part, Spot::Node(place)));
        true
    }
}

/// Unfolds everything that `place` is in.
fn open_to(folds: &mut Folds, place: &Place) {
    for end in 0..place.0.len() {
        let above = Place(place.0.iter().take(end).cloned().collect());
        folds.set(&above, true);
    }
}
