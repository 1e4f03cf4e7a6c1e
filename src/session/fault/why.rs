//! The reason for an error, in parts.

use crate::json::Text;
use crate::session::finding::Finding;
use crate::source::Span;

/// The reason for an error.
#[derive(Default)]
pub(in crate::session) struct Why {
    /// Location in the source.
    pub span: Option<Span>,
    /// The path that finds nothing, if `finding` says that.
    pub misses: Option<Text>,
    /// Description of the problem; `None` if the error's name and cause already say it.
    pub finding: Option<Finding>,
    /// Further explanations.
    pub because: Vec<Finding>,
}
