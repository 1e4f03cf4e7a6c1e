//! Names of the branches of a Parallel state.

use super::model::{Definition, State, StateKind};

impl Definition {
    /// The name of a branch of a Parallel, which is the name of its first state. `None` for other states.
    #[must_use]
    pub fn branch(&self, parallel: &State, index: u32) -> Option<&str> {
        let StateKind::Parallel { branches } = &parallel.kind else {
            return None;
        };
        let scope = self.scope(*branches.get(index as usize)?)?;
        Some(&scope.start_at.as_ref()?.name)
    }
}
