//! The languages inside strings: paths, intrinsic functions, payload templates, compiled once and run many times.
//!
//! It must not know states, definitions or text positions other than offsets into the string it was given.

mod error;
mod evaluate;
mod expression;
mod fence;
#[cfg(test)]
mod fixture;
mod intrinsic;
pub mod jsonata;
mod jsonpath;
mod maker;
mod nearest;
mod pattern;
mod reference;
mod root;
mod scan;
mod syntax;
mod template;
mod there;
mod timestamp;
pub mod trace;
mod unevaluated;

pub use error::{Missed, QueryError, abridged};
pub use evaluate::Evaluate;
pub use expression::{Expression, ExpressionExplanation};
pub use fence::is_fenced;
pub use intrinsic::{
    Braces, Call, EvaluatedCall, FUNCTIONS, Function, Intrinsic, Parameter, SubExpression, digest,
    digest_bytes,
};
pub use jsonpath::{Gathered, OnAws, Path, PathExplanation, PathStep};
pub use maker::Maker;
pub use pattern::Pattern;
pub use reference::ReferencePath;
pub use root::Root;
pub use syntax::SyntaxError;
pub use template::{Template, TemplateError, TemplateErrorKind, TemplateFieldExplanation};
pub use there::There;
pub use timestamp::{Instant, format_timestamp, parse_timestamp};
pub use unevaluated::{Unevaluated, is_jsonpath, paths_inside, reads_states};

use crate::json::Value;

/// Which semantics apply where the specification and AWS's service differ (ASL-SEMANTICS 20.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The language as in its specification.
    #[default]
    Spec,
    /// What AWS was measured to do.
    Aws,
}

/// Where an evaluation by the specification gives another result than AWS's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Divergence {
    /// A slice between two ends, one of them counted from the back.
    Slice,
    /// A path that AWS's library reads otherwise.
    Path,
    /// A path on a document that is null.
    NullDocument,
    /// A filter that keeps scalars by `@` alone.
    ScalarFilter,
    /// `States.JsonMerge` with `true`.
    DeepMerge,
    /// `States.JsonMerge` with something else than `true` or `false`.
    MergeFlag,
    /// `States.Format` of an object or array.
    FormatOf,
    /// `States.ArrayGetItem` with a fraction.
    FractionalIndex,
    /// `$$.Map.Item` in a state inside the iteration.
    MapItemInside,
}

/// What an expression may read.
pub trait Bindings {
    /// The document that `$` names.
    fn data(&self) -> &Value;
    /// The context object that `$$` names; built when asked for.
    fn context(&self) -> Value;
    /// The context object, or as much of it as its member of this name needs, of which `inner` is wanted.
    fn context_with(&self, _member: &str, _inner: Option<&str>) -> Value {
        self.context()
    }
    /// What these names mean in the context object, and how many of them that took, where it is known without it.
    fn context_at(&self, _names: &[&str]) -> Option<(usize, Value)> {
        None
    }
    /// The variable that `$name` names.
    fn variable(&self, name: &str) -> Option<Value>;
    /// The next 64 random bits of the run.
    fn random(&self) -> u64;
    /// Which semantics apply.
    fn profile(&self) -> Profile;
    /// Largest number of values that one step of a path may select.
    fn selects_at_most(&self) -> usize {
        10_000_000
    }
    /// Called where following the specification gives another result than AWS does; never under [`Profile::Aws`].
    fn diverges(&self, _divergence: Divergence) {}
}
