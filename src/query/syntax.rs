//! Why the text of an expression does not parse, with the byte range to blame.
//!
//! It must not know where in a file the text is.

use std::fmt;
use std::ops::Range;

/// An expression that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// Byte range in the expression that is to blame.
    pub range: Range<usize>,
    /// What to write instead, if known.
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

    /// Sets what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same error for a text in which this one begins at byte `by`.
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
