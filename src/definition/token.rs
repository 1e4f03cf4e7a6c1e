//! The service integration pattern of a task, and whether it has a task token.

use super::model::{CallPattern, Integration, Task};

impl Task {
    /// The service integration pattern, if the task calls a service.
    #[must_use]
    pub fn pattern(&self) -> Option<CallPattern> {
        match self.integration {
            Integration::Service { pattern, .. } => Some(pattern),
            _ => None,
        }
    }

    /// True if the context object has a task token: for callbacks, and for `.sync`, as observed on AWS.
    #[must_use]
    pub fn has_token(&self) -> bool {
        matches!(
            self.pattern(),
            Some(CallPattern::Callback | CallPattern::RunJob)
        )
    }
}
