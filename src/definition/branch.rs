//! The branches of a Parallel by name.

use super::model::{Definition, State, StateKind};

impl Definition {
    /// The name of a Parallel's branch: that of its first state. `None` for other states.
    #[must_use]
    pub fn branch(&self, parallel: &State, index: u32) -> Option<&str> {
        let StateKind::Parallel { branches } = &parallel.kind else {
            return None;
        };
        let scope = self.scope(*branches.get(index as usize)?)?;
        Some(&scope.start_at.as_ref()?.name)
    }
}
