//! Evaluates a filter as Jayway JsonPath 2.0.0, the library that AWS uses: literals are texts, and parentheses do not
//! group.

use super::aws::{Failure, Token, select_from};
use crate::json::{Number, Text, Value};
use std::cmp::Ordering;

/// The condition that an item must meet.
#[derive(Clone, Debug, Default)]
pub(super) struct Criteria {
    /// An item passes if it meets all criteria of at least one group.
    pub groups: Vec<Vec<Criterion>>,
    /// True if a criterion tests `@` itself.
    pub bare: bool,
}

/// A single test.
#[derive(Clone, Debug)]
pub(super) struct Criterion {
    /// The tested value.
    pub left: Expected,
    pub test: Test,
}

/// The kinds of tests.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// True: the value exists and is not null. False: the opposite.
    Exists(bool),
    Compare(&'static str, Expected),
    /// A test that nothing passes.
    Never,
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    Null,
    /// A literal as written, without its single quotes.
    Text(Text),
    Path(FilterPath),
}

/// A path in a filter.
#[derive(Clone, Debug)]
pub(super) struct FilterPath {
    /// True if the path starts at the document rather than at the item.
    pub from_root: bool,
    pub tokens: Vec<Token>,
    pub definite: bool,
}

impl Expected {
    /// Converts a literal from its text.
    pub(super) fn literal(written: &str) -> Self {
        let quoted = written
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''));
        match quoted.unwrap_or(written) {
            "null" => Self::Null,
            text => Self::Text(text.replace("\\'", "'").into()),
        }
    }
}

impl Criteria {
    /// True if an item of the document passes.
    pub(super) fn accept(&self, item: &Value, root: &Value, most: usize) -> Result<bool, Failure> {
        // On AWS, `@` never matches a scalar.
        if self.bare && item.depth() == 0 {
            return Ok(false);
        }
        for group in &self.groups {
            let mut all = true;
            for criterion in group {
                if !criterion.holds(item, root, most)? {
                    all = false;
                    break;
                }
            }
            if all {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl FilterPath {
    /// The value at the path; `None` if any part of the path is missing.
    fn value(&self, item: &Value, root: &Value, most: usize) -> Result<Option<Value>, Failure> {
        if !self.definite {
            return Err(Failure::Unfit(
                "the predicate path is not definite".to_owned(),
            ));
        }
        let from = if self.from_root { root } else { item };
        match select_from(&self.tokens, true, from, root, most) {
            Ok(found) => Ok(found.into_iter().next()),
            Err(Failure::Missing(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }
}

impl Criterion {
    fn holds(&self, item: &Value, root: &Value, most: usize) -> Result<bool, Failure> {
        let left = || match &self.left {
            Expected::Null => Ok(Some(Value::from("null"))),
            Expected::Text(text) => Ok(Some(Value::String(text.clone()))),
            Expected::Path(path) => path.value(item, root, most),
        };
        match &self.test {
            Test::Never => Ok(false),
            Test::Exists(wanted) => {
                let value = left()?;
                let exists = value.is_some_and(|value| value != Value::Null);
                Ok(exists == *wanted)
            }
            Test::Compare(operator, expected) => {
                let Some(actual) = left()? else {
                    return Ok(false);
                };
                let ordering = match expected {
                    Expected::Null => ordering(&Value::Null, &actual)?,
                    Expected::Text(text) => of_text(text, &actual)?,
                    Expected::Path(path) => match path.value(item, root, most)? {
                        Some(expected) => ordering(&expected, &actual)?,
                        None => None,
                    },
                };
                Ok(ordering.is_some_and(|ordering| holds(operator, ordering, &actual)))
            }
        }
    }
}

/// True if the comparison holds; `expected` is the order of the expected value relative to `actual`.
fn holds(operator: &str, expected: Ordering, actual: &Value) -> bool {
    let ordered = *actual != Value::Null;
    match operator {
        "==" => expected == Ordering::Equal,
        "!=" => expected != Ordering::Equal,
        "<" => ordered && expected == Ordering::Greater,
        "<=" => ordered && expected != Ordering::Less,
        ">" => ordered && expected == Ordering::Less,
        _ => ordered && expected != Ordering::Greater,
    }
}

/// Compares the value of a path with another value; `None` if they are not comparable.
fn ordering(expected: &Value, actual: &Value) -> Result<Option<Ordering>, Failure> {
    Ok(match (expected, actual) {
        (one, other) if one.same(other) => Some(Ordering::Equal),
        (one, other) if is_nullish(one) || is_nullish(other) => {
            Some(is_nullish(other).cmp(&is_nullish(one)))
        }
        (Value::String(text), _) => of_text(text, actual)?,
        (Value::Number(one), Value::Number(other)) => one.compare(other),
        (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
        _ => None,
    })
}

/// True for null and for the text `null`.
fn is_nullish(value: &Value) -> bool {
    *value == Value::Null || value.as_str() == Some("null")
}

/// Compares a text with a value. If that is a number or a boolean, the text is parsed as one.
fn of_text(text: &str, actual: &Value) -> Result<Option<Ordering>, Failure> {
    Ok(match actual {
        // The expected text is not null, so it is greater.
        actual if is_nullish(actual) => Some(Ordering::Greater),
        Value::Null => Some(Ordering::Greater),
        Value::String(other) => Some(text.encode_utf16().cmp(other.encode_utf16())),
        Value::Number(number) => decimal(text)?.compare(number),
        Value::Bool(flag) => Some(text.eq_ignore_ascii_case("true").cmp(flag)),
        Value::Array(_) | Value::Object(_) => None,
    })
}

/// Parses a number as Java does: leading zeros, a plus sign and a missing integer or fraction part are allowed.
fn decimal(text: &str) -> Result<Number, Failure> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { "-" } else { "" };
    let split = unsigned.find(['.', 'e', 'E']).unwrap_or(unsigned.len());
    let (whole, rest) = unsigned.split_at_checked(split).unwrap_or((unsigned, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let rest = rest.trim_end_matches('.');
    let is_number = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let number = Number::parse(&format!("{sign}{whole}{rest}")).filter(|_| is_number);
    number.ok_or_else(|| {
        let fits = |c: &char| c.is_ascii_digit() || ".eE+-".contains(*c);
        let odd = unsigned.chars().find(|c| !fits(c)).unwrap_or(' ');
        Failure::Unfit(format!(
            "Character {odd} is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark."
        ))
    })
}
