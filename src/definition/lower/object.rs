//! An object of the text that is being read, with the location of its fields.
//!
//! It must not know which fields it has, nor what they mean.

use crate::definition::field::FieldSpec;
use crate::source::{Node, Span, nearest};

/// An object that is being read, with the location of its fields.
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

/// The member whose name is no field, and is nearly one of these.
pub(in crate::definition) fn misspelt<'d>(
    node: &'d Node,
    wanted: &[&str],
) -> Option<(Span, &'d Node)> {
    let members = node.members().unwrap_or_default().iter();
    let mut unknown = members.filter(|member| FieldSpec::of_state(&member.key.text).is_none());
    let found = unknown.find(|member| nearest(&member.key.text, wanted.iter().copied()).is_some());
    found.map(|member| (member.key.span, &member.value))
}
