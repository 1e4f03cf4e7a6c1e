//! Where a run first differs from the recorded execution, and what makes it.

use crate::json::{Text, Value};
use crate::source::Span;

/// Where a run first differs from the recorded execution.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstDifference {
    /// The run's event.
    pub number: u64,
    /// AWS's event, by its id; where there is none for the run's, the last one before it.
    pub event: Option<u32>,
    /// The state, by name.
    pub state: Option<Text>,
    /// In what: `input $.order.total 4200 → 42`.
    pub what: String,
    /// The recorded event.
    pub recorded: String,
    /// What happened there: the same with the value that differs.
    pub there: String,
    /// What happens here.
    pub here: String,
    /// The values that differ, there and here.
    pub values: Option<(Value, Value)>,
    /// What makes the difference, where that can be told.
    pub reason: Option<Reason>,
}

/// What makes a difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// In words.
    pub text: String,
    /// Where it stands in the definition.
    pub span: Option<Span>,
}

impl FirstDifference {
    /// In a sentence: where, in what, and why.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_at(None)
    }

    /// The same with the line of the state.
    #[must_use]
    pub fn text_at(&self, line: Option<usize>) -> String {
        let at = self.event.map_or_else(String::new, |id| format!("#{id} "));
        let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
        let state = self.state.as_ref().map(|state| format!("{state}{line}: "));
        let reason = self
            .reason
            .as_ref()
            .map(|reason| format!(" ({})", reason.text));
        let parts = [
            at,
            state.unwrap_or_default(),
            self.what.clone(),
            reason.unwrap_or_default(),
        ];
        parts.concat()
    }
}
