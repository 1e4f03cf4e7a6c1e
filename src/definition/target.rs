//! Ways to identify a state: by its index, by a path that survives a reload, and by the field that leads to it.

use crate::json::Text;
use crate::source::Span;
use std::fmt;

/// Index of a state in [`super::Definition::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// Index of a scope (a `States` object) in [`super::Definition::scopes`]; 0 is the machine itself.
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

/// A reference to a state in a field.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name as written.
    pub name: Text,
    /// The state with that name in the same scope; `None` if there is none, in which case a blocking error was
    /// reported.
    pub state: Option<StateId>,
    /// Span of the name.
    pub span: Span,
}
