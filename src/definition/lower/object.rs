//! An object that is being parsed, with the locations of its fields.

use crate::definition::field::FieldSpec;
use crate::source::{Node, Span, nearest};

/// An object that is being parsed, with the locations of its fields.
#[derive(Clone, Copy)]
pub(super) struct Object<'n, 'p> {
    pub(super) node: &'n Node,
    pub(super) location: &'p str,
}

impl<'n> Object<'n, '_> {
    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        self.node.get(name)
    }

    pub(super) fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.location)
    }
}

/// The first member that is not a known field but has a name similar to one in `wanted`. Returns its span and value.
pub(in crate::definition) fn misspelt<'d>(
    node: &'d Node,
    wanted: &[&str],
) -> Option<(Span, &'d Node)> {
    let members = node.members().unwrap_or_default().iter();
    let mut unknown = members.filter(|member| FieldSpec::of_state(&member.key.text).is_none());
    let found = unknown.find(|member| nearest(&member.key.text, wanted.iter().copied()).is_some());
    found.map(|member| (member.key.span, &member.value))
}
