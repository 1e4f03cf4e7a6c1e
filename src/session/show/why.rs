//! Why an error arose, as the parts of its view.

use crate::json::Text;
use crate::source::Span;

/// Why a fault arose.
#[derive(Default)]
pub(super) struct Why {
    /// Where in the text.
    pub(super) span: Option<Span>,
    /// The path of which the headline says that it finds nothing.
    pub(super) misses: Option<Text>,
    /// In a few words; `None` where the error's name and cause say it.
    pub(super) headline: Option<String>,
    /// The same in fewer words, where there are such.
    pub(super) brief: Option<String>,
    /// In one sentence each.
    pub(super) lines: Vec<String>,
}
