//! The placeholder for a value that is not known.

use super::Value;

/// Text of the placeholder.
pub const NOT_RECORDED: &str = "(not recorded)";

/// Returns the placeholder for an unknown value.
#[must_use]
pub fn not_recorded() -> Value {
    Value::from(NOT_RECORDED)
}

/// True if the value is the placeholder for an unknown value.
#[must_use]
pub fn is_not_recorded(value: &Value) -> bool {
    value.as_str() == Some(NOT_RECORDED)
}
