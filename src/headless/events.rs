//! Writes the events of a run: as lines of JSON to standard output, or as a history in AWS's format to a file.

use super::output::{self, Refusal, error_members};
use super::run::Observer;
use crate::history::{self, Recording};
use crate::interpreter::{Edge, Event, EventKind, FrameId, Machine, Stage, Status};
use crate::json::{Text, Value, count, escaped, one_line};
use crate::session::recorded::{Follower, RecordedRun};
use crate::source::store::{Draft, Replace};
use std::collections::HashMap;
use std::io::{self, BufWriter, StdoutLock, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Buffered lines for standard output.
pub(super) struct Trace {
    out: BufWriter<StdoutLock<'static>>,
    number: u64,
    /// Finds the recorded event for each event of the run, if the run repeats a recorded execution.
    follower: Option<Follower>,
    /// Branch and item indices of each frame. They are kept after the end of the frame, because an event of the frame
    /// may come later.
    indices: HashMap<FrameId, Value>,
    /// True if the reader of standard output has closed the pipe.
    unread: bool,
}

impl Trace {
    /// Creates a trace without lines. If the run repeats a recorded execution, the trace gives its events the recorded
    /// ids.
    pub(super) fn new(repeats: Option<&Arc<RecordedRun>>) -> Self {
        Self {
            out: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
            number: 0,
            follower: repeats.map(|run| Follower::new(Arc::clone(run))),
            indices: HashMap::new(),
            unread: false,
        }
    }

    pub(super) fn finish(mut self) -> Result<(), Refusal> {
        let flushed = self.out.flush();
        self.settle(flushed)
    }

    fn settle(&mut self, written: io::Result<()>) -> Result<(), Refusal> {
        written.or_else(|error| {
            self.unread = true;
            output::failed(&error)
        })
    }

    fn line(&mut self, machine: &Machine, event: &Event) -> Value {
        let mut members: Vec<(Text, Value)> = vec![
            ("number".into(), count(self.number)),
            ("time".into(), count(event.time)),
            ("kind".into(), Value::string(kind_name(event.kind))),
        ];
        let state = event.state.and_then(|id| machine.definition().state(id));
        if let Some(state) = state {
            members.push(("state".into(), Value::String(state.path.0.clone())));
            if let Some(kind) = state.generated {
                members.push(("generated".into(), Value::from(kind.caption())));
            }
            members.push(("indices".into(), self.indices(machine, event.frame)));
        }
        if let Some((name, value)) = argument(event) {
            members.push((name.into(), value));
        }
        if let EventKind::Stage(stage) = event.kind {
            members.push(("stage".into(), Value::from(stage.name())));
        }
        members.extend(values(machine, event));
        let id = match &mut self.follower {
            Some(follower) => {
                follower.follow(self.number, machine, event);
                follower.id_of(self.number).unwrap_or(0)
            }
            None => event.history_id,
        };
        if id > 0 {
            members.push(("historyId".into(), Value::from(i64::from(id))));
        }
        if event.kind.ends_frame() {
            self.indices.remove(&event.frame);
        }
        Value::object(members)
    }

    fn indices(&mut self, machine: &Machine, frame: FrameId) -> Value {
        let made = || {
            let indices = machine.indices(frame);
            Value::array(indices.iter().copied().map(count).collect())
        };
        self.indices.entry(frame).or_insert_with(made).clone()
    }
}

impl Observer for Trace {
    fn note(&mut self, machine: &Machine, event: &Event) -> Result<(), Refusal> {
        self.number += 1;
        if self.unread {
            return Ok(());
        }
        let line = one_line(&self.line(machine, event));
        let written = writeln!(self.out, "{}", escaped(&line));
        self.settle(written)
    }
}

fn kind_name(kind: EventKind) -> String {
    match kind {
        EventKind::Stage(_) => "Stage".to_string(),
        kind => format!("{kind:?}"),
    }
}

/// The additional value of an event, such as an item's index, with the name of its member in the output.
fn argument(event: &Event) -> Option<(&'static str, Value)> {
    let number = Value::from(i64::from(event.arg));
    Some(match event.kind {
        EventKind::TaskScheduled | EventKind::TaskStarted | EventKind::Retried => {
            ("attempt", number)
        }
        EventKind::Chosen if event.arg == u32::MAX => ("rule", Value::from("Default")),
        EventKind::Chosen => ("rule", number),
        EventKind::RetryScheduled => ("retrier", number),
        EventKind::Caught => ("catcher", number),
        EventKind::ParallelStarted => ("branches", number),
        EventKind::MapStarted => ("items", number),
        EventKind::Stage(Stage::AfterItemSelector) if event.arg < u32::MAX => ("item", number),
        EventKind::MapRunStarted | EventKind::MapRunSucceeded => ("items", number),
        EventKind::BranchStarted | EventKind::BranchSucceeded | EventKind::BranchFailed => {
            ("branch", number)
        }
        EventKind::IterationStarted
        | EventKind::IterationSucceeded
        | EventKind::IterationFailed
        | EventKind::IterationAborted => ("item", number),
        EventKind::StateExited => {
            let edge = match Edge::from_arg(event.arg) {
                Edge::Next => "Next".to_string(),
                Edge::Rule(index) => format!("Choices[{index}]"),
                Edge::Default => "Default".to_string(),
                Edge::Catch(index) => format!("Catch[{index}]"),
                Edge::End => "End".to_string(),
            };
            ("edge", Value::string(edge))
        }
        _ => return None,
    })
}

/// The data that an event is about, as members for the event's line of JSON: `value`, or `error` and `cause`.
fn values(machine: &Machine, event: &Event) -> Vec<(Text, Value)> {
    let value = |value: Value| vec![("value".into(), value)];
    match event.kind {
        EventKind::ExecutionStarted => return value(machine.run().header.input.clone()),
        EventKind::ExecutionSucceeded | EventKind::ExecutionFailed => {
            return match machine.status() {
                Status::Succeeded(output) => value(output.clone()),
                Status::Failed(fault) => error_members(fault),
                _ => Vec::new(),
            };
        }
        _ => {}
    }
    let Some(frame) = machine.frame(event.frame) else {
        return Vec::new();
    };
    match event.kind {
        EventKind::Stage(stage) => {
            let of_stage = frame.visit.data.get(stage).cloned();
            of_stage.map(value).unwrap_or_default()
        }
        EventKind::StateEntered => value(frame.visit.data.latest(Stage::Input)),
        EventKind::StateExited => value(frame.visit.data.latest(Stage::Output)),
        EventKind::TaskScheduled => value(frame.visit.data.latest(Stage::AfterArguments)),
        EventKind::TaskSucceeded => value(frame.visit.data.latest(Stage::Result)),
        EventKind::Assigned => value(Value::object(frame.visit.assigned.clone())),
        EventKind::ErrorRaised | EventKind::TaskFailed | EventKind::TaskTimedOut => {
            let fault = frame.visit.fault.as_ref();
            fault
                .map(|(fault, _)| error_members(fault))
                .unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// A history that is being written to a file. If it is dropped before it is finished, no file is left.
pub(super) struct HistoryFile {
    target: PathBuf,
    recording: Recording<Draft>,
    repeated: Option<Repeated>,
}

/// The events of a run that repeats a recorded execution. They are written at the end of the run, when it is known
/// whether the run agrees with the recording.
struct Repeated {
    follower: Follower,
    /// The events of the run itself, each with its number.
    events_of_run: Vec<(u64, Value)>,
    number: u64,
}

impl Repeated {
    /// The events to write. If the run agrees with the recording, they are the recorded events that the run reproduced,
    /// in the order of AWS's ids; otherwise they are the events of the run, in their order.
    fn events(self) -> Vec<Value> {
        let follower = self.follower;
        if follower.difference().is_some() {
            return self
                .events_of_run
                .into_iter()
                .map(|(_, event)| event)
                .collect();
        }
        let run = follower.run();
        let places = self.events_of_run.iter();
        let places = places.filter_map(|(number, _)| follower.place_of(*number));
        let mut places: Vec<usize> = places.collect();
        places.sort_unstable();
        let events = places.into_iter().filter_map(|place| run.event(place));
        events.map(|event| event.raw.clone()).collect()
    }
}

impl HistoryFile {
    /// Starts a file. If the run repeats the recorded execution `repeats` and agrees with it, the events in the file
    /// have the recorded ids and times.
    pub(super) fn create(
        target: &Path,
        repeats: Option<&Arc<RecordedRun>>,
    ) -> Result<Self, Refusal> {
        let draft = Draft::begin(target, Replace::Unread);
        let draft = draft.map_err(|error| Refusal::new(error.to_string()))?;
        Ok(Self {
            target: target.to_path_buf(),
            recording: Recording::new(draft),
            repeated: repeats.map(|run| Repeated {
                follower: Follower::new(Arc::clone(run)),
                events_of_run: Vec::new(),
                number: 0,
            }),
        })
    }

    pub(super) fn finish(mut self) -> Result<(), Refusal> {
        let events = self.repeated.take().map(Repeated::events);
        for event in events.unwrap_or_default() {
            let noted = self.recording.note_value(&event);
            noted.map_err(|error| unwritten(&self.target, &error))?;
        }
        let whole = self.recording.finish();
        let draft = whole.map_err(|error| unwritten(&self.target, &error))?;
        let finished = draft.finish();
        finished.map_err(|error| Refusal::new(error.to_string()))
    }
}

impl Observer for HistoryFile {
    fn note(&mut self, machine: &Machine, event: &Event) -> Result<(), Refusal> {
        if let Some(repeated) = &mut self.repeated {
            repeated.number += 1;
            repeated.follower.follow(repeated.number, machine, event);
            if let Some(value) = history::event(machine, event) {
                repeated.events_of_run.push((repeated.number, value));
            }
            return Ok(());
        }
        let noted = self.recording.note(machine, event);
        noted.map_err(|error| unwritten(&self.target, &error))
    }
}

fn unwritten(target: &Path, error: &io::Error) -> Refusal {
    Refusal::new(format!(
        "cannot write {file}: {error}",
        file = target.display()
    ))
}
