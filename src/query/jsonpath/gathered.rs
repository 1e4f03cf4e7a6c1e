//! Determines statically what the list returned by a path with several matches contains.

use super::{Path, Selector};
use crate::json::Text;

/// Items of the list that a path returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gathered {
    /// Objects, because a filter tests members of each item.
    Objects,
    /// The member with this name of each value.
    Members(Text),
}

impl Path {
    /// The items of the path's list; `None` if the path returns a single value, or if the items are not known.
    #[must_use]
    pub fn gathered(&self) -> Option<Gathered> {
        match self.inner.steps.last()? {
            _ if self.is_definite() => None,
            Selector::Filter(filter) | Selector::FilterEach(filter) => {
                filter.asks_for_members().then_some(Gathered::Objects)
            }
            Selector::Name(name) => Some(Gathered::Members(name.clone())),
            _ => None,
        }
    }
}
