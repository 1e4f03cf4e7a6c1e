//! The error of an expression that does not parse.

use std::fmt;
use std::ops::Range;

/// A syntax error in an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonataError {
    /// JSONata's error code, such as `S0201`.
    pub code: &'static str,
    /// The message without the code.
    pub message: String,
    /// Byte range in the expression.
    pub range: Range<usize>,
}

impl fmt::Display for JsonataError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.code, self.message)
    }
}
