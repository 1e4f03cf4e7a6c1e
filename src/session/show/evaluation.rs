//! What helps against a JSONata expression that failed: an operator for numbers, a condition that is no boolean.
//!
//! It must not know how the expression is evaluated.

use crate::interpreter::Frame;

/// In one sentence each.
pub(super) fn lines(frame: &Frame) -> Vec<String> {
    let fault = frame.visit.fault.as_ref();
    let cause = fault.map_or("", |(fault, _)| fault.cause_text());
    let mut lines = Vec::new();
    if cause.contains("side of the \"+\" operator must evaluate to a number") {
        lines.push("+ adds numbers; & joins strings".to_string());
    }
    if cause.contains("Expected 'boolean'") {
        lines.push("$count(...) > 0 or $exists(...) tests whether something is found".to_string());
    }
    lines
}
