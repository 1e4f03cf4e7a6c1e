//! What may stand as the value of a `.$` field: a path or an intrinsic function.
//!
//! It must not know the template around it.

use super::{Bindings, Intrinsic, Path, PathExplanation, QueryError, SubExpression, SyntaxError};
use crate::json::Value;

/// A compiled path or intrinsic function.
#[derive(Clone, Debug)]
pub enum Expression {
    /// `$…`, `$$…` or `$name…`.
    Path(Path),
    /// `States.Name(…)`.
    Intrinsic(Intrinsic),
}

/// How an expression came to its value.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionExplanation {
    /// How the path was walked.
    Path(PathExplanation),
    /// What every part of the call gave, inner ones first.
    Intrinsic(Vec<SubExpression>),
}

impl Expression {
    /// Compiles `text`: a path if it begins with `$`, else a call.
    ///
    /// # Errors
    /// Where `text` is neither.
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

    /// The value.
    ///
    /// # Errors
    /// Where a path leads nowhere or a function fails.
    pub fn eval(&self, bindings: &dyn Bindings) -> Result<Value, QueryError> {
        match self {
            Self::Path(path) => path.eval(bindings),
            Self::Intrinsic(intrinsic) => intrinsic.eval(bindings),
        }
    }

    /// Every path in the expression, in the order they are written.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Path(path) => vec![path],
            Self::Intrinsic(intrinsic) => intrinsic.paths(),
        }
    }

    /// How the expression comes to its value.
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
