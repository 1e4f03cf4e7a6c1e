//! The names of a task that patterns are compared with, and the request that is sent to the task's target.

use crate::definition::{Integration, State, StateKind, Task};
use crate::interpreter::{Ask, Machine, Want};
use crate::json::{Text, Value, one_line};
use std::time::Duration;

/// The request that is sent to a target for a task.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The JSON text that is sent to the target.
    pub(super) body: String,
    /// The function or resource that the task calls.
    pub(super) called: Called,
    /// The integration of the task, and the input of the call.
    pub(super) integration: Integration,
    pub(super) input: Value,
    /// How long the task waits for the answer; `None` if the task has no time limit, or if its time limit is longer
    /// than the limit for every call.
    pub(super) patience: Option<Duration>,
    /// Additional environment variables for a target that is a program.
    pub(super) environment: Vec<(&'static str, String)>,
}

/// The function or resource that a task calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// A function.
    Function {
        /// The function's name, without ARN, version and alias.
        name: String,
        /// The function's name or ARN as the task specifies it.
        function: String,
        /// True if the task is `lambda:invoke`, whose result contains the function's result as `Payload`.
        is_wrapped: bool,
    },
    /// A resource that is not a function: the value of the field `Resource`.
    Resource(Text),
}

impl Request {
    /// Creates the request for an [`Ask`]; returns `None` if the [`Ask`] does not come from a task.
    pub(super) fn of(machine: &Machine, ask: &Ask) -> Option<Self> {
        let Want::Call {
            resource,
            input,
            token,
            timeout_at,
            ..
        } = &ask.want
        else {
            return None;
        };
        let state = machine.definition().state(ask.state)?;
        let task = task_of(state)?;
        let is_wrapped = matches!(&task.integration, Integration::Service { service, api, .. } if is_invoke(service, api));
        let called = match function(task, Some(input)) {
            Some(function) => Called::Function {
                name: function_name(function).to_string(),
                function: function.to_string(),
                is_wrapped,
            },
            None => Called::Resource(resource.clone()),
        };
        let empty = Value::empty_object();
        let sent = match is_wrapped {
            true => input.get("Payload").unwrap_or(&empty),
            false => input,
        };
        let mut environment = vec![
            ("ASLDBG_STATE", state.name.to_string()),
            ("ASLDBG_ATTEMPT", ask.key.attempt.to_string()),
            (
                "ASLDBG_EXECUTION",
                machine.run().execution_arn().to_string(),
            ),
            ("ASLDBG_RESOURCE", resource.to_string()),
        ];
        environment.extend(
            token
                .iter()
                .map(|token| ("ASLDBG_TASK_TOKEN", token.to_string())),
        );
        // An environment variable cannot contain the character NUL.
        environment.retain(|(_, value)| !value.contains('\0'));
        let left = timeout_at.map(|at| at.saturating_sub(machine.now()));
        Some(Self {
            body: one_line(sent),
            called,
            integration: task.integration.clone(),
            input: input.clone(),
            patience: left
                .map(Duration::from_millis)
                .filter(|left| *left < super::LONGEST),
            environment,
        })
    }
}

/// The task of a state.
#[must_use]
pub(super) fn task_of(state: &State) -> Option<&Task> {
    match &state.kind {
        StateKind::Task(task) => Some(task),
        _ => None,
    }
}

/// True if the text matches the pattern, in which `*` matches any characters.
#[must_use]
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The names of a task that a pattern may match; `input` is the input of the call, if known.
#[must_use]
pub(super) fn names(state: &State, task: &Task, input: Option<&Value>) -> Vec<String> {
    let mut names = vec![
        state.name.to_string(),
        state.path.0.to_string(),
        task.resource.to_string(),
    ];
    match &task.integration {
        Integration::Service { service, api, .. } => {
            let action = api.split('.').next().unwrap_or_default();
            names.push(format!("{service}:{api}"));
            names.push(format!("{service}:{action}"));
        }
        Integration::Activity => {
            let name = task.resource.rsplit(':').next();
            names.extend(name.map(str::to_string));
        }
        Integration::Lambda | Integration::Other => {}
    }
    if let Some(function) = function(task, input) {
        let name = function_name(function);
        if name != function {
            names.push(function.to_string());
        }
        names.push(name.to_string());
    }
    names
}

/// ARN or name of the function that a task calls.
#[must_use]
pub(super) fn function<'t>(task: &'t Task, input: Option<&'t Value>) -> Option<&'t str> {
    let given = || input?.get("FunctionName")?.as_str();
    match &task.integration {
        Integration::Lambda => Some(&task.resource),
        Integration::Service { service, api, .. } if is_invoke(service, api) => {
            given().or(task.function.as_deref())
        }
        _ => None,
    }
}

/// True if an action invokes a function.
#[must_use]
fn is_invoke(service: &str, api: &str) -> bool {
    let action = api.split('.').next().unwrap_or_default();
    matches!(service, "lambda" | "aws-sdk:lambda") && action == "invoke"
}

/// The name of a function without version and alias; `function` may be an ARN.
#[must_use]
fn function_name(function: &str) -> &str {
    let name = match function.split_once(":function:") {
        Some((_, name)) => name,
        None => function,
    };
    name.split(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text, wanted) in [
            ("Charge", "Charge", true),
            ("Charge", "ChargeCard", false),
            ("Charge*", "ChargeCard", true),
            ("*Card", "ChargeCard", true),
            ("*a*a*", "ab", false),
            ("*a*a*", "aba", true),
            ("dynamodb:*", "dynamodb:putItem", true),
            ("dynamodb:*", "aws-sdk:dynamodb:putItem", false),
            (
                "arn:aws:lambda:*",
                "arn:aws:lambda:eu-west-1:1:function:f",
                true,
            ),
            ("*", "", true),
            ("a*a", "a", false),
            ("**", "x", true),
        ] {
            assert_eq!(fits(pattern, text), wanted, "{pattern} {text}");
        }
    }

    #[test]
    fn functions_have_a_name_in_their_arn() {
        let arn = "arn:aws:lambda:eu-west-1:123456789012:function:f:1";
        assert_eq!(function_name(arn), "f");
        assert_eq!(function_name("f:live"), "f");
    }
}
