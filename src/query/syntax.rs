//! Why the text of an expression does not parse, with the bytes to blame.
//!
//! It must not know where in a file the text stands.

use std::fmt;
use std::ops::Range;

/// An expression that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// The bytes of the expression's text that are to blame.
    pub range: Range<usize>,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

impl SyntaxError {
    /// An error without advice.
    #[must_use]
    pub fn new(message: impl Into<String>, range: Range<usize>) -> Self {
        Self {
            message: message.into(),
            range,
            help: None,
        }
    }

    /// The same with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same for a text in which this one begins at byte `by`.
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
