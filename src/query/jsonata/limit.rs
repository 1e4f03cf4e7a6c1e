//! The longest range and the widest padding of an evaluation, and what is said of one beyond it, before or while it is evaluated.
//!
//! It must not know who evaluates.

use jsonata_core::ast::{AstNode, UnaryOp};
use jsonata_core::functions::string;
use jsonata_core::value::JValue;
use std::ops::Range;

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
            number_text(count)
        )
    })
}

/// The error that a range between these literals ends with whatever stands around it.
pub(super) fn literal_range_error(first: f64, last: f64) -> Option<String> {
    let too_large = last - first + 1.0 > f64::from(AWS_LONGEST_RANGE);
    range_error(first, last).or_else(|| too_large.then(|| MEMORY.to_string()))
}

fn number_text(number: f64) -> String {
    match string::string(&JValue::Number(number), None) {
        Ok(JValue::String(text)) => text.to_string(),
        _ => "Infinity".to_string(),
    }
}

/// The error of a padding to so many characters, where that is too many.
#[must_use]
pub fn padding_error(width: f64) -> Option<String> {
    let fits = width.abs() <= WIDEST;
    (!fits).then(|| "D3141: the width of $pad is too large".to_string())
}

/// A number that stands there literally.
pub(super) fn literal(node: &AstNode) -> Option<f64> {
    match node {
        AstNode::Number(number) => Some(*number),
        AstNode::Unary {
            op: UnaryOp::Negate,
            operand,
        } => match &**operand {
            AstNode::Number(number) => Some(-number),
            _ => None,
        },
        _ => None,
    }
}

/// Where a range ends with that number: its sign and the number.
pub(super) fn range_place(text: &str, last: f64) -> Option<Range<usize>> {
    text.match_indices("..").find_map(|(at, sign)| {
        let after = text.get(at + sign.len()..)?;
        let number = after.trim_start();
        let before = after.len() - number.len();
        let digits = number.char_indices().find(|(place, letter)| {
            let signs = matches!(letter, '-' | '+')
                && (*place == 0
                    || number
                        .get(..*place)
                        .is_some_and(|text| text.ends_with(['e', 'E'])));
            !(signs || letter.is_ascii_digit() || matches!(letter, '.' | 'e' | 'E'))
        });
        let length = digits.map_or(number.len(), |(place, _)| place);
        let written: f64 = number.get(..length)?.parse().ok()?;
        (written == last).then(|| at..at + sign.len() + before + length)
    })
}
