//! Answers that were recorded elsewhere: in an execution on AWS or another run.

use crate::interpreter::{Answer, AskKey};
use crate::json::Value;
use std::collections::HashMap;

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAnswer {
    /// Input of the call; the answer is used only for the same input. `None` if it was not recorded.
    pub input: Option<Value>,
    /// Outcome, duration and heartbeats.
    pub answer: Answer,
}

/// Recorded answers by the key of their request.
pub type RecordedAnswers = HashMap<AskKey, RecordedAnswer>;

impl RecordedAnswer {
    /// True if the recording shows this answer for a call with this input.
    #[must_use]
    pub fn fits(&self, input: &Value) -> bool {
        self.input.as_ref().is_none_or(|own| own == input)
    }
}
