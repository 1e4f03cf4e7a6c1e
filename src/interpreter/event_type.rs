//! Event types as AWS's execution history names them.

use super::event::EventKind;
use crate::definition::{Integration, State, StateKind};

/// The event type as AWS writes it: `PassStateEntered`, `LambdaFunctionScheduled`, ...
#[must_use]
pub fn type_name(kind: EventKind, state: Option<&State>) -> Option<String> {
    let state_type = state.map_or("", State::type_name);
    let task = state.map_or("Task", |state| match &state.kind {
        StateKind::Task(task) => family(&task.integration),
        _ => "Task",
    });
    let fixed = match kind {
        EventKind::StateEntered => return Some(format!("{state_type}StateEntered")),
        EventKind::StateExited => return Some(format!("{state_type}StateExited")),
        EventKind::TaskScheduled => return Some(format!("{task}Scheduled")),
        EventKind::TaskStarted => return Some(format!("{task}Started")),
        EventKind::TaskSubmitted => return Some(format!("{task}Submitted")),
        EventKind::TaskSucceeded => return Some(format!("{task}Succeeded")),
        EventKind::TaskFailed => return Some(format!("{task}Failed")),
        EventKind::TaskTimedOut => return Some(format!("{task}TimedOut")),
        EventKind::ExecutionStarted => "ExecutionStarted",
        EventKind::ExecutionSucceeded => "ExecutionSucceeded",
        EventKind::ExecutionFailed => "ExecutionFailed",
        EventKind::ExecutionTimedOut => "ExecutionTimedOut",
        EventKind::ParallelStarted => "ParallelStateStarted",
        EventKind::ParallelSucceeded => "ParallelStateSucceeded",
        EventKind::ParallelFailed => "ParallelStateFailed",
        EventKind::ParallelAborted => "ParallelStateAborted",
        EventKind::MapStarted => "MapStateStarted",
        EventKind::MapSucceeded => "MapStateSucceeded",
        EventKind::MapFailed => "MapStateFailed",
        EventKind::MapAborted => "MapStateAborted",
        EventKind::MapRunStarted => "MapRunStarted",
        EventKind::MapRunSucceeded => "MapRunSucceeded",
        EventKind::MapRunFailed => "MapRunFailed",
        EventKind::MapRunAborted => "MapRunAborted",
        EventKind::IterationStarted => "MapIterationStarted",
        EventKind::IterationSucceeded => "MapIterationSucceeded",
        EventKind::IterationFailed => "MapIterationFailed",
        EventKind::IterationAborted => "MapIterationAborted",
        EventKind::EvaluationFailed => "EvaluationFailed",
        EventKind::TaskAborted => "TaskStateAborted",
        EventKind::WaitAborted => "WaitStateAborted",
        _ => return None,
    };
    Some(fixed.to_string())
}

/// Prefix of the event types of a task with this integration.
fn family(integration: &Integration) -> &'static str {
    match integration {
        Integration::Lambda | Integration::Other => "LambdaFunction",
        Integration::Activity => "Activity",
        Integration::Service { .. } => "Task",
    }
}
