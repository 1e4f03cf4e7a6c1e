//! Errors of an expression, and the limits on its text and its evaluation.

use std::fmt;
use std::ops::Range;

/// AWS's message for an expression whose values become too large.
pub const MEMORY: &str =
    "Expression evaluation memory limit exceeded: Check for excessive memory usage";
/// AWS's message for an expression that does not terminate.
pub const TIMEOUT: &str = "Expression evaluation timeout: Check for infinite loop";
/// AWS's message for an expression that is nested too deeply or recurses too often.
pub const STACK: &str = "Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.";
/// Maximum depth, in levels, of an evaluation on AWS. The number was measured on AWS.
pub const AWS_DEPTH: u32 = 100;
/// Maximum number of items of a range.
const LONGEST_RANGE: f64 = 1e7;
/// Maximum number of items of a range on AWS. The number was measured on AWS.
pub const AWS_LONGEST_RANGE: u32 = 873_782;
/// Maximum number of characters that a text can be padded to.
const WIDEST: f64 = 1_000_000.0;

/// Returns the error that the range from `first` to `last` (whole numbers) raises because it is too long; `None` if it
/// is not.
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

/// Returns the error that a range between these literals raises because it is too long, in any expression and for any
/// data.
pub(super) fn literal_range_error(first: f64, last: f64) -> Option<String> {
    let too_large = last - first + 1.0 > f64::from(AWS_LONGEST_RANGE);
    range_error(first, last).or_else(|| too_large.then(|| MEMORY.to_string()))
}

/// Returns the error that padding a text to `width` characters raises, if `width` is too large.
#[must_use]
pub fn padding_error(width: f64) -> Option<String> {
    let fits = width.abs() <= WIDEST;
    (!fits).then(|| "D3141: the width of $pad is too large".to_string())
}

/// A syntax error in an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonataError {
    /// JSONata's error code, such as `S0201`.
    pub code: &'static str,
    /// The message without the code.
    pub message: String,
    /// Byte range in the expression.
    pub range: Range<usize>,
}

impl JsonataError {
    pub(super) fn new(code: &'static str, message: impl Into<String>, range: Range<usize>) -> Self {
        let message = message.into();
        Self {
            code,
            message,
            range,
        }
    }
}

impl fmt::Display for JsonataError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.code, self.message)
    }
}

/// Maximum length, in bytes, of an expression; longer expressions are not parsed.
pub const LONGEST: usize = 1 << 18;
/// Maximum nesting depth of an expression, in levels.
pub(super) const DEEPEST: usize = 1000;
/// The stack that must be free before each level, and the size of the stack that is allocated if less is free; both in
/// bytes.
const SEGMENT: (usize, usize) = (256 << 10, 2 << 20);

/// Runs `work` on a stack that is large enough for one more level of a tree.
pub(super) fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(SEGMENT.0, SEGMENT.1, work)
}

/// The error for an expression that is nested too deeply.
pub(super) fn too_deep(doing: &str, text: &str) -> JsonataError {
    let message = format!(
        "Stack overflow - maximum expression nesting depth ({DEEPEST}) exceeded while {doing}"
    );
    JsonataError::new("U1002", message, 0..text.len())
}

/// A number as JavaScript prints it: with as few digits as are needed to read the same number back.
#[must_use]
pub fn js_text(number: f64) -> String {
    if number == 0.0 {
        return "0".to_string();
    }
    if !number.is_finite() {
        let text = match number.is_nan() {
            true => "NaN",
            false if number > 0.0 => "Infinity",
            false => "-Infinity",
        };
        return text.to_string();
    }
    if (1e-6..1e21).contains(&number.abs()) {
        return format!("{number}");
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
        _ => text,
    }
}

/// A number as `$string` prints it: a fraction has at most 15 significant digits.
#[must_use]
pub fn number_text(number: f64) -> String {
    if number.fract() == 0.0 {
        return js_text(number);
    }
    js_text(format!("{number:.14e}").parse().unwrap_or(number))
}
