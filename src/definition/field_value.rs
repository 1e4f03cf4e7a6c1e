//! The values of fields: a path, a template, a number, or an expression that computes one.

use crate::query::{Path, ReferencePath, Template, jsonata};
use std::sync::Arc;

/// The JSONata fields of a state, a Choice rule or a catcher.
#[derive(Clone, Debug, Default)]
pub struct Jsonata {
    /// `Arguments`.
    pub arguments: Option<jsonata::Template>,
    /// `Output`.
    pub output: Option<jsonata::Template>,
    /// `Assign`.
    pub assign: Option<jsonata::Template>,
}

/// A value that is computed in the query language of the field.
#[derive(Clone, Debug)]
pub enum Payload {
    /// A payload template.
    Template(Template),
    /// A value that contains JSONata expressions.
    Jsonata(jsonata::Template),
}

/// `InputPath`, `OutputPath`, `ItemsPath`.
#[derive(Clone, Debug, Default)]
pub enum PathField {
    /// Absent or `$`: selects everything.
    #[default]
    Whole,
    /// `null`: the result is `{}`.
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
    /// `null`: the result is discarded.
    Discard,
    /// The result is inserted at this place of the raw input.
    Insert(ReferencePath),
}

/// A number that is a constant, or that is read from the data.
#[derive(Clone, Debug)]
pub enum Quantity<T> {
    /// `XSeconds`, `MaxConcurrency`, ...
    Constant(T),
    /// The `...Path` form.
    Path(Path),
    /// A JSONata expression.
    Expression(Arc<jsonata::Expression>),
}
