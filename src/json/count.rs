//! Counts as JSON numbers.

use super::Value;

/// A count as a number; a larger one than `i64::MAX` becomes `i64::MAX`.
#[must_use]
pub fn count(number: impl TryInto<i64>) -> Value {
    Value::from(number.try_into().unwrap_or(i64::MAX))
}
