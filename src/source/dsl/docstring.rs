//! Whether a block may begin with a docstring.
//!
//! It must not know the blocks.

/// Whether a block may begin with a docstring.
#[derive(Clone, Copy)]
pub(super) enum Docstring {
    /// It may.
    Allowed,
    /// It may not; the keyword that the block belongs to.
    Refused(&'static str),
}
