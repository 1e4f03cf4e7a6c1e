//! Checks for reads of a member of a text.

use super::Checker;
use super::facts::Read;
use super::shape::{Maker, Part, Shape};
use super::shapes::answering;
use crate::definition::rule::{Severities, rules};
use crate::json::{Pointer, Step};

rules! {
    INTO_TEXT = 106, "into-text", "READ_INTO_TEXT", Severities::WARNING, "a path reads a member of what is text";
}

impl Checker<'_> {
    /// Reports a read whose path continues below a text.
    pub(super) fn read_into_text(&mut self, read: &Read<'_>, document: &Shape) {
        let Some((length, makers)) = document.text_before(&read.steps, read.in_jsonata) else {
            return;
        };
        let (before, after) = read.steps.split_at(length.min(read.steps.len()));
        if read.asks || after.is_empty() {
            return;
        }
        let below = |root: &str, steps: &[Step]| {
            let pointer = Pointer(steps.to_vec()).to_string();
            format!("{root}{}", pointer.trim_start_matches('$'))
        };
        let text = below(&read.root, before);
        let name = match before.last() {
            Some(Step::Member(name)) => name.to_string(),
            _ => text.clone(),
        };
        let message = format!("{} reads a member of {name}, which is text", read.path);
        let parsed = match read.in_jsonata {
            true => format!("write {}", below(&format!("$parse({text})"), after)),
            false => format!("States.StringToJson({text}) gives the JSON in it"),
        };
        let help = match makers.iter().all(|maker| self.is_of_execution(*maker)) {
            true => format!("call states:startExecution.sync:2, whose {name} is JSON; or {parsed}"),
            false => parsed,
        };
        self.report(INTO_TEXT, message, read.place.value(), help);
    }

    /// True if the value comes from an execution that the state started and waited for.
    fn is_of_execution(&self, maker: Maker) -> bool {
        let state = self.state_at(maker.state).map(|at| at.state);
        maker.part == Part::Answer
            && state.and_then(answering) == Some(("states", "startExecution.sync"))
    }
}
