//! States and scopes with the objects they were read from.
//!
//! It must not know the rules.

use crate::definition::field::STATE_TYPES;
use crate::definition::{Definition, QueryLanguage, Scope, State, StateId};
use crate::source::Node;

/// A scope with the object it was read from.
#[derive(Clone, Copy)]
pub(super) struct ScopeAt<'d> {
    pub(super) scope: &'d Scope,
    pub(super) node: &'d Node,
}

/// A state with the object it was read from.
#[derive(Clone, Copy)]
pub(super) struct StateAt<'d> {
    pub(super) id: StateId,
    pub(super) state: &'d State,
    pub(super) node: &'d Node,
}

impl<'d> StateAt<'d> {
    /// A state of a definition; `None` where its object is not in the text.
    pub(super) fn of(definition: &'d Definition, id: StateId) -> Option<Self> {
        let state = definition.state(id)?;
        let node = definition.node.at(state.span)?;
        Some(Self { id, state, node })
    }

    /// Its type as written, where that is a type.
    pub(super) fn kind(&self) -> Option<&'d str> {
        let name = self.node.get("Type")?.as_str()?;
        STATE_TYPES.contains(&name).then_some(name)
    }

    pub(super) fn at(&self, field: &str) -> String {
        format!("{}/{field}", self.state.location)
    }

    pub(super) fn get(&self, field: &str) -> Option<&'d Node> {
        self.node.get(field)
    }

    pub(super) fn is_jsonata(&self) -> bool {
        self.state.language == QueryLanguage::Jsonata
    }
}
