//! Statements about a run, each with a code that stays the same when the wording changes.

use super::phrase::Phrase;
use std::fmt;

/// A sentence and its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Code in lower-case letters with hyphens: `path-finds-nothing`.
    pub code: &'static str,
    /// The sentence.
    pub says: Phrase,
}

impl Finding {
    /// Creates a finding.
    #[must_use]
    pub fn new(code: &'static str, says: impl Into<Phrase>) -> Self {
        Self {
            code,
            says: says.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.says.fmt(out)
    }
}
