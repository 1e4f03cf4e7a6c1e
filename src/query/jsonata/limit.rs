//! The longest range and the widest padding of an evaluation, and what is said of one beyond it, before or while it is evaluated.
//!
//! It must not know who evaluates.

use super::depth::with_stack;
use super::number::number_text;
use super::tree::{Form, Node, Operator};

/// What AWS says of an expression whose values become too large.
pub const MEMORY: &str =
    "Expression evaluation memory limit exceeded: Check for excessive memory usage";
/// What AWS says of one that does not come to an end.
pub const TIMEOUT: &str = "Expression evaluation timeout: Check for infinite loop";
/// What AWS says of one that nests too deep, or calls itself too often.
pub const STACK: &str = "Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.";
/// Levels of evaluation on AWS, as they were measured there.
pub const AWS_DEPTH: u32 = 100;
/// The most items that `..` is asked for.
const LONGEST_RANGE: f64 = 1e7;
/// The most items of a range on AWS, as it was measured there.
pub const AWS_LONGEST_RANGE: u32 = 873_782;
/// Characters that a text may be padded to.
const WIDEST: f64 = 1_000_000.0;

/// The error of a range between whole numbers that would be too long.
#[must_use]
pub fn range_error(first: f64, last: f64) -> Option<String> {
    let count = last - first + 1.0;
    let stands_still = first + 1.0 == first && count > 1.0;
    (count > LONGEST_RANGE || stands_still).then(|| {
        format!(
            "D2014: The size of the sequence allocated by the range operator (..) must not exceed 1e6.  Attempted to allocate {}.",
            match count.is_finite() {
                true => number_text(count),
                false => "Infinity".to_string(),
            }
        )
    })
}

/// The error that a range between these literals ends with whatever stands around it.
pub(super) fn literal_range_error(first: f64, last: f64) -> Option<String> {
    let too_large = last - first + 1.0 > f64::from(AWS_LONGEST_RANGE);
    range_error(first, last).or_else(|| too_large.then(|| MEMORY.to_string()))
}

/// The error of a padding to so many characters, where that is too many.
#[must_use]
pub fn padding_error(width: f64) -> Option<String> {
    let fits = width.abs() <= WIDEST;
    (!fits).then(|| "D3141: the width of $pad is too large".to_string())
}

/// How many levels deep the parts of an expression are that are evaluated whatever its values are.
pub(super) fn levels(node: &Node) -> u32 {
    with_stack(|| {
        let deepest = |parts: &[Node]| parts.iter().map(levels).max().unwrap_or(0);
        let below = match &node.form {
            Form::Path(steps) => match steps.as_slice() {
                [only] => return levels(&only.node),
                [first, ..] => levels(&first.node),
                [] => 0,
            },
            Form::Binary(op, lhs, rhs) => match op {
                Operator::And | Operator::Or | Operator::Coalesce | Operator::Default => {
                    levels(lhs)
                }
                Operator::Bind => levels(rhs),
                _ => levels(lhs).max(levels(rhs)),
            },
            Form::Negate(operand) => levels(operand),
            Form::Function { arguments, .. } => deepest(arguments),
            Form::Call(function, arguments) => levels(function).max(deepest(arguments)),
            Form::Array(items) | Form::Block(items) | Form::ArrayStep(items) => deepest(items),
            Form::Object(pairs) => {
                let parts = pairs.iter().flat_map(|(name, value)| [name, value]);
                parts.map(levels).max().unwrap_or(0)
            }
            Form::Conditional { condition, .. } => levels(condition),
            _ => 0,
        };
        below.saturating_add(1)
    })
}
