//! Limits on the length and the nesting depth of an expression.

use super::error::JsonataError;

/// Maximum length of an expression that is parsed, in bytes.
pub const LONGEST: usize = 1 << 18;
/// Maximum nesting depth of an expression, in levels.
pub(super) const DEEPEST: usize = 1000;
/// Stack in bytes that must remain for each level, and the amount that is allocated when less remains.
const STACK: (usize, usize) = (256 << 10, 2 << 20);

/// Runs `work` with enough stack for one more level of a tree.
pub(super) fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK.0, STACK.1, work)
}

/// The error for an expression that is nested too deeply.
pub(super) fn too_deep(doing: &str, text: &str) -> JsonataError {
    JsonataError {
        code: "U1002",
        message: format!(
            "Stack overflow - maximum expression nesting depth ({DEEPEST}) exceeded while {doing}"
        ),
        range: 0..text.len(),
    }
}
