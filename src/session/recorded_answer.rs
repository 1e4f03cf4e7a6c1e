//! Answers that were recorded elsewhere: in an execution on AWS, in another run.

use crate::interpreter::{Answer, AskKey};
use crate::json::Value;
use std::collections::HashMap;

/// What one call got.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAnswer {
    /// What the call was made with: the answer is taken for no other. `None` where that was not recorded.
    pub input: Option<Value>,
    /// Outcome, duration and heartbeats.
    pub answer: Answer,
}

/// Recorded answers, each under the key of the question that it was given to.
pub type RecordedAnswers = HashMap<AskKey, RecordedAnswer>;

impl RecordedAnswer {
    /// Whether it answers a call that is made with this input.
    #[must_use]
    pub fn fits(&self, input: &Value) -> bool {
        self.input.as_ref().is_none_or(|own| own == input)
    }
}
