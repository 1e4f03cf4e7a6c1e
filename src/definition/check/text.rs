//! Checks for text that is used as if it were a number, a boolean or an object.

use super::facts::{Read, Used, User};
use super::shape::{Maker, Part, Shape};
use super::shapes::answering;
use super::{Checker, StateAt};
use crate::definition::Comparator;
use crate::definition::rule::{Severities, lint_rules};
use crate::json::{Pointer, Step};
use crate::query::Parameter;
use crate::query::jsonata::Operator;

lint_rules! {
    TEXT_NUMBER = 109, "text-as-number", "TEXT_AS_NUMBER", Severities::WARNING,
        "text, such as a cell of a CSV file, is used as a number or a boolean";
    INTO_TEXT = 106, "into-text", "READ_INTO_TEXT", Severities::WARNING, "a path reads a member of a text";
}

impl<'d> Checker<'d> {
    /// Reports a comparison or an argument in JSONPath whose path leads to text.
    pub(super) fn text_as_number(&mut self, used: &Used<'_>, shape: &Shape) {
        let Shape::Text(makers) = shape else { return };
        let (path, source) = (used.path.text(), self.why_text(makers));
        let (consequence, cure) = match &used.by {
            User::Comparator(comparator) => {
                let cure = match comparator {
                    Comparator::Numeric(_) => {
                        "compare the value as a string, or convert it to a number first: States.StringToJson"
                    }
                    Comparator::BooleanEquals => {
                        "compare the value as a string: StringEquals \"true\""
                    }
                    _ => return,
                };
                (format!("{comparator} is never true"), cure.to_string())
            }
            User::Argument(_, call, index)
                if call.function.parameter(*index) == Parameter::Number =>
            {
                let name = call.function.name;
                let cure = format!("States.StringToJson({path}) converts the text to a number");
                (format!("{name} fails, because it needs a number"), cure)
            }
            _ => return,
        };
        let message = format!("{path} is text{source}, so {consequence}");
        self.report(TEXT_NUMBER, message, used.place(), cure);
        self.related_answer(makers);
    }

    /// Reports a JSONata expression that uses text as a number.
    pub(super) fn text_taken_for_number(
        &mut self,
        at: StateAt<'d>,
        read: &Read<'_>,
        document: &Shape,
    ) {
        let Shape::Text(makers) = document.within(&read.steps) else {
            return;
        };
        let tree = at.tree(read.place.node).filter(|_| read.in_jsonata);
        let Some(operator) = tree.and_then(|tree| tree.taken_for_number(&read.path)) else {
            return;
        };
        let (path, source) = (&read.path, self.why_text(&makers));
        let message = match operator {
            Operator::Equal | Operator::NotEqual => {
                format!("{path} is text{source}, so it never equals a number")
            }
            operator => {
                let operator = operator.sign();
                format!("{path} is text{source}, so {operator} fails, because it needs numbers")
            }
        };
        let cure = format!("write $number({path})");
        self.report(TEXT_NUMBER, message, read.place.value(), cure);
        self.related_answer(&makers);
    }

    /// Lets the last diagnostic also point to the state whose response contains the text, if the message names this
    /// state (see [`Self::why_text`]).
    fn related_answer(&mut self, makers: &[Maker]) {
        if let [only] = makers
            && only.part == Part::Answer
            && let Some(state) = self.definition.state(only.state)
        {
            self.related(
                state.name_span,
                "the result of this state contains the text",
            );
        }
    }

    /// Where a text comes from: a phrase in parentheses, for use in a message.
    fn why_text(&self, makers: &[Maker]) -> String {
        let answers = |maker: &Maker| maker.part == Part::Answer;
        match makers {
            [first, ..] if first.part == Part::Field("ItemReader") => {
                " (a cell of a CSV file)".to_string()
            }
            [only] if answers(only) => {
                format!(
                    " (in the result of \"{state}\")",
                    state = self.name_of(only.state)
                )
            }
            _ => String::new(),
        }
    }
}

impl Checker<'_> {
    /// Reports a read of a member of a text. A text has no members.
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
        let message = format!(
            "{path} reads a member of {name}, which is text",
            path = read.path
        );
        let parse = match read.in_jsonata {
            true => format!("write {}", below(&format!("$parse({text})"), after)),
            false => format!("parse the text with States.StringToJson({text})"),
        };
        let help = match makers.iter().all(|maker| self.is_of_execution(*maker)) {
            true => format!("call states:startExecution.sync:2, whose {name} is JSON; or {parse}"),
            false => parse,
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
