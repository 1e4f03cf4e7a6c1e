//! The value of a `.$` field: a path or an intrinsic function.

use super::trace::Recorder;
use super::{
    Bindings, Evaluate, Intrinsic, Path, PathExplanation, QueryError, SubExpression, SyntaxError,
};
use crate::json::Value;
use std::ops::Range;

/// A compiled path or intrinsic function.
#[derive(Clone, Debug)]
pub enum Expression {
    /// `$…`, `$$…` or `$name…`.
    Path(Path),
    /// `States.Name(…)`.
    Intrinsic(Intrinsic),
}

/// How the value of an expression was computed.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionExplanation {
    /// The steps of the path.
    Path(PathExplanation),
    /// The value of every part of the call, inner parts first.
    Intrinsic(Vec<SubExpression>),
}

impl Evaluate for Expression {
    fn record(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        match self {
            Self::Path(path) => path.record(bindings, recorder),
            Self::Intrinsic(intrinsic) => intrinsic.record(bindings, recorder),
        }
    }
}

impl Expression {
    /// Compiles `text`: a path if it begins with `$`, otherwise an intrinsic function call.
    ///
    /// # Errors
    /// If `text` is neither.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        if text.starts_with('$') {
            Path::parse(text).map(Self::Path)
        } else {
            Intrinsic::parse(text).map(Self::Intrinsic)
        }
    }

    /// The expression as written.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Path(path) => path.text(),
            Self::Intrinsic(intrinsic) => intrinsic.text(),
        }
    }

    /// Every path in the expression, in the order of the text.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Path(path) => vec![path],
            Self::Intrinsic(intrinsic) => intrinsic.paths(),
        }
    }

    /// Every path with its byte range in the expression.
    #[must_use]
    pub fn located_paths(&self) -> Vec<(Range<usize>, &Path)> {
        match self {
            Self::Path(path) => vec![(0..path.text().len(), path)],
            Self::Intrinsic(intrinsic) => intrinsic.located_paths(),
        }
    }

    /// Evaluates the expression and reports its intermediate results.
    #[must_use]
    pub fn explain(&self, bindings: &dyn Bindings) -> ExpressionExplanation {
        match self {
            Self::Path(path) => ExpressionExplanation::Path(path.explain(bindings)),
            Self::Intrinsic(intrinsic) => {
                ExpressionExplanation::Intrinsic(intrinsic.explain(bindings))
            }
        }
    }
}
