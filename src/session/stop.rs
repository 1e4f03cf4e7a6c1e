//! Why a run stopped.

use super::breakpoint::{BreakpointId, ErrorMoment};
use super::recorded::FirstDifference;
use crate::interpreter::AskId;
use crate::json::Text;
use std::sync::Arc;

/// Why a run stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Before anything ran.
    Start,
    /// A step was done.
    Step,
    /// A breakpoint.
    Breakpoint(BreakpointId),
    /// An error reached a moment that stops.
    Error(ErrorMoment, Text),
    /// A task waits for an answer and nothing else can move.
    Ask(AskId),
    /// A step came to a task that starts an execution, which can be stepped into.
    Child(AskId),
    /// The profiles part company here; the text says what AWS does.
    ProfilesDiffer(Text),
    /// The run differs here from the recorded execution that it repeats.
    Recorded(Arc<FirstDifference>),
    /// The run goes on where nothing more was recorded of the execution that it repeats, after this event of AWS's.
    NotRecorded(u32),
    /// The place that was run to.
    Target,
    /// A person asked for it.
    Pause,
    /// Travel arrived.
    Travel,
    /// A reload, with the first event that differs if one does.
    Reload(Option<u64>),
    /// The run has reached its memory limit, this many bytes: nothing more is recorded.
    Memory(u64),
    /// The run is stuck: nothing more can happen: a task never answers and has no timeout.
    Stuck,
    /// The run ended.
    End,
}
