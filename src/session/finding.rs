//! What is said of a run, with a code that stays when the words change.

use super::phrase::Phrase;
use std::fmt;

/// A sentence and the code of what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it says, in words of `a-z` with hyphens: `path-finds-nothing`.
    pub code: &'static str,
    /// The sentence.
    pub says: Phrase,
}

impl Finding {
    /// A finding of this code.
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
