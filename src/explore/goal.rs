//! What the members of one value have to be together for a rule of a Choice to be taken: the rule holds, and those before
//! it do not.
//!
//! It must not know where such a member comes from.

use super::constant::{OTHER, shifted};
use crate::definition::{Choice, Comparator, Comparison, Operand, Relation, Test};
use crate::json::{Step, Text, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Deeper than this no member is looked for.
const DEEPEST: usize = 7;

/// Values of members, by their names.
pub type Goal = BTreeMap<Text, Value>;

/// A goal for each rule and for Default, as far as its tests say what to do.
#[must_use]
pub fn goals(choice: &Choice) -> Vec<Goal> {
    let count = choice.rules.len();
    let all = (0..=count).map(|place| {
        let mut goal = Goal::new();
        if let Some(rule) = choice.rules.get(place) {
            steer(&rule.test, true, &mut goal);
        }
        for before in choice.rules.iter().take(place) {
            steer(&before.test, false, &mut goal);
        }
        goal
    });
    all.filter(|goal| goal.len() > 1).collect()
}

/// Adds what makes a test hold, or not; what is asked of a member first stays.
fn steer(test: &Test, holds: bool, goal: &mut Goal) {
    match (test, holds) {
        (Test::And(tests), true) | (Test::Or(tests), false) => {
            tests.iter().for_each(|test| steer(test, holds, goal));
        }
        (Test::And(tests), false) | (Test::Or(tests), true) => {
            if let Some(first) = tests.first() {
                steer(first, holds, goal);
            }
        }
        (Test::Not(test), _) => steer(test, !holds, goal),
        (Test::Compare(one), _) => {
            let last = one.variable.names().and_then(|steps| steps.last().cloned());
            if let (Some(Step::Member(name)), Some(value)) = (last, wanted(one, holds)) {
                goal.entry(name).or_insert(value);
            }
        }
        (Test::Condition(_) | Test::Always(_) | Test::Broken(_), _) => {}
    }
}

/// A value for which a comparison holds, or does not.
fn wanted(one: &Comparison, holds: bool) -> Option<Value> {
    let number = |by: f64| match &one.operand {
        Operand::Constant(Value::Number(number)) => shifted(number, by).map(Value::Number),
        _ => None,
    };
    match (one.comparator, &one.operand) {
        (Comparator::String(Relation::Equals), Operand::Constant(value)) => Some(match holds {
            true => value.clone(),
            false => Value::from(OTHER),
        }),
        (Comparator::StringMatches, Operand::Pattern(text, _)) => Some(match holds {
            true => Value::string(text.replace('*', "x")),
            false => Value::from(OTHER),
        }),
        (Comparator::BooleanEquals, Operand::Constant(value)) => {
            Some(Value::from(value.as_bool()? == holds))
        }
        (Comparator::Numeric(relation), _) => match (relation, holds) {
            (Relation::Equals | Relation::LessThanEquals | Relation::GreaterThanEquals, true)
            | (Relation::LessThan | Relation::GreaterThan, false) => number(0.0),
            (Relation::GreaterThan, true)
            | (Relation::Equals | Relation::LessThanEquals, false) => number(1.0),
            (Relation::LessThan, true) | (Relation::GreaterThanEquals, false) => number(-1.0),
        },
        _ => None,
    }
}

/// A value with the members that a goal names, and how many of them are others than before.
#[must_use]
pub fn reach(
    goal: &Goal,
    value: &Value,
    name: Option<&Text>,
    given: bool,
    depth: usize,
) -> (Value, usize) {
    if let Some(other) = name.and_then(|name| goal.get(name)) {
        // What was given is of the type that it will be of.
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
