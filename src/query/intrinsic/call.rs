//! The tree of a parsed call.

use super::format;
use super::function::Function;
use crate::json::Value;
use crate::query::Path;
use std::ops::Range;

#[derive(Debug)]
pub(super) struct CallNode {
    pub(super) function: &'static Function,
    pub(super) range: Range<usize>,
    pub(super) arguments: Vec<Argument>,
    /// The parsed template, if the first argument of `States.Format` is a literal.
    pub(super) template: Option<Result<format::Template, format::Unmatched>>,
}

#[derive(Debug)]
pub(super) struct Argument {
    pub(super) range: Range<usize>,
    pub(super) kind: ArgumentKind,
}

#[derive(Debug)]
pub(super) enum ArgumentKind {
    Literal(Value),
    Path(Path),
    Call(CallNode),
}
