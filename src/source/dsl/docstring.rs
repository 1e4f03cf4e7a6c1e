//! Tells whether a block may begin with a docstring.

/// Tells whether a block may begin with a docstring.
#[derive(Clone, Copy)]
pub(super) enum Docstring {
    /// A docstring is allowed.
    Allowed,
    /// A docstring is not allowed in the block of this keyword.
    Refused(&'static str),
}
