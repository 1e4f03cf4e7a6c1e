//! The document that a path starts from.

use crate::json::Text;

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
