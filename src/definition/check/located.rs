//! Scopes, states and values of the definition, each with its object in the text and its location.

use super::facts::StateFacts;
use crate::definition::field::STATE_TYPES;
use crate::definition::lower::{last_members, opening};
use crate::definition::{QueryLanguage, Scope, State, StateId};
use crate::query::jsonata::inner;
use crate::source::{Member, Node, Span};

/// A value with its place.
#[derive(Clone)]
pub(super) struct Located<'d> {
    pub(super) node: &'d Node,
    /// The member that has this value; for an array item, the member that has the array.
    pub(super) member: Option<&'d Member>,
    /// The location in the form that AWS prints.
    pub(super) location: String,
}

impl<'d> Located<'d> {
    pub(super) fn root(node: &'d Node, location: &str) -> Self {
        Self {
            node,
            member: None,
            location: location.to_string(),
        }
    }

    /// The value of a member.
    pub(super) fn get(&self, name: &str) -> Option<Self> {
        self.node.member(name).map(|member| self.below(member))
    }

    fn below(&self, member: &'d Member) -> Self {
        Self {
            node: &member.value,
            member: Some(member),
            location: [&*self.location, "/", &member.key.text].concat(),
        }
    }

    /// The values of all members. Of members with the same name, only the last one is included.
    pub(super) fn members(&self) -> Vec<Self> {
        let members = last_members(self.node).into_iter();
        members.map(|member| self.below(member)).collect()
    }

    pub(super) fn items(&self) -> Vec<Self> {
        let items = self.node.items().unwrap_or_default().iter();
        let located = items.enumerate().map(|(index, node)| Self {
            node,
            member: self.member,
            location: format!("{}[{index}]", self.location),
        });
        located.collect()
    }

    /// The values inside: members or items.
    pub(super) fn inner(&self) -> Vec<Self> {
        match self.node.items() {
            Some(_) => self.items(),
            None => self.members(),
        }
    }

    /// The name of the member.
    pub(super) fn name(&self) -> &'d str {
        self.member.map_or("", |member| &member.key.text)
    }

    pub(super) fn text(&self) -> Option<&'d str> {
        self.node.as_str()
    }

    /// The JSONata expression, if the value is one.
    pub(super) fn expression(&self) -> Option<&'d str> {
        self.text().and_then(inner)
    }

    /// Place of the value.
    pub(super) fn value(&self) -> (Span, &str) {
        (self.node.span, &self.location)
    }

    /// Place of the member's name.
    pub(super) fn key(&self) -> (Span, &str) {
        let span = self.member.map_or(self.node.span, |member| member.key.span);
        (span, &self.location)
    }

    /// Place of the beginning of the value.
    pub(super) fn start(&self) -> (Span, &str) {
        (opening(self.node), &self.location)
    }
}

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
