//! The values of fields: paths, templates, numbers, expressions and references to states. Also the ids and paths that
//! identify states.

use crate::json::Text;
use crate::query::{Path, ReferencePath, Template, jsonata};
use crate::source::Span;
use std::fmt;
use std::sync::Arc;

/// The JSONata fields of a state, a Choice rule or a catcher.
#[derive(Clone, Debug, Default)]
pub struct Jsonata {
    /// The value of `Arguments`.
    pub arguments: Option<jsonata::Template>,
    /// The value of `Output`.
    pub output: Option<jsonata::Template>,
    /// The value of `Assign`.
    pub assign: Option<jsonata::Template>,
}

/// A value that may contain expressions, in the query language of its state.
#[derive(Clone, Debug)]
pub enum Payload {
    /// A payload template.
    Template(Template),
    /// A value that contains JSONata expressions.
    Jsonata(jsonata::Template),
}

/// The value of `InputPath`, `OutputPath` or `ItemsPath`.
#[derive(Clone, Debug, Default)]
pub enum PathField {
    /// Absent or `$`: selects everything.
    #[default]
    Whole,
    /// `null`: the result is `{}`.
    Null,
    /// A path, which selects a part of the data.
    Path(Path),
}

/// The value of `ResultPath`.
#[derive(Clone, Debug, Default)]
pub enum ResultPath {
    /// Absent or `$`: the result replaces the input.
    #[default]
    Replace,
    /// `null`: the result is discarded.
    Discard,
    /// A path: the result is inserted into the raw input at this place.
    Insert(ReferencePath),
}

/// A number: a constant, or a value that is read from the data during the run.
#[derive(Clone, Debug)]
pub enum Quantity<T> {
    /// A constant, as in `TimeoutSeconds` or `MaxConcurrency`.
    Constant(T),
    /// A path, as in `TimeoutSecondsPath` or `MaxConcurrencyPath`.
    Path(Path),
    /// A JSONata expression.
    Expression(Arc<jsonata::Expression>),
}

/// Index of a state in [`super::Definition::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// Index of a scope (a `States` object) in [`super::Definition::scopes`]; 0 is the machine itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u32);

/// The path of a state, which identifies it across edits: `Ship`, `Orders/Pay` inside a Map, `Fan[1]/Pay` inside branch
/// 1 of a Parallel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatePath(pub Text);

impl fmt::Display for StatePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A state's name as the value of a field, such as `Next`, with the state that it refers to.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name as written.
    pub name: Text,
    /// The state with that name in the same scope. `None` if there is no such state; a blocking error was then
    /// reported.
    pub state: Option<StateId>,
    /// Span of the name.
    pub span: Span,
}
