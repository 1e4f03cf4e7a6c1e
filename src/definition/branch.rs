//! Names of the branches of a Parallel state and of the rules of a Choice state.

use super::model::{Definition, State, StateKind};
use crate::source::Span;

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

    /// The name of the rule at this place in the text, for example `rule of line 37`; if the place has no line, the
    /// rule's index is used.
    #[must_use]
    pub fn rule_name(&self, span: Option<Span>, index: u32) -> String {
        match span.and_then(|span| self.sources.place(span)) {
            Some(place) => format!("rule of line {}", place.line),
            None => format!("rule {index}"),
        }
    }
}
