//! Scopes and states with the objects they were read from.

use super::facts::{Facts, StateFacts};
use super::located::Located;
use crate::definition::field::STATE_TYPES;
use crate::definition::lower::opening;
use crate::definition::{Definition, QueryLanguage, Scope, State, StateId};
use crate::source::{Node, Span};

/// A scope, with the object that it comes from.
#[derive(Clone, Copy)]
pub(super) struct ScopeAt<'d> {
    pub(super) scope: &'d Scope,
    pub(super) node: &'d Node,
}

/// A state, with the object that it comes from.
#[derive(Clone, Copy)]
pub(super) struct StateAt<'d> {
    pub(super) id: StateId,
    pub(super) state: &'d State,
    pub(super) node: &'d Node,
    pub(super) facts: &'d StateFacts<'d>,
}

impl<'d> StateAt<'d> {
    /// A state of a definition; `None` if its object is not in the text.
    pub(super) fn of(
        definition: &'d Definition,
        facts: &'d Facts<'d>,
        id: StateId,
    ) -> Option<Self> {
        let state = definition.state(id)?;
        Some(Self {
            id,
            state,
            node: definition.node.at(state.span)?,
            facts: facts.get(id)?,
        })
    }

    /// The type as written, if it is a valid one.
    pub(super) fn kind(&self) -> Option<&'d str> {
        let name = self.node.get("Type")?.as_str()?;
        STATE_TYPES.contains(&name).then_some(name)
    }

    pub(super) fn at(&self, field: &str) -> String {
        [&*self.state.location, "/", field].concat()
    }

    pub(super) fn get(&self, field: &str) -> Option<&'d Node> {
        self.node.get(field)
    }

    /// The object of the state.
    pub(super) fn object(&self) -> Located<'d> {
        Located::root(self.node, &self.state.location)
    }

    /// The value of a field.
    pub(super) fn field(&self, name: &str) -> Option<Located<'d>> {
        let member = self.node.member(name)?;
        Some(Located {
            node: &member.value,
            member: Some(member),
            location: [&*self.state.location, "/", &member.key.text].concat(),
        })
    }

    /// The items of a field that is an array, such as `Retry`.
    pub(super) fn entries(&self, name: &str) -> Vec<Located<'d>> {
        self.field(name).map_or(Vec::new(), |field| field.items())
    }

    /// Span of the state's name, with the location of the state.
    pub(super) fn name(&self) -> (Span, &'d str) {
        (self.state.name_span, &self.state.location)
    }

    /// Span of the beginning of the state's object.
    pub(super) fn start(&self) -> (Span, &'d str) {
        (opening(self.node), &self.state.location)
    }

    /// Name of the field that contains the request of a Task.
    pub(super) fn arguments(&self) -> &'static str {
        match self.is_jsonata() {
            true => "Arguments",
            false => "Parameters",
        }
    }

    pub(super) fn is_jsonata(&self) -> bool {
        self.state.language == QueryLanguage::Jsonata
    }
}
