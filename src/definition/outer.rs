//! The enclosing scopes of a scope, which of them have variables that are visible in it, and the Map whose items it
//! processes.

use super::{Definition, MapMode, ScopeId, State, StateId, StateKind};

/// An enclosing scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outer {
    /// The scope.
    pub scope: ScopeId,
    /// The state of this scope that contains the inner one.
    pub around: StateId,
    /// True if a DISTRIBUTED Map lies between the two scopes. Variables outside such a Map are not visible inside it.
    pub is_cut_off: bool,
}

impl Definition {
    /// The enclosing scopes, nearest first.
    #[must_use]
    pub fn outer(&self, scope: ScopeId) -> Vec<Outer> {
        let mut outer: Vec<Outer> = Vec::new();
        let (mut inner, mut is_cut_off) = (scope, false);
        while let Some(around) = self.scope(inner).and_then(|scope| scope.owner)
            && let Some(state) = self.state(around)
            && outer.len() < self.scopes.len()
        {
            is_cut_off |= state.is_distributed();
            inner = state.scope;
            outer.push(Outer {
                scope: inner,
                around,
                is_cut_off,
            });
        }
        outer
    }

    /// The Parallel and Map states that contain a state, innermost first.
    pub fn around(&self, state: StateId) -> impl Iterator<Item = StateId> {
        let outer = self.state(state).map(|state| self.outer(state.scope));
        outer.into_iter().flatten().map(|outer| outer.around)
    }

    /// The nearest Map around a state: the state is part of its items' work.
    #[must_use]
    pub fn map_around(&self, state: StateId) -> Option<&State> {
        let mut around = self.around(state).filter_map(|id| self.state(id));
        around.find(|state| matches!(state.kind, StateKind::Map(_)))
    }
}

impl State {
    /// True if the state is a Map that runs its items in child executions.
    #[must_use]
    pub fn is_distributed(&self) -> bool {
        matches!(&self.kind, StateKind::Map(map) if map.mode == MapMode::Distributed)
    }
}
