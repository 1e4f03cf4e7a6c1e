//! Answers tasks with the user's `aws` program, which can invoke functions and call the actions of all services.

mod convert;
mod job;
mod program;

pub(super) use program::account;
use program::failed;
pub use program::{Aws, UNREACHED};

use super::answer::{failure, of_reply};
use super::http::Reply;
use super::request::{Called, Request};
use super::watch::Watch;
use crate::definition::{CallPattern, Integration, Task};
use crate::interpreter::Outcome;
use crate::json::{Value, one_line};
use crate::service::{Call, Naming};
use crate::session::execution;
use job::Job;

/// The reason why `aws` cannot answer a task; `None` if it can.
pub(super) fn refusal(task: &Task) -> Option<&'static str> {
    match &task.integration {
        Integration::Lambda => None,
        Integration::Service { pattern, .. } => {
            let call = task.call().filter(|call| call.command().is_some());
            match (call, pattern) {
                (None, _) => Some("this task is not an action that the program aws can call"),
                (Some(call), CallPattern::RunJob) if Job::of(call).is_none() => Some(
                    "this task waits for a job that asldbg cannot follow; answer the task yourself",
                ),
                _ => None,
            }
        }
        Integration::Activity | Integration::Other => {
            Some("this task is not an action that the program aws can call")
        }
    }
}

/// Makes the call of a task; returns `None` if the call took too long.
pub(super) fn call(aws: &Aws, target: &str, request: &Request, watch: &Watch) -> Option<Outcome> {
    let integration = match &request.integration {
        Integration::Service { service, api, .. } => Call::find(service, api).ok(),
        _ => Call::find("lambda", "invoke").ok(),
    };
    let Some((call, alone)) = integration.and_then(|call| {
        let alone = call.alone()?;
        Some((call, alone))
    }) else {
        return Some(failure(
            "States.Runtime",
            "the service of this task does not have the action of the task",
        ));
    };
    // The `aws` program expects the input of a function as JSON text.
    let payload = |value: &Value| ("Payload".into(), Value::string(one_line(value)));
    let parameters = match (&request.called, &request.integration) {
        (Called::Function { function, .. }, Integration::Lambda) => Value::object(vec![
            ("FunctionName".into(), Value::from(function.as_str())),
            payload(&request.input),
        ]),
        (Called::Function { .. }, _) if call.naming == Naming::Optimized => {
            let members = request.input.as_object();
            let members = members.map_or(&[][..], |object| object.members()).iter();
            let members = members.map(|(name, value)| match &**name {
                "Payload" => payload(value),
                _ => (name.clone(), value.clone()),
            });
            Value::object(members.collect())
        }
        _ => request.input.clone(),
    };
    let answered = aws.call(&alone, &parameters, watch);
    let answer = match (answered, &request.called) {
        (Ok(answer), Called::Function { .. }) => {
            let text = |name: &str| answer.get(name).and_then(Value::as_str);
            let reply = Reply {
                status: 200,
                function_error: text("FunctionError").is_some(),
                error_type: None,
                body: text("Payload").unwrap_or_default().as_bytes().to_vec(),
            };
            return of_reply(&request.called, target, false, Ok(reply));
        }
        (Ok(answer), _) => match Job::of(&call) {
            Some(job) => return job.follow(aws, &call, request, &answer, watch),
            None => answer,
        },
        (Err(trouble), _) => return failed(trouble, &call, request),
    };
    Some(Outcome::Success(match (call.naming, answer) {
        (Naming::Optimized, Value::Object(members)) => {
            execution::with_metadata(members.members().to_vec())
        }
        (_, answer) => answer,
    }))
}
