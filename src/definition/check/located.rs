//! States and scopes with the objects they were read from, and where a state leads.
//!
//! It must not know the rules.

use crate::definition::field::STATE_TYPES;
use crate::definition::{QueryLanguage, Scope, State, StateId, StateKind, Target, Transition};
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

/// Every target that a state names.
pub(super) fn targets(state: &State) -> Vec<&Target> {
    let mut targets = Vec::new();
    if let Transition::Next(target) = &state.transition {
        targets.push(target);
    }
    if let StateKind::Choice(choice) = &state.kind {
        targets.extend(choice.rules.iter().filter_map(|rule| rule.next.as_ref()));
        targets.extend(&choice.default);
    }
    targets.extend(
        state
            .catch
            .iter()
            .filter_map(|catcher| catcher.next.as_ref()),
    );
    targets
}
