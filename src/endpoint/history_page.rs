//! Pages of GetExecutionHistory.

use super::execution::Progress;
use super::page::Page;
use crate::json::{Value, one_line};

/// Members to omit if the request excludes execution data.
const DATA: [&str; 5] = [
    "input",
    "output",
    "parameters",
    "cause",
    "assignedVariables",
];

/// Body of the response.
pub(super) fn page_of_events(
    progress: &Progress,
    page: Page,
    list: &str,
    reverse: bool,
    with_data: bool,
) -> String {
    let shown = progress.events.iter().enumerate();
    let shown = shown.filter(|(place, _)| !progress.hidden.contains(place));
    let events = shown.map(|(_, event)| event);
    let (events, next) = match reverse {
        true => page.of(events.rev(), list),
        false => page.of(events, list),
    };
    let texts: Vec<String> = events
        .into_iter()
        .map(|event| match with_data {
            true => one_line(event),
            false => one_line(&without_data(event)),
        })
        .collect();
    let next = next.map_or_else(String::new, |next| format!(",\"nextToken\":\"{next}\""));
    format!("{{\"events\":[{}]{next}}}", texts.join(","))
}

/// An event without payloads.
fn without_data(event: &Value) -> Value {
    let Value::Object(object) = event else {
        return event.clone();
    };
    let members = object.members().iter().map(|(name, member)| match member {
        Value::Object(details) => {
            let kept = details.members().iter().cloned();
            let kept = kept.filter(|(name, _)| !DATA.contains(&&**name));
            (name.clone(), Value::object(kept.collect()))
        }
        other => (name.clone(), other.clone()),
    });
    Value::object(members.collect())
}
