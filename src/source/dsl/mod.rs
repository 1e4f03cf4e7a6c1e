//! Compiles the SFN DSL, an older textual language for state machines, to the same spanned tree as JSON.
//!
//! It must not know how the tree is read; what a state does is checked where JSON is checked.

mod ast;
mod build;
mod check;
mod condition;
mod control;
mod cursor;
mod docstring;
mod emit;
mod generated;
mod lexer;
mod link;
mod literal;
mod modifier;
mod sniff;
mod state;
mod task;
mod timestamp;
mod value;

pub use generated::{Generated, GeneratedKind, generated, is_compiled};
pub use lexer::long_strings;
pub use sniff::looks_like;

use super::{Diagnostic, Diagnostics, Node, Severity, SourceFile, SourceId, Span};
use std::ops::Range;

/// Deepest nesting of blocks and values that is accepted.
pub const MAX_NESTING: usize = 224;

/// At most this many errors, and this many warnings, are reported per text.
const MAX_FINDINGS: usize = 1000;

const INVALID: &str = "INVALID_DSL";

/// Completes the names of Lambda functions and activities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DslEnvironment {
    /// AWS region; empty in the names if unset.
    pub region: Option<String>,
    /// AWS account; empty in the names if unset.
    pub account: Option<String>,
}

/// Parses an SFN DSL text. `None` if it has an error; every error is then in the diagnostics, in the order of the text.
#[must_use]
pub fn parse_dsl(
    file: &SourceFile,
    id: SourceId,
    environment: &DslEnvironment,
) -> (Option<Node>, Diagnostics) {
    let mut found = Vec::new();
    if file.text.len() > super::MAX_BYTES {
        let text = format!("the text has more than {} bytes", super::MAX_BYTES);
        return (None, vec![error(span(id, 0..1), text)]);
    }
    let machine = state::parse(&file.text, id, environment, &mut found);
    check::check(&machine, &mut found);
    found.sort_by_key(|one| one.span.map(|span| (span.start, span.end)));
    found.dedup_by(|second, first| {
        let bad = |one: &Diagnostic| one.severity == Severity::Error;
        let start = |one: &Diagnostic| one.span.map(|span| span.start);
        bad(first) && bad(second) && start(first) == start(second)
    });
    let bad = found.iter().any(|one| one.severity == Severity::Error);
    let node = (!bad).then(|| emit::emit(&machine));
    (node, found)
}

fn span(id: SourceId, range: Range<usize>) -> Span {
    Span::new(id, range)
}

/// An excerpt of the text for a message: on one line, shortened.
fn brief(text: &str) -> String {
    let mut chars = text.chars();
    let mut kept: String = chars.by_ref().take(60).collect();
    if chars.next().is_some() {
        kept.push('…');
    }
    crate::json::visible(&kept).into_owned()
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(INVALID, 0, message)
        .at(span, "")
        .blocking()
}

fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(INVALID, 0, message).at(span, "")
}

fn note(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::info(INVALID, 0, message).at(span, "")
}
