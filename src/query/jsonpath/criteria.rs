//! A filter as Jayway JsonPath 2.0.0 decides it, which AWS runs: literals are texts, and parentheses group nothing.
//!
//! It must not know the text that it was read from.

use super::aws::{Failure, Token, select_from};
use crate::json::{Number, Text, Value};
use std::cmp::Ordering;

/// What an item has to fulfil.
#[derive(Clone, Debug, Default)]
pub(super) struct Criteria {
    /// One of these groups, all of it.
    pub groups: Vec<Vec<Criterion>>,
    /// Whether it tests `@` itself.
    pub bare: bool,
}

/// One test.
#[derive(Clone, Debug)]
pub(super) struct Criterion {
    /// What is tested.
    pub left: Expected,
    pub test: Test,
}

/// What is asked of a value.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// That it is there and not null, or the contrary.
    Exists(bool),
    Compare(&'static str, Expected),
    /// Something that nothing fulfils.
    Never,
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    Null,
    /// A literal as written, without single quotes.
    Text(Text),
    Path(FilterPath),
}

/// A path in a filter.
#[derive(Clone, Debug)]
pub(super) struct FilterPath {
    /// Whether it begins at the document and not at the item.
    pub from_root: bool,
    pub tokens: Vec<Token>,
    pub definite: bool,
}

impl Expected {
    /// A literal as it stands in the text.
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
    /// Whether an item of the document passes.
    pub(super) fn accept(&self, item: &Value, root: &Value, most: usize) -> Result<bool, Failure> {
        // For AWS, `@` never matches a scalar.
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
    /// The value; `None` where something on the way is missing.
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

/// Whether a comparison holds for a value that what is expected is so to.
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

/// How a value that a path gives is to another; `None` where they cannot be compared.
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

/// Whether it is null, or the text of it.
fn is_nullish(value: &Value) -> bool {
    *value == Value::Null || value.as_str() == Some("null")
}

/// How a text is to a value: numbers and booleans are read of it.
fn of_text(text: &str, actual: &Value) -> Result<Option<Ordering>, Failure> {
    Ok(match actual {
        // What is expected is not null.
        actual if is_nullish(actual) => Some(Ordering::Greater),
        Value::Null => Some(Ordering::Greater),
        Value::String(other) => Some(text.encode_utf16().cmp(other.encode_utf16())),
        Value::Number(number) => decimal(text)?.compare(number),
        Value::Bool(flag) => Some(text.eq_ignore_ascii_case("true").cmp(flag)),
        Value::Array(_) | Value::Object(_) => None,
    })
}

/// A number that Java reads: leading zeros, a sign and a missing part are allowed.
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
