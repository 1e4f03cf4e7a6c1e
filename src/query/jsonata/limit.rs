//! Limits of an evaluation, such as the longest range and the widest padding, and the errors for exceeding them.

use super::depth::with_stack;
use super::number::number_text;
use super::tree::{Form, Node, Operator};

/// AWS's message for an expression whose values become too large.
pub const MEMORY: &str =
    "Expression evaluation memory limit exceeded: Check for excessive memory usage";
/// AWS's message for an expression that does not terminate.
pub const TIMEOUT: &str = "Expression evaluation timeout: Check for infinite loop";
/// AWS's message for an expression that is nested too deeply or recurses too often.
pub const STACK: &str = "Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.";
/// Maximum depth of an evaluation on AWS, in levels, as measured there.
pub const AWS_DEPTH: u32 = 100;
/// Maximum number of items of a range.
const LONGEST_RANGE: f64 = 1e7;
/// Maximum number of items of a range on AWS, as measured there.
pub const AWS_LONGEST_RANGE: u32 = 873_782;
/// Maximum number of characters that a text can be padded to.
const WIDEST: f64 = 1_000_000.0;

/// The error of a range between two whole numbers, if it is too long.
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

/// The error that a range between these literals always causes, regardless of the surrounding expression.
pub(super) fn literal_range_error(first: f64, last: f64) -> Option<String> {
    let too_large = last - first + 1.0 > f64::from(AWS_LONGEST_RANGE);
    range_error(first, last).or_else(|| too_large.then(|| MEMORY.to_string()))
}

/// The error of a padding to `width` characters, if that is too wide.
#[must_use]
pub fn padding_error(width: f64) -> Option<String> {
    let fits = width.abs() <= WIDEST;
    (!fits).then(|| "D3141: the width of $pad is too large".to_string())
}

/// Nesting depth of the parts of an expression that are evaluated for any data.
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
