//! Expected values, and how an actual value differs from them. An expected value is a whole value, a part of a value,
//! or a list of rules.

use crate::json::{Change, ChangeKind, Pointer, Step, Text, Value, diff, one_line};
use regex::Regex;

/// Maximum number of differences to report for one value.
const MOST: usize = 50;

/// The expectation for a value, or for a part of a value.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The actual value must equal this value.
    Value(Value),
    /// An object with these members, some of which contain rules.
    Object(Vec<(Text, Expected)>),
    /// An array of these items, some of which contain rules.
    Array(Vec<Expected>),
    /// Any value that satisfies all of these rules.
    Rules(Vec<Rule>),
}

/// The extent of an expectation: the whole value, or only some of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole value: every object in it must have the expected members and no others.
    Whole,
    /// The expected members must be present; every object in the actual value may have more members.
    Part,
}

/// A rule for a value.
#[derive(Clone, Debug)]
pub enum Rule {
    /// There is a value, whatever it is.
    Any,
    /// There is no value.
    Absent,
    /// The value is of this type: `null boolean number integer string array object`.
    Type(Text),
    /// The value is a number, and it is not below this number.
    Min(f64),
    /// The value is a number, and it is not above this number.
    Max(f64),
    /// The number of characters, items or members is in this range.
    Length(u64, u64),
    /// The value is a string in which the regular expression finds a match.
    Matches(Regex),
    /// The value is a string that contains this text, or an array that contains this item.
    Contains(Box<Expected>),
    /// The value meets this expectation, and its objects may have more members.
    Includes(Box<Expected>),
    /// The value meets one of these expectations.
    OneOf(Vec<Expected>),
    /// The value equals this one. Members whose names begin with `$` are compared like all others and are no rules.
    Equals(Value),
}

/// A difference between an actual value and the expected value.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Path to the part of the value that differs.
    pub at: Pointer,
    /// The expected value, as text.
    pub expected: String,
    /// The actual value; `None` if it is missing.
    pub actual: Option<Value>,
}

impl Expected {
    /// The differences between the expectation and a value; at most fifty.
    #[must_use]
    pub fn differences(&self, actual: Option<&Value>, extent: Extent) -> Vec<Difference> {
        let mut differences = Vec::new();
        self.compare(actual, extent, &Pointer::root(), &mut differences);
        differences.truncate(MOST);
        differences
    }

    /// True if the value meets the expectation.
    #[must_use]
    pub fn holds(&self, actual: Option<&Value>) -> bool {
        self.differences(actual, Extent::Whole).is_empty()
    }

    /// Description of the expectation, on one line.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Value(value) => one_line(value),
            Self::Object(members) => {
                let members = members.iter().map(|(name, expected)| {
                    format!("{}:{}", Value::String(name.clone()), expected.text())
                });
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }
            Self::Array(items) => {
                let items: Vec<String> = items.iter().map(Self::text).collect();
                format!("[{}]", items.join(","))
            }
            Self::Rules(rules) => {
                let rules: Vec<String> = rules.iter().map(Rule::text).collect();
                rules.join(" and ")
            }
        }
    }

    fn compare(
        &self,
        actual: Option<&Value>,
        extent: Extent,
        at: &Pointer,
        differences: &mut Vec<Difference>,
    ) {
        if differences.len() > MOST {
            return;
        }
        let mut differs = || {
            differences.push(Difference {
                at: at.clone(),
                expected: self.text(),
                actual: actual.cloned(),
            });
        };
        match (self, actual) {
            (Self::Rules(rules), _) => {
                for rule in rules {
                    rule.compare(actual, at, differences);
                }
            }
            (Self::Value(value), Some(actual)) => unequal(value, actual, extent, at, differences),
            (Self::Object(members), Some(Value::Object(object))) => {
                for (name, expected) in members {
                    let at = at.child(Step::Member(name.clone()));
                    expected.compare(object.get(name), extent, &at, differences);
                }
                if extent == Extent::Part {
                    return;
                }
                for (name, value) in object.members() {
                    if members.iter().all(|(known, _)| known != name) {
                        differences.push(Difference {
                            at: at.child(Step::Member(name.clone())),
                            expected: NOTHING.to_string(),
                            actual: Some(value.clone()),
                        });
                    }
                }
            }
            (Self::Array(items), Some(Value::Array(array))) => {
                let array = array.items();
                for place in 0..items.len().max(array.len()) {
                    let at = at.child(Step::Item(place));
                    match items.get(place) {
                        Some(expected) => {
                            expected.compare(array.get(place), extent, &at, differences)
                        }
                        None => differences.push(Difference {
                            at,
                            expected: NOTHING.to_string(),
                            actual: array.get(place).cloned(),
                        }),
                    }
                }
            }
            _ => differs(),
        }
    }
}

const NOTHING: &str = "nothing";

/// Adds the differences between the expected and the actual value to `differences`.
fn unequal(
    expected: &Value,
    actual: &Value,
    extent: Extent,
    at: &Pointer,
    differences: &mut Vec<Difference>,
) {
    for Change { at: below, kind } in diff(expected, actual, MOST + 1) {
        let is_more = kind == ChangeKind::Added && matches!(below.0.last(), Some(Step::Member(_)));
        if extent == Extent::Part && is_more {
            continue;
        }
        let mut place = at.clone();
        place.0.extend(below.0.iter().cloned());
        let wanted = below.get(expected).filter(|_| kind != ChangeKind::Added);
        differences.push(Difference {
            at: place,
            expected: wanted.map_or_else(|| NOTHING.to_string(), one_line),
            actual: below.get(actual).cloned(),
        });
    }
}

impl Rule {
    fn compare(&self, actual: Option<&Value>, at: &Pointer, differences: &mut Vec<Difference>) {
        match (self, actual) {
            (Self::Includes(expected), _) => {
                expected.compare(actual, Extent::Part, at, differences)
            }
            _ if self.keeps(actual) => {}
            _ => differences.push(Difference {
                at: at.clone(),
                expected: self.text(),
                actual: actual.cloned(),
            }),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "lengths are far below 2^53, so f64 holds them exactly"
    )]
    fn keeps(&self, actual: Option<&Value>) -> bool {
        let Some(actual) = actual else {
            return matches!(self, Self::Absent);
        };
        let number = actual.as_number().map(crate::json::Number::as_f64);
        match self {
            Self::Any => true,
            Self::Absent => false,
            Self::Type(name) if &**name == "integer" => {
                number.is_some_and(|number| number.fract() == 0.0)
            }
            Self::Type(name) => actual.type_name() == &**name,
            Self::Min(least) => number.is_some_and(|number| number >= *least),
            Self::Max(most) => number.is_some_and(|number| number <= *most),
            Self::Length(least, most) => length(actual)
                .is_some_and(|length| (*least as f64..=*most as f64).contains(&(length as f64))),
            Self::Matches(regex) => actual.as_str().is_some_and(|text| regex.is_match(text)),
            Self::Contains(part) => match (actual, &**part) {
                (Value::String(text), Expected::Value(Value::String(part))) => {
                    text.contains(&**part)
                }
                (Value::Array(array), part) => {
                    array.items().iter().any(|item| part.holds(Some(item)))
                }
                _ => false,
            },
            Self::Includes(expected) => expected.differences(Some(actual), Extent::Part).is_empty(),
            Self::OneOf(all) => all.iter().any(|expected| expected.holds(Some(actual))),
            Self::Equals(value) => value == actual,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Any => "anything".to_string(),
            Self::Absent => NOTHING.to_string(),
            Self::Type(name) => format!("of type {name}"),
            Self::Min(least) => format!("at least {least}"),
            Self::Max(most) => format!("at most {most}"),
            Self::Length(least, most) if least == most => format!("a length of {least}"),
            Self::Length(least, u64::MAX) => format!("a length of {least} or more"),
            Self::Length(least, most) => format!("a length of {least} to {most}"),
            Self::Matches(regex) => format!("a text like /{regex}/"),
            Self::Contains(part) => format!("a value that contains {part}", part = part.text()),
            Self::Includes(expected) => format!("with {}", expected.text()),
            Self::OneOf(all) => {
                let all: Vec<String> = all.iter().map(Expected::text).collect();
                format!("one of {}", all.join(", "))
            }
            Self::Equals(value) => one_line(value),
        }
    }
}

/// Number of characters of a string, items of an array or members of an object; `None` for other values.
fn length(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(array) => Some(array.items().len()),
        Value::Object(object) => Some(object.members().len()),
        _ => None,
    }
}
