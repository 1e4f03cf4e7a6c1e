//! A JSON number that is printed as it was written.

use std::fmt;
use std::sync::Arc;

/// A number: small integers are stored by value, all others together with their original text.
#[derive(Clone, Debug)]
pub enum Number {
    /// An integer whose text is its plain decimal form.
    Int(i64),
    /// Any other number: the nearest `f64` and the original text.
    Real(f64, Arc<str>),
}

impl Number {
    /// Parses JSON number text; `None` if `text` is not a JSON number.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if !after_number(text)?.is_empty() {
            return None;
        }
        let small = text.len() < 20 && text != "-0";
        match text.parse::<i64>() {
            Ok(int) if small => Some(Self::Int(int)),
            _ => Some(Self::Real(text.parse().ok()?, Arc::from(text))),
        }
    }

    /// Converts a finite float, using its shortest text; integral values up to 2^53 become integers. `None` for NaN and
    /// infinities.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the number is whole and within 2^53"
            )]
            return Some(Self::Int(value as i64));
        }
        Some(Self::Real(value, Arc::from(value.to_string())))
    }

    /// The nearest `f64`; infinite if the number is out of the range of `f64`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the nearest f64 is intended")]
    pub fn as_f64(&self) -> f64 {
        match self {
            Self::Int(int) => *int as f64,
            Self::Real(real, _) => *real,
        }
    }

    /// The value as an integer, if it is integral and in the range of `i64`; `1.0` and `1e2` are integral.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is whole and in range"
    )]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(int) => Some(*int),
            Self::Real(real, text) => text
                .parse()
                .ok()
                .or_else(|| (real.fract() == 0.0 && real.abs() < 9.2e18).then_some(*real as i64)),
        }
    }

    /// Bytes of heap memory that the number uses.
    pub(super) fn heap_bytes(&self) -> u64 {
        match self {
            Self::Int(_) => 0,
            Self::Real(_, text) => 32 + text.len() as u64,
        }
    }

    /// Length of the number's text in bytes.
    #[must_use]
    pub fn text_len(&self) -> usize {
        match self {
            Self::Int(int) => {
                let digits = int.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
                digits + usize::from(*int < 0)
            }
            Self::Real(_, text) => text.len(),
        }
    }

    /// Compares by value. `None` only for NaN, which cannot occur.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            _ => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }
}

/// Returns the text that follows a JSON number at the beginning of `text`; `None` if `text` does not begin with a
/// number.
fn after_number(text: &str) -> Option<&str> {
    fn digits(rest: &str) -> Option<&str> {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (after.len() < rest.len()).then_some(after)
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let mut rest = match unsigned.strip_prefix('0') {
        Some(rest) => rest,
        None => digits(unsigned)?,
    };
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = digits(fraction)?;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        rest = digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))?;
    }
    Some(rest)
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Real(_, a), Self::Real(_, b)) if a == b => true,
            _ => self.compare(other) == Some(std::cmp::Ordering::Equal),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => write!(out, "{int}"),
            Self::Real(_, text) => out.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_kept() {
        for text in [
            "0",
            "-0",
            "1.0",
            "0.1000",
            "1e400",
            "12345678901234567890123",
            "-7",
            "1E+2",
        ] {
            assert_eq!(
                Number::parse(text).map(|n| n.to_string()).as_deref(),
                Some(text)
            );
            assert_eq!(Number::parse(text).map(|n| n.text_len()), Some(text.len()));
        }
        for text in ["", "-", "01", "1.", ".5", "1e", "+1", "NaN", "0x1", " 1"] {
            assert!(Number::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn equal_by_value() {
        assert_eq!(Number::parse("1"), Number::parse("1.0"));
        assert_eq!(Number::parse("100"), Number::parse("1e2"));
        assert_ne!(Number::parse("1"), Number::parse("1.5"));
    }
}
