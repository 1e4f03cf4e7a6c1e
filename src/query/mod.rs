//! The languages inside strings: paths, intrinsic functions and payload templates. They are compiled once and evaluated
//! many times.

mod error;
mod expression;
mod intrinsic;
pub mod jsonata;
mod jsonpath;
mod pattern;
mod reference;
mod scan;
mod template;
#[cfg(test)]
mod tests;
mod timestamp;
pub mod trace;

pub use error::{QueryError, abridged};
pub use expression::{Expression, Unevaluated, is_jsonpath, paths_inside, reads_states};
pub use intrinsic::{
    Braces, Call, FUNCTIONS, Function, Intrinsic, Parameter, digest, digest_bytes,
};
pub use jsonpath::{Gathered, OnAws, Path};
pub use pattern::Pattern;
pub use reference::ReferencePath;
pub use scan::SyntaxError;
pub use template::{Maker, Template, TemplateError, TemplateErrorKind};
pub use timestamp::{Instant, format_timestamp, parse_timestamp};
pub use trace::Evaluate;

use crate::json::{Text, Value};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The semantics that apply where the specification and AWS's service differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The language as specified.
    #[default]
    Spec,
    /// The behaviour observed on AWS.
    Aws,
}

/// The document that a path starts from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// The input of the expression: `$`.
    Data,
    /// The context object: `$$`.
    Context,
    /// A variable: `$name`.
    Variable(Text),
}

/// An evaluation whose result by the specification differs from the result on AWS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Divergence {
    /// A slice with two ends of which at least one is negative.
    Slice,
    /// A path in which AWS's library reads a step differently.
    Path,
    /// A path on a document that is null.
    NullDocument,
    /// A filter that accepts scalars, because the filter tests `@` itself.
    ScalarFilter,
    /// `States.JsonMerge` with `true`.
    DeepMerge,
    /// `States.JsonMerge` with a flag other than `true` or `false`.
    MergeFlag,
    /// `States.Format` with an object or array.
    FormatOf,
    /// `States.ArrayGetItem` with a fractional index.
    FractionalIndex,
    /// `$$.Map.Item` in a state inside an iteration.
    MapItemInside,
}

/// Default maximum size of a value in bytes of compact JSON; a larger value is a fault in both profiles.
pub const MAX_VALUE: u64 = 64 << 20;

/// The values that an expression may read.
pub trait Bindings {
    /// The document, `$`.
    fn data(&self) -> &Value;
    /// The context object, `$$`. It is built on demand.
    fn context(&self) -> Value;
    /// The context object. Only its member `_member` is needed and, if `_inner` is given, only `_inner` of that member.
    fn context_with(&self, _member: &str, _inner: Option<&str>) -> Value {
        self.context()
    }
    /// Looks up names in the context object without building it. Returns how many names were followed, and the value
    /// that was reached. `None` if the value is only available by building the context object.
    fn context_at(&self, _names: &[&str]) -> Option<(usize, Value)> {
        None
    }
    /// The value of the variable `$name`.
    fn variable(&self, name: &str) -> Option<Value>;
    /// The next 64 random bits of the run.
    fn random(&self) -> u64;
    /// The profile that the evaluation follows.
    fn profile(&self) -> Profile;
    /// True if a function may accept or return a value of this size in bytes of compact JSON.
    fn fits(&self, size: u64) -> bool {
        size <= MAX_VALUE
    }
    /// Maximum number of values that one step of a path may select.
    fn selects_at_most(&self) -> usize {
        10_000_000
    }
    /// Called if the result by the specification differs from AWS's; never called under [`Profile::Aws`].
    fn diverges(&self, _divergence: Divergence) {}
}

thread_local! {
    /// The number of nested calls of [`fenced`] that this thread is executing.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// True while this thread runs inside `fenced`, which catches panics. A panic hook should not report them.
#[must_use]
pub fn is_fenced() -> bool {
    DEPTH.get() > 0
}

/// Runs `work`; `None` if it panics. Values that `work` may have left half modified must not be used afterwards.
pub fn fenced<T>(work: impl FnOnce() -> T) -> Option<T> {
    DEPTH.set(DEPTH.get().saturating_add(1));
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get().saturating_sub(1));
    done.ok()
}
