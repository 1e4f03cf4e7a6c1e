//! The enclosing scopes of a scope, which of them have variables that are visible in it, and the Map whose items it
//! processes.

use super::{Definition, MapMode, ScopeId, State, StateId, StateKind};

/// An enclosing scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outer {
    /// The scope.
    pub scope: ScopeId,
    /// True if a DISTRIBUTED Map lies between the two scopes. Variables outside such a Map are not visible inside it.
    pub is_cut_off: bool,
}

impl Definition {
    /// The enclosing scopes, nearest first.
    #[must_use]
    pub fn outer(&self, scope: ScopeId) -> Vec<Outer> {
        let mut outer: Vec<Outer> = Vec::new();
        let mut at = Outer {
            scope,
            is_cut_off: false,
        };
        while let Some(owner) = self.scope(at.scope).and_then(|scope| scope.owner)
            && let Some(state) = self.state(owner)
            && outer.len() < self.scopes.len()
        {
            let cuts =
                matches!(&state.kind, StateKind::Map(map) if map.mode == MapMode::Distributed);
            at = Outer {
                scope: state.scope,
                is_cut_off: at.is_cut_off || cuts,
            };
            outer.push(at);
        }
        outer
    }

    /// The nearest Map around a state: the state is part of its items' work.
    #[must_use]
    pub fn map_around(&self, state: StateId) -> Option<&State> {
        let own = self.state(state)?.scope;
        let outer = self.outer(own).into_iter().map(|outer| outer.scope);
        let owners = std::iter::once(own).chain(outer);
        let mut owners = owners.filter_map(|scope| self.state(self.scope(scope)?.owner?));
        owners.find(|owner| matches!(owner.kind, StateKind::Map(_)))
    }
}
