//! Errors that evaluating an expression can raise, in AWS's words.

use super::Root;
use crate::json::{Text, Value};
use std::fmt::{self, Write as _};

/// Maximum length of a value quoted in a message, in bytes.
const QUOTED: usize = 10_000;

/// The reason why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryError {
    /// A definite path has no match.
    NoMatch {
        /// The path as written.
        path: Text,
        /// The root of the path.
        root: Root,
        /// AWS's description of the problem, such as `No results for path: $['no']`.
        told: String,
    },
    /// A path is applied to a null document, which AWS refuses.
    NullDocument {
        /// The path as written.
        path: Text,
    },
    /// A variable has not been assigned.
    Variable {
        /// The name without `$`.
        name: Text,
    },
    /// A path visits or returns more values than a run allows.
    TooMuch {
        /// The path as written.
        path: Text,
    },
    /// An intrinsic function failed.
    Intrinsic {
        /// The whole call as written.
        expression: Text,
        /// Description of the error.
        message: String,
    },
    /// A path argument of an intrinsic function has no match.
    IntrinsicArgument {
        /// The call as written.
        expression: Text,
        /// The path as written.
        path: Text,
        /// The document that `$` refers to, abridged.
        input: Text,
    },
    /// The value cannot be written to the place that `ResultPath` names.
    ResultPath {
        /// The path as written.
        path: Text,
        /// The type of the existing value that prevents the write, or `missing`.
        found: &'static str,
    },
    /// A path in a payload template has no match.
    Template {
        /// The path as written.
        path: Text,
        /// The field as written: `value.$`.
        field: Text,
        /// The document that `$` refers to, abridged.
        input: Text,
    },
    /// A field of a payload template did not compile.
    Field {
        /// The field as written: `value.$`.
        field: Text,
    },
}

/// A path without a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The path as written.
    pub path: Text,
    /// The field that contains the path, as written (`value.$`); `None` if only the path is known.
    pub field: Option<Text>,
}

impl QueryError {
    /// AWS's message, without the part that names the state.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::NoMatch { path, told, .. } => format!("Invalid path '{path}' : {told}"),
            Self::NullDocument { .. } => {
                "Unable to apply Path transformation to null or empty input.".to_string()
            }
            Self::Variable { name } => {
                format!("The variable '${name}' has not been assigned a value")
            }
            Self::TooMuch { path } => {
                format!("Invalid path '{path}' : it selects more values than can be held")
            }
            Self::Intrinsic {
                expression,
                message,
            } => format!(
                "There was an error while evaluating the intrinsic function: {expression}. {message}"
            ),
            Self::IntrinsicArgument {
                expression,
                path,
                input,
            } => format!(
                "The function '{expression}' had the following error: The JsonPath argument for the field '{path}' could not be found in the input '{input}'"
            ),
            Self::ResultPath { path, found } => format!(
                "The ResultPath '{path}' cannot be applied to the state's input: {found} where an object or an existing index is needed"
            ),
            Self::Template { path, field, input } => format!(
                "The JSONPath '{path}' specified for the field '{field}' could not be found in the input '{input}'"
            ),
            Self::Field { field } => not_an_expression(field),
        }
    }

    /// The path without a match, if that is the cause of the error.
    #[must_use]
    pub fn missed(&self) -> Option<Missed> {
        let (path, field) = match self {
            Self::Template { path, field, .. } => (path, Some(field.clone())),
            Self::NoMatch { path, .. }
            | Self::NullDocument { path }
            | Self::IntrinsicArgument { path, .. } => (path, None),
            _ => return None,
        };
        let path = path.clone();
        Some(Missed { path, field })
    }

    /// The name of the error in the specification.
    #[must_use]
    pub fn spec_name(&self) -> &'static str {
        match self {
            Self::NoMatch { .. }
            | Self::NullDocument { .. }
            | Self::Variable { .. }
            | Self::TooMuch { .. }
            | Self::IntrinsicArgument { .. }
            | Self::Template { .. }
            | Self::Field { .. } => "States.ParameterPathFailure",
            Self::Intrinsic { .. } => "States.IntrinsicFailure",
            Self::ResultPath { .. } => "States.ResultPathMatchFailure",
        }
    }

    /// Returns the error as AWS reports it for the template field `field` with the document `input`.
    #[must_use]
    pub fn in_field(self, field: &Text, input: &Value) -> Self {
        match self {
            Self::NoMatch { path, .. } => Self::Template {
                path,
                field: field.clone(),
                input: quoted(input),
            },
            other => other,
        }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reason())
    }
}

impl std::error::Error for QueryError {}

/// AWS's message for a `.$` field that contains neither a path nor a function call.
pub(super) fn not_an_expression(field: &str) -> String {
    format!(
        "The value for the field '{field}' must be a valid JSONPath or a valid intrinsic function call"
    )
}

/// A value as quoted in messages.
pub(super) fn quoted(value: &Value) -> Text {
    abridged(value, QUOTED).into()
}

/// Compact JSON text of `value`, truncated after about `limit` bytes.
#[must_use]
pub fn abridged(value: &Value, limit: usize) -> String {
    let mut out = String::new();
    let whole = write(value, limit, &mut out);
    if !whole {
        let mut end = limit.min(out.len());
        while !out.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        out.truncate(end);
        out.push('…');
    }
    out
}

/// Appends JSON text until it is longer than `limit` bytes. Returns true if the value was written in full.
fn write(value: &Value, limit: usize, out: &mut String) -> bool {
    if out.len() > limit {
        return false;
    }
    match value {
        Value::Array(array) => {
            out.push('[');
            for (place, item) in array.from(0).enumerate() {
                if place > 0 {
                    out.push(',');
                }
                if !write(item, limit, out) {
                    return false;
                }
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (place, (name, member)) in object.members().iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                let _ = write!(out, "{}:", Value::String(name.clone()));
                if !write(member, limit, out) {
                    return false;
                }
            }
            out.push('}');
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
    out.len() <= limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn quoted_values_are_bounded() {
        let small = parse(r#"{"a":[1,"x\n",{}]}"#).expect("json");
        assert_eq!(abridged(&small, 100), r#"{"a":[1,"x\n",{}]}"#);
        let mut doubled = Value::from("漢");
        for _ in 0..80 {
            doubled = Value::array(vec![doubled.clone(), doubled]);
        }
        assert!(abridged(&doubled, QUOTED).len() < QUOTED + 10);
    }
}
