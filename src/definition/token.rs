//! How the end of a task is known, and which tasks have a token.

use super::model::{CallPattern, Integration, Task};

impl Task {
    /// How its end is known, if it calls a service.
    #[must_use]
    pub fn pattern(&self) -> Option<CallPattern> {
        match self.integration {
            Integration::Service { pattern, .. } => Some(pattern),
            _ => None,
        }
    }

    /// Whether its context object has a token: of a callback, and, as AWS was seen to do, of `.sync`.
    #[must_use]
    pub fn has_token(&self) -> bool {
        matches!(
            self.pattern(),
            Some(CallPattern::Callback | CallPattern::RunJob)
        )
    }
}
