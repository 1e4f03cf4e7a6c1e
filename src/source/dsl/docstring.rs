//! Where a block may begin with a docstring.
//!
//! It must not know the blocks.

/// Whether a block can begin with a docstring.
#[derive(Clone, Copy)]
pub(super) enum Docstring {
    /// It can.
    Allowed,
    /// It cannot; the word that the block belongs to.
    Refused(&'static str),
}
