//! Limits of an expression's length and depth.

use super::error::JsonataError;

/// Longest expression that is parsed, in bytes.
pub const LONGEST: usize = 1 << 18;
/// Deepest nesting of an expression, in levels.
pub(super) const DEEPEST: usize = 1000;
/// Stack that each level needs at most, and that is added when less is left; in bytes.
const STACK: (usize, usize) = (256 << 10, 2 << 20);

/// Runs `work` with enough stack for a level of a tree.
pub(super) fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK.0, STACK.1, work)
}

/// The error of a nesting that is too deep.
pub(super) fn too_deep(doing: &str, text: &str) -> JsonataError {
    JsonataError {
        code: "U1002",
        message: format!(
            "Stack overflow - maximum expression nesting depth ({DEEPEST}) exceeded while {doing}"
        ),
        range: 0..text.len(),
    }
}
