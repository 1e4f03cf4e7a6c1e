//! Why an error arose, as the parts of its view.

use crate::json::Text;
use crate::source::Span;

/// Why a fault arose.
#[derive(Default)]
pub(in crate::session) struct Why {
    /// Where in the text.
    pub(in crate::session) span: Option<Span>,
    /// The path of which the headline says that it finds nothing.
    pub(in crate::session) misses: Option<Text>,
    /// In a few words; `None` where the error's name and cause say it.
    pub(in crate::session) headline: Option<String>,
    /// The same in fewer words, where there are such.
    pub(in crate::session) brief: Option<String>,
    /// In one sentence each.
    pub(in crate::session) lines: Vec<String>,
}
