//! Sample responses of the services that tasks call: the members that a service adds around a result.

use super::execution::{self, Execution, REQUEST_ID, Start, metadata, with_headers, with_metadata};
use crate::definition::{CallPattern, Definition, Integration, Task};
use crate::interpreter::Outcome;
use crate::json::{Step, Text, Value};
use crate::query::{Root, Template};
use crate::service::{Members, Naming, sample};
use std::collections::HashSet;

/// All names that occur in the definition's expressions; these include the names of all members that the definition
/// reads.
fn names_read(definition: &Definition) -> HashSet<&str> {
    let texts = definition.node.texts().into_iter();
    let expressions = texts.filter(|text| text.contains('$'));
    let is_sign = |sign: char| !sign.is_alphanumeric() && !matches!(sign, '_' | '-');
    expressions.flat_map(|text| text.split(is_sign)).collect()
}

/// A sample result with the wanted members, made from the description of the API; `None` if the API's result is not
/// known.
fn described(task: &Task, wanted: Members<'_>) -> Option<Value> {
    let call = task.call()?;
    let Value::Object(result) = sample(call, wanted)? else {
        return None;
    };
    let is_plain = call.naming == Naming::Optimized && call.pattern.is_empty();
    let members = result.members().to_vec();
    Some(match is_plain {
        true => with_metadata(members),
        false => Value::object(members),
    })
}

/// A sample result with all possible members; `None` if the members are not known.
#[must_use]
pub fn whole(task: &Task) -> Option<Value> {
    described(task, Members::All)
}

/// A sample result with the members that are always present and the members that the definition reads.
fn described_for(task: &Task, definition: &Definition) -> Option<Value> {
    let names = names_read(definition);
    described(task, Members::Read(&names))
}

/// The response of a task that returns its input.
#[must_use]
pub fn echo(task: &Task, input: &Value, definition: &Definition) -> Value {
    around(task, input, definition, None)
}

/// The sample result that the user may edit and give as the answer.
#[must_use]
pub fn offered(task: &Task, input: &Value, definition: &Definition) -> Value {
    around(task, input, definition, Some(Value::empty_object()))
}

/// The response of a service to a task. Contains `output`, or the task's input if `output` is `None`.
fn around(task: &Task, input: &Value, definition: &Definition, output: Option<Value>) -> Value {
    let whole = || output.clone().unwrap_or_else(|| input.clone());
    let member = |name: &str| output.clone().or_else(|| input.get(name).cloned());
    let described = || described_for(task, definition);
    let Integration::Service {
        service,
        api,
        pattern,
    } = &task.integration
    else {
        return whole();
    };
    match (&**service, verb(api), pattern) {
        (_, _, CallPattern::Callback) => whole(),
        ("lambda", "invoke", _) => invoked(member("Payload").unwrap_or_else(whole)),
        ("states", "startExecution", _)
        | ("aws-sdk:sfn", "startExecution" | "startSyncExecution", _) => {
            execution::echoed(task, input, output)
        }
        ("http" | "apigateway", "invoke", _) => {
            http(member("RequestBody").unwrap_or_else(Value::empty_object))
        }
        (_, _, CallPattern::RunJob) => described().unwrap_or_else(whole),
        _ => response(&task.integration)
            .or_else(described)
            .unwrap_or_else(Value::empty_object),
    }
}

/// Adds the members that a template reads from a value, if the value lacks them.
#[must_use]
pub fn with_reads(shape: &Value, template: &Template) -> Value {
    let mut grown = shape.clone();
    for (_, expression) in template.expressions() {
        for path in expression.paths() {
            if matches!(path.root(), Root::Data)
                && let Some(steps) = path.names()
            {
                grown = grow(&grown, &steps);
            }
        }
    }
    grown
}

fn grow(value: &Value, steps: &[Step]) -> Value {
    let Some((Step::Member(name), rest)) = steps.split_first() else {
        return value.clone();
    };
    let child = grow(&value.get(name).cloned().unwrap_or_default(), rest);
    match value {
        Value::Object(object) => Value::Object(std::sync::Arc::new(object.with(name, child))),
        Value::Null => Value::object(vec![(name.clone(), child)]),
        _ => value.clone(),
    }
}

/// The service's first response to a task that then waits for the result (`TaskSubmitted`); `answer` is that result.
#[must_use]
pub fn submitted(task: &Task, input: &Value, answer: Option<&Outcome>) -> Value {
    let Integration::Service { service, api, .. } = &task.integration else {
        return Value::empty_object();
    };
    match (&**service, verb(api)) {
        ("lambda", "invoke") => invoked(Value::Null),
        ("states", "startExecution") => {
            let described = answer.and_then(description);
            let part = |name: &str| described.as_ref()?.get(name).cloned();
            let name = part("Name").unwrap_or_default();
            let started = part("StartDate").and_then(|date| date.as_number()?.as_i64());
            let name = name.as_str().unwrap_or(REQUEST_ID);
            Execution::requested(input, name, started.unwrap_or(0)).begun(Start::Plain)
        }
        _ => response(&task.integration).unwrap_or_else(|| with_metadata(Vec::new())),
    }
}

/// The service's description of a finished execution, taken from the task's result or from the cause of its error.
fn description(answer: &Outcome) -> Option<Value> {
    match answer {
        Outcome::Success(result) => Some(result.clone()),
        Outcome::Failure { cause, .. } => crate::json::parse(cause.as_deref()?).ok(),
        Outcome::Never | Outcome::Evaluated(_) => None,
    }
}

/// The API name without suffix: `sendMessage` of `sendMessage.waitForTaskToken`.
fn verb(api: &str) -> &str {
    api.split('.').next().unwrap_or(api)
}

/// Response of an API, for the few APIs whose description does not say everything about the response.
fn response(integration: &Integration) -> Option<Value> {
    let Integration::Service { service, api, .. } = integration else {
        return None;
    };
    let id = |name: &str| (Text::from(name), Value::from(REQUEST_ID));
    Some(match (&**service, verb(api)) {
        ("sqs", "sendMessage") => {
            let digest = Value::from("00000000000000000000000000000000");
            let members = vec![("MD5OfMessageBody".into(), digest), id("MessageId")];
            let length = Value::object(members.clone()).size();
            with_headers(members, "application/x-amz-json-1.0", length)
        }
        // The service responds in XML, always with this length.
        ("sns", "publish") => with_headers(vec![id("MessageId")], "text/xml", 294),
        ("events", "putEvents") => {
            let entry = Value::object(vec![id("EventId")]);
            with_metadata(vec![
                ("Entries".into(), Value::array(vec![entry])),
                ("FailedEntryCount".into(), Value::from(0)),
            ])
        }
        ("dynamodb", "getItem") => with_metadata(vec![("Item".into(), Value::empty_object())]),
        _ => return None,
    })
}

/// The response of Lambda's `invoke` with a function's result as its payload.
#[must_use]
pub fn invoked(payload: Value) -> Value {
    let mut members = vec![
        ("ExecutedVersion".into(), Value::from("$LATEST")),
        ("Payload".into(), payload),
    ];
    members.extend(metadata());
    members.push(("StatusCode".into(), Value::from(200)));
    Value::object(members)
}

fn http(body: Value) -> Value {
    Value::object(vec![
        ("Headers".into(), Value::empty_object()),
        ("ResponseBody".into(), body),
        ("StatusCode".into(), Value::from(200)),
        ("StatusText".into(), Value::from("OK")),
    ])
}
