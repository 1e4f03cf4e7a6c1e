//! Goals of a run in progress, and the events that end a step.

use super::stop::Stop;
use crate::definition::StateId;
use crate::interpreter::{Event, EventKind, FrameId};

/// The goal of what is in progress.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// Run until an event of the frame matches the rule; when the frame ends, its parent replaces it.
    Frame { frame: FrameId, rule: Rule },
    /// Run until a stop.
    Continue,
    /// Run until a state is entered; if it is not entered, go back to this event.
    Enter(StateId, u64),
    /// Travel to a recorded event.
    Travel(u64, Stop),
    /// Travel to a recorded event, then discard everything after it.
    Redo(u64),
    /// Travel to a recorded event, then run all items of this frame's Map, whatever fails.
    IgnoreFailures(u64, FrameId),
    /// Go back to the latest matching event before this one.
    Back { before: u64, rule: BackRule },
    /// Search a range of the recording by replaying it.
    Sweep,
    /// Travel to the origin of a value.
    Origin,
    /// Repeat the run up to this event after a reload.
    Repeat(u64),
}

/// The rule by which an event of the focus frame ends a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Every event that is worth a stop.
    Stage,
    /// The entry of a state.
    State,
    /// The end of the frame.
    End,
    /// The exit of the state, for the outermost frame.
    Exit,
    /// The end of an attempt or item.
    Attempt,
}

/// The event that a backward step searches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackRule {
    /// An event of this frame or one of its ancestors.
    Frame(FrameId, Rule),
    /// An event at which running would have stopped.
    Stops,
}

impl Goal {
    pub(super) fn step(frame: FrameId) -> Self {
        Self::Frame {
            frame,
            rule: Rule::Stage,
        }
    }

    pub(super) fn next(frame: FrameId) -> Self {
        Self::Frame {
            frame,
            rule: Rule::State,
        }
    }

    pub(super) fn finish(frame: FrameId, top: bool) -> Self {
        Self::Frame {
            frame,
            rule: if top { Rule::Exit } else { Rule::End },
        }
    }

    /// True if the goal continues the run at its end.
    pub(super) fn is_onwards(&self) -> bool {
        matches!(
            self,
            Self::Frame { .. } | Self::Continue | Self::Enter(..) | Self::Repeat(_)
        )
    }

    pub(super) fn attempt(frame: FrameId) -> Self {
        Self::Frame {
            frame,
            rule: Rule::Attempt,
        }
    }
}

/// True if an event starts a branch or iteration.
pub(super) fn is_start_of_child(kind: EventKind) -> bool {
    matches!(kind, EventKind::BranchStarted | EventKind::IterationStarted)
}

/// True if an event of the focus frame matches a rule.
pub(super) fn fits(rule: Rule, event: &Event) -> bool {
    match rule {
        Rule::State => matches!(event.kind, EventKind::StateEntered),
        Rule::Exit => matches!(event.kind, EventKind::StateExited),
        Rule::End => false,
        Rule::Attempt => matches!(
            event.kind,
            EventKind::TaskSucceeded | EventKind::TaskFailed | EventKind::TaskTimedOut
        ),
        Rule::Stage => match event.kind {
            EventKind::Stage(_) => event.written,
            // These accompany another event at the same moment.
            EventKind::TaskStarted
            | EventKind::TaskSubmitted
            | EventKind::TaskSucceeded
            | EventKind::TaskFailed
            | EventKind::TaskTimedOut
            | EventKind::Uncaught
            | EventKind::ExecutionStarted => false,
            _ => true,
        },
    }
}
