//! What an expression reads from.
//!
//! It must not know how a path goes on.

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
