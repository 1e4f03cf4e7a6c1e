//! The value that stands where the real one is not known.
//!
//! It must not know why that is.

use super::Value;

/// How such a value reads.
pub const NOT_RECORDED: &str = "(not recorded)";

/// The value that stands where the real one is not known.
#[must_use]
pub fn not_recorded() -> Value {
    Value::from(NOT_RECORDED)
}

/// Whether a value stands where the real one is not known.
#[must_use]
pub fn is_not_recorded(value: &Value) -> bool {
    value.as_str() == Some(NOT_RECORDED)
}
