//! Executions that tasks start: which state machine runs, with which input, which task tokens an execution sends back,
//! and how the service describes an execution.

use super::answers::MockCase;
use super::no_answer::{ChildProblem, NoAnswer};
use crate::definition::{CallPattern, Definition, Integration, StateKind, Task};
use crate::interpreter::{
    ACCOUNT, Answer, Ask, AskId, Header, Machine, Millis, Outcome, Run, Status, Want,
    execution_name, seed_of_child,
};
use crate::json::{Text, Value};
use crate::query::format_timestamp;
use crate::source::nearest;
use std::sync::Arc;

/// How a task starts an execution, which determines what the task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// `states:startExecution`: the task continues at once.
    Plain,
    /// `aws-sdk:sfn:startExecution`: the task continues at once.
    Sdk,
    /// `states:startExecution.sync` (`true`; input and output are strings) or `.sync:2` (`false`): the task waits for
    /// the end of the execution, and a failed execution fails the task.
    Sync(bool),
    /// `aws-sdk:sfn:startSyncExecution`: the task waits for the end of the execution, but a failed execution does not
    /// fail the task.
    SdkSync,
    /// `.waitForTaskToken`: the task waits for its token to be sent back, not for the end of the execution.
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
    /// `StateMachineArn` of the task's request; a made-up ARN if the request has none.
    pub machine: Text,
    /// `Name` of the task's request; a generated name if the request has none.
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

    /// Name of the state machine, from its ARN without version and alias; if `machine` is not an ARN, the whole text.
    #[must_use]
    pub fn machine_name(&self) -> &str {
        machine_name(&self.machine)
    }

    /// ARN of the execution, as in the field `ExecutionArn`.
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

    /// The answer for the task that started the execution. `took` is the time in milliseconds from the start of the
    /// execution until it had this status.
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

    /// The service's response to a task that has just started the execution.
    #[must_use]
    pub fn begun(&self, start: Start) -> Value {
        let arn = Value::string(self.arn());
        if start == Start::Sdk {
            return Value::object(vec![
                ("ExecutionArn".into(), arn),
                ("StartDate".into(), iso(self.started)),
            ]);
        }
        // Length of the response body: {"executionArn":...,"startDate":1.234567890123E9}
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

/// The members `Cause` and `Error` that describe a failed execution, each only if present.
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

/// Members that say if the execution can be redriven.
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

/// The name in a state machine's ARN, without version and alias. A text that is not an ARN counts as a name.
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

/// The response to a task that starts an execution, if the execution is not really run. If the task waits for the end
/// of the execution, the response says that the execution succeeded at once with `output`; without `output`, the
/// execution's input is its output.
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

/// A task's call that sends back a task token, or a heartbeat for a token.
#[derive(Clone, Debug, PartialEq)]
pub struct Callback {
    /// The task token that the call sends.
    pub token: Text,
    /// The outcome with which the waiting task ends; `None` for a heartbeat.
    pub outcome: Option<Outcome>,
}

impl Callback {
    /// The callback that a task's call sends; `None` if the task makes another call.
    #[must_use]
    pub fn of(task: &Task, input: &Value) -> Option<Self> {
        let Integration::Service { service, api, .. } = &task.integration else {
            return None;
        };
        let text = |name: &str| input.get(name).and_then(Value::as_str).map(Text::from);
        let token = text("TaskToken").filter(|_| &**service == "aws-sdk:sfn")?;
        let outcome = match &**api {
            "sendTaskSuccess" => {
                let output = input.get("Output").cloned().unwrap_or_default();
                let parsed = output
                    .as_str()
                    .and_then(|text| crate::json::parse(text).ok());
                Some(Outcome::Success(parsed.unwrap_or(output)))
            }
            "sendTaskFailure" => Some(Outcome::Failure {
                error: text("Error"),
                cause: text("Cause"),
            }),
            "sendTaskHeartbeat" => None,
            _ => return None,
        };
        Some(Self { token, outcome })
    }
}

/// Maximum nesting depth of executions.
const DEEPEST: usize = 16;

/// A state machine that tasks can start as a child execution.
#[derive(Clone, Debug)]
pub struct ChildMachine {
    /// ARN or name of the state machine, as the user gave it.
    pub name: Text,
    /// Definition of the state machine.
    pub definition: Arc<Definition>,
    /// Test case that answers the tasks of the state machine.
    pub case: Option<MockCase>,
    /// Names of the state machine's test cases.
    pub cases: Vec<Text>,
}

/// All state machines for child executions.
#[derive(Clone, Debug, Default)]
pub struct Children {
    /// State machines in the order in which the user gave them.
    pub machines: Vec<ChildMachine>,
}

/// A requested execution, ready to be run.
#[derive(Clone, Debug)]
pub struct ChildRequest {
    /// The request that the execution answers.
    pub ask: AskId,
    /// How the task starts the execution.
    pub start: Start,
    /// Token of the task, if the task waits for one.
    pub token: Option<Text>,
    /// The execution that the task requests.
    pub execution: Execution,
    /// The definition and header of the child execution.
    pub run: Arc<Run>,
    /// Test case that answers the tasks of the state machine.
    pub case: Option<MockCase>,
    /// Names of the state machine's test cases.
    pub cases: Vec<Text>,
}

impl Children {
    /// The state machine that the user gave under this ARN. If there is none, the state machine that the user gave
    /// under the name in the ARN.
    #[must_use]
    pub fn find(&self, arn: &str) -> Option<&ChildMachine> {
        let by = |wanted: &str| {
            self.machines
                .iter()
                .find(|machine| &*machine.name == wanted)
        };
        by(arn).or_else(|| by(machine_name(arn)))
    }

    /// True if both lists have the same state machines with the same definitions and answers.
    #[must_use]
    pub fn agree(&self, other: &Self) -> bool {
        let texts = |machine: &ChildMachine| -> Vec<Arc<str>> {
            let files = machine.definition.sources.files().iter();
            files.map(|file| Arc::clone(&file.text)).collect()
        };
        self.machines.len() == other.machines.len()
            && self
                .machines
                .iter()
                .zip(&other.machines)
                .all(|(left, right)| {
                    left.name == right.name
                        && left.case == right.case
                        && texts(left) == texts(right)
                })
    }

    /// The child execution that the request `ask` asks for. `machine` is the execution that makes the request; `depth`
    /// is the nesting depth of that execution.
    ///
    /// Returns `None` if the task starts no execution, or no state machines were given.
    ///
    /// # Errors
    /// The reason why the execution cannot be run.
    #[must_use]
    pub fn request(
        &self,
        machine: &Machine,
        ask: &Ask,
        depth: usize,
    ) -> Option<Result<ChildRequest, NoAnswer>> {
        let Want::Call { input, token, .. } = &ask.want else {
            return None;
        };
        let state = machine.definition().state(ask.state)?;
        let StateKind::Task(task) = &state.kind else {
            return None;
        };
        let start = Start::of(task).filter(|_| !self.machines.is_empty())?;
        let from = &machine.run().header;
        let seed = seed_of_child(from.seed, u64::from(ask.id.0));
        let now = i64::try_from(machine.now()).unwrap_or(i64::MAX);
        let started = from.start_time.saturating_add(now);
        let execution = Execution::requested(input, &execution_name(seed), started);
        let Some(child) = self.find(&execution.machine) else {
            return Some(Err(self.unknown(&execution.machine)));
        };
        if depth >= DEEPEST {
            let state = state.path.0.clone();
            let problem = ChildProblem::TooDeep {
                most: DEEPEST,
                state,
            };
            return Some(Err(NoAnswer::of_child(problem)));
        }
        let header = Header {
            seed,
            start_time: started,
            context: context(&execution),
            max_value: from.max_value,
            most_items: from.most_items,
            ..Header::new(execution.input.clone(), from.profile)
        };
        Some(Ok(ChildRequest {
            ask: ask.id,
            start,
            token: token.clone(),
            execution,
            run: Arc::new(Run::new(Arc::clone(&child.definition), header)),
            case: child.case.clone(),
            cases: child.cases.clone(),
        }))
    }

    fn unknown(&self, arn: &str) -> NoAnswer {
        let names = || self.machines.iter().map(|machine| &machine.name);
        let near = nearest(machine_name(arn), names().map(|name| &**name));
        NoAnswer::of_child(ChildProblem::Unknown {
            machine: arn.into(),
            near: near.map(Text::from),
            given: names().cloned().collect(),
        })
    }
}

/// The part of the context object that describes an execution and its state machine.
fn context(execution: &Execution) -> Value {
    let of_execution = Value::object(vec![
        ("Id".into(), Value::string(execution.arn())),
        ("Name".into(), Value::String(execution.name.clone())),
    ]);
    let of_machine = Value::object(vec![
        ("Id".into(), Value::String(execution.machine.clone())),
        ("Name".into(), Value::from(execution.machine_name())),
    ]);
    Value::object(vec![
        ("Execution".into(), of_execution),
        ("StateMachine".into(), of_machine),
    ])
}

/// The request id in made-up responses of services. It is constant, so that runs can be repeated.
pub(super) const REQUEST_ID: &str = "00000000-0000-4000-8000-000000000000";

/// Names and values of the members of a JSON object.
type Members = Vec<(Text, Value)>;

/// The response of an optimized integration: these members, and the metadata of the request.
#[must_use]
pub fn with_metadata(mut members: Vec<(Text, Value)>) -> Value {
    members.extend(metadata());
    Value::object(members)
}

/// The metadata of a response that lists no HTTP headers.
pub(super) fn metadata() -> Members {
    metadata_with(Vec::new())
}

/// The response that consists of these members and of metadata with the HTTP headers. AWS lists each header twice: once
/// with a list of values, once with the value.
pub(super) fn with_headers(mut members: Members, content_type: &str, length: u64) -> Value {
    let headers = vec![
        ("x-amzn-RequestId".into(), Value::from(REQUEST_ID)),
        ("connection".into(), Value::from("keep-alive")),
        ("Content-Length".into(), Value::string(length.to_string())),
        ("Date".into(), Value::from("Thu, 01 Jan 1970 00:00:00 GMT")),
        ("Content-Type".into(), Value::from(content_type)),
    ];
    members.extend(metadata_with(headers));
    Value::object(members)
}

fn metadata_with(headers: Members) -> Members {
    let lists = headers
        .iter()
        .map(|(name, value)| (name.clone(), Value::array(vec![value.clone()])));
    let http = Value::object(vec![
        ("AllHttpHeaders".into(), Value::object(lists.collect())),
        ("HttpHeaders".into(), Value::object(headers)),
        ("HttpStatusCode".into(), Value::from(200)),
    ]);
    let sdk = Value::object(vec![("RequestId".into(), Value::from(REQUEST_ID))]);
    vec![
        ("SdkHttpMetadata".into(), http),
        ("SdkResponseMetadata".into(), sdk),
    ]
}
