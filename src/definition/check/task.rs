//! Checks timeouts, task tokens and credentials of a Task.

use super::located::Located;
use super::shapes::Shapes;
use super::{Checker, StateAt};
use crate::definition::lower::is_jsonata;
use crate::definition::lower::rules::VALUE;
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::{
    CallPattern, Integration, MachineType, MapMode, Quantity, StateKind, Task,
};
use crate::query::Profile;
use crate::source::{Member, Node};

lint_rules! {
    HEARTBEAT = 23, "heartbeat", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "HeartbeatSeconds is not less than TimeoutSeconds";
    NO_HEARTBEAT = 24, "no-heartbeat", "HEARTBEAT", Severities::WARNING,
        "a task waits for a heartbeat that nothing can send, or for a callback that may not come for a year";
    NO_TIMEOUT = 25, "no-timeout", "NO_TIMEOUT", Severities::INFO, "a Task has no timeout of its own";
    TOKEN_NOT_PASSED = 30, "token-not-passed", "TOKEN_NOT_PASSED", Severities::WARNING,
        "a callback task does not pass $$.Task.Token on";
    NO_TOKEN = 31, "no-token", "NO_TOKEN", Severities::WARNING, "a task that has no token uses $$.Task.Token";
    CREDENTIALS = 74, "credentials", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS, "Credentials has no RoleArn";
}

const TOKEN: &str = "$$.Task.Token";

impl Checker<'_> {
    pub(super) fn task(&mut self, at: StateAt<'_>, shapes: &Shapes) {
        let StateKind::Task(task) = &at.state.kind else {
            return;
        };
        if let Some(call) = self.resource(at, task) {
            self.parameters(at, &call, shapes);
            self.never_raised(at, &call);
        }
        self.twice_dynamic(at);
        self.timeouts(at, task);
        self.token(at, task);
        self.credentials(at);
    }

    fn token(&mut self, at: StateAt<'_>, task: &Task) {
        let arguments = at.field(at.arguments());
        match (task.pattern(), at.field("Resource")) {
            (Some(CallPattern::Callback), Some(resource)) => {
                if arguments.is_some_and(|field| holds_token(field.node)) {
                    return;
                }
                let help = match at.is_jsonata() {
                    true => "pass $states.context.Task.Token in Arguments".to_string(),
                    false => {
                        format!("pass {TOKEN} in Parameters, such as \"TaskToken.$\": \"{TOKEN}\"")
                    }
                };
                let message = "the task token is not passed on, so nobody can send the callback";
                let place = (resource.node.span, &*at.state.location);
                self.report(TOKEN_NOT_PASSED, message, place, help);
            }
            (Some(CallPattern::RequestResponse), _) => {
                let token = arguments.and_then(|field| Some((names_token(field.node)?, field)));
                let Some((node, field)) = token else { return };
                let message = "this task has no token: its Resource ends in neither .waitForTaskToken nor .sync";
                let help = "append .waitForTaskToken to the Resource, or remove the token";
                self.report(NO_TOKEN, message, (node.span, &field.location), help);
            }
            _ => {}
        }
    }

    fn credentials(&mut self, at: StateAt<'_>) {
        let Some(field) = at.field("Credentials") else {
            return;
        };
        match field.text() {
            Some(text) if at.is_jsonata() && is_jsonata(text) => {}
            _ if field.node.members().is_some() => {
                match field.get("RoleArn").or_else(|| field.get("RoleArn.$")) {
                    None => {
                        let message = "The field 'RoleArn' is required but was missing";
                        let help = "add RoleArn, the role that the task is to assume";
                        self.report(CREDENTIALS, message, field.key(), help);
                    }
                    Some(role) if role.text().is_none() => {
                        // In the diagnostic, the location is `RoleArn` even if the member is named `RoleArn.$`.
                        let location = format!("{}/RoleArn", field.location);
                        self.wrong_type(&Located { location, ..role }, "String", VALUE);
                    }
                    Some(_) => {}
                }
            }
            _ => self.wrong_type(&field, "Object", VALUE),
        }
    }
}

/// True if the value contains the path of the task token, or of an object that contains the token.
fn holds_token(node: &Node) -> bool {
    let has = |text: &str| {
        let whole = matches!(text, "$$" | "$$.Task" | "$$['Task']");
        whole
            || text.contains("Task") && text.contains("Token") && text.contains('$')
            || text.contains("$states.context")
            || text.contains("$$['Task']")
            || text.contains("($$")
    };
    node.texts().into_iter().any(has)
}

/// The first value that is evaluated and consists only of the path of the task token.
fn names_token(node: &Node) -> Option<&Node> {
    let is_it = |(member, node): (Option<&Member>, &Node)| {
        node.as_str() == Some(TOKEN) && member.is_some_and(|member| member.key.text.ends_with(".$"))
    };
    let mut all = node.walk().into_iter();
    all.find(|node| is_it(*node)).map(|(_, node)| node)
}

/// Default timeout of a Task by the specification, in seconds.
const BY_SPEC: u64 = 60;
/// Maximum time that AWS waits for the response of `http:invoke`, in seconds.
const HTTP: u64 = 60;
/// Maximum duration of a Lambda function, in seconds.
const FUNCTION: u64 = 900;

impl Checker<'_> {
    fn timeouts(&mut self, at: StateAt<'_>, task: &Task) {
        let written = |name: &str| at.field(name);
        if let (Some(Quantity::Constant(timeout)), Some(Quantity::Constant(heartbeat))) =
            (&task.timeout, &task.heartbeat)
            && heartbeat >= timeout
            && let Some(field) = written("HeartbeatSeconds")
        {
            let message =
                format!("HeartbeatSeconds {heartbeat} is not less than TimeoutSeconds {timeout}");
            let help = "a heartbeat can be missed only if it is due before the timeout";
            self.report(HEARTBEAT, message, field.value(), help);
        }
        let heartbeat = written("HeartbeatSeconds").or_else(|| written("HeartbeatSecondsPath"));
        let timeout = written("TimeoutSeconds").or_else(|| written("TimeoutSecondsPath"));
        let pattern = match &task.integration {
            Integration::Lambda => Some(CallPattern::RequestResponse),
            _ => task.pattern(),
        };
        if let Some(field) = &heartbeat
            && pattern == Some(CallPattern::RequestResponse)
        {
            let message = "nothing sends a heartbeat in this kind of task";
            let help = "heartbeats come from activities and .waitForTaskToken tasks";
            self.report(NO_HEARTBEAT, message, field.key(), help);
        }
        let (None, Some(resource)) = (timeout, at.field("Resource")) else {
            return;
        };
        let (task_limit, limit) = self.end(at, task);
        let is_sooner = task_limit.is_some_and(|seconds| seconds <= BY_SPEC);
        let by_spec = self.profile == Profile::Spec && !is_sooner;
        let location = &*at.state.location;
        if heartbeat.is_none() && pattern == Some(CallPattern::Callback) {
            // Nothing limits the time until the callback arrives.
            let (message, help) = match by_spec {
                true => (
                    format!(
                        "without TimeoutSeconds, the callback must come within {BY_SPEC} s (AWS: {limit})"
                    ),
                    "set TimeoutSeconds",
                ),
                false => (
                    format!("the callback may never come, and then the state waits for {limit}"),
                    "set TimeoutSeconds or HeartbeatSeconds",
                ),
            };
            self.report(NO_HEARTBEAT, message, (resource.node.span, location), help);
            return;
        }
        let message = match by_spec {
            true => format!(
                "without TimeoutSeconds, the task times out after {BY_SPEC} s (AWS: {limit})"
            ),
            false => format!("without TimeoutSeconds, the task may run for {limit}"),
        };
        let place = (resource.key().0, location);
        self.report(NO_TIMEOUT, message, place, "set TimeoutSeconds");
    }

    /// The limit on AWS that ends a Task without a timeout of its own, as text. If this limit is the timeout of the
    /// machine, also its number of seconds.
    fn end(&self, at: StateAt<'_>, task: &Task) -> (Option<u64>, String) {
        let is_answered = task.pattern() == Some(CallPattern::RequestResponse);
        let service = match &task.integration {
            Integration::Lambda => Some(FUNCTION),
            Integration::Service { service, .. } if is_answered => match &**service {
                "lambda" => Some(FUNCTION),
                "http" => Some(HTTP),
                _ => None,
            },
            _ => None,
        };
        let end = match (service, self.execution_seconds(at)) {
            (service, Some((seconds, is_express)))
                if service.is_none_or(|service_limit| seconds <= service_limit) =>
            {
                let limit = MachineType::EXPRESS_SECONDS;
                return match is_express {
                    true => (None, format!("the {limit} s that EXPRESS allows")),
                    false => (Some(seconds), format!("the machine's {seconds} s")),
                };
            }
            (Some(HTTP), _) => format!("{HTTP} s"),
            (Some(_), _) => format!("up to {minutes} min", minutes = FUNCTION / 60),
            (None, _) if is_answered => "as long as the service takes".to_string(),
            (None, _) => "up to a year".to_string(),
        };
        (None, end)
    }

    /// The maximum duration in seconds of the execution that runs a state. The flag is true if this is the limit for
    /// EXPRESS workflows. Each child of a distributed Map is a separate execution.
    fn execution_seconds(&self, at: StateAt<'_>) -> Option<(u64, bool)> {
        let around = self.definition.around(at.id);
        let mut around = around.filter_map(|id| self.definition.state(id));
        let child = around.find_map(|state| match &state.kind {
            StateKind::Map(map) if map.mode == MapMode::Distributed => Some(map),
            _ => None,
        });
        if let Some(map) = child {
            let express = (MachineType::EXPRESS_SECONDS, true);
            return map.is_express.then_some(express);
        }
        let seconds = self.definition.deadline_seconds()?;
        Some((seconds, self.definition.timeout_seconds != Some(seconds)))
    }
}
