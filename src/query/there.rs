//! Describes what exists at a place where a step of a path is missing.

use crate::json::{Text, Value};

/// Maximum number of names that are listed.
const NAMES: usize = 1_000;

/// Description of the data where a missing step was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum There {
    /// An object with these names.
    Keys(Vec<Text>),
    /// An array of this length.
    Length(usize),
    /// A scalar of this type.
    Type(&'static str),
}

impl There {
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Object(object) => Self::Keys(
                object
                    .members()
                    .iter()
                    .take(NAMES)
                    .map(|(name, _)| name.clone())
                    .collect(),
            ),
            Value::Array(array) => Self::Length(array.len()),
            other => Self::Type(other.type_name()),
        }
    }
}
