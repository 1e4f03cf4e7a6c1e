//! Executions that tasks start: state machine, input, and the service's description of an execution (ASL-SEMANTICS
//! 13.2).

use super::service_metadata::{Members, REQUEST_ID, with_headers};
use crate::definition::{CallPattern, Integration, Task};
use crate::interpreter::{ACCOUNT, Answer, Millis, Outcome, Status};
use crate::json::{Text, Value};
use crate::query::format_timestamp;

/// How a task starts an execution, which determines what the task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// `states:startExecution`: continues at once.
    Plain,
    /// `aws-sdk:sfn:startExecution`: continues at once.
    Sdk,
    /// `states:startExecution.sync` (`true`: input and output are strings) or `.sync:2`.
    Sync(bool),
    /// `aws-sdk:sfn:startSyncExecution`: waits; a child execution that fails does not fail the task.
    SdkSync,
    /// `.waitForTaskToken`: waits for the token, not for the child execution.
    Callback,
}

impl Start {
    /// How a task starts an execution; `None` if it does not start one.
    #[must_use]
    pub fn of(task: &Task) -> Option<Self> {
        let Integration::Service {
            service,
            api,
            pattern,
        } = &task.integration
        else {
            return None;
        };
        let (verb, suffix) = api.split_once('.').unwrap_or((api, ""));
        match (&**service, verb, suffix) {
            ("states", "startExecution", "sync") => Some(Self::Sync(true)),
            ("states", "startExecution", "sync:2") => Some(Self::Sync(false)),
            ("states", "startExecution", "") => Some(Self::Plain),
            ("aws-sdk:sfn", "startExecution", "") => Some(Self::Sdk),
            ("aws-sdk:sfn", "startSyncExecution", "") => Some(Self::SdkSync),
            ("states" | "aws-sdk:sfn", "startExecution" | "startSyncExecution", _)
                if *pattern == CallPattern::Callback =>
            {
                Some(Self::Callback)
            }
            _ => None,
        }
    }

    /// True if the task continues before the execution ends.
    #[must_use]
    pub fn is_asynchronous(self) -> bool {
        matches!(self, Self::Plain | Self::Sdk)
    }
}

/// An execution that a task requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// `StateMachineArn` as given.
    pub machine: Text,
    /// `Name` as given, or a generated name.
    pub name: Text,
    /// Input of the execution.
    pub input: Value,
    /// Start time in milliseconds since 1970.
    pub started: i64,
}

impl Execution {
    /// Parses the request of a task that starts an execution; `name` is used if the request has none.
    #[must_use]
    pub fn requested(request: &Value, name: &str, started: i64) -> Self {
        let text = |member: &str| request.get(member).and_then(Value::as_str);
        let made_up = || format!("arn:aws:states:us-east-1:{ACCOUNT}:stateMachine:child");
        Self {
            machine: text("StateMachineArn").map_or_else(|| made_up().into(), Text::from),
            name: text("Name").unwrap_or(name).into(),
            input: input(request.get("Input")),
            started,
        }
    }

    /// Name of the state machine: taken from its ARN without version and alias, otherwise the whole text.
    #[must_use]
    pub fn machine_name(&self) -> &str {
        machine_name(&self.machine)
    }

    /// `ExecutionArn`.
    #[must_use]
    pub fn arn(&self) -> String {
        self.arn_of("execution")
    }

    fn arn_of(&self, kind: &str) -> String {
        let (machine, name) = (self.machine_name(), &self.name);
        let mut parts = self.machine.splitn(6, ':');
        match (parts.next(), parts.next(), parts.nth(1), parts.next()) {
            (Some("arn"), Some(partition), Some(region), Some(account)) => {
                format!("arn:{partition}:states:{region}:{account}:{kind}:{machine}:{name}")
            }
            _ => format!("arn:aws:states:us-east-1:{ACCOUNT}:{kind}:{machine}:{name}"),
        }
    }

    /// Answer for the task that started the execution, given its status `took` milliseconds after the start.
    #[must_use]
    pub fn answer(&self, start: Start, status: &Status, took: Millis) -> Answer {
        if start.is_asynchronous() {
            return Answer::success(self.begun(start));
        }
        let now = i64::try_from(took).unwrap_or(i64::MAX);
        let described = self.described(start, status, self.started.saturating_add(now));
        let outcome = match status {
            Status::Succeeded(_) => Outcome::Success(described),
            _ if start == Start::SdkSync => Outcome::Success(described),
            _ => Outcome::Failure {
                error: Some("States.TaskFailed".into()),
                cause: Some(described.to_string().into()),
            },
        };
        Answer {
            outcome,
            took,
            heartbeats: Vec::new(),
        }
    }

    /// Response to starting the execution.
    #[must_use]
    pub fn begun(&self, start: Start) -> Value {
        let arn = Value::string(self.arn());
        if start == Start::Sdk {
            return Value::object(vec![
                ("ExecutionArn".into(), arn),
                ("StartDate".into(), iso(self.started)),
            ]);
        }
        // {"executionArn":...,"startDate":1.234567890123E9}
        let length = arn.size().saturating_add(47);
        let members = vec![
            ("ExecutionArn".into(), arn),
            ("StartDate".into(), Value::from(self.started)),
        ];
        with_headers(members, "application/x-amz-json-1.0", length)
    }

    /// The service's description of the execution after its end, with members in alphabetical order; `stopped` is in
    /// milliseconds since 1970.
    #[must_use]
    pub fn described(&self, start: Start, status: &Status, stopped: i64) -> Value {
        let sdk = start == Start::SdkSync;
        let as_text = start != Start::Sync(false);
        let shown = |value: &Value| match as_text {
            true => Value::string(value.to_string()),
            false => value.clone(),
        };
        let date = |at: i64| if sdk { iso(at) } else { Value::from(at) };
        let mut members: Members = Vec::new();
        if sdk {
            members.push(self.billing(stopped));
        }
        members.extend(failure(status));
        let arn = self.arn_of(if sdk { "express" } else { "execution" });
        members.push(("ExecutionArn".into(), Value::string(arn)));
        members.push(("Input".into(), shown(&self.input)));
        members.push(("InputDetails".into(), included()));
        members.push(("Name".into(), Value::String(self.name.clone())));
        if let Status::Succeeded(output) = status {
            members.push(("Output".into(), shown(output)));
            members.push(("OutputDetails".into(), included()));
        }
        if !sdk {
            members.extend(redrive(status));
        }
        let machine = Value::String(self.machine.clone());
        members.push(("StartDate".into(), date(self.started)));
        members.push(("StateMachineArn".into(), machine));
        members.push(("Status".into(), Value::from(status_word(status))));
        members.push(("StopDate".into(), date(stopped)));
        Value::object(members)
    }

    fn billing(&self, stopped: i64) -> (Text, Value) {
        let billed = stopped.saturating_sub(self.started).max(0);
        let billed = billed.saturating_add(99) / 100 * 100;
        let details = Value::object(vec![
            ("BilledDurationInMilliseconds".into(), Value::from(billed)),
            ("BilledMemoryUsedInMB".into(), Value::from(64)),
        ]);
        ("BillingDetails".into(), details)
    }
}

fn included() -> Value {
    Value::object(vec![("Included".into(), Value::Bool(true))])
}

/// `Cause` and `Error`, each only if present.
fn failure(status: &Status) -> Members {
    match status {
        Status::Failed(fault) => [("Cause", &fault.cause), ("Error", &fault.error)]
            .into_iter()
            .filter_map(|(name, text)| Some((name.into(), Value::String(text.clone()?))))
            .collect(),
        Status::TimedOut => vec![("Error".into(), Value::from("States.Timeout"))],
        Status::Succeeded(_) | Status::Running => Vec::new(),
    }
}

/// Members about redriving the execution.
fn redrive(status: &Status) -> Members {
    let done = matches!(status, Status::Succeeded(_));
    let word = if done { "NOT_REDRIVABLE" } else { "REDRIVABLE" };
    let mut members = vec![
        ("RedriveCount".into(), Value::from(0)),
        ("RedriveStatus".into(), Value::from(word)),
    ];
    if done {
        let reason = "Execution is SUCCEEDED and cannot be redriven";
        members.push(("RedriveStatusReason".into(), Value::from(reason)));
    }
    members
}

/// Name in a state machine's ARN without version and alias; a text that is not an ARN is a name.
#[must_use]
pub fn machine_name(arn: &str) -> &str {
    let Some((_, rest)) = arn.split_once(":stateMachine:") else {
        return arn;
    };
    rest.split(':').next().unwrap_or(rest)
}

/// AWS's name of a status: `SUCCEEDED`, `FAILED`, ...
#[must_use]
pub fn status_word(status: &Status) -> &'static str {
    match status {
        Status::Running => "RUNNING",
        Status::Succeeded(_) => "SUCCEEDED",
        Status::Failed(_) => "FAILED",
        Status::TimedOut => "TIMED_OUT",
    }
}

/// Parses `Input`: a value, or a string that contains JSON; defaults to `{}`.
fn input(given: Option<&Value>) -> Value {
    match given {
        None | Some(Value::Null) => Value::empty_object(),
        Some(Value::String(text)) => {
            crate::json::parse(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(value) => value.clone(),
    }
}

fn iso(millis: i64) -> Value {
    Value::string(format_timestamp(millis))
}

/// Echo of a task that starts an execution: its output is its input, and it takes no time.
#[must_use]
pub(super) fn echoed(task: &Task, request: &Value, output: Option<Value>) -> Value {
    let execution = Execution::requested(request, REQUEST_ID, 0);
    match Start::of(task) {
        Some(start @ (Start::Sync(_) | Start::SdkSync)) => {
            let output = output.unwrap_or_else(|| execution.input.clone());
            execution.described(start, &Status::Succeeded(output), 0)
        }
        Some(start) => execution.begun(start),
        None => Value::empty_object(),
    }
}
