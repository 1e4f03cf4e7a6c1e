//! The reason why a run stopped.

use super::breakpoint::{BreakpointId, ErrorMoment};
use super::recorded::FirstDifference;
use crate::interpreter::AskId;
use crate::json::Text;
use std::sync::Arc;

/// The reason why a run stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Nothing has run yet.
    Start,
    /// A step is done.
    Step,
    /// At a breakpoint.
    Breakpoint(BreakpointId),
    /// An error reached a moment at which to stop.
    Error(ErrorMoment, Text),
    /// A task waits for an answer and no other frame can continue.
    Ask(AskId),
    /// A step reached a task that starts an execution, which can be stepped into.
    Child(AskId),
    /// The profiles differ here; the text says what AWS does.
    ProfilesDiffer(Text),
    /// The run first differs here from the recorded execution that it repeats.
    Recorded(Arc<FirstDifference>),
    /// The run continues beyond the recorded events; this is AWS's id of the last one.
    NotRecorded(u32),
    /// The state to run to was reached.
    Target,
    /// The user paused the run.
    Pause,
    /// Travelling has arrived.
    Travel,
    /// The stop after a reload; with the first event that differs, if any.
    Reload(Option<u64>),
    /// The run reached its memory limit of this many bytes; nothing more is recorded.
    Memory(u64),
    /// The run is stuck: a task never answers and has no timeout, so nothing more can happen.
    Stuck,
    /// The run has ended.
    End,
}
