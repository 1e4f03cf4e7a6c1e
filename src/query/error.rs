//! Errors that evaluating an expression can raise, and syntax errors of JSON, in AWS's words.

use super::Root;
use crate::json::{ParseError, Text, Value};
use std::fmt::{self, Write as _};

/// Maximum length of a value quoted in a message, in bytes.
const QUOTED: usize = 10_000;

/// The reason why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryError {
    /// A path that has to select exactly one value selects nothing.
    NoMatch {
        /// The path as written.
        path: Text,
        /// The document that the path starts from.
        root: Root,
        /// AWS's description of the problem, such as `No results for path: $['no']`.
        why: String,
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
    /// A path visits or returns more values than the debugger's limit for a run allows.
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
    /// A path that is an argument of an intrinsic function selects nothing.
    IntrinsicArgument {
        /// The call as written.
        expression: Text,
        /// The path as written.
        path: Text,
        /// The document that `$` refers to, abridged.
        input: Text,
    },
    /// A result cannot be written to the place that `ResultPath` names.
    ResultPath {
        /// The path as written.
        path: Text,
        /// The obstacle to the write: the type of the existing value, `a shorter array`, or `nothing` if the array is
        /// missing.
        found: &'static str,
    },
    /// A path in a payload template selects nothing.
    Template {
        /// The path as written.
        path: Text,
        /// The name of the template's field, with its `.$`: for example `value.$`.
        field: Text,
        /// The document that `$` refers to, abridged.
        input: Text,
    },
    /// A field of a payload template is neither a valid path nor a valid function call.
    Field {
        /// The name of the template's field, with its `.$`: for example `value.$`.
        field: Text,
    },
}

impl QueryError {
    /// AWS's message, without the part that names the state.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::NoMatch { path, why, .. } => format!("Invalid path '{path}' : {why}"),
            Self::NullDocument { .. } => {
                "Unable to apply Path transformation to null or empty input.".to_string()
            }
            Self::Variable { name } => {
                format!("The variable '${name}' has not been assigned a value")
            }
            Self::TooMuch { path } => {
                format!("Invalid path '{path}' : the path selects more values than asldbg can hold")
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
            Self::ResultPath {
                path,
                found: value_type,
            } => format!(
                "The ResultPath '{path}' cannot be applied to the state's input: the value to write into is {value_type}, but must be an object, or an array that has this index"
            ),
            Self::Template { path, field, input } => format!(
                "The JSONPath '{path}' specified for the field '{field}' could not be found in the input '{input}'"
            ),
            Self::Field { field } => not_an_expression(field),
        }
    }

    /// If a path without a match caused the error, returns the path, and the template field that contains it if the
    /// field is known.
    #[must_use]
    pub fn missed(&self) -> Option<(&Text, Option<&str>)> {
        match self {
            Self::Template { path, field, .. } => Some((path, Some(field))),
            Self::NoMatch { path, .. }
            | Self::NullDocument { path }
            | Self::IntrinsicArgument { path, .. } => Some((path, None)),
            _ => None,
        }
    }

    /// The name that the specification gives to this error, such as `States.ParameterPathFailure`.
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

    /// Converts the error to the form that AWS gives to an error in a template. `field` is the template's field, and
    /// `input` the document that `$` refers to.
    #[must_use]
    pub fn in_field(self, field: &str, input: &Value) -> Self {
        match self {
            Self::NoMatch { path, .. } => Self::Template {
                path,
                field: field.into(),
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

/// Returns a value as JSON text for a message, truncated if it is long.
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

/// Appends the JSON text of `value` to `out`, until `out` is longer than `limit` bytes. Returns true if nothing is cut
/// off.
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
        Value::String(text) => {
            // Only the beginning of a long text is escaped, because the rest would be cut off.
            let mut end = (limit - out.len()).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            let _ = write!(out, "{}", Value::from(text.get(..end).unwrap_or(text)));
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
    out.len() <= limit
}

/// Text that Jackson, AWS's JSON parser, prints in place of the source text.
const SOURCE: &str = "[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled)";
/// The values that Jackson's message names as expected.
const VALUES: &str = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

/// The message for the syntax error that `json::parse` found in `text`. The message has the wording of Jackson, the
/// parser that AWS uses, or our wording if Jackson's is not known.
pub(super) fn in_aws_words(text: &str, error: &ParseError) -> String {
    let line = text.lines().nth(error.line.saturating_sub(1)).unwrap_or("");
    let at = error.column.saturating_sub(1);
    // Columns count bytes; if one points inside a multi-byte character, the text cannot be split there.
    let (Some(before), Some(rest)) = (line.get(..at), line.get(at..)) else {
        return error.to_string();
    };
    let column = before.encode_utf16().count() + 1;
    let wanted = match error.message.as_str() {
        "key must be a string" => "was expecting double-quote to start field name",
        "trailing comma" if rest.starts_with('}') => {
            "was expecting double-quote to start field name"
        }
        "expected `,` or `]`" => "was expecting comma to separate Array entries",
        "expected `,` or `}`" => "was expecting comma to separate Object entries",
        "expected `:`" => "was expecting a colon to separate field name and value",
        "expected value" | "expected ident" | "EOF while parsing a value" => {
            return no_value(before, rest, error);
        }
        _ => return error.to_string(),
    };
    match rest.chars().next() {
        Some(character) => unexpected(character, wanted, error, column),
        None => error.to_string(),
    }
}

fn unexpected(character: char, wanted: &str, error: &ParseError, column: usize) -> String {
    let (code, line) = (u32::from(character), error.line);
    format!(
        "Unexpected character ('{character}' (code {code})): {wanted}\n at {SOURCE}; line: {line}, column: {column}]"
    )
}

/// Returns Jackson's message for a word that is not a literal, or for a character that cannot begin a value.
fn no_value(before: &str, rest: &str, error: &ParseError) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let outside = before.trim_end_matches(is_part);
    let begun = before.strip_prefix(outside).unwrap_or_default();
    let word: String = begun
        .chars()
        .chain(rest.chars())
        .take_while(|c| is_part(*c))
        .collect();
    let column = outside.encode_utf16().count() + 1;
    if word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') {
        let column = column + word.encode_utf16().count();
        return format!(
            "Unrecognized token '{word}': was expecting {VALUES}\n at {SOURCE}; line: {line}, column: {column}]",
            line = error.line
        );
    }
    match rest.chars().next() {
        Some(character) if word.is_empty() && !matches!(character, ']' | '}' | ',') => {
            let wanted = format!("expected a valid value {VALUES}");
            unexpected(character, &wanted, error, column)
        }
        _ => error.to_string(),
    }
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

    #[test]
    fn errors_of_jackson() {
        for (text, wanted, place) in [
            (
                "{b}",
                "Unexpected character ('b' (code 98)): was expecting double-quote to start field name",
                2,
            ),
            (
                "{\"a\":1,}",
                "Unexpected character ('}' (code 125)): was expecting double-quote to start field name",
                8,
            ),
            (
                "[1 2]",
                "Unexpected character ('2' (code 50)): was expecting comma to separate Array entries",
                4,
            ),
            (
                "{\"a\" 1}",
                "Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value",
                6,
            ),
            (
                "Hello",
                "Unrecognized token 'Hello': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                6,
            ),
            (
                "tru",
                "Unrecognized token 'tru': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                4,
            ),
            (
                "nulx ",
                "Unrecognized token 'nulx': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                5,
            ),
            (
                "[é]",
                "Unrecognized token 'é': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                3,
            ),
            (
                "'x'",
                "Unexpected character (''' (code 39)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                1,
            ),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(
                in_aws_words(text, &error),
                format!("{wanted}\n at {SOURCE}; line: 1, column: {place}]"),
                "{error}"
            );
        }
        let unclosed = parse("\"x").expect_err("no end");
        assert_eq!(in_aws_words("\"x", &unclosed), unclosed.to_string());
    }
}
