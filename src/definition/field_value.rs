//! What a field holds: a path, a template, a number, or an expression that computes it.
//!
//! It must not know which state or object the field belongs to.

use crate::query::jsonata;
use crate::query::{Path, ReferencePath, Template};
use std::sync::Arc;

/// What JSONata computes of a state, a rule of a Choice or a catcher.
#[derive(Clone, Debug, Default)]
pub struct Jsonata {
    /// `Arguments`.
    pub arguments: Option<jsonata::Template>,
    /// `Output`.
    pub output: Option<jsonata::Template>,
    /// `Assign`.
    pub assign: Option<jsonata::Template>,
}

/// A value that a field's own language computes.
#[derive(Clone, Debug)]
pub enum Payload {
    /// A payload template.
    Template(Template),
    /// A value with JSONata expressions in it.
    Jsonata(jsonata::Template),
}

/// `InputPath`, `OutputPath`, `ItemsPath`.
#[derive(Clone, Debug, Default)]
pub enum PathField {
    /// Absent or `$`: all of it.
    #[default]
    Whole,
    /// `null`: `{}`.
    Null,
    /// A path.
    Path(Path),
}

/// `ResultPath`.
#[derive(Clone, Debug, Default)]
pub enum ResultPath {
    /// Absent or `$`: the result replaces the input.
    #[default]
    Replace,
    /// `null`: the result is dropped.
    Discard,
    /// The result is put there into the raw input.
    Insert(ReferencePath),
}

/// A number that is written, or read from the data.
#[derive(Clone, Debug)]
pub enum Quantity<T> {
    /// `XSeconds`, `MaxConcurrency`, ...
    Constant(T),
    /// The `...Path` form.
    Path(Path),
    /// A JSONata expression.
    Expression(Arc<jsonata::Expression>),
}
