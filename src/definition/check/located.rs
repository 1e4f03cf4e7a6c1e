//! Values of the definition, each with its location.

use crate::definition::lower::{last_members, opening};
use crate::query::jsonata::inner;
use crate::source::{Member, Node, Span};

/// A value of the definition, with its location.
#[derive(Clone)]
pub(super) struct Located<'d> {
    pub(super) node: &'d Node,
    /// The object member that has this value. For an array item, the member whose value is the array.
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

    /// The value of the object's member `name`, with its location.
    pub(super) fn get(&self, name: &str) -> Option<Self> {
        let member = self.node.member(name)?;
        Some(Self::of(member, &self.location))
    }

    /// Locates the value of `member`. `location` is the location of the object that contains the member.
    pub(super) fn of(member: &'d Member, location: &str) -> Self {
        Self {
            node: &member.value,
            member: Some(member),
            location: [location, "/", &member.key.text].concat(),
        }
    }

    /// The values of all members of an object. If several members have the same name, only the last one.
    pub(super) fn members(&self) -> Vec<Self> {
        let members = last_members(self.node).into_iter();
        members
            .map(|member| Self::of(member, &self.location))
            .collect()
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

    /// The values of an object's members, or of an array's items.
    pub(super) fn inner(&self) -> Vec<Self> {
        match self.node.items() {
            Some(_) => self.items(),
            None => self.members(),
        }
    }

    /// The name of the object member that has this value.
    pub(super) fn name(&self) -> &'d str {
        self.member.map_or("", |member| &member.key.text)
    }

    pub(super) fn text(&self) -> Option<&'d str> {
        self.node.as_str()
    }

    /// The text of the JSONata expression, if the value is an expression.
    pub(super) fn expression(&self) -> Option<&'d str> {
        self.text().and_then(inner)
    }

    /// Span and location of the value.
    pub(super) fn value(&self) -> (Span, &str) {
        (self.node.span, &self.location)
    }

    /// Span of the name of the member that has this value, and location of the value.
    pub(super) fn key(&self) -> (Span, &str) {
        let span = self.member.map_or(self.node.span, |member| member.key.span);
        (span, &self.location)
    }

    /// Span of the beginning of the value, and location of the value.
    pub(super) fn start(&self) -> (Span, &str) {
        (opening(self.node), &self.location)
    }
}
