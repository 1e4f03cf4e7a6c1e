//! Executions that a task starts: which machine it names, with what input, and what the service says of one (ASL-SEMANTICS 13.2).
//!
//! It must not know how an execution is run.

use super::service_response::{REQUEST, with_headers};
use crate::definition::{CallPattern, Integration, Task};
use crate::interpreter::{ACCOUNT, Status};
use crate::json::{Text, Value};
use crate::query::format_timestamp;

/// How a task starts an execution, which says what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// `states:startExecution`: goes on at once.
    Plain,
    /// `aws-sdk:sfn:startExecution`: goes on at once.
    Sdk,
    /// `states:startExecution.sync` (`true`: input and output as text) and `.sync:2`.
    Sync(bool),
    /// `aws-sdk:sfn:startSyncExecution`: waits, and a child that fails is no failure of the task.
    SdkSync,
    /// `.waitForTaskToken`: waits for the token, not for the child.
    Callback,
}

impl Start {
    /// How a task starts an execution; `None` for one that starts none.
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

    /// Whether the task goes on before the execution ends.
    #[must_use]
    pub fn is_asynchronous(self) -> bool {
        matches!(self, Self::Plain | Self::Sdk)
    }
}

/// An execution as a task asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// `StateMachineArn` as given.
    pub machine: Text,
    /// `Name` as given, or made up.
    pub name: Text,
    /// What it runs with.
    pub input: Value,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
}

impl Execution {
    /// What a task that starts an execution asks for; `name` is for one that gives none.
    #[must_use]
    pub fn asked(request: &Value, name: &str, started: i64) -> Self {
        let text = |member: &str| request.get(member).and_then(Value::as_str);
        let made_up = || format!("arn:aws:states:us-east-1:{ACCOUNT}:stateMachine:child");
        Self {
            machine: text("StateMachineArn").map_or_else(|| made_up().into(), Text::from),
            name: text("Name").unwrap_or(name).into(),
            input: input(request.get("Input")),
            started,
        }
    }

    /// The name of the machine: of its ARN without version and alias, else the whole text.
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

    /// What starting it gives at once.
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

    /// What the service says of it after its end, the members in the order of their names.
    #[must_use]
    pub fn described(&self, start: Start, status: &Status, stopped: i64) -> Value {
        let as_text = start != Start::Sync(false);
        let sdk = start == Start::SdkSync;
        let shown = |value: &Value| match as_text {
            true => Value::string(value.to_string()),
            false => value.clone(),
        };
        let date = |at: i64| if sdk { iso(at) } else { Value::from(at) };
        let included = || Value::object(vec![("Included".into(), Value::Bool(true))]);
        let mut members: Vec<(Text, Value)> = Vec::new();
        let mut put = |name: &str, value: Value| members.push((name.into(), value));
        if sdk {
            let billed = stopped.saturating_sub(self.started).max(0);
            let billed = billed.saturating_add(99) / 100 * 100;
            put(
                "BillingDetails",
                Value::object(vec![
                    ("BilledDurationInMilliseconds".into(), Value::from(billed)),
                    ("BilledMemoryUsedInMB".into(), Value::from(64)),
                ]),
            );
        }
        match status {
            Status::Failed(fault) => {
                for (name, text) in [("Cause", &fault.cause), ("Error", &fault.error)] {
                    if let Some(text) = text {
                        put(name, Value::String(text.clone()));
                    }
                }
            }
            Status::TimedOut => put("Error", Value::from("States.Timeout")),
            Status::Succeeded(_) | Status::Running => {}
        }
        let arn = self.arn_of(if sdk { "express" } else { "execution" });
        put("ExecutionArn", Value::string(arn));
        put("Input", shown(&self.input));
        put("InputDetails", included());
        put("Name", Value::String(self.name.clone()));
        if let Status::Succeeded(output) = status {
            put("Output", shown(output));
            put("OutputDetails", included());
        }
        let word = status_word(status);
        if !sdk {
            let done = matches!(status, Status::Succeeded(_));
            let redrive = if done { "NOT_REDRIVABLE" } else { "REDRIVABLE" };
            put("RedriveCount", Value::from(0));
            put("RedriveStatus", Value::from(redrive));
            if done {
                let reason = "Execution is SUCCEEDED and cannot be redriven";
                put("RedriveStatusReason", Value::from(reason));
            }
        }
        put("StartDate", date(self.started));
        put("StateMachineArn", Value::String(self.machine.clone()));
        put("Status", Value::from(word));
        put("StopDate", date(stopped));
        Value::object(members)
    }
}

/// The name in the ARN of a state machine, without version and alias; a text that is no ARN is a name.
#[must_use]
pub fn machine_name(arn: &str) -> &str {
    let Some((_, rest)) = arn.split_once(":stateMachine:") else {
        return arn;
    };
    rest.split(':').next().unwrap_or(rest)
}

/// `SUCCEEDED`, `FAILED`, ...
#[must_use]
pub fn status_word(status: &Status) -> &'static str {
    match status {
        Status::Running => "RUNNING",
        Status::Succeeded(_) => "SUCCEEDED",
        Status::Failed(_) => "FAILED",
        Status::TimedOut => "TIMED_OUT",
    }
}

/// `Input` is a value, or a text that holds one; without any the execution runs with `{}`.
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

/// The echo of a task that starts an execution: one that gives back what it was started with, at no time.
#[must_use]
pub(super) fn echoed(task: &Task, request: &Value, output: Option<Value>) -> Value {
    let execution = Execution::asked(request, REQUEST, 0);
    match Start::of(task) {
        Some(start @ (Start::Sync(_) | Start::SdkSync)) => {
            let output = output.unwrap_or_else(|| execution.input.clone());
            execution.described(start, &Status::Succeeded(output), 0)
        }
        Some(start) => execution.begun(start),
        None => Value::empty_object(),
    }
}
