//! Checks timeouts, task tokens and credentials of a Task.

use super::located::Located;
use super::shapes::Shapes;
use super::{Checker, StateAt};
use crate::definition::lower::is_jsonata;
use crate::definition::lower::rules::VALUE;
use crate::definition::rule::{Severities, rules};
use crate::definition::{CallPattern, Integration, StateKind, Task};
use crate::source::{Member, Node};

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
        let Integration::Service { pattern, .. } = &task.integration else {
            return;
        };
        let arguments = at.field(at.arguments());
        if *pattern == CallPattern::Callback {
            let Some(resource) = at.field("Resource") else {
                return;
            };
            if !arguments.is_some_and(|field| holds_token(field.node)) {
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
        } else if *pattern == CallPattern::RequestResponse
            && let Some(field) = arguments
            && let Some(node) = names_token(field.node)
        {
            let message =
                "this task has no token: its Resource ends in neither .waitForTaskToken nor .sync";
            let help = "append .waitForTaskToken to the Resource, or drop the token";
            self.report(NO_TOKEN, message, (node.span, &field.location), help);
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
                        // The location is `RoleArn` even if the member is named `RoleArn.$`.
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

/// True if the task token, or an object that contains it, is passed.
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

/// The first value that consists of the task token's path only and is evaluated.
fn names_token(node: &Node) -> Option<&Node> {
    let is_it = |(member, node): (Option<&Member>, &Node)| {
        node.as_str() == Some(TOKEN) && member.is_some_and(|one| one.key.text.ends_with(".$"))
    };
    let mut all = node.walk().into_iter();
    all.find(|one| is_it(*one)).map(|(_, node)| node)
}
