//! A place in a run: a position in a frame's data, directly after an event. Also the transition that led to a state.

use crate::definition::StateId;
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Text};
use crate::source::Span;

/// A place in a run, directly after an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The event.
    pub event: u64,
    /// The frame.
    pub frame: FrameId,
    /// The holder within the frame.
    pub holder: Holder,
    /// Position within the holder's value.
    pub at: Pointer,
}

/// Part of a frame that has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A stage of the frame's current state.
    Stage(Stage),
    /// The current error, as an object with Error and Cause.
    Error,
    /// A variable.
    Variable(Text),
    /// The context object.
    Context,
    /// The item with this index of the frame's Map, as its ItemSelector sees it.
    Item(u32),
}

impl Site {
    /// Returns a site with the same holder and another position.
    #[must_use]
    pub fn at(&self, at: Pointer) -> Self {
        Self { at, ..self.clone() }
    }

    /// Returns a site with the same position in another holder.
    pub(in crate::session) fn held_by(&self, holder: Holder) -> Self {
        Self {
            holder,
            ..self.clone()
        }
    }

    /// Returns the same place after another event.
    pub(in crate::session) fn on(&self, event: u64) -> Self {
        Self {
            event,
            ..self.clone()
        }
    }

    /// The error of a frame.
    pub(in crate::session) fn error(event: u64, frame: FrameId) -> Self {
        Self {
            event,
            frame,
            holder: Holder::Error,
            at: Pointer::root(),
        }
    }

    pub(in crate::session) fn stage(event: u64, frame: FrameId, stage: Stage, at: Pointer) -> Self {
        Self {
            event,
            frame,
            holder: Holder::Stage(stage),
            at,
        }
    }
}

/// A pointer with more steps appended.
pub(in crate::session) fn joined(head: &[Step], tail: &[Step]) -> Pointer {
    Pointer(head.iter().chain(tail).cloned().collect())
}

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
    /// A transition from a state to another.
    pub(in crate::session) fn new(
        to: Site,
        (state, by): (StateId, LeftBy),
        span: Option<Span>,
        target: StateId,
    ) -> Self {
        Self {
            to,
            state,
            by,
            span,
            target,
            way: Vec::new(),
            after: None,
            test: None,
            no_retry: None,
        }
    }

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
