//! Converts requests and responses of `aws-sdk:sfn` tasks that this server handles itself: in the SDK's form, member
//! names start with a capital and times are strings.

use crate::json::{self, Text};
use crate::query::format_timestamp;
use serde_json::Value;

/// Converts a task's input to a request of the API.
pub(super) fn request(input: &json::Value) -> Value {
    renamed(input.to_serde(), &|name| {
        with_first(name, |first| first.to_ascii_lowercase())
    })
}

/// Converts a response of the API to a task's result.
pub(super) fn result(body: &str) -> json::Value {
    let value = serde_json::from_str(body).unwrap_or_default();
    let value = renamed(with_dates(value), &|name| {
        with_first(name, |first| first.to_ascii_uppercase())
    });
    json::parse(&value.to_string()).unwrap_or_default()
}

fn with_first(name: &str, change: impl Fn(char) -> char) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(change);
    first.into_iter().chain(letters).collect()
}

fn renamed(value: Value, rename: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, value)| (rename(&name), renamed(value, rename)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(
            items
                .into_iter()
                .map(|item| renamed(item, rename))
                .collect(),
        ),
        other => other,
    }
}

/// Converts times to strings.
fn with_dates(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, value)| {
                    let is_date = name.ends_with("Date") || name == "timestamp";
                    match value.as_f64().filter(|_| is_date) {
                        Some(seconds) => (name, Value::String(text_of(seconds))),
                        None => (name, with_dates(value)),
                    }
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(with_dates).collect()),
        other => other,
    }
}

fn text_of(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "milliseconds since 1970 are far below 2^53"
    )]
    let millis = (seconds * 1000.0).round() as i64;
    format_timestamp(millis)
}

/// Name of the operation of this server that a task calls.
pub(super) fn called(service: &Text, api: &Text) -> Option<String> {
    (&**service == "aws-sdk:sfn" && !api.contains('.'))
        .then(|| with_first(api, |first| first.to_ascii_uppercase()))
}
