//! The part of an execution that clients see: its history, its Map Runs and its end.

use super::api::Api;
use super::execution::{Execution, MapRun, Progress, Standing};
use crate::definition::{MapMode, StateKind};
use crate::history;
use crate::interpreter::{Ask, AskId, Event, EventKind, Fault, FrameId, Machine, Millis, Status};
use crate::json::{Number, Text, Value, one_line};
use std::collections::HashMap;
use std::sync::Arc;

/// Publishes the progress of an execution to clients.
#[derive(Debug)]
pub(super) struct Published {
    execution: Arc<Execution>,
    /// True if the resources of AWS SDK tasks are written as Step Functions Local writes them.
    like_local: bool,
    /// For each frame that has started a task of an activity: the index, in the history, of the TaskStarted event of
    /// this task. The event is hidden from clients.
    started_tasks: HashMap<FrameId, usize>,
    /// For each frame that contains a DISTRIBUTED Map or processes one of its items: the index of the Map's Map Run.
    map_runs: HashMap<FrameId, usize>,
    /// The final event, which is published together with the status.
    last: Option<Value>,
    /// Number of events in the history before the last redrive; 0 without a redrive.
    events_before: i64,
    /// Start of the run in milliseconds since 1970.
    start: i64,
}

/// How an execution ended: its status, and its output or error.
pub(super) struct End {
    pub(super) standing: Standing,
    pub(super) output: Option<String>,
    pub(super) error: Option<Text>,
    pub(super) cause: Option<Text>,
    /// If the server ended the execution: the type of the final event, and the id of the previous event.
    pub(super) event: Option<(&'static str, i64)>,
}

impl End {
    /// The end of an execution that a client stopped with this error and cause.
    pub(super) fn aborted((error, cause): (Option<String>, Option<String>)) -> Self {
        Self {
            standing: Standing::Aborted,
            output: None,
            error: error.map(Text::from),
            cause: cause.map(Text::from),
            event: Some(("ExecutionAborted", 0)),
        }
    }

    /// Error and cause, as the details of the final history event.
    fn details(&self) -> Value {
        let text = |name: &str, text: &Option<Text>| {
            text.clone().map(|text| (name.into(), Value::String(text)))
        };
        let details = [text("error", &self.error), text("cause", &self.cause)];
        Value::object(details.into_iter().flatten().collect())
    }
}

impl Published {
    pub(super) fn new(
        api: &Api,
        execution: &Arc<Execution>,
        events_before: i64,
        start: i64,
    ) -> Self {
        Self {
            execution: Arc::clone(execution),
            like_local: api.options.like_local,
            started_tasks: HashMap::new(),
            map_runs: HashMap::new(),
            last: None,
            events_before,
            start,
        }
    }

    /// The number of history events and the number of Map Runs that have been published.
    pub(super) fn lengths(&self) -> (usize, usize) {
        let progress = self.execution.progress();
        (progress.events.len(), progress.map_runs.len())
    }

    /// Withdraws all history events after the first `events`, and all Map Runs after the first `map_runs`.
    pub(super) fn take_back(&mut self, (events, map_runs): (usize, usize)) {
        let mut progress = self.execution.progress();
        progress.truncate(events);
        progress.map_runs.truncate(map_runs);
        self.map_runs.retain(|_, place| *place < map_runs);
        self.started_tasks.clear();
        self.last = None;
    }

    /// Publishes an event that has just happened.
    pub(super) fn note(&mut self, machine: &Machine, event: &Event) {
        let at = self
            .start
            .saturating_add(i64::try_from(event.time).unwrap_or(i64::MAX));
        self.note_map_run(machine, event, at);
        if self.execution.is_express() {
            return;
        }
        let is_again = self.events_before > 0;
        if is_again && event.kind == EventKind::ExecutionStarted {
            return;
        }
        let Some(value) = history::event(machine, event) else {
            return;
        };
        let value = self.as_sent(value, at);
        let value = match event.kind {
            EventKind::ExecutionStarted => started_with(value, &self.execution.input),
            _ => value,
        };
        if matches!(
            event.kind,
            EventKind::ExecutionSucceeded
                | EventKind::ExecutionFailed
                | EventKind::ExecutionTimedOut
        ) {
            self.last = Some(value);
            return;
        }
        let is_activity = value.get("type").and_then(Value::as_str) == Some("ActivityStarted");
        let mut progress = self.execution.progress();
        if event.kind == EventKind::TaskStarted && is_activity {
            let place = progress.events.len();
            progress.hidden.insert(place);
            self.started_tasks.insert(event.frame, place);
        }
        progress.add(value);
    }

    /// Converts an event to the API's form: its time becomes a number. After a redrive, its ids continue the ids of the
    /// events before the redrive.
    fn as_sent(&self, value: Value, at: i64) -> Value {
        let value = value.with("timestamp", seconds(at));
        let value = match self.like_local {
            true => event_of_local(value),
            false => value,
        };
        if self.events_before == 0 {
            return value;
        }
        // After a redrive, the first event of the run is omitted, because ExecutionRedriven takes its place.
        let moved = |value: Value, name: &str| match number(&value, name) {
            Some(id) if id > 0 => value.with(name, Value::from(id + self.events_before - 1)),
            _ => value,
        };
        moved(moved(value, "id"), "previousEventId")
    }

    /// Registers the hidden TaskStarted event of an activity's task, so that the event is shown once a worker takes the
    /// task.
    pub(super) fn show_when_taken(&mut self, ask: &Ask) {
        if let Some(place) = self.started_tasks.remove(&ask.frame) {
            self.execution.progress().not_taken.insert(ask.id, place);
        }
    }

    /// The end of an execution that has a task which cannot be scheduled. Removes the events of this task from the
    /// history, because AWS does not publish them.
    pub(super) fn unscheduled(&self, ask: AskId, state: &str, why: &str) -> End {
        let mut progress = self.execution.progress();
        // The event before ActivityStarted is ActivityScheduled, and its `previousEventId` names the event that entered
        // the state.
        let started = progress.not_taken.get(&ask);
        let kept = started.map_or(progress.events.len(), |place| place.saturating_sub(1));
        let scheduled = progress.events.get(kept);
        let entered = scheduled.and_then(|event| number(event, "previousEventId"));
        let entered = entered.unwrap_or(0);
        progress.truncate(kept);
        End {
            standing: Standing::Failed,
            output: None,
            error: Some("States.Runtime".into()),
            cause: Some(
                format!(
                    "An error occurred while executing the state '{state}' (entered at the event id #{entered}). {why}"
                )
                .into(),
            ),
            event: Some(("ExecutionFailed", entered)),
        }
    }

    fn note_map_run(&mut self, machine: &Machine, event: &Event, at: i64) {
        match event.kind {
            EventKind::MapRunStarted => {
                if let Some(run) = map_run(machine, event, at) {
                    let mut progress = self.execution.progress();
                    self.map_runs.insert(event.frame, progress.map_runs.len());
                    progress.map_runs.push(run);
                }
            }
            EventKind::IterationStarted
            | EventKind::IterationSucceeded
            | EventKind::IterationFailed
            | EventKind::IterationAborted
            | EventKind::MapRunSucceeded
            | EventKind::MapRunFailed
            | EventKind::MapRunAborted => {
                let frame = match event.kind {
                    EventKind::IterationStarted => {
                        machine.frame(event.frame).and_then(|frame| frame.parent)
                    }
                    _ => Some(event.frame),
                };
                let place = frame.and_then(|frame| self.map_runs.get(&frame).copied());
                let Some(place) = place else { return };
                match event.kind.ends_frame() {
                    // The frame ends with this event, so the frame's Map Run is no longer looked up.
                    true => drop(self.map_runs.remove(&event.frame)),
                    false => drop(self.map_runs.insert(event.frame, place)),
                }
                let mut progress = self.execution.progress();
                let Some(run) = progress.map_runs.get_mut(place) else {
                    return;
                };
                match event.kind {
                    EventKind::IterationStarted => run.begun += 1,
                    EventKind::IterationSucceeded => run.succeeded += 1,
                    EventKind::IterationFailed => run.failed += 1,
                    EventKind::IterationAborted => run.aborted += 1,
                    EventKind::MapRunSucceeded => run.end(Standing::Succeeded, at),
                    EventKind::MapRunFailed => run.end(Standing::Failed, at),
                    EventKind::MapRunAborted => run.end(Standing::Aborted, at),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The end of a run that was not stopped by a client.
    pub(super) fn ended(&self, machine: &Machine) -> End {
        let end = |standing, fault: Option<&Fault>, output| End {
            standing,
            output,
            error: fault.and_then(|fault| fault.error.clone()),
            cause: fault.and_then(|fault| fault.cause.clone()),
            event: None,
        };
        match machine.status() {
            Status::Succeeded(output) => end(Standing::Succeeded, None, Some(one_line(output))),
            Status::Failed(fault) => end(Standing::Failed, Some(fault), None),
            Status::TimedOut => End {
                error: self.execution.is_express().then(|| "States.Timeout".into()),
                ..end(Standing::TimedOut, None, None)
            },
            Status::Running => {
                broken("the execution has not ended, but no further event can happen".to_string())
            }
        }
    }

    /// Publishes the end of the execution, which is `now` milliseconds of virtual time after the start. `status` is the
    /// machine's status.
    pub(super) fn finish(&mut self, end: End, status: &Status, now: Millis, api: &Api) {
        let bytes = self.publish_end(end, status, now);
        let limit = api.options.memory_limit;
        api.store().end(&self.execution.arn, bytes, limit);
        self.tell_watchers(now);
        self.execution.tell();
    }

    /// Publishes the end; returns the memory that the finished execution uses, in bytes.
    fn publish_end(&mut self, end: End, status: &Status, now: Millis) -> u64 {
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        let at = self.start.saturating_add(now);
        let mut progress = self.execution.progress();
        if let Some((name, previous)) = end.event {
            if !self.execution.is_express() {
                progress.add_last(name, at, previous, end.details());
            }
            // Map Runs that have not finished are aborted.
            for run in &mut progress.map_runs {
                if run.stopped.is_none() {
                    run.end(Standing::Aborted, at);
                }
            }
        } else if let Some(event) = self.last.take() {
            progress.add(event);
        }
        progress.status = Some(match status {
            Status::Running => {
                let part = |text: &Option<Text>| text.clone().unwrap_or_else(|| "".into());
                Status::Failed(Fault::task(part(&end.error), part(&end.cause)))
            }
            status => status.clone(),
        });
        progress.standing = end.standing;
        progress.output = end.output;
        progress.error = end.error.map(|text| text.to_string());
        progress.cause = end.cause.map(|text| text.to_string());
        progress.stopped = Some(at);
        progress
            .bytes
            .saturating_add(self.execution.input.len() as u64)
    }

    /// Notifies parent executions whose tasks wait for the end of this execution.
    fn tell_watchers(&self, took: Millis) {
        let (watchers, status) = {
            let mut progress = self.execution.progress();
            (
                std::mem::take(&mut progress.watchers),
                progress.status.clone(),
            )
        };
        let Some(status) = status else { return };
        for watcher in watchers {
            watcher.tell(&status, took);
        }
    }
}

/// Approximate size of an event, in bytes.
fn bytes_of(event: &Value) -> u64 {
    event.size().saturating_add(256)
}

impl Progress {
    /// Adds an event.
    fn add(&mut self, event: Value) {
        self.bytes = self.bytes.saturating_add(bytes_of(&event));
        self.events.push(event);
    }

    /// Drops all events after the first `events`.
    fn truncate(&mut self, events: usize) {
        self.events.truncate(events);
        self.hidden.retain(|place| *place < events);
        self.not_taken.retain(|_, place| *place < events);
        self.bytes = self.events.iter().map(bytes_of).sum();
    }

    /// Id of the last event.
    pub(super) fn last_id(&self) -> i64 {
        let last = self.events.last();
        last.and_then(|event| number(event, "id")).unwrap_or(0)
    }

    /// Adds an event that the server itself creates about the execution, such as `ExecutionAborted`.
    pub(super) fn add_last(&mut self, name: &str, at: i64, previous: i64, details: Value) {
        let key = format!("e{}EventDetails", name.strip_prefix('E').unwrap_or(name));
        self.add(Value::object(vec![
            ("timestamp".into(), seconds(at)),
            ("type".into(), Value::from(name)),
            ("id".into(), Value::from(self.last_id() + 1)),
            ("previousEventId".into(), Value::from(previous)),
            (key.into(), details),
        ]));
    }
}

impl MapRun {
    fn end(&mut self, standing: Standing, at: i64) {
        self.standing = standing;
        self.stopped = Some(at);
    }
}

/// Creates the Map Run for the state of an event's frame; `None` if this state is not a DISTRIBUTED Map.
fn map_run(machine: &Machine, event: &Event, at: i64) -> Option<MapRun> {
    let frame = machine.frame(event.frame)?;
    let state = machine.definition().state(frame.visit.state)?;
    let StateKind::Map(map) = &state.kind else {
        return None;
    };
    let group = frame.visit.group.as_ref();
    let limit = group.map_or(0, |group| u64::from(group.limit));
    (map.mode == MapMode::Distributed).then(|| MapRun {
        arn: machine.map_run_arn(frame),
        started: at,
        stopped: None,
        standing: Standing::Running,
        total: group.map_or(0, |group| u64::from(group.total)),
        begun: 0,
        succeeded: 0,
        failed: 0,
        aborted: 0,
        max_concurrency: map.max_concurrency.as_ref().map_or(0, |_| limit),
        tolerated_count: group.and_then(|group| group.tolerated_count).unwrap_or(0),
        tolerated_percentage: group
            .and_then(|group| group.tolerated_percentage)
            .unwrap_or(0.0),
    })
}

/// The end of an execution that this server cannot continue, for example because a limit is exceeded.
pub(super) fn broken(cause: String) -> End {
    End {
        standing: Standing::Failed,
        output: None,
        error: Some("States.Runtime".into()),
        cause: Some(format!("asldbg ended the execution: {cause}").into()),
        event: Some(("ExecutionFailed", 0)),
    }
}

/// Replaces the input in the first event by the original text, which AWS keeps byte for byte.
fn started_with(value: Value, input: &str) -> Value {
    let name = "executionStartedEventDetails";
    match value.get(name).cloned() {
        Some(details) => value.with(name, details.with("input", Value::from(input))),
        None => value,
    }
}

/// The integer in the member `name` of an event; `None` if there is none.
fn number(event: &Value, name: &str) -> Option<i64> {
    event.get(name)?.as_number()?.as_i64()
}

/// Converts milliseconds since 1970 to seconds, in the form of the times in events.
fn seconds(at: i64) -> Value {
    let text = super::reply::timestamp(at).to_string();
    Number::parse(&text).map_or(Value::Null, Value::Number)
}

trait With {
    /// A copy of the object in which the member `name` has this value.
    fn with(self, name: &str, value: Value) -> Value;
}

impl With for Value {
    fn with(self, name: &str, value: Value) -> Value {
        match &self {
            Value::Object(object) => Value::Object(Arc::new(object.with(&name.into(), value))),
            _ => self,
        }
    }
}

/// Converts an event to the form of Step Functions Local, which writes the resource `comprehend:detectSentiment` for
/// `aws-sdk:comprehend:detectSentiment`.
fn event_of_local(value: Value) -> Value {
    let Value::Object(event) = &value else {
        return value;
    };
    let members = event.members().iter().map(|(name, member)| {
        let changed = details(member).filter(|_| name.ends_with("EventDetails"));
        (name.clone(), changed.unwrap_or_else(|| member.clone()))
    });
    Value::object(members.collect())
}

fn details(member: &Value) -> Option<Value> {
    let Value::Object(details) = member else {
        return None;
    };
    let service = member.get("resourceType")?.as_str()?;
    let service = service.strip_prefix("aws-sdk:")?;
    let resource = member.get("resource")?.as_str()?;
    let name: Text = "resource".into();
    let resource = Value::string(format!("{service}:{resource}"));
    Some(Value::Object(Arc::new(details.with(&name, resource))))
}
