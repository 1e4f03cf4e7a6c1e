//! The error of an expression that does not parse.

use std::fmt;
use std::ops::Range;

/// A syntax error in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Description of the error.
    pub message: String,
    /// Byte range of the error in the expression.
    pub range: Range<usize>,
    /// Advice on what to write instead, if known.
    pub help: Option<String>,
}

impl SyntaxError {
    /// Creates an error without advice.
    #[must_use]
    pub fn new(message: impl Into<String>, range: Range<usize>) -> Self {
        Self {
            message: message.into(),
            range,
            help: None,
        }
    }

    /// Sets the advice on what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Moves the error by `by` bytes, for an expression inside a longer text.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        self.range = self.range.start.saturating_add(by)..self.range.end.saturating_add(by);
        self
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}
