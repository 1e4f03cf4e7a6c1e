//! Diagnostics of the SFN DSL.

use super::super::{Diagnostic, SourceId, Span};
use std::ops::Range;

/// Maximum number of errors, and of warnings, reported for a text.
pub(super) const MAX_FINDINGS: usize = 1000;

const INVALID: &str = "INVALID_DSL";

pub(super) fn span(id: SourceId, range: Range<usize>) -> Span {
    Span::new(id, range)
}

/// An excerpt of the text for use in a message, shortened and on a single line.
pub(super) fn brief(text: &str) -> String {
    let mut chars = text.chars();
    let mut kept: String = chars.by_ref().take(60).collect();
    if chars.next().is_some() {
        kept.push('…');
    }
    crate::json::visible(&kept).into_owned()
}

pub(super) fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(INVALID, 0, message)
        .at(span, "")
        .blocking()
}

pub(super) fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(INVALID, 0, message).at(span, "")
}

pub(super) fn note(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::info(INVALID, 0, message).at(span, "")
}
