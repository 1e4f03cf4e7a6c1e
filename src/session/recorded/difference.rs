//! The first difference between a run and the recorded execution, and its reason.

use crate::json::{Text, Value};
use crate::source::Span;

/// The first difference between a run and the recorded execution.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstDifference {
    /// Number of the run's event.
    pub number: u64,
    /// AWS's id of the recorded event; if there is none, id of the last one before it.
    pub event: Option<u32>,
    /// Name of the state.
    pub state: Option<Text>,
    /// The difference: `input $.order.total 4200 → 42`.
    pub what: String,
    /// Description of the recorded event.
    pub recorded: String,
    /// Description of the recorded event, with the value that differs.
    pub there: String,
    /// Description of the run's event.
    pub here: String,
    /// The values that differ: recorded, and of the run.
    pub values: Option<(Value, Value)>,
    /// The reason, if it is known.
    pub reason: Option<Reason>,
}

/// Reason for a difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Description of the reason.
    pub text: String,
    /// Location in the definition.
    pub span: Option<Span>,
}

impl FirstDifference {
    /// One sentence with the position, the difference and the reason.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_at(None)
    }

    /// Like [`Self::text`], with the line of the state.
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
