//! JSON text that is data (inputs, mock answers, `States.StringToJson`) to a [`Value`].
//!
//! It must not know definitions: those keep positions and are read by `source`.

use super::Value;

/// Why text is not JSON, with the place (1-based).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line} column {column}")]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// Reads one JSON value, nesting up to 127 deep.
///
/// # Errors
/// Where `text` is not one JSON value.
pub fn parse(text: &str) -> Result<Value, ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str::<serde_json::Value>(text)
        .map(Value::from)
        .map_err(|error| {
            let whole = error.to_string();
            let message = whole
                .split(" at line ")
                .next()
                .unwrap_or(&whole)
                .to_string();
            ParseError {
                message,
                line: error.line(),
                column: error.column().max(1),
            }
        })
}
