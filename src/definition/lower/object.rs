//! An object of the text that is being read, with the location of its fields.
//!
//! It must not know which fields it has, nor what they mean.

use crate::source::Node;

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
