//! Message for the result of a run whose definition AWS would reject, because the run could not have happened on AWS.
//!
//! The diagnostics themselves are printed by `check`.

use crate::json::visible;
use crate::session::Setup;
use crate::source::{Diagnostic, Severity};

/// One sentence with the first error of the definition; `None` if it has no errors.
#[must_use]
pub fn refused(setup: &Setup) -> Option<String> {
    let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
    let mut errors = setup.diagnostics.iter().filter(is_error);
    let first = errors.next()?;
    let sources = &setup.definition.sources;
    let place = first.span.and_then(|span| sources.place(span));
    let place = place.map_or_else(String::new, |place| format!(" (line {})", place.line));
    let more = match errors.count() {
        0 => String::new(),
        1 => ", and 1 more error".to_string(),
        more => format!(", and {more} more errors"),
    };
    let message = visible(&first.message);
    Some(format!(
        "AWS refuses this definition: {message}{place}{more}"
    ))
}
