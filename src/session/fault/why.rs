//! Why an error arose, as the parts of its view.

use crate::json::Text;
use crate::session::finding::Finding;
use crate::source::Span;

/// Why an error arose.
#[derive(Default)]
pub(in crate::session) struct Why {
    /// Where in the text.
    pub span: Option<Span>,
    /// The path that finds nothing, if the finding says that.
    pub misses: Option<Text>,
    /// What went wrong; `None` if the error's name and cause say it.
    pub finding: Option<Finding>,
    /// What is said beside it.
    pub because: Vec<Finding>,
}
