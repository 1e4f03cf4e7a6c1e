//! Why a question has no answer.
//!
//! It must not know who is asked then, nor how an answer is given.

use super::answers::RunOut;
use std::fmt;

/// The reason, which decides whether `--unmocked` has a say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// No source has one for the task.
    Nowhere,
    /// No folder, no file and no source has what the ItemReader names.
    Unread,
    /// The child execution that would answer cannot be run, or came to no answer: one sentence.
    Child(String),
    /// The mock file has answers for the task, but none for this call of it.
    RunOut(RunOut),
    /// A limit was reached, or a child's mocked answers ran out: one sentence.
    Stopped(String),
}

impl NoAnswer {
    /// Whether the question then gets what `--unmocked` says. A mistake in the mock file and a limit are told instead.
    #[must_use]
    pub fn follows_unmocked(&self) -> bool {
        match self {
            Self::Nowhere | Self::Unread | Self::Child(_) => true,
            Self::RunOut(_) | Self::Stopped(_) => false,
        }
    }

    /// The reason that the task which started a child has, where a question of the child has none for `self`.
    #[must_use]
    pub fn of_child(&self, sentence: String) -> Self {
        if self.follows_unmocked() {
            Self::Child(sentence)
        } else {
            Self::Stopped(sentence)
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => write!(out, "it has no answer"),
            Self::Unread => write!(out, "it has nothing to read"),
            Self::RunOut(run_out) => write!(out, "{run_out}"),
            Self::Child(sentence) | Self::Stopped(sentence) => write!(out, "{sentence}"),
        }
    }
}
