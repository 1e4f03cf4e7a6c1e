//! One row of the timeline in words.
//!
//! It must not know columns or widths.

use crate::definition::{Definition, StateKind, Transition};
use crate::interpreter::{Edge, Event, EventKind, FrameId};
use crate::session::recording::Recording;
use crate::session::tally::row_status;
use crate::session::view::EventRow;

/// A recorded event as a row.
pub(in crate::session) fn row(recording: &Recording, number: u64, event: &Event) -> EventRow {
    let frame = frame_name(recording, event.frame);
    let (title, detail) = words(recording, number, event);
    EventRow {
        number,
        history_id: event.history_id,
        time: event.time,
        kind: event.kind,
        state: event.state,
        frame: if frame == "main" {
            String::new()
        } else {
            frame
        },
        frame_id: event.frame,
        title,
        detail,
        status: row_status(event),
    }
}

fn words(recording: &Recording, number: u64, event: &Event) -> (String, String) {
    let definition = &recording.run.definition;
    let note = || {
        recording
            .timeline
            .note(number)
            .map(str::to_string)
            .unwrap_or_default()
    };
    let title = |text: &str| text.to_string();
    match event.kind {
        EventKind::ExecutionStarted => (title("started"), String::new()),
        EventKind::ExecutionSucceeded => (title("succeeded"), String::new()),
        EventKind::ExecutionFailed => (title("failed"), note()),
        EventKind::ExecutionTimedOut => (title("timed out"), String::new()),
        EventKind::StateEntered => (title("entered"), String::new()),
        EventKind::Stage(stage) => (title(stage.name()), String::new()),
        EventKind::Chosen if event.arg == u32::MAX => (
            title("Default"),
            edge_target(definition, event, Edge::Default),
        ),
        EventKind::Chosen => (
            format!("rule {}", event.arg),
            edge_target(definition, event, Edge::Rule(event.arg)),
        ),
        EventKind::TaskScheduled => (format!("attempt {}", event.arg), title("scheduled")),
        EventKind::TaskStarted => (format!("attempt {}", event.arg), title("called")),
        EventKind::TaskSubmitted => (title("submitted"), String::new()),
        EventKind::TaskSucceeded => (title("answered"), title("ok")),
        EventKind::TaskFailed => (title("answered"), note()),
        EventKind::TaskTimedOut => (title("timed out"), note()),
        EventKind::Heartbeat => (title("heartbeat"), String::new()),
        EventKind::LateAnswer => (title("late answer"), title("dropped")),
        EventKind::WaitStarted => (title("waits"), String::new()),
        EventKind::EvaluationFailed => (title("evaluation"), title("failed")),
        EventKind::ErrorRaised => (title("error"), note()),
        EventKind::RetryScheduled => (format!("Retry[{}]", event.arg), note()),
        EventKind::Retried => (format!("attempt {}", event.arg), title("again")),
        EventKind::Caught => (format!("Catch[{}]", event.arg), note()),
        EventKind::Uncaught => (title("not caught"), note()),
        EventKind::Assigned => (title("assigned"), assigned(definition, event)),
        EventKind::ParallelStarted => (title("branches"), event.arg.to_string()),
        EventKind::BranchStarted => (format!("branch {}", event.arg), title("began")),
        EventKind::BranchSucceeded => (format!("branch {}", event.arg), title("ok")),
        EventKind::BranchFailed => (format!("branch {}", event.arg), note()),
        EventKind::ParallelSucceeded => (title("branches"), title("all ok")),
        EventKind::ParallelFailed => (title("branches"), title("failed")),
        EventKind::MapStarted => (title("items"), event.arg.to_string()),
        EventKind::IterationStarted => (format!("item {}", event.arg), title("began")),
        EventKind::IterationSucceeded => (format!("item {}", event.arg), title("ok")),
        EventKind::IterationFailed => (format!("item {}", event.arg), note()),
        EventKind::IterationAborted => (format!("item {}", event.arg), title("aborted")),
        EventKind::MapSucceeded => (title("items"), title("done")),
        EventKind::MapFailed => (title("items"), title("failed")),
        EventKind::MapRunStarted => (title("executions"), title("began")),
        EventKind::MapRunSucceeded => (title("executions"), title("done")),
        EventKind::MapRunFailed => (title("executions"), title("failed")),
        EventKind::ParallelAborted
        | EventKind::MapAborted
        | EventKind::MapRunAborted
        | EventKind::TaskAborted
        | EventKind::WaitAborted => (title("aborted"), String::new()),
        EventKind::StateExited => (
            title("exited"),
            edge_target(definition, event, Edge::from_arg(event.arg)),
        ),
    }
}

/// `$total $count`: what the state's own Assign names, else how many variables.
fn assigned(definition: &Definition, event: &Event) -> String {
    let state = event.state.and_then(|id| definition.state(id));
    let names = state.and_then(|state| match &state.jsonata.assign {
        Some(template) => template.names(),
        None => state.assign.as_ref()?.names(),
    });
    match (names, event.arg) {
        (Some(names), count) if names.len() == count as usize => {
            let names: Vec<String> = names.iter().map(|name| format!("${name}")).collect();
            names.join(" ")
        }
        (_, 1) => "1 variable".to_string(),
        (_, count) => format!("{count} variables"),
    }
}

/// `→ Ship`, or `→ end`.
fn edge_target(definition: &Definition, event: &Event, edge: Edge) -> String {
    let state = event.state.and_then(|id| definition.state(id));
    let target = state.and_then(|state| match (edge, &state.kind, &state.transition) {
        (Edge::Rule(index), StateKind::Choice(choice), _) => {
            choice.rules.get(index as usize)?.next.as_ref()
        }
        (Edge::Default, StateKind::Choice(choice), _) => choice.default.as_ref(),
        (Edge::Catch(index), ..) => state.catch.get(index as usize)?.next.as_ref(),
        (Edge::Next, _, Transition::Next(target)) => Some(target),
        _ => None,
    });
    match target {
        Some(target) => format!("→ {}", target.name),
        None => "→ end".to_string(),
    }
}

/// A frame in words: `main`, `Orders[12]`, `Fan[1]/Each[3]`.
pub(in crate::session) fn frame_name(recording: &Recording, id: FrameId) -> String {
    let path = recording.timeline.path(id).into_iter();
    let names = path.filter_map(|id| {
        let lineage = recording.timeline.lineage(id)?;
        let owner = recording.run.definition.state(lineage.owner?)?;
        Some(format!("{}[{}]", owner.name, lineage.index))
    });
    let name = names.collect::<Vec<_>>().join("/");
    if name.is_empty() {
        "main".to_string()
    } else {
        name
    }
}
