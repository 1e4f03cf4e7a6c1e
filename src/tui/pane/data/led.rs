//! Standing on the place that an origin led to.
//!
//! It must not know how an origin is found.

use super::super::Paint;
use super::super::data_plan::Spot;
use super::super::part::Part;
use super::super::pipeline::blocks;
use super::super::place::{Hop, Place};
use super::DataPane;
use crate::interpreter::Stage;
use crate::json::Step;
use crate::session::origin::Holder;
use crate::session::origin::LedTo;
use std::rc::Rc;

impl DataPane {
    /// Selects the place that an origin led to, once; again where the view came back to its event.
    pub(super) fn note_origin(&mut self, paint: &Paint, moved: bool) {
        let led = paint.view.led_to.as_ref();
        let number = led.map(|led| led.number);
        if !moved && self.led_to == number {
            return;
        }
        self.led_to = number;
        let Some((part, place)) = led.and_then(|led| spot_of(paint, led)) else {
            return;
        };
        let folds = self.folds.entry((paint.view.data.state, part));
        let folds = Rc::make_mut(folds.or_default());
        folds.open_above(&place);
        self.selection = Some((part, Spot::Node(place)));
    }
}

/// The row of a place: in its own block, or in the one that stands for it.
fn spot_of(paint: &Paint, led: &LedTo) -> Option<(Part, Place)> {
    let mut steps = led.at.0.clone();
    let parts: Vec<Part> = match &led.holder {
        Holder::Stage(Stage::AfterResultPath) => vec![
            Part::Stage(Stage::AfterResultPath),
            Part::Stage(Stage::Output),
        ],
        Holder::Stage(Stage::Output) => vec![
            Part::Stage(Stage::Output),
            Part::Stage(Stage::AfterResultPath),
        ],
        Holder::Stage(stage) => vec![Part::Stage(*stage)],
        Holder::Error => vec![Part::Error],
        Holder::Context => vec![Part::Context],
        Holder::Variable(name) => {
            steps.insert(0, Step::Member(name.clone()));
            vec![Part::Variables]
        }
        Holder::Item(_) => return None,
    };
    let shown = blocks(paint);
    let part = parts
        .into_iter()
        .find(|part| shown.iter().any(|block| block.part == *part))?;
    Some((part, Place(steps.into_iter().map(Hop::Into).collect())))
}
