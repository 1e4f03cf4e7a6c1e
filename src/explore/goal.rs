//! Goals: the members that a value needs for a Choice to take a certain rule, so that it matches and no earlier rule
//! does.

use crate::definition::{Ask, Asked, Choice, Family, Term};
use crate::json::{Number, Text, Value};
use crate::query::jsonata::Operator;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum depth at which members are set.
const DEEPEST: usize = 7;
/// A text that no rule tests for.
pub const OTHER: &str = "something else";

/// Required values of members, by name.
pub type Goal = BTreeMap<Text, Value>;

/// A goal for each rule and for Default, as far as it can be derived from the tests.
#[must_use]
pub fn goals(choice: &Choice) -> Vec<Goal> {
    let asked: Vec<Asked<'_>> = (choice.rules.iter())
        .map(|rule| Asked::of(&rule.test))
        .collect();
    let all = (0..=asked.len()).map(|place| {
        let mut goal = Goal::new();
        if let Some(asked) = asked.get(place) {
            steer(asked, true, &mut goal);
        }
        for before in asked.iter().take(place) {
            steer(before, false, &mut goal);
        }
        goal
    });
    all.filter(|goal| goal.len() > 1).collect()
}

/// Adds values that make a condition true or false; a member that has a value already keeps it.
fn steer(asked: &Asked<'_>, holds: bool, goal: &mut Goal) {
    match (&asked.ask, holds) {
        (Ask::All(parts), true) | (Ask::Any(parts), false) => {
            parts.iter().for_each(|part| steer(part, holds, goal));
        }
        (Ask::All(parts), false) | (Ask::Any(parts), true) => {
            if let Some(first) = parts.first() {
                steer(first, holds, goal);
            }
        }
        (Ask::Not(part), _) => steer(part, !holds, goal),
        (
            Ask::Compare {
                left,
                relation,
                right,
                family,
            },
            _,
        ) if *family != Family::Time => {
            let value = right.literal();
            let value = value.and_then(|value| wanted(*relation, &value, holds));
            if let (Some(name), Some(value)) = (left.last_name(), value) {
                goal.entry(name).or_insert(value);
            }
        }
        (Ask::Matches(left, Term::Pattern(text, _)), _) => {
            if let Some(name) = left.last_name() {
                let value = if holds {
                    text.replace('*', "x")
                } else {
                    OTHER.to_owned()
                };
                goal.entry(name).or_insert(Value::string(value));
            }
        }
        _ => {}
    }
}

/// A value for which a comparison with a constant has the result `holds`.
fn wanted(relation: Operator, constant: &Value, holds: bool) -> Option<Value> {
    let is_equal = match relation {
        Operator::Equal | Operator::In => holds,
        Operator::NotEqual => !holds,
        _ => false,
    };
    let other = || Some(Value::from(OTHER));
    match (constant, relation) {
        (Value::Number(number), _) => {
            let by = match (relation, holds) {
                _ if is_equal => 0.0,
                (Operator::Less | Operator::Greater, false)
                | (Operator::LessOrEqual | Operator::GreaterOrEqual, true) => 0.0,
                (Operator::Less, true) | (Operator::GreaterOrEqual, false) => -1.0,
                _ => 1.0,
            };
            shifted(number, by).map(Value::Number)
        }
        (Value::Bool(flag), Operator::Equal | Operator::NotEqual) => {
            Some(Value::from(*flag == is_equal))
        }
        (Value::String(_), Operator::Equal | Operator::NotEqual) if is_equal => {
            Some(constant.clone())
        }
        (Value::String(_), Operator::Equal | Operator::NotEqual) => other(),
        (Value::Array(array), Operator::In) => match array.items().first() {
            Some(first) if is_equal => Some(first.clone()),
            Some(Value::String(_)) => other(),
            _ => None,
        },
        _ => None,
    }
}

/// A number plus another number.
pub fn shifted(number: &Number, by: f64) -> Option<Number> {
    let other = number.as_f64() + by;
    match by == 0.0 {
        true => Some(number.clone()),
        false => Number::parse(&format!("{other}")).or_else(|| Number::from_f64(other)),
    }
}

/// Returns the value with the members of a goal, and the number of members that changed.
#[must_use]
pub fn reach(
    goal: &Goal,
    value: &Value,
    name: Option<&Text>,
    given: bool,
    depth: usize,
) -> (Value, usize) {
    if let Some(other) = name.and_then(|name| goal.get(name)) {
        // A value from the user keeps its type.
        let fits = !given || other.type_name() == value.type_name() || value == &Value::Null;
        if fits && other != value {
            return (other.clone(), 1);
        }
        return (value.clone(), 0);
    }
    let Value::Object(object) = value else {
        return (value.clone(), 0);
    };
    if depth >= DEEPEST {
        return (value.clone(), 0);
    }
    let (mut changed, mut whole) = (0, Arc::clone(object));
    for (name, own) in object.members() {
        let (other, count) = reach(goal, own, Some(name), given, depth + 1);
        if count > 0 {
            changed += count;
            whole = Arc::new(whole.with(name, other));
        }
    }
    (Value::Object(whole), changed)
}
