//! An execution: its start parameters, its progress including its Map Runs, and the messages that were sent to it.

use super::machine::{Resolved, Revision, variable_references};
use super::reply::timestamp;
use crate::definition::MachineType;
use crate::interpreter::{AskId, Millis, Outcome, Status};
use crate::json::Value;
use crate::launch::Door;
use crate::session::execution::Start;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A message to a running execution.
#[derive(Clone, Debug)]
pub(super) enum Message {
    /// The outcome of a task that waits for its answer, with the duration of the call if it is known.
    Answer(AskId, Outcome, Option<Millis>),
    /// Heartbeat of a task.
    Heartbeat(AskId),
}

impl Message {
    /// The id of the task that the message is for.
    pub(super) fn ask(&self) -> AskId {
        match self {
            Self::Answer(ask, ..) | Self::Heartbeat(ask) => *ask,
        }
    }
}

/// A task of another execution that waits for the end of this execution.
#[derive(Clone, Debug)]
pub(super) struct Watcher {
    pub(super) execution: Arc<Execution>,
    pub(super) ask: AskId,
    pub(super) start: Start,
    pub(super) described: crate::session::execution::Execution,
}

impl Watcher {
    /// Answers the waiting task with the result of the ended execution, which took `took` milliseconds.
    pub(super) fn tell(self, status: &Status, took: Millis) {
        let answer = self.described.answer(self.start, status, took);
        let message = Message::Answer(self.ask, answer.outcome, Some(answer.took));
        self.execution.send(message);
    }
}

/// An execution on this server: what it was started with, its progress, and the messages sent to it.
#[derive(Debug)]
pub(super) struct Execution {
    pub(super) arn: String,
    pub(super) name: String,
    pub(super) of: Resolved,
    /// The input, as text that responses repeat byte for byte.
    pub(super) input: String,
    /// Start time in milliseconds since 1970.
    pub(super) started: i64,
    pub(super) trace_header: Option<String>,
    pub(super) test_case: Option<String>,
    /// Number of enclosing executions: the parent of this execution, the parent's parent, and so on.
    pub(super) depth: u32,
    progress: Mutex<Progress>,
    changed: Condvar,
    /// Connection to the front end that debugs the execution, if any.
    door: Option<Door>,
    /// True if there is a message or a stop request that has not been processed yet.
    pub(super) has_mail: AtomicBool,
}

/// The progress of an execution: its status, result, history events and messages.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) standing: Standing,
    pub(super) output: Option<String>,
    pub(super) error: Option<String>,
    pub(super) cause: Option<String>,
    /// Stop time in milliseconds since 1970.
    pub(super) stopped: Option<i64>,
    /// Status from the interpreter, if the execution ended by itself.
    pub(super) status: Option<Status>,
    /// AWS's history events, oldest first.
    pub(super) events: Vec<Value>,
    /// Indices, in `events`, of TaskStarted events that are hidden from clients until a worker takes the task.
    pub(super) hidden: BTreeSet<usize>,
    /// For each task of an activity that no worker has taken: the index, in `events`, of the task's TaskStarted event,
    /// which is hidden.
    pub(super) not_taken: BTreeMap<AskId, usize>,
    /// Approximate size of the events, in bytes.
    pub(super) bytes: u64,
    pub(super) map_runs: Vec<MapRun>,
    pub(super) inbox: Vec<Message>,
    /// Error and cause from a request to stop the execution; `None` if there is no such request that has not been
    /// processed yet.
    pub(super) stop: Option<(Option<String>, Option<String>)>,
    pub(super) watchers: Vec<Watcher>,
    pub(super) redrives: u32,
    pub(super) redriven: Option<i64>,
}

/// Start parameters of an execution.
#[derive(Clone, Debug)]
pub(super) struct Begin {
    pub(super) of: Resolved,
    pub(super) name: String,
    pub(super) input: String,
    pub(super) trace_header: Option<String>,
    pub(super) test_case: Option<String>,
    pub(super) depth: u32,
}

impl Execution {
    pub(super) fn new(begin: Begin, arn: String, started: i64, door: Option<Door>) -> Self {
        Self {
            arn,
            name: begin.name,
            of: begin.of,
            input: begin.input,
            started,
            trace_header: begin.trace_header,
            test_case: begin.test_case,
            depth: begin.depth,
            progress: Mutex::default(),
            changed: Condvar::new(),
            door,
            has_mail: AtomicBool::new(false),
        }
    }

    pub(super) fn is_express(&self) -> bool {
        self.of.kind == MachineType::Express
    }

    pub(super) fn revision(&self) -> &Arc<Revision> {
        &self.of.revision
    }

    /// Locks and returns the progress.
    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message to the execution.
    pub(super) fn send(&self, message: Message) {
        self.progress().inbox.push(message);
        self.has_mail.store(true, Ordering::Release);
        self.tell();
    }

    /// Shows clients the hidden TaskStarted event of a task, now that a worker has taken the task.
    pub(super) fn show_taken(&self, ask: AskId, worker: Option<String>) {
        let mut progress = self.progress();
        let Some(place) = progress.not_taken.remove(&ask) else {
            return;
        };
        progress.hidden.remove(&place);
        if let (Some(Value::Object(event)), Some(worker)) = (progress.events.get_mut(place), worker)
        {
            let details = Value::object(vec![("workerName".into(), Value::string(worker))]);
            *event = Arc::new(event.with(&"activityStartedEventDetails".into(), details));
        }
    }

    /// Requests a stop, unless the execution has ended.
    pub(super) fn stop(&self, error: Option<String>, cause: Option<String>) {
        let mut progress = self.progress();
        if progress.standing == Standing::Running {
            progress.stop.get_or_insert((error, cause));
            self.has_mail.store(true, Ordering::Release);
        }
        drop(progress);
        self.tell();
    }

    /// Wakes up all threads, and the front end, that wait for a change of this execution.
    pub(super) fn tell(&self) {
        self.changed.notify_all();
        if let Some(door) = &self.door {
            door.ring();
        }
    }

    /// Waits for a message, at most until the given time.
    pub(super) fn wait_for_mail(&self, until: Option<Instant>) {
        let mut progress = self.progress();
        while !self.has_mail.load(Ordering::Acquire) {
            progress = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self
                    .changed
                    .wait(progress)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => return,
                Some(left) => {
                    let waited = self.changed.wait_timeout(progress, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Waits for at most `patience` until the execution ends; returns `None` if it is still running.
    pub(super) fn ended_within(&self, patience: Duration) -> Option<MutexGuard<'_, Progress>> {
        let is_running = |progress: &mut Progress| progress.standing == Standing::Running;
        let waited = self
            .changed
            .wait_timeout_while(self.progress(), patience, is_running);
        let (progress, result) = waited.unwrap_or_else(PoisonError::into_inner);
        (!result.timed_out()).then_some(progress)
    }

    /// Response of DescribeExecution.
    pub(super) fn described(&self) -> serde_json::Value {
        let progress = self.progress();
        let standing = progress.standing;
        let redrivable = match standing {
            Standing::Running => ("NOT_REDRIVABLE", true),
            Standing::Succeeded => ("NOT_REDRIVABLE", true),
            _ => ("REDRIVABLE", false),
        };
        let word = standing.word();
        let reason = format!("Execution is {word} and cannot be redriven");
        let failed = matches!(standing, Standing::Failed | Standing::Aborted);
        json!({
            "executionArn": self.arn,
            "stateMachineArn": self.of.machine,
            "name": self.name,
            "status": word,
            "startDate": timestamp(self.started),
            "stopDate": progress.stopped.map(timestamp),
            "input": self.input,
            "inputDetails": {"included": true},
            "output": progress.output,
            "outputDetails": progress.output.as_ref().map(|_| json!({"included": true})),
            "error": progress.error.as_ref().filter(|_| failed),
            "cause": progress.cause.as_ref().filter(|_| failed),
            "traceHeader": self.trace_header,
            "stateMachineVersionArn": self.of.version,
            "stateMachineAliasArn": self.of.alias,
            "redriveCount": progress.redrives,
            "redriveDate": progress.redriven.map(timestamp),
            "redriveStatus": redrivable.0,
            "redriveStatusReason": redrivable.1.then_some(reason),
        })
    }

    /// Item in the response of ListExecutions.
    pub(super) fn listed(&self) -> serde_json::Value {
        let progress = self.progress();
        json!({
            "executionArn": self.arn,
            "stateMachineArn": self.of.machine,
            "name": self.name,
            "status": progress.standing.word(),
            "startDate": timestamp(self.started),
            "stopDate": progress.stopped.map(timestamp),
            "stateMachineVersionArn": self.of.version,
            "stateMachineAliasArn": self.of.alias,
            "redriveCount": progress.redrives,
            "redriveDate": progress.redriven.map(timestamp),
        })
    }

    /// Response of StartSyncExecution.
    pub(super) fn result(&self, progress: &Progress) -> serde_json::Value {
        let stopped = progress.stopped.unwrap_or(self.started);
        let billed = stopped.saturating_sub(self.started).max(1);
        let billed = billed.saturating_add(99) / 100 * 100;
        json!({
            "executionArn": self.arn,
            "stateMachineArn": self.of.machine,
            "name": self.name,
            "startDate": timestamp(self.started),
            "stopDate": timestamp(stopped),
            "status": progress.standing.word(),
            "error": progress.error,
            "cause": progress.cause,
            "input": self.input,
            "inputDetails": {"included": true},
            "output": progress.output,
            "outputDetails": {"included": true},
            "traceHeader": self.trace_header,
            "billingDetails": {
                "billedMemoryUsedInMB": 64,
                "billedDurationInMilliseconds": billed,
            },
        })
    }

    /// Response of DescribeStateMachineForExecution.
    pub(super) fn machine(&self) -> serde_json::Value {
        let revision = self.revision();
        json!({
            "stateMachineArn": self.of.machine,
            "name": self.of.name,
            "definition": revision.text,
            "roleArn": revision.role,
            "updateDate": timestamp(revision.updated),
            "loggingConfiguration": revision.settings.logging,
            "tracingConfiguration": revision.settings.tracing,
            "encryptionConfiguration": revision.settings.encryption,
            "revisionId": revision.id,
            "variableReferences": variable_references(&revision.definition),
        })
    }
}

/// The status of an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    #[default]
    Running,
    Succeeded,
    Failed,
    TimedOut,
    Aborted,
}

impl Standing {
    /// AWS's name of the status.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::TimedOut => "TIMED_OUT",
            Self::Aborted => "ABORTED",
        }
    }
}

/// A Map Run.
#[derive(Clone, Debug)]
pub(super) struct MapRun {
    pub(super) arn: String,
    pub(super) started: i64,
    pub(super) stopped: Option<i64>,
    pub(super) standing: Standing,
    pub(super) total: u64,
    pub(super) begun: u64,
    pub(super) succeeded: u64,
    pub(super) failed: u64,
    pub(super) aborted: u64,
    pub(super) max_concurrency: u64,
    pub(super) tolerated_count: u64,
    pub(super) tolerated_percentage: f64,
}
