//! Where a run under way goes to, and which events end a step of it.

use super::stop::Stop;
use crate::definition::StateId;
use crate::interpreter::{Event, EventKind, FrameId};

/// What is under way.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// Until an event of the frame fits the rule; when the frame ends, its parent takes its place.
    Frame { frame: FrameId, rule: Rule },
    /// Until a stop.
    Continue,
    /// Until a state is entered; where it is not, back to this event.
    Enter(StateId, u64),
    /// To a recorded event.
    Travel(u64, Stop),
    /// To a recorded event, then give up what comes after it.
    Redo(u64),
    /// To a recorded event, then run all items of the Map of this frame, whatever fails.
    IgnoreFailures(u64, FrameId),
    /// Backwards to the latest event before this one that fits.
    Back { before: u64, rule: BackRule },
    /// Backwards over a stretch of the record that is walked again.
    Sweep,
    /// To where a value comes from.
    Origin,
    /// Repeat a run after a reload up to this event.
    Repeat(u64),
}

/// Which events of the focus frame stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Each that is worth a stop of its own.
    Stage,
    /// The entry of a state.
    State,
    /// The end of the frame.
    End,
    /// The exit of the state, at the top level.
    Exit,
    /// The end of an attempt or an item.
    Attempt,
}

/// What going back looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackRule {
    /// An event of this frame, or of one around it.
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

    /// Whether the run goes on at its end.
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

/// Whether an event begins a branch or an iteration.
pub(super) fn is_start_of_child(kind: EventKind) -> bool {
    matches!(kind, EventKind::BranchStarted | EventKind::IterationStarted)
}

/// Whether an event of the focus frame fits a rule.
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
            // These come together with another event of the same moment.
            EventKind::TaskStarted
            | EventKind::TaskSubmitted
            | EventKind::TaskSucceeded
            | EventKind::TaskFailed
            | EventKind::TaskTimedOut
            | EventKind::Uncaught
            | EventKind::Assigned
            | EventKind::ExecutionStarted => false,
            _ => true,
        },
    }
}
