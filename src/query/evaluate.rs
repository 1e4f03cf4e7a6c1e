//! The trait of everything that can be evaluated, optionally with a record of how the value was computed.

use super::trace::{Recorder, Trace};
use super::{Bindings, QueryError};
use crate::json::Value;

/// A path, an intrinsic function or a template.
pub trait Evaluate {
    /// Evaluates to a value. If there is a recorder, it records where the value came from.
    ///
    /// # Errors
    /// If a definite path has no match, a variable has no value or a function fails.
    fn record(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError>;

    /// Evaluates to a value.
    ///
    /// # Errors
    /// If a definite path has no match, a variable has no value or a function fails.
    fn eval(&self, bindings: &dyn Bindings) -> Result<Value, QueryError> {
        self.record(bindings, None)
    }

    /// Evaluates to a value and records how it was computed.
    fn trace(&self, bindings: &dyn Bindings) -> (Result<Value, QueryError>, Trace) {
        Recorder::record(|recorder| self.record(bindings, Some(recorder)))
    }
}
