//! Resources and tokens of a Task.
//!
//! It must not know what a service does with its parameters.

use super::{Checker, StateAt};
use crate::definition::lower::rules::{RESOURCE, VALUE};
use crate::definition::lower::{is_jsonata, is_opaque};
use crate::definition::rule::{Severities, rules};
use crate::definition::{CallPattern, Integration, StateKind, Task};
use crate::source::{Node, NodeKind};

rules! {
    HEARTBEAT = 23, "heartbeat", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "HeartbeatSeconds is not less than TimeoutSeconds";
    NO_HEARTBEAT = 24, "no-heartbeat", "HEARTBEAT", Severities::WARNING,
        "a heartbeat that nothing can send, or a callback that may wait for a year";
    NO_TIMEOUT = 25, "no-timeout", "NO_TIMEOUT", Severities::INFO, "a Task has no timeout of its own";
    ARN = 28, "arn", "INVALID_RESOURCE", Severities::REFUSED_BY_AWS, "Resource is not an ARN that AWS knows" {
        URI = Severities::WARNING, "where it is another URI";
    };
    TOKEN_NOT_PASSED = 30, "token-not-passed", "TOKEN_NOT_PASSED", Severities::WARNING,
        "a callback task does not pass $$.Task.Token on";
    NO_TOKEN = 31, "no-token", "NO_TOKEN", Severities::WARNING, "$$.Task.Token in a task that has no token";
    CREDENTIALS = 74, "credentials", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS, "Credentials without RoleArn";
}

const TOKEN: &str = "$$.Task.Token";

/// Services of which every optimised action is known.
const SERVICES: [(&str, &[&str]); 10] = [
    ("apigateway", &["invoke"]),
    ("batch", &["submitJob"]),
    (
        "dynamodb",
        &["getItem", "putItem", "updateItem", "deleteItem"],
    ),
    ("ecs", &["runTask"]),
    ("events", &["putEvents"]),
    ("http", &["invoke"]),
    ("lambda", &["invoke"]),
    ("sns", &["publish"]),
    ("sqs", &["sendMessage"]),
    ("states", &["startExecution"]),
];

impl Checker<'_> {
    pub(super) fn task(&mut self, at: StateAt<'_>) {
        let StateKind::Task(task) = &at.state.kind else {
            return;
        };
        if let Some(value) = at.get("Resource")
            && let Some(text) = value.as_str()
        {
            self.resource(at, task, value, text);
        }
        self.timeouts(at, task);
        self.token(at, task);
        self.credentials(at);
    }

    fn resource(&mut self, at: StateAt<'_>, task: &Task, value: &Node, text: &str) {
        let location = at.at("Resource");
        if text.is_empty() {
            self.report(
                RESOURCE,
                "Value cannot be empty",
                value.span,
                location,
                "write the ARN of what the task calls",
            );
        } else if is_jsonata(text) || text.starts_with("$.") {
            self.report(
                RESOURCE,
                "a Resource is plain text, not evaluated",
                value.span,
                location,
                "write the ARN, and pass what varies in the parameters",
            );
        } else if !is_opaque(text) && !is_known(text, &task.integration) {
            let message = format!(
                "The resource provided {text} is not recognized. The value is not a valid resource ARN, or the resource is not available in this region."
            );
            let help = "an ARN such as arn:aws:states:::lambda:invoke";
            if text.contains(':') && !text.starts_with("arn:") {
                // Any URI is a resource to the specification.
                self.report(URI, message, value.span, location, help);
            } else {
                self.report(ARN, message, value.span, location, help);
            }
        }
    }

    fn token(&mut self, at: StateAt<'_>, task: &Task) {
        let Integration::Service { pattern, .. } = &task.integration else {
            return;
        };
        let name = if at.is_jsonata() {
            "Arguments"
        } else {
            "Parameters"
        };
        let arguments = at.node.member(name);
        if *pattern == CallPattern::Callback {
            let Some(resource) = at.node.member("Resource") else {
                return;
            };
            if !arguments.is_some_and(|member| holds_token(&member.value)) {
                let help = if at.is_jsonata() {
                    "pass $states.context.Task.Token in Arguments".to_string()
                } else {
                    format!("pass {TOKEN} in Parameters, such as \"TaskToken.$\": \"{TOKEN}\"")
                };
                self.report(
                    TOKEN_NOT_PASSED,
                    "the task token is not passed on, so nobody can send the callback",
                    resource.value.span,
                    &*at.state.location,
                    help,
                );
            }
        } else if let Some(node) = arguments.and_then(|member| names_token(&member.value)) {
            self.report(
                NO_TOKEN,
                "this task has no token: its Resource does not end in .waitForTaskToken",
                node.span,
                at.at(name),
                "append .waitForTaskToken to the Resource, or drop the token",
            );
        }
    }

    fn credentials(&mut self, at: StateAt<'_>) {
        let Some(member) = at.node.member("Credentials") else {
            return;
        };
        let value = &member.value;
        let location = at.at("Credentials");
        match &value.kind {
            NodeKind::String(string) if at.is_jsonata() && is_jsonata(&string.text) => {}
            NodeKind::Object(_) => {
                let role = value.get("RoleArn").or_else(|| value.get("RoleArn.$"));
                match role {
                    None => self.report(
                        CREDENTIALS,
                        "The field 'RoleArn' is required but was missing",
                        member.key.span,
                        location,
                        "add RoleArn, the role that the task is to assume",
                    ),
                    Some(role) if role.as_str().is_none() => {
                        self.wrong_type(role, format!("{location}/RoleArn"), "String", VALUE);
                    }
                    Some(_) => {}
                }
            }
            _ => self.wrong_type(value, location, "Object", VALUE),
        }
    }
}

/// Whether AWS knows the resource, as far as that is sure.
fn is_known(text: &str, integration: &Integration) -> bool {
    let Integration::Service {
        service,
        api,
        pattern,
    } = integration
    else {
        return text.starts_with("arn:");
    };
    if service.starts_with("aws-sdk:") {
        return *pattern != CallPattern::RunJob;
    }
    let action = api.split('.').next().unwrap_or_default();
    SERVICES
        .iter()
        .find(|(name, _)| **service == **name)
        .is_none_or(|(_, actions)| actions.contains(&action))
}

/// Whether the token, or something that holds it, is passed.
fn holds_token(node: &Node) -> bool {
    match &node.kind {
        NodeKind::String(string) => {
            let text = &*string.text;
            let whole = matches!(text, "$$" | "$$.Task" | "$$['Task']");
            whole
                || text.contains("Task") && text.contains("Token") && text.contains('$')
                || text.contains("$states.context")
                || text.contains("$$['Task']")
                || text.contains("($$")
        }
        NodeKind::Array(items) => items.iter().any(holds_token),
        NodeKind::Object(members) => members.iter().any(|member| holds_token(&member.value)),
        _ => false,
    }
}

/// The first text that is exactly the token.
fn names_token(node: &Node) -> Option<&Node> {
    match &node.kind {
        NodeKind::String(string) => (&*string.text == TOKEN).then_some(node),
        NodeKind::Array(items) => items.iter().find_map(names_token),
        NodeKind::Object(members) => members.iter().find_map(|member| {
            names_token(&member.value).filter(|_| member.key.text.ends_with(".$"))
        }),
        _ => None,
    }
}
