//! The details that AWS records with each type of event; inputs, outputs and results are JSON text.

use crate::definition::{Integration, Payload, Quantity, State, StateKind, Task};
use crate::interpreter::{Event, EventKind, Fault, Frame, Machine, Stage, Status};
use crate::json::{Text, Value, one_line};
use crate::query::Evaluate as _;
use crate::session::service_response;

type Members = Vec<(Text, Value)>;

/// The details of an event; `None` if its type has none.
pub(super) fn of(machine: &Machine, event: &Event, state: Option<&State>) -> Option<Value> {
    let members = match event.kind {
        EventKind::ExecutionStarted => started(machine),
        EventKind::ExecutionSucceeded => match machine.status() {
            Status::Succeeded(output) => payload("output", output),
            _ => Vec::new(),
        },
        EventKind::ExecutionFailed => match machine.status() {
            Status::Failed(fault) => failure(fault),
            _ => Vec::new(),
        },
        EventKind::ExecutionTimedOut => vec![("error".into(), Value::from("States.Timeout"))],
        EventKind::IterationStarted
        | EventKind::IterationSucceeded
        | EventKind::IterationFailed
        | EventKind::IterationAborted => vec![
            ("name".into(), Value::String(state?.name.clone())),
            ("index".into(), Value::from(i64::from(event.arg))),
        ],
        EventKind::MapRunStarted => {
            let frame = machine.frame(event.frame)?;
            let arn = machine.map_run_arn(frame);
            vec![("mapRunArn".into(), Value::string(arn))]
        }
        EventKind::MapStarted => vec![("length".into(), Value::from(i64::from(event.arg)))],
        _ => of_frame(machine, event, state?)?,
    };
    Some(Value::object(members))
}

fn of_frame(machine: &Machine, event: &Event, state: &State) -> Option<Members> {
    let frame = machine.frame(event.frame)?;
    let named = |members: Members| {
        let name = vec![("name".into(), Value::String(state.name.clone()))];
        name.into_iter().chain(members).collect()
    };
    Some(match event.kind {
        EventKind::StateEntered => named(payload("input", &frame.visit.data.latest(Stage::Input))),
        EventKind::StateExited => {
            let mut members: Members =
                named(payload("output", &frame.visit.data.latest(Stage::Output)));
            members.extend(assigned(frame));
            members
        }
        EventKind::TaskScheduled => scheduled(machine, frame, task_of(state)?),
        EventKind::TaskStarted => task_started(task_of(state)?)?,
        EventKind::TaskSubmitted => {
            let task = task_of(state)?;
            let input = frame.visit.data.latest(Stage::AfterArguments);
            let call = frame.visit.call.as_ref();
            let answer = call.and_then(|call| call.answer.as_ref());
            let response =
                service_response::submitted(task, &input, answer.map(|answer| &answer.outcome));
            with_resource(task, payload("output", &response))
        }
        EventKind::TaskSucceeded => with_resource(
            task_of(state)?,
            payload("output", &frame.visit.data.latest(Stage::Result)),
        ),
        EventKind::EvaluationFailed => evaluation_failed(frame, state),
        EventKind::MapRunFailed => frame
            .visit
            .fault
            .as_ref()
            .map(|(fault, _)| failure(fault))?,
        EventKind::TaskFailed | EventKind::TaskTimedOut => {
            let fault = frame.visit.fault.as_ref().map(|(fault, _)| failure(fault));
            with_resource(task_of(state)?, fault.unwrap_or_default())
        }
        _ => return None,
    })
}

/// The details of EvaluationFailed: error, cause, and the location of the expression.
fn evaluation_failed(frame: &Frame, state: &State) -> Members {
    let fault = frame.visit.fault.as_ref().map(|(fault, _)| failure(fault));
    let mut members = fault.unwrap_or_default();
    if let Some(location) = frame.visit.failed_at() {
        members.push(("location".into(), Value::from(location)));
    }
    members.push(("state".into(), Value::String(state.name.clone())));
    members
}

fn task_of(state: &State) -> Option<&Task> {
    match &state.kind {
        StateKind::Task(task) => Some(task),
        _ => None,
    }
}

fn started(machine: &Machine) -> Members {
    let run = machine.run();
    let mut members = payload("input", &run.header.input);
    let role = run.header.identity.role_of(&machine.definition().name);
    members.push(("roleArn".into(), Value::String(role)));
    members
}

/// A member whose value is JSON text, followed by a member that says that the text is not truncated.
fn payload(name: &str, value: &Value) -> Members {
    vec![
        (name.into(), Value::string(one_line(value))),
        (format!("{name}Details").into(), whole()),
    ]
}

fn whole() -> Value {
    Value::object(vec![("truncated".into(), Value::Bool(false))])
}

fn failure(fault: &Fault) -> Members {
    let part = |name: &str, text: &Option<Text>| {
        text.clone().map(|text| (name.into(), Value::String(text)))
    };
    let parts = [part("error", &fault.error), part("cause", &fault.cause)];
    parts.into_iter().flatten().collect()
}

/// The variables that a state assigned, by name, each as JSON text.
fn assigned(frame: &Frame) -> Members {
    if frame.visit.assigned.is_empty() {
        return Vec::new();
    }
    let mut variables: Members = frame
        .visit
        .assigned
        .iter()
        .map(|(name, value)| (name.clone(), Value::string(one_line(value))))
        .collect();
    variables.sort_by(|(left, _), (right, _)| left.cmp(right));
    vec![
        ("assignedVariables".into(), Value::object(variables)),
        ("assignedVariablesDetails".into(), whole()),
    ]
}

fn scheduled(machine: &Machine, frame: &Frame, task: &Task) -> Members {
    let input = frame.visit.data.latest(Stage::AfterArguments);
    let mut members = match &task.integration {
        Integration::Service { service, api, .. } => vec![
            ("resourceType".into(), Value::String(service.clone())),
            ("resource".into(), Value::String(api.clone())),
            (
                "region".into(),
                Value::String(machine.run().header.identity.region.clone()),
            ),
            ("parameters".into(), Value::string(one_line(&input))),
        ],
        _ => {
            let mut members = vec![("resource".into(), Value::String(task.resource.clone()))];
            members.extend(payload("input", &input));
            members
        }
    };
    let limits = [
        ("timeoutInSeconds", &task.timeout),
        ("heartbeatInSeconds", &task.heartbeat),
    ];
    let takes_heartbeat = !matches!(task.integration, Integration::Lambda | Integration::Other);
    for (name, quantity) in limits {
        let written = quantity
            .as_ref()
            .filter(|_| takes_heartbeat || name != "heartbeatInSeconds");
        if let Some(seconds) = written.and_then(|written| seconds(machine, frame, written)) {
            members.push((name.into(), seconds));
        }
    }
    if let Some(role) = role(machine, frame, task) {
        let credentials = Value::object(vec![("roleArn".into(), role)]);
        members.push(("taskCredentials".into(), credentials));
    }
    members
}

fn seconds(machine: &Machine, frame: &Frame, quantity: &Quantity<u64>) -> Option<Value> {
    match quantity {
        Quantity::Constant(seconds) => Some(Value::from(i64::try_from(*seconds).ok()?)),
        Quantity::Path(path) => {
            let data = frame.visit.data.latest(Stage::AfterInputPath);
            path.eval(&machine.inspect(frame, &data)).ok()
        }
        Quantity::Expression(expression) => frame.visit.field_value(&expression.location).cloned(),
    }
}

fn role(machine: &Machine, frame: &Frame, task: &Task) -> Option<Value> {
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let credentials = task
        .credentials
        .as_ref()
        .and_then(|credentials| match credentials {
            Payload::Template(template) => template.eval(&machine.inspect(frame, &data)).ok(),
            Payload::Jsonata(_) => frame.visit.field_value("Credentials").cloned(),
        })?;
    credentials.get("RoleArn").cloned()
}

fn task_started(task: &Task) -> Option<Members> {
    match &task.integration {
        Integration::Service { .. } => Some(with_resource(task, Vec::new())),
        Integration::Activity => Some(Vec::new()),
        _ => None,
    }
}

/// Puts `resourceType` and `resource` before the other details of an event of a service task.
fn with_resource(task: &Task, rest: Members) -> Members {
    match &task.integration {
        Integration::Service { service, api, .. } => {
            let resource_members = vec![
                ("resourceType".into(), Value::String(service.clone())),
                ("resource".into(), Value::String(api.clone())),
            ];
            resource_members.into_iter().chain(rest).collect()
        }
        _ => rest,
    }
}
