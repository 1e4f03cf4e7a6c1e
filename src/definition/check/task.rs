//! Timeouts, tokens and credentials of a Task.
//!
//! It must not know what a service does with its parameters.

use super::{Checker, StateAt};
use crate::definition::lower::is_jsonata;
use crate::definition::lower::rules::VALUE;
use crate::definition::rule::{Severities, rules};
use crate::definition::{CallPattern, Integration, StateKind, Task};
use crate::source::{Node, NodeKind};

rules! {
    HEARTBEAT = 23, "heartbeat", "SCHEMA_VALIDATION_FAILED", Severities::ERROR, "HeartbeatSeconds is not less than TimeoutSeconds";
    NO_HEARTBEAT = 24, "no-heartbeat", "HEARTBEAT", Severities::WARNING,
        "a heartbeat that nothing can send, or a callback that may wait for a year";
    NO_TIMEOUT = 25, "no-timeout", "NO_TIMEOUT", Severities::INFO, "a Task has no timeout of its own";
    TOKEN_NOT_PASSED = 30, "token-not-passed", "TOKEN_NOT_PASSED", Severities::WARNING,
        "a callback task does not pass $$.Task.Token on";
    NO_TOKEN = 31, "no-token", "NO_TOKEN", Severities::WARNING, "$$.Task.Token in a task that has no token";
    CREDENTIALS = 74, "credentials", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS, "Credentials without RoleArn";
}

const TOKEN: &str = "$$.Task.Token";

impl Checker<'_> {
    pub(super) fn task(&mut self, at: StateAt<'_>) {
        let StateKind::Task(task) = &at.state.kind else {
            return;
        };
        if let Some(call) = self.resource(at, task) {
            self.parameters(at, &call);
            self.never_raised(at, &call);
        }
        self.twice_dynamic(at);
        self.timeouts(at, task);
        self.token(at, task);
        self.credentials(at);
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
