//! A place in a run: a position in the data of a frame, directly after an event. Also the transition that led to a
//! state.

use crate::definition::StateId;
use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Text};
use crate::source::Span;

/// A place in a run: a position in the data of a frame, directly after an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Number of the event.
    pub event: u64,
    /// The frame that has the data.
    pub frame: FrameId,
    /// The part of the frame's data that has the value, such as a stage or a variable.
    pub holder: Holder,
    /// Position of the value within the data of `holder`.
    pub at: Pointer,
}

/// Part of a frame's data that has a value.
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
    /// The item with this index of the frame's Map, before ItemSelector is applied.
    Item(u32),
}

impl Site {
    /// Returns the place at another position in the same part of the frame's data.
    #[must_use]
    pub fn at(&self, at: Pointer) -> Self {
        let holder = self.holder.clone();
        Self {
            holder,
            at,
            ..*self
        }
    }

    /// Returns the place at the same position in another part of the frame's data, such as another stage.
    pub(in crate::session) fn held_by(&self, holder: Holder) -> Self {
        let at = self.at.clone();
        Self {
            holder,
            at,
            ..*self
        }
    }

    /// Returns the same place directly after another event.
    pub(in crate::session) fn on(&self, event: u64) -> Self {
        Self {
            event,
            ..self.clone()
        }
    }

    /// The place of the current error of a frame, directly after an event.
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

/// Joins two lists of steps into one pointer.
pub(in crate::session) fn joined(head: &[Step], tail: &[Step]) -> Pointer {
    Pointer(head.iter().chain(tail).cloned().collect())
}

/// A transition by a Choice or a catcher that led to a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// The place to show for the transition: the place of the caught error, or of the value that the Choice rule
    /// tested.
    pub to: Site,
    /// The state that the transition leaves: the Choice, or the state with the catcher.
    pub state: StateId,
    /// The catcher, the Choice rule or the Default that caused the transition.
    pub by: LeftBy,
    /// Source location of the catcher or Choice rule.
    pub span: Option<Span>,
    /// The state that the user asked about; the run reached this state after the transition.
    pub target: StateId,
    /// States that the run passed between `state` and the state that was asked about, in order.
    pub way: Vec<Between>,
    /// For a Choice that the run would have reached even without an error: the catcher's transition directly before the
    /// Choice, if there was one.
    pub after: Option<Box<Lead>>,
    /// For a Choice: the test that explains best why the Choice took this transition.
    pub test: Option<DecidingTest>,
    /// For a caught error: why no retrier handled it, with the location of the error name in that retrier.
    pub no_retry: Option<(Text, Span)>,
}

impl Lead {
    /// Creates a transition that leads from a state directly to `target`.
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

    /// Source location to show: the location of the retrier that did not handle the error, or, without such a retrier,
    /// the location of the catcher or Choice rule.
    #[must_use]
    pub fn explained_at(&self) -> Option<Span> {
        let passed = self.no_retry.as_ref().map(|(_, span)| *span);
        passed.or(self.span)
    }
}

/// A state that the run passed between a transition and the state that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between {
    /// The state.
    pub state: StateId,
    /// For a Choice: the rule by which the run left it, and the location of the rule; `None` for other states.
    pub by: Option<(LeftBy, Option<Span>)>,
}

/// How a run left a state, if the state has several ways out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftBy {
    /// The catcher with this index caught an error with this name.
    Catcher(u32, Option<Text>),
    /// The Choice rule with this index matched.
    Rule(u32),
    /// No Choice rule matched, so that Default was followed.
    Default,
}

/// The test that best explains why a Choice took its transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidingTest {
    /// The test as a sentence; `None` if it is enough to show the value that the test reads.
    pub said: Option<Text>,
    /// Index of the rule with the test, if this is an earlier rule that did not match; `None` if it is the rule that
    /// was followed.
    pub before: Option<u32>,
    /// Source location of the test.
    pub span: Option<Span>,
}
