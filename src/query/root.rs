//! What an expression reads from.
//!
//! It must not know the steps of a path.

use crate::json::Text;

/// What a path starts from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// The document: `$`.
    Data,
    /// The context object: `$$`.
    Context,
    /// A variable: `$name`.
    Variable(Text),
}
