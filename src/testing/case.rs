//! One test case: the inputs of its run and its expectations.

use super::expected::Expected;
use crate::json::{Text, Value};
use crate::launch::Given;
use crate::query::Profile;
use crate::service::FieldValidation;
use crate::session::Unmocked;
use crate::source::Span;

/// Source of the answers for the tasks of a case.
#[derive(Clone, Debug, Default)]
pub enum Answering {
    /// The mock file's test case with the same name, otherwise its only test case.
    #[default]
    Beside,
    /// The mock file's test case with this name.
    Case(Text),
    /// States with the answers to their calls, in the format of a mock file.
    Inline(Vec<(Text, Value)>),
}

/// One test case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Name of the case.
    pub name: Text,
    /// Location of the name.
    pub span: Span,
    /// Location of the whole case.
    pub whole: Span,
    /// Reason for skipping the case, if it is skipped.
    pub skip: Option<Text>,
    /// The execution input.
    pub input: Option<Given>,
    /// Source of the answers for its tasks.
    pub answers: Answering,
    /// Profile that the run follows.
    pub profile: Option<Profile>,
    /// Seed for random functions.
    pub seed: u64,
    /// Start of the virtual clock, in RFC 3339 format.
    pub start_time: Option<Text>,
    /// Object to merge into the context object.
    pub context: Option<Value>,
    /// Variables that are set at the start.
    pub variables: Vec<(Text, Value)>,
    /// State to begin at.
    pub start_at: Option<Text>,
    /// Location of `start_at` in the file.
    pub start_at_span: Span,
    /// How to handle a task without an answer.
    pub unmocked: Option<Unmocked>,
    /// How strictly answers are validated against the resource's result.
    pub validation: Option<FieldValidation>,
    /// Expectations of the case.
    pub expect: Expectations,
}

/// An expectation and its location.
#[derive(Clone, Debug)]
pub struct Check<T> {
    /// The expected value.
    pub expected: T,
    /// Location in the test file.
    pub span: Span,
}

/// An entry of `visits`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visit {
    /// This state, given by path or name.
    State(Text),
    /// Any number of states, including none.
    Any,
}

/// All expectations of a case; anything without an expectation is not checked.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    /// Location of the expectations; `None` if there are none.
    pub span: Option<Span>,
    /// Status of the execution: `SUCCEEDED`, `FAILED` or `TIMED_OUT`.
    pub status: Option<Check<Expected>>,
    /// Name of the error.
    pub error: Option<Check<Expected>>,
    /// Cause of the error: a text that it has to contain, or rules.
    pub cause: Option<Check<Expected>>,
    /// The whole output.
    pub output: Option<Check<Expected>>,
    /// A part of the output.
    pub output_includes: Option<Check<Expected>>,
    /// States in the order in which they are entered.
    pub visits: Option<Check<Vec<Visit>>>,
    /// States that must not be entered.
    pub never: Vec<Check<Text>>,
    /// How often a state is started, including retries.
    pub attempts: Vec<(Text, Check<Expected>)>,
    /// Input of a state: `STATE` for every visit, `STATE#N` for the N-th one.
    pub inputs: Vec<(Text, Check<Expected>)>,
    /// Input of a task's call, with the same keys.
    pub calls: Vec<(Text, Check<Expected>)>,
    /// Variables of the state machine at the end.
    pub variables: Vec<(Text, Check<Expected>)>,
    /// Duration in virtual seconds.
    pub duration: Option<Check<Expected>>,
}

impl Expectations {
    /// True if there are no expectations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let one = [&self.status, &self.error, &self.cause, &self.output];
        let other = [&self.output_includes, &self.duration];
        let named = [&self.attempts, &self.inputs, &self.calls, &self.variables];
        one.into_iter().chain(other).all(Option::is_none)
            && named.into_iter().all(Vec::is_empty)
            && self.visits.is_none()
            && self.never.is_empty()
    }

    /// Every state name in the expectations, with its location.
    pub fn states(&self) -> impl Iterator<Item = (&str, Span)> {
        let visits = self.visits.iter().flat_map(|check| {
            let names = check.expected.iter();
            names.filter_map(|visit| match visit {
                Visit::State(name) => Some((&**name, check.span)),
                Visit::Any => None,
            })
        });
        let never = self
            .never
            .iter()
            .map(|check| (&*check.expected, check.span));
        let named = [&self.attempts, &self.inputs, &self.calls];
        let named = named.into_iter().flatten();
        let named = named.map(|(name, check)| (numbered(name).0, check.span));
        visits.chain(never).chain(named)
    }
}

/// Splits `Pay#2` into name and number; a name without `#` has no number.
#[must_use]
pub(super) fn numbered(name: &str) -> (&str, Option<usize>) {
    let parts = name.rsplit_once('#');
    let number = parts.and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    match number {
        Some((name, number)) if number > 0 => (name, Some(number)),
        _ => (name, None),
    }
}
