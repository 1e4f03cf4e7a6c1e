//! Runs an execution to its end on its own thread, and waits for external answers.

use super::api::Api;
use super::clock::Clock;
use super::execution::{Execution, Message, Progress};
use super::map_run::MapRun;
use super::standing::Standing;
use crate::definition::{MapMode, StateKind};
use crate::history;
use crate::interpreter::{
    Answer, Ask, AskId, Event, EventKind, Fault, FrameId, Machine, Millis, Outcome, Run, Status,
};
use crate::json::{Number, Text, Value, one_line};
use crate::session::answerer::Answerer;
use crate::session::unattended::{Happened, Unattended};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

/// Maximum number of states and retries per execution.
const MOST_STEPS: u64 = 10_000_000;
/// Number of steps between two checks for messages.
const STEPS_BETWEEN_MAILS: u32 = 1000;

/// Start of an execution's run.
pub(super) struct Beginning {
    pub(super) run: Run,
    pub(super) answerer: Answerer,
    /// Number of AWS's events from an earlier run, before a redrive.
    pub(super) events_before: i64,
}

/// Starts the thread of an execution.
pub(super) fn begin(
    api: &Arc<Api>,
    execution: &Arc<Execution>,
    beginning: Beginning,
) -> io::Result<()> {
    let (api, execution) = (Arc::clone(api), Arc::clone(execution));
    let thread = thread::Builder::new().name("execution".to_string());
    let limit = api.options.memory_limit;
    thread
        .spawn(move || {
            let Beginning {
                run,
                answerer,
                events_before,
            } = beginning;
            Runner {
                clock: Clock::new(api.options.realtime),
                run: Unattended::start(Arc::new(run), answerer, limit),
                open: Vec::new(),
                calling: None,
                early: Vec::new(),
                children: 0,
                started_tasks: HashMap::new(),
                map_runs: HashMap::new(),
                last: None,
                events_before,
                api,
                execution,
            }
            .drive();
        })
        .map(|_| ())
}

/// A task that waits for an external answer.
pub(super) struct Open {
    pub(super) ask: AskId,
    pub(super) token: String,
    /// Virtual time of the call.
    called: Millis,
    /// Virtual times of heartbeats, relative to the call.
    beats: Vec<Millis>,
}

/// The run of an execution.
pub(super) struct Runner {
    pub(super) api: Arc<Api>,
    pub(super) execution: Arc<Execution>,
    pub(super) run: Unattended,
    clock: Clock,
    pub(super) open: Vec<Open>,
    /// The task whose target is being called with its token.
    pub(super) calling: Option<(AskId, String)>,
    /// Messages that were sent with the task token before the call ended.
    pub(super) early: Vec<Message>,
    /// Number of child executions that tasks are waiting for.
    pub(super) children: usize,
    /// Index of the TaskStarted event of each frame's task.
    started_tasks: HashMap<FrameId, usize>,
    /// Index of the Map Run for each frame of a Map and of its iterations.
    map_runs: HashMap<FrameId, usize>,
    /// The final event, which is published together with the status.
    last: Option<Value>,
    events_before: i64,
}

/// End of a run.
struct End {
    standing: Standing,
    output: Option<String>,
    error: Option<Text>,
    cause: Option<Text>,
    /// Type of the final event, if the server ended the execution.
    event: Option<&'static str>,
}

impl Runner {
    fn drive(&mut self) {
        let end = self.run_on();
        let (arn, bytes) = (self.execution.arn.clone(), self.finish(end));
        for open in std::mem::take(&mut self.open) {
            self.api.tasks().close(&open.token);
        }
        if let Some((_, token)) = self.calling.take() {
            self.api.tasks().close(&token);
        }
        let limit = self.api.options.memory_limit;
        self.api.store().end(&arn, bytes, limit);
        self.tell_watchers();
        self.execution.tell();
    }

    fn run_on(&mut self) -> End {
        let mut until_mail = STEPS_BETWEEN_MAILS;
        loop {
            match self.run.step_until(self.clock.until()) {
                Happened::Event(event) => self.note(&event),
                Happened::Nothing => {}
                Happened::NoAnswer(ask, why) => self.answer(&ask, why),
                Happened::Stuck => {
                    self.wait();
                    until_mail = 0;
                }
                Happened::TooLarge => {
                    let limit = self.api.options.memory_limit >> 20;
                    return broken(format!("its values take more than {limit} MiB of memory"));
                }
                Happened::Done => return self.ended(),
            }
            self.note_call();
            if self.run.is_awaiting() {
                until_mail = 0;
            }
            if self.run.steps() > MOST_STEPS {
                return broken(format!("it entered more than {MOST_STEPS} states"));
            }
            // Due steps run before messages are read, so that an execution that is stopped has advanced as far as
            // possible.
            if until_mail > 0 {
                until_mail -= 1;
                continue;
            }
            until_mail = STEPS_BETWEEN_MAILS;
            if self.execution.has_mail.swap(false, Ordering::AcqRel)
                && let Some(end) = self.read_mail()
            {
                return end;
            }
        }
    }

    /// Processes messages; returns the end of the run if it has to stop.
    fn read_mail(&mut self) -> Option<End> {
        let (mail, stop) = {
            let mut progress = self.execution.progress();
            (std::mem::take(&mut progress.inbox), progress.stop.take())
        };
        for message in mail {
            let calling = self.calling.as_ref().map(|(ask, _)| *ask);
            match message {
                Message::Answer(ask, ..) | Message::Heartbeat(ask) if Some(ask) == calling => {
                    self.early.push(message);
                }
                message => self.take(message),
            }
        }
        let (error, cause) = stop?;
        Some(End {
            standing: Standing::Aborted,
            output: None,
            error: error.map(Text::from),
            cause: cause.map(Text::from),
            event: Some("ExecutionAborted"),
        })
    }

    pub(super) fn take(&mut self, message: Message) {
        match message {
            Message::Answer(ask, outcome, took) => {
                let Some(place) = self.open.iter().position(|open| open.ask == ask) else {
                    self.children = self.children.saturating_sub(1);
                    let answer = Answer {
                        took: took.unwrap_or(0),
                        ..Answer::of(outcome)
                    };
                    return self.run.machine_mut().answer(ask, answer);
                };
                let open = self.open.swap_remove(place);
                let answer = Answer {
                    outcome,
                    took: self.since(&open),
                    heartbeats: open.beats,
                };
                if self.run.machine().held(ask).is_some() {
                    self.run.machine_mut().answer(ask, answer);
                }
                self.set_clock();
            }
            Message::Heartbeat(ask) => {
                let Some(place) = self.open.iter().position(|open| open.ask == ask) else {
                    return;
                };
                let (is_held, passed) = match self.open.get(place) {
                    Some(open) => (self.run.machine().held(ask).is_some(), self.since(open)),
                    None => return,
                };
                if let Some(open) = self.open.get_mut(place).filter(|_| is_held) {
                    open.beats.push(passed);
                    let answer = Answer {
                        heartbeats: open.beats.clone(),
                        ..Answer::of(Outcome::Never)
                    };
                    self.run.machine_mut().answer(ask, answer);
                }
            }
        }
    }

    /// Virtual time since a task was called.
    fn since(&self, open: &Open) -> Millis {
        let now = match self.clock.until() {
            Millis::MAX => self.run.machine().now(),
            until => until,
        };
        now.saturating_sub(open.called)
    }

    /// Lets a task wait for an external answer.
    pub(super) fn hold(&mut self, ask: AskId, token: String) {
        self.run
            .machine_mut()
            .answer(ask, Answer::of(Outcome::Never));
        self.open.push(Open {
            ask,
            token,
            called: self.run.machine().now(),
            beats: Vec::new(),
        });
        self.set_clock();
    }

    fn set_clock(&mut self) {
        let now = self.run.machine().now();
        self.clock.set_outside(!self.open.is_empty(), now);
    }

    /// Waits for the next deadline or message.
    fn wait(&mut self) {
        let machine = self.run.machine();
        let is_held = |open: &Open| machine.held(open.ask).is_some();
        let (held, gone) = std::mem::take(&mut self.open)
            .into_iter()
            .partition::<Vec<Open>, _>(is_held);
        self.open = held;
        if !gone.is_empty() {
            for open in gone {
                self.api.tasks().close(&open.token);
            }
            return self.set_clock();
        }
        // The virtual clock stands still while a child execution runs.
        let due = self.run.machine().next_deadline();
        let due = due.filter(|_| self.children == 0);
        let until = due.and_then(|due| self.clock.moment(due));
        self.execution.wait_for_mail(until);
    }

    fn note(&mut self, event: &Event) {
        let machine = self.run.machine();
        let start = machine.run().header.start_time;
        let at = start.saturating_add(i64::try_from(event.time).unwrap_or(i64::MAX));
        self.note_map_run(event, at);
        if self.execution.is_express() {
            return;
        }
        let is_again = self.events_before > 0;
        if is_again && event.kind == EventKind::ExecutionStarted {
            return;
        }
        let Some(value) = history::event(self.run.machine(), event) else {
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

    /// Converts an event to the API's form: its time as a number, its ids offset by those of an earlier run.
    fn as_sent(&self, value: Value, at: i64) -> Value {
        let value = value.with("timestamp", seconds(at));
        let value = match self.api.options.like_local {
            true => super::local::event(value),
            false => value,
        };
        if self.events_before == 0 {
            return value;
        }
        // After a redrive, the run's own first event is omitted.
        let moved = |value: Value, name: &str| {
            let id = value.get(name).and_then(Value::as_number);
            match id.and_then(Number::as_i64) {
                Some(id) if id > 0 => value.with(name, Value::from(id + self.events_before - 1)),
                _ => value,
            }
        };
        moved(moved(value, "id"), "previousEventId")
    }

    /// Arranges for the TaskStarted event to be shown once a worker takes the task.
    pub(super) fn show_when_taken(&mut self, ask: &Ask) {
        if let Some(place) = self.started_tasks.remove(&ask.frame) {
            self.execution.progress().taken.insert(ask.id, place);
        }
    }

    fn note_map_run(&mut self, event: &Event, at: i64) {
        let machine = self.run.machine();
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
                    // The frame of an iteration no longer exists when its end is noted.
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

    fn ended(&mut self) -> End {
        let end = |standing, fault: Option<&Fault>, output| End {
            standing,
            output,
            error: fault.and_then(|fault| fault.error.clone()),
            cause: fault.and_then(|fault| fault.cause.clone()),
            event: None,
        };
        match self.run.machine().status() {
            Status::Succeeded(output) => end(Standing::Succeeded, None, Some(one_line(output))),
            Status::Failed(fault) => end(Standing::Failed, Some(fault), None),
            Status::TimedOut => End {
                error: self.execution.is_express().then(|| "States.Timeout".into()),
                ..end(Standing::TimedOut, None, None)
            },
            Status::Running => broken("nothing is left that could happen".to_string()),
        }
    }

    /// Publishes the end; returns the number of bytes that the execution uses from now on.
    fn finish(&mut self, end: End) -> u64 {
        let machine = self.run.machine();
        let run = machine.run();
        let now = i64::try_from(machine.now().max(self.elapsed())).unwrap_or(i64::MAX);
        let at = run.header.start_time.saturating_add(now);
        let mut progress = self.execution.progress();
        if let Some(name) = end.event {
            if !self.execution.is_express() {
                let event = last_event(name, &end, &progress, at);
                progress.add(event);
            }
            // Unfinished Map Runs are aborted.
            for run in &mut progress.map_runs {
                if run.stopped.is_none() {
                    run.end(Standing::Aborted, at);
                }
            }
        } else if let Some(event) = self.last.take() {
            progress.add(event);
        }
        progress.status = Some(match machine.status() {
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

    /// Virtual time that has passed for external work, if the run was ended from outside.
    fn elapsed(&self) -> Millis {
        match self.clock.until() {
            Millis::MAX => 0,
            until if self.run.machine().status() == &Status::Running => until,
            _ => 0,
        }
    }

    /// Notifies executions whose tasks wait for the end of this one.
    fn tell_watchers(&self) {
        let (watchers, status) = {
            let mut progress = self.execution.progress();
            (
                std::mem::take(&mut progress.watchers),
                progress.status.clone(),
            )
        };
        let Some(status) = status else { return };
        let took = self.run.machine().now();
        for watcher in watchers {
            let answer = watcher.described.answer(watcher.start, &status, took);
            let message = Message::Answer(watcher.ask, answer.outcome, Some(answer.took));
            watcher.execution.send(message);
        }
    }
}

impl Progress {
    /// Adds an event.
    fn add(&mut self, event: Value) {
        self.bytes = self.bytes.saturating_add(event.size()).saturating_add(256);
        self.events.push(event);
    }
}

impl MapRun {
    fn end(&mut self, standing: Standing, at: i64) {
        self.standing = standing;
        self.stopped = Some(at);
    }
}

/// Creates the Map Run of a Map's frame.
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

/// The end of a run that exceeds a limit of this server.
fn broken(cause: String) -> End {
    End {
        standing: Standing::Failed,
        output: None,
        error: Some("States.Runtime".into()),
        cause: Some(format!("asldbg ended the execution: {cause}").into()),
        event: Some("ExecutionFailed"),
    }
}

/// Sets the input of the first event to the original text, which AWS keeps byte for byte.
fn started_with(value: Value, input: &str) -> Value {
    let name = "executionStartedEventDetails";
    match value.get(name).cloned() {
        Some(details) => value.with(name, details.with("input", Value::from(input))),
        None => value,
    }
}

/// The final event of a run that was ended from outside.
fn last_event(name: &str, end: &End, progress: &Progress, at: i64) -> Value {
    let last = progress.events.last();
    let id = last.and_then(|event| event.get("id")?.as_number()?.as_i64());
    let text = |name: &str, text: &Option<Text>| {
        text.clone().map(|text| (name.into(), Value::String(text)))
    };
    let details = [text("error", &end.error), text("cause", &end.cause)];
    let details = Value::object(details.into_iter().flatten().collect());
    let key = match name {
        "ExecutionAborted" => "executionAbortedEventDetails",
        _ => "executionFailedEventDetails",
    };
    Value::object(vec![
        ("timestamp".into(), seconds(at)),
        ("type".into(), Value::from(name)),
        ("id".into(), Value::from(id.unwrap_or(0) + 1)),
        ("previousEventId".into(), Value::from(0)),
        (key.into(), details),
    ])
}

/// A time in seconds, as a number.
pub(super) fn seconds(at: i64) -> Value {
    let text = super::reply::timestamp(at).to_string();
    Number::parse(&text).map_or(Value::Null, Value::Number)
}

trait With {
    /// A copy of the object with a member set.
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
