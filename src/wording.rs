//! What a session says, in sentences that every front end has in common.
//!
//! It must not know keys, commands or options: what names those is said by the front end that has them.

use crate::interpreter::EventKind;
use crate::session::view::{EventDetail, EventRow};
use crate::session::{EventNote, Location, Part, Remark, Restored, duration};

/// What a person should know of how questions came to their answers.
#[must_use]
pub fn remark(remark: &Remark) -> String {
    match remark {
        Remark::OtherData(state) => format!(
            "{state} is called with other data than before: its old answer is offered, not taken"
        ),
        Remark::OtherThanRecorded(state) => format!(
            "{state} is called with other data than in the recording: the recorded answer is not taken"
        ),
        Remark::NothingToEcho(state) => format!(
            "the ItemReader of {state} has nothing to read and no input that could be echoed: it fails"
        ),
        Remark::EchoesInstead { state, why } => format!("{why}; {state} gives back its input"),
        Remark::ChildFailed { child, failure } => {
            format!("the child {child}, which no task waits for, failed: {failure}")
        }
        Remark::ChildAbandoned(why) => format!("{why} (no task waits for it)"),
    }
}

/// Where a breakpoint stands, with what kind of place it is where the place alone does not say so.
#[must_use]
pub fn location(location: &Location) -> String {
    let kind = match location {
        Location::State(_) => "state ",
        Location::Error(..) => "error ",
        Location::Data(_) => "data ",
        Location::Part(..) | Location::Item(..) => "",
    };
    format!("{kind}{}", place(location))
}

/// The place alone: a state's path and what of it, a moment and a pattern, a path of data.
#[must_use]
pub fn place(location: &Location) -> String {
    match location {
        Location::State(path) => path.to_string(),
        Location::Part(path, part) => match part {
            Part::Field(name) => format!("{path} {name}"),
            Part::Retrier(index) => format!("{path} Retry[{index}]"),
            Part::Catcher(index) => format!("{path} Catch[{index}]"),
            Part::Rule(index) => format!("{path} rule {index}"),
            Part::Default => format!("{path} Default"),
        },
        Location::Item(path, index) => format!("{path}[{index}]"),
        Location::Error(moment, pattern) => format!("{moment} {pattern}"),
        Location::Data(path) => format!("{path} changes"),
    }
}

/// `3 points, 1 watch restored`; `None` where nothing was.
#[must_use]
pub fn restored(restored: Restored) -> Option<String> {
    let parts = [
        (restored.points, "point", "points"),
        (restored.watches, "watch", "watches"),
        (restored.answers, "answer", "answers"),
    ];
    let parts = parts.iter().filter(|(number, ..)| *number > 0);
    let parts: Vec<String> = parts
        .map(|(number, one, many)| format!("{number} {}", if *number == 1 { one } else { many }))
        .collect();
    (!parts.is_empty()).then(|| format!("{} restored", parts.join(", ")))
}

/// What happened, in a word or two: `afterParameters`, `attempt 2`, `rule 0`, `entered`. `arg` is that of the event.
#[must_use]
pub fn title(kind: EventKind, arg: u32) -> String {
    let word = match kind {
        EventKind::Stage(stage) => stage.name(),
        EventKind::Chosen if arg == u32::MAX => "Default",
        EventKind::Chosen => return format!("rule {arg}"),
        EventKind::TaskScheduled | EventKind::TaskStarted | EventKind::Retried => {
            return format!("attempt {arg}");
        }
        EventKind::RetryScheduled => return format!("Retry[{arg}]"),
        EventKind::Caught => return format!("Catch[{arg}]"),
        EventKind::BranchStarted | EventKind::BranchSucceeded | EventKind::BranchFailed => {
            return format!("branch {arg}");
        }
        EventKind::IterationStarted
        | EventKind::IterationSucceeded
        | EventKind::IterationFailed
        | EventKind::IterationAborted => return format!("item {arg}"),
        EventKind::ExecutionStarted => "started",
        EventKind::ExecutionSucceeded => "succeeded",
        EventKind::ExecutionFailed => "failed",
        EventKind::ExecutionTimedOut | EventKind::TaskTimedOut => "timed out",
        EventKind::StateEntered => "entered",
        EventKind::TaskSubmitted => "submitted",
        EventKind::TaskSucceeded | EventKind::TaskFailed => "answered",
        EventKind::Heartbeat => "heartbeat",
        EventKind::LateAnswer => "late answer",
        EventKind::WaitStarted => "waits",
        EventKind::EvaluationFailed => "evaluation",
        EventKind::ErrorRaised => "error",
        EventKind::Uncaught => "not caught",
        EventKind::Assigned => "assigned",
        EventKind::ParallelStarted | EventKind::ParallelSucceeded | EventKind::ParallelFailed => {
            "branches"
        }
        EventKind::MapStarted | EventKind::MapSucceeded | EventKind::MapFailed => "items",
        EventKind::MapRunStarted | EventKind::MapRunSucceeded | EventKind::MapRunFailed => {
            "executions"
        }
        EventKind::ParallelAborted
        | EventKind::MapAborted
        | EventKind::MapRunAborted
        | EventKind::TaskAborted
        | EventKind::WaitAborted => "aborted",
        EventKind::StateExited => "exited",
    };
    word.to_string()
}

/// What else there is to tell of an event: `→ InStock?`, `Payment.Throttled`, `wait 4 s`; empty where there is nothing.
#[must_use]
pub fn detail(row: &EventRow) -> String {
    let named = |error: &Option<crate::json::Text>| {
        let name = error.as_deref().unwrap_or("an error without a name");
        name.to_string()
    };
    match &row.detail {
        EventDetail::Nothing => outcome(row.kind, row.arg),
        EventDetail::Note(EventNote::Error(error)) => named(error),
        EventDetail::Note(EventNote::Caught { error, next }) => {
            format!("{} → {next}", named(error))
        }
        EventDetail::Note(EventNote::Failed) => "failed".to_string(),
        EventDetail::Note(EventNote::Delay(millis)) => format!("wait {}", duration(*millis)),
        EventDetail::Next(Some(state)) => format!("→ {state}"),
        EventDetail::Next(None) => "→ end".to_string(),
        EventDetail::Assigned(1, names) if names.is_empty() => "1 variable".to_string(),
        EventDetail::Assigned(count, names) if names.is_empty() => format!("{count} variables"),
        EventDetail::Assigned(_, names) => {
            let names: Vec<String> = names.iter().map(|name| format!("${name}")).collect();
            names.join(" ")
        }
    }
}

/// What an event's kind says besides its title.
fn outcome(kind: EventKind, arg: u32) -> String {
    let word = match kind {
        EventKind::TaskScheduled => "scheduled",
        EventKind::TaskStarted => "called",
        EventKind::TaskSucceeded | EventKind::BranchSucceeded | EventKind::IterationSucceeded => {
            "ok"
        }
        EventKind::LateAnswer => "dropped",
        EventKind::Retried => "again",
        EventKind::BranchStarted | EventKind::IterationStarted | EventKind::MapRunStarted => {
            "began"
        }
        EventKind::ParallelStarted | EventKind::MapStarted => return arg.to_string(),
        EventKind::ParallelSucceeded => "all ok",
        EventKind::MapSucceeded | EventKind::MapRunSucceeded => "done",
        EventKind::EvaluationFailed
        | EventKind::ParallelFailed
        | EventKind::MapFailed
        | EventKind::MapRunFailed => "failed",
        EventKind::IterationAborted => "aborted",
        _ => "",
    };
    word.to_string()
}
