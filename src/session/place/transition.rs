//! The transition that led to a state: the catcher or Choice rule by which an earlier state was left.

use super::site::Site;
use crate::definition::StateId;
use crate::json::Text;
use crate::source::Span;

/// A transition that led to a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// The place to show for the transition: the error that was caught, or the value that the rule tested.
    pub to: Site,
    /// The state that was left.
    pub state: StateId,
    /// How the state was left.
    pub by: LeftBy,
    /// Location of the catcher or rule.
    pub span: Option<Span>,
    /// The state that was reached.
    pub target: StateId,
    /// States passed through from `state` to the state asked about, in order.
    pub way: Vec<Between>,
    /// The error that was caught directly before a Choice, if the Choice would have been reached without the error,
    /// too.
    pub after: Option<Box<Lead>>,
    /// The test that explains the Choice.
    pub test: Option<DecidingTest>,
    /// For a caught error, why it was not retried, if a retrier explains it; and the location of that retrier's name.
    pub no_retry: Option<(Text, Span)>,
}

impl Lead {
    /// Location of what explains the transition: the retrier that should have handled the error, otherwise the catcher
    /// or rule.
    #[must_use]
    pub fn explained_at(&self) -> Option<Span> {
        let passed = self.no_retry.as_ref().map(|(_, span)| *span);
        passed.or(self.span)
    }
}

/// A state that was passed through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between {
    /// The state.
    pub state: StateId,
    /// The rule by which the state was left, and its location; `None` if it has only one transition.
    pub by: Option<(LeftBy, Option<Span>)>,
}

/// How a state was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftBy {
    /// The catcher with this index caught the error with this name.
    Catcher(u32, Option<Text>),
    /// The rule with this index matched.
    Rule(u32),
    /// No rule matched.
    Default,
}

/// The test that best explains a Choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidingTest {
    /// The test as a sentence, if that says more than the value that it reads.
    pub said: Option<Text>,
    /// Index of the test's rule, if it was evaluated before the rule that was followed, and did not match.
    pub before: Option<u32>,
    /// Location of the test.
    pub span: Option<Span>,
}
