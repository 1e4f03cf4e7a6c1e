//! What a task sends to whoever answers it.

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
    /// What is called.
    pub(super) called: Called,
    /// How long the task waits for the answer; `None` if it has no deadline that is near.
    pub(super) patience: Option<Duration>,
    /// What a program finds in its environment besides.
    pub(super) environment: Vec<(&'static str, String)>,
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// A function.
    Function {
        /// Its bare name.
        name: String,
        /// As the task has it.
        function: String,
        /// Whether the task gets the function's result within that of an action, as `Payload`.
        is_wrapped: bool,
    },
    /// Anything else, by its resource.
    Resource(Text),
}

impl Request {
    /// The request of a question; `None` for one that is not of a task.
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
        // No text with this character can be in an environment.
        environment.retain(|(_, value)| !value.contains('\0'));
        let left = timeout_at.map(|at| at.saturating_sub(machine.now()));
        Some(Self {
            body: one_line(sent),
            called,
            patience: left
                .map(Duration::from_millis)
                .filter(|left| *left < super::LONGEST),
            environment,
        })
    }
}
