//! Compiles the SFN DSL, an older textual language for state machines, to the same kind of tree as JSON.

mod ast;
mod build;
mod check;
mod condition;
mod control;
mod cursor;
mod diagnostic;
mod docstring;
mod emit;
mod environment;
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

pub use environment::{DslEnvironment, MAX_NESTING};
pub use generated::{Generated, GeneratedKind, generated, is_compiled};
pub use lexer::long_strings;
pub use sniff::looks_like;

use super::{Diagnostic, Diagnostics, Node, Severity, SourceFile, SourceId};
use diagnostic::{error, span};

/// Parses an SFN DSL text. Returns `None` if there are errors. Diagnostics are in the order of the text.
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
