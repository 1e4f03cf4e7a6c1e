//! Whether a mocked answer has the shape that its resource really gives, as TestState's `fieldValidationMode` asks it.
//!
//! Only shapes that are known are looked at: what a function of one's own or a job gives may be anything.
//!
//! It must not know where an answer is written, nor what it is used for.

use super::form::Validation;
use crate::definition::{CallPattern, Integration, Task};
use crate::interpreter::{Answer, Outcome};
use crate::json::{Value, one_line};
use crate::session::service_response;

/// What is wrong with an answer, in a sentence; `None` where nothing is, or where the shape is not known.
#[must_use]
pub fn misshapen(task: &Task, answer: &Answer, validation: Validation) -> Option<String> {
    let Outcome::Success(value) = &answer.outcome else {
        return None;
    };
    let Integration::Service {
        service,
        api,
        pattern,
    } = &task.integration
    else {
        return None;
    };
    if validation == Validation::None || *pattern == CallPattern::Callback {
        return None;
    }
    let resource = format!("{service}:{api}");
    let Some(object) = value.as_object() else {
        let kind = value.type_name();
        return Some(format!(
            "{resource} gives an object, not {} {kind}",
            article(kind)
        ));
    };
    let shape = service_response::offered(task, &Value::empty_object());
    let shape = shape
        .as_object()
        .filter(|shape| !shape.members().is_empty())?;
    let mut members = object.members().iter();
    let wrong = members.find_map(|(name, own)| {
        let given = shape.get(name)?;
        let (own, wanted) = (own.type_name(), given.type_name());
        let any = is_any(service, name) || own == wanted;
        (!any).then(|| {
            format!(
                "{resource} gives {} {wanted} as {name}, not {} {own}",
                article(wanted),
                article(own)
            )
        })
    });
    if wrong.is_some() {
        return wrong;
    }
    let names: Vec<&str> = shape.members().iter().map(|(name, _)| &**name).collect();
    let foreign = object
        .members()
        .iter()
        .all(|(name, _)| shape.get(name).is_none());
    if foreign && !object.members().is_empty() && is_closed(service) {
        let way = match shape.get("Payload") {
            Some(_) => format!("; write {{\"Payload\": {}}}", short(value)),
            None => String::new(),
        };
        let names = names.join(", ");
        return Some(format!(
            "{resource} gives {names}, and nothing of that is there{way}"
        ));
    }
    let missing = names.into_iter().find(|name| object.get(name).is_none());
    match (validation, missing) {
        (Validation::Strict, Some(name)) => Some(format!(
            "{resource} always gives {name}, which is not there"
        )),
        _ => None,
    }
}

/// Whether a member is whatever the function or service behind it gives.
fn is_any(service: &str, name: &str) -> bool {
    matches!(
        (service, name),
        ("lambda", "Payload") | ("http" | "apigateway", "ResponseBody" | "Headers")
    )
}

/// Services whose answers have none but the known members.
fn is_closed(service: &str) -> bool {
    [
        "lambda",
        "states",
        "sqs",
        "sns",
        "events",
        "http",
        "apigateway",
    ]
    .contains(&service)
}

fn short(value: &Value) -> String {
    let text = one_line(value);
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

fn article(kind: &str) -> &'static str {
    match kind.starts_with(['a', 'o', 'i']) {
        true => "an",
        false => "a",
    }
}
