//! One event of a recorded execution.

use crate::interpreter::{EventKind, Fault, Origin, Reason};
use crate::json::{Text, Value, parse};
use std::sync::Arc;

/// One event.
#[derive(Clone, Debug)]
pub struct RecordedEvent {
    /// Its id in AWS's history.
    pub id: u32,
    /// `previousEventId`; `None` where that was not written down.
    pub previous: Option<u32>,
    /// Milliseconds since 1970; `None` where that was not written down.
    pub time: Option<i64>,
    /// Its type as AWS names it.
    pub type_name: Text,
    /// What happened; `None` for a type that a run here does not have.
    pub kind: Option<EventKind>,
    /// The state that it names.
    pub name: Option<Text>,
    /// The iteration's index.
    pub index: Option<u32>,
    /// The number of items.
    pub length: Option<u32>,
    /// Input, output or parameters, whichever its type has.
    pub data: Payload,
    /// The variables that were assigned, with their values.
    pub assigned: Option<Value>,
    /// The error's name.
    pub error: Option<Text>,
    /// The cause.
    pub cause: Option<Text>,
    /// The history id of the StateEntered that the cause names, and the reason that it tells.
    pub told: (Option<u32>, Option<Arc<Reason>>),
    /// `resource`
    pub resource: Option<Text>,
    /// `resourceType`
    pub resource_type: Option<Text>,
    /// `timeoutInSeconds` and `heartbeatInSeconds`.
    pub limits: Vec<u64>,
    /// The event in AWS's own form.
    pub raw: Value,
    /// Whether it was not recorded, but must have come before the first event that was.
    pub is_made: bool,
}

/// A value of an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Payload {
    /// The type has none.
    #[default]
    Absent,
    /// It was not written down, or not all of it.
    Unknown,
    /// JSON text.
    Text(Text),
    /// A value that was written down as such.
    Value(Value),
}

impl Payload {
    /// The value; `None` where it is absent or unknown. A text that is no JSON stands for itself.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Absent | Self::Unknown => None,
            Self::Text(text) => Some(parse(text).unwrap_or_else(|_| Value::String(text.clone()))),
            Self::Value(value) => Some(value.clone()),
        }
    }
}

impl RecordedEvent {
    /// Whether a run here may leave it out or have it besides: when a task was started and submitted is up to its service,
    /// and what became of a Parallel is said by what follows.
    pub(super) fn is_optional(&self) -> bool {
        is_optional(self.kind)
    }

    /// The error that it records.
    pub(super) fn fault(&self, origin: Origin) -> Fault {
        let (entered, read) = self.told.clone();
        let (error, cause) = (self.error.clone(), self.cause.clone());
        Fault {
            entered,
            ..Fault::outside(origin, Reason::Recorded { read }, error, cause)
        }
    }

    /// Whether the data that a run would be compared with were not written down.
    pub(super) fn lacks_data(&self) -> bool {
        let has_some = matches!(
            self.kind,
            Some(
                EventKind::StateEntered
                    | EventKind::StateExited
                    | EventKind::TaskScheduled
                    | EventKind::ExecutionSucceeded
            )
        );
        has_some && self.data == Payload::Unknown
    }

    /// Whether it says that something was stopped, in an order that means nothing.
    pub(super) fn is_abort(&self) -> bool {
        is_abort(self.kind)
    }

    /// Whether the execution ended with it.
    #[must_use]
    pub fn is_end(&self) -> bool {
        matches!(
            &*self.type_name,
            "ExecutionSucceeded" | "ExecutionFailed" | "ExecutionTimedOut" | "ExecutionAborted"
        )
    }

    /// `Task`, `Pass`, ...: the type of the state that was entered or left.
    #[must_use]
    pub fn state_type(&self) -> Option<&str> {
        let name = &*self.type_name;
        name.strip_suffix("StateEntered")
            .or_else(|| name.strip_suffix("StateExited"))
    }
}

pub(super) fn is_optional(kind: Option<EventKind>) -> bool {
    matches!(
        kind,
        Some(
            EventKind::TaskStarted
                | EventKind::TaskSubmitted
                | EventKind::ParallelSucceeded
                | EventKind::ParallelFailed
        )
    )
}

pub(super) fn is_abort(kind: Option<EventKind>) -> bool {
    matches!(
        kind,
        Some(
            EventKind::TaskAborted
                | EventKind::WaitAborted
                | EventKind::ParallelAborted
                | EventKind::MapAborted
                | EventKind::MapRunAborted
                | EventKind::IterationAborted
        )
    )
}

/// What happened, by the name of its type.
#[must_use]
pub fn kind_of(type_name: &str) -> Option<EventKind> {
    let kind = match type_name {
        "ExecutionStarted" => EventKind::ExecutionStarted,
        "ExecutionSucceeded" => EventKind::ExecutionSucceeded,
        "ExecutionFailed" => EventKind::ExecutionFailed,
        "ExecutionTimedOut" => EventKind::ExecutionTimedOut,
        "ParallelStateStarted" => EventKind::ParallelStarted,
        "ParallelStateSucceeded" => EventKind::ParallelSucceeded,
        "ParallelStateFailed" => EventKind::ParallelFailed,
        "ParallelStateAborted" => EventKind::ParallelAborted,
        "MapStateStarted" => EventKind::MapStarted,
        "MapStateSucceeded" => EventKind::MapSucceeded,
        "MapStateFailed" => EventKind::MapFailed,
        "MapStateAborted" => EventKind::MapAborted,
        "MapRunStarted" => EventKind::MapRunStarted,
        "MapRunSucceeded" => EventKind::MapRunSucceeded,
        "MapRunFailed" => EventKind::MapRunFailed,
        "MapRunAborted" => EventKind::MapRunAborted,
        "MapIterationStarted" => EventKind::IterationStarted,
        "MapIterationSucceeded" => EventKind::IterationSucceeded,
        "MapIterationFailed" => EventKind::IterationFailed,
        "MapIterationAborted" => EventKind::IterationAborted,
        "EvaluationFailed" => EventKind::EvaluationFailed,
        "TaskStateAborted" => EventKind::TaskAborted,
        "WaitStateAborted" => EventKind::WaitAborted,
        _ => return kind_by_ending(type_name),
    };
    Some(kind)
}

fn kind_by_ending(type_name: &str) -> Option<EventKind> {
    if type_name.ends_with("StateEntered") {
        return Some(EventKind::StateEntered);
    }
    if type_name.ends_with("StateExited") {
        return Some(EventKind::StateExited);
    }
    let families = ["LambdaFunction", "Activity", "Task"];
    let rest = families
        .iter()
        .find_map(|own| type_name.strip_prefix(own))?;
    Some(match rest {
        "Scheduled" => EventKind::TaskScheduled,
        "Started" => EventKind::TaskStarted,
        "Submitted" => EventKind::TaskSubmitted,
        "Succeeded" => EventKind::TaskSucceeded,
        "Failed" | "ScheduleFailed" | "StartFailed" | "SubmitFailed" => EventKind::TaskFailed,
        "TimedOut" => EventKind::TaskTimedOut,
        _ => return None,
    })
}
