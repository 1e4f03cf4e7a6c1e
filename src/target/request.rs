//! The request that is sent to the target of a task.

use super::pattern::{function, function_name, is_invoke, task_of};
use crate::definition::Integration;
use crate::interpreter::{Ask, Machine, Want};
use crate::json::{Text, Value, one_line};
use std::time::Duration;

/// A request of a task.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The JSON text that is sent.
    pub(super) body: String,
    /// The function or resource that the task calls.
    pub(super) called: Called,
    /// The task's integration, and its input.
    pub(super) integration: Integration,
    pub(super) input: Value,
    /// How long the task waits for the answer; `None` if it has no deadline within the time limit of a call.
    pub(super) patience: Option<Duration>,
    /// Additional environment variables for a program.
    pub(super) environment: Vec<(&'static str, String)>,
}

/// The function or resource that a task calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// A function.
    Function {
        /// The function's name, without ARN, version and alias.
        name: String,
        /// The function as the task specifies it.
        function: String,
        /// True if the function's result is returned to the task as `Payload` in the response of `lambda:invoke`.
        is_wrapped: bool,
    },
    /// Any other resource.
    Resource(Text),
}

impl Request {
    /// Creates the request for an [`Ask`]; returns `None` if it is not from a task.
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
        // Environment variables cannot contain this character.
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
