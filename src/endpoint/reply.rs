//! Responses of operations: immediate or pending.

use serde_json::Value;
use std::time::Duration;

/// Response of an operation.
pub(super) enum Reply {
    /// An immediate body.
    Now(String),
    /// A body that will be available later.
    Later(Box<dyn Pending>),
}

/// A pending response.
pub(super) trait Pending: Send {
    /// Waits for the body for at most `patience`.
    fn wait(&mut self, patience: Duration) -> Option<String>;

    /// Called at the last moment before the response is sent; with `false`, the client has gone and the result is
    /// released.
    fn is_heard(&mut self, heard: bool) {
        let _ = heard;
    }
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self::Now(body_of(&value))
    }
}

/// Serializes a value as a body; AWS omits members that are null.
pub(super) fn body_of(value: &Value) -> String {
    without_nulls(value.clone()).to_string()
}

/// Removes members that are null.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(
                members
                    .map(|(name, value)| (name, without_nulls(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

/// Converts milliseconds since 1970 to the API's time format: seconds with three decimals.
pub(super) fn timestamp(millis: i64) -> Value {
    let text = format!("{}.{:03}", millis.div_euclid(1000), millis.rem_euclid(1000));
    serde_json::from_str(&text).unwrap_or_default()
}
