//! What an operation answers: at once, or after a wait.

use serde_json::Value;
use std::time::Duration;

/// The answer of an operation.
pub(super) enum Reply {
    /// A body.
    Now(String),
    /// A body that comes later.
    Later(Box<dyn Pending>),
}

/// An answer that is waited for.
pub(super) trait Pending: Send {
    /// The body, if it is there within `patience`.
    fn wait(&mut self, patience: Duration) -> Option<String>;

    /// The last moment to check that the client still listens: `false` gives the answer back to whoever is next.
    fn is_heard(&mut self, heard: bool) {
        let _ = heard;
    }
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self::Now(body_of(&value))
    }
}

/// A value as the text of a body; members that are null are those that AWS leaves out.
pub(super) fn body_of(value: &Value) -> String {
    without_nulls(value.clone()).to_string()
}

/// An object without its members that are null.
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

/// Milliseconds since 1970 as the API writes a time: seconds with three decimals.
pub(super) fn timestamp(millis: i64) -> Value {
    let text = format!("{}.{:03}", millis.div_euclid(1000), millis.rem_euclid(1000));
    serde_json::from_str(&text).unwrap_or_default()
}
