//! One test case: what its run starts from, and what is expected of it.
//!
//! It must not know how a file spells it, nor what a run came to.

use super::expected::Expected;
use crate::json::{Text, Value};
use crate::launch::Given;
use crate::query::Profile;
use crate::service::FieldValidation;
use crate::session::Unmocked;
use crate::source::Span;

/// What answers the tasks of a case.
#[derive(Clone, Debug, Default)]
pub enum Answering {
    /// The mock file's test case of the same name, else its only one.
    #[default]
    Beside,
    /// The mock file's test case of this name.
    Case(Text),
    /// States with what their calls get, as a mock file has it.
    Inline(Vec<(Text, Value)>),
}

/// One test case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Its name.
    pub name: Text,
    /// Where its name stands.
    pub span: Span,
    /// Where all of it stands.
    pub whole: Span,
    /// Why it is not run, where it is not.
    pub skip: Option<Text>,
    /// The execution input.
    pub input: Option<Given>,
    /// What answers its tasks.
    pub answers: Answering,
    /// Which semantics apply.
    pub profile: Option<Profile>,
    /// For random functions.
    pub seed: u64,
    /// When the virtual clock starts, as RFC 3339 writes it.
    pub start_time: Option<Text>,
    /// Merged into the context object.
    pub context: Option<Value>,
    /// Variables that are set from the start.
    pub variables: Vec<(Text, Value)>,
    /// The state to begin at.
    pub start_at: Option<Text>,
    /// Where that is written.
    pub start_at_span: Span,
    /// What becomes of a task without an answer.
    pub unmocked: Option<Unmocked>,
    /// How its answers are held against what the resources give.
    pub validation: Option<FieldValidation>,
    /// What is expected.
    pub expect: Expectations,
}

/// Something that is expected, with where it is written.
#[derive(Clone, Debug)]
pub struct Check<T> {
    /// What is expected.
    pub expected: T,
    /// Where it is written.
    pub span: Span,
}

/// An entry of `visits`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visit {
    /// This state, by its path or name.
    State(Text),
    /// Any states, or none.
    Any,
}

/// All that is expected of a case; what is not there is not looked at.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    /// Where they stand; `None` where there are none.
    pub span: Option<Span>,
    /// `SUCCEEDED`, `FAILED` or `TIMED_OUT`.
    pub status: Option<Check<Expected>>,
    /// The error's name.
    pub error: Option<Check<Expected>>,
    /// The error's cause: a text that it holds, or rules.
    pub cause: Option<Check<Expected>>,
    /// The whole output.
    pub output: Option<Check<Expected>>,
    /// A part of the output.
    pub output_includes: Option<Check<Expected>>,
    /// The states in the order in which they were entered.
    pub visits: Option<Check<Vec<Visit>>>,
    /// States that are never entered.
    pub never: Vec<Check<Text>>,
    /// How often a state was begun, retries included.
    pub attempts: Vec<(Text, Check<Expected>)>,
    /// What a state was given, `STATE` each time or `STATE#N` the N-th time.
    pub inputs: Vec<(Text, Check<Expected>)>,
    /// What a task was called with, in the same way.
    pub calls: Vec<(Text, Check<Expected>)>,
    /// Variables of the machine in the end.
    pub variables: Vec<(Text, Check<Expected>)>,
    /// Virtual seconds.
    pub duration: Option<Check<Expected>>,
}

impl Expectations {
    /// Whether nothing is expected.
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

    /// Whether inputs of states have to be kept for them.
    #[must_use]
    pub fn look_at_values(&self) -> bool {
        !self.inputs.is_empty() || !self.calls.is_empty()
    }

    /// Every name of a state that is written, with its place.
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

/// `Pay#2` as name and number; a name alone has none.
#[must_use]
pub(super) fn numbered(name: &str) -> (&str, Option<usize>) {
    let parts = name.rsplit_once('#');
    let number = parts.and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    match number {
        Some((name, number)) if number > 0 => (name, Some(number)),
        _ => (name, None),
    }
}
