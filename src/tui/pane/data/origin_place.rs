//! Selections that the data pane makes by itself: when the user follows the origin of a value, and when a run ends.

use super::super::Paint;
use super::super::pipeline::{blocks, equal};
use super::DataPane;
use crate::interpreter::Stage;
use crate::json::{Step, Text, Value};
use crate::session::origin::{Holder, LedTo};
use crate::session::view::RunStatus;
use crate::tui::pane::block::{Block, Part};
use crate::tui::pane::folds::{Hop, Place};

impl DataPane {
    /// At the end of a successful run, selects the first member of the output that the run made: one that the input
    /// does not have, or has with another value.
    pub(super) fn note_end(&mut self, paint: &Paint) {
        let RunStatus::Succeeded { output } = &paint.view.header.status else {
            return;
        };
        let execution = paint.view.data.context.get("Execution");
        let input = execution.and_then(|execution| execution.get("Input"));
        let members = output
            .as_object()
            .into_iter()
            .flat_map(|object| object.members());
        let is_made = |(name, value): &&(Text, Value)| {
            let given = input.and_then(|input| input.get(name));
            given.is_none_or(|given| !equal(given, value))
        };
        let Some((name, _)) = members.into_iter().find(is_made) else {
            return;
        };
        let has_it = |block: &Block| {
            let value = block.value.as_ref();
            let is_shown = matches!(block.part, Part::Stage(_)) && !block.quiet;
            is_shown && value.is_some_and(|value| equal(value, output))
        };
        let Some(block) = blocks(paint).into_iter().rfind(has_it) else {
            return;
        };
        let place = Place(vec![Hop::Into(Step::Member(name.clone()))]);
        self.reveal(paint, block.part, place);
    }

    /// After the user has followed the origin of a value, selects the place where the value came from. Does this once,
    /// and again whenever the run returns to the event of that place.
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
        self.reveal(paint, part, place);
        self.chosen = false;
    }
}

/// The block of the data pane, and the place in the value of this block, to which an origin leads. If only one of two
/// stages has a block (the output and the data after ResultPath), this block stands for both stages.
fn spot_of(paint: &Paint, led: &LedTo) -> Option<(Part, Place)> {
    let mut steps = led.at.0.clone();
    let parts: Vec<Part> = match &led.holder {
        Holder::Stage(stage) => {
            let equivalent = match stage {
                Stage::AfterResultPath => Stage::Output,
                Stage::Output => Stage::AfterResultPath,
                stage => *stage,
            };
            vec![Part::Stage(*stage), Part::Stage(equivalent)]
        }
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
