//! How a state is named: by its index, by the path that survives a reload, and by the field that leads to it.
//!
//! It must not know what a state is.

use crate::json::Text;
use crate::source::Span;
use std::fmt;

/// Index of a state in [`super::Definition::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// Index of a scope (one `States` object) in [`super::Definition::scopes`]; 0 is the machine's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u32);

/// The stable name of a state: `Ship`, `Orders/Pay` inside a Map, `Fan[1]/Pay` inside branch 1 of a Parallel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatePath(pub Text);

impl fmt::Display for StatePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A state that a field names.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name as written.
    pub name: Text,
    /// The state of that name in the same scope; `None` where there is none (a blocking error was reported).
    pub state: Option<StateId>,
    /// Where the name stands.
    pub span: Span,
}
