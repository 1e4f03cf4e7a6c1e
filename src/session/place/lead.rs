//! What led a run to a state: the catcher or the rule of the Choice by which an earlier state was left.

use super::site::Site;
use crate::definition::StateId;
use crate::json::Text;
use crate::source::Span;

/// What led to a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// Where it can be seen: the error that was caught, or what the rule compares.
    pub to: Site,
    /// The state that was left so.
    pub state: StateId,
    /// By what it was left.
    pub by: LeftBy,
    /// Where that stands in the text.
    pub span: Option<Span>,
    /// The state that it led to.
    pub target: StateId,
    /// What was gone through from there to that state, in order.
    pub way: Vec<Between>,
    /// The error that was caught right before a Choice, where that Choice would have come to be without it, too.
    pub after: Option<Box<Lead>>,
    /// Which test of a Choice tells why.
    pub test: Option<DecidingTest>,
}

/// A state that was gone through on the way from what led to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between {
    /// The state.
    pub state: StateId,
    /// The rule by which it was left, and where that stands in the text; `None` where it has but one way on.
    pub by: Option<(LeftBy, Option<Span>)>,
}

/// By what a state was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftBy {
    /// Its catcher of this index took the error of this name.
    Catcher(u32, Option<Text>),
    /// The rule of this index held.
    Rule(u32),
    /// No rule held.
    Default,
}

/// The test of a Choice that tells most of why it was left as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidingTest {
    /// It in a sentence, where that says more than the value that it looks at.
    pub said: Option<Text>,
    /// The rule that it is of, where that is one that was passed over before the one that was taken.
    pub before: Option<u32>,
    /// Where it stands in the text.
    pub span: Option<Span>,
}
