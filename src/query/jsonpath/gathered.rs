//! What a path that may select several values gathers, as far as its last step tells.
//!
//! It must not know the data.

use super::{Path, Selector};
use crate::json::Text;

/// What the array consists of that a path gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gathered {
    /// What a filter lets pass that asks for members: objects.
    Objects,
    /// The member of this name of each.
    Members(Text),
}

impl Path {
    /// What it gathers; `None` where it gives one value, or the text does not tell.
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
