//! Collects the values that the rules of Choices test for, by the name of the tested member. Also derives goals: for
//! each rule, the values of all members that make a Choice take this rule.

use crate::definition::{Ask, Asked, Choice, Definition, Family, PathField, StateKind, Term, Type};
use crate::json::{Number, Object, Step, Text, Value, one_line};
use crate::query::Template;
use crate::query::jsonata::Operator;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum number of values to try for one member.
const MOST: usize = 12;
/// The Cause of a made-up error if no other Cause is known.
pub const MADE: &str = "explore made the task fail";
/// Maximum number of Causes to try for one error.
const MOST_CAUSES: usize = 4;
/// Names of the members that a Cause has if a Lambda function or a job failed and the Cause is JSON.
const IN_CAUSES: [&str; 6] = [
    "errorType",
    "errorMessage",
    "Status",
    "StopCode",
    "StoppedReason",
    "StatusReason",
];
/// Maximum number of goals, which are the values that make a Choice take a rule.
const MOST_GOALS: usize = 100;

/// The values that `explore` tries in inputs and results, by the name of the member that gets the value.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    values: BTreeMap<Text, Vec<Value>>,
    /// Members that may be missing from the data, because a rule tests whether they are present.
    optional: BTreeSet<Text>,
    /// Members that contain the items of a Map.
    items: BTreeSet<Text>,
    /// Pairs of member names, (from, to): a field copies the value of the member `from` to the member `to`.
    aliases: Vec<(Text, Text)>,
    /// True if the definition parses a Cause as JSON.
    is_parsed: bool,
    /// For each rule that tests several members, the values that make a Choice take the rule.
    goals: Vec<Goal>,
}

impl Constants {
    /// Collects the values that a definition tests for.
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        let mut constants = Self::default();
        for state in &definition.states {
            for (_, template) in &state.templates {
                constants.alias(template);
            }
            match &state.kind {
                StateKind::Choice(choice) => constants.choice(choice),
                StateKind::Map(map) => {
                    if let PathField::Path(path) = &map.items_path {
                        constants.items.extend(path.last_name());
                    }
                }
                _ => {}
            }
        }
        constants.is_parsed = (definition.node.texts().iter())
            .any(|text| text.contains("StringToJson(") || text.contains("$parse("));
        constants.spread();
        constants
    }

    fn choice(&mut self, choice: &Choice) {
        self.goals.extend(goals(choice));
        self.goals.truncate(MOST_GOALS);
        for rule in &choice.rules {
            Asked::of(&rule.test).each(true, &mut |part, _| self.asked(&part.ask));
        }
    }

    fn asked(&mut self, ask: &Ask<Term<'_>>) {
        match ask {
            Ask::Present(term, _) => self.optional.extend(term.last_name()),
            Ask::Is(term, Type::Null, _) => self.compared(term.last_name(), &Value::Null),
            Ask::Matches(term, Term::Pattern(text, _)) => {
                self.compared(term.last_name(), &Value::string(text.replace('*', "x")));
            }
            Ask::Compare {
                left,
                family: Family::Flag,
                ..
            } => self.compared(left.last_name(), &Value::Bool(true)),
            Ask::Compare { left, right, .. } => {
                if let Some(value) = right.literal() {
                    self.compared(left.last_name(), &value);
                }
            }
            _ => {}
        }
        // Comparisons inside a JSONata expression are collected, too.
        for term in ask.terms() {
            if let Term::Node(_, node) = term {
                for compared in node.compared() {
                    self.compared(compared.left.last_name().map(Text::from), &compared.value);
                }
            }
        }
    }

    /// Adds values to try for a member that is compared with a constant or with each item of a constant array.
    fn compared(&mut self, name: Option<Text>, constant: &Value) {
        let Some(name) = name else { return };
        let values = match constant {
            Value::Number(number) => around(number),
            Value::Bool(_) => vec![Value::from(true), Value::from(false)],
            Value::String(_) => vec![constant.clone(), Value::from(OTHER)],
            Value::Array(items) => {
                let each = items.items().iter();
                return each.for_each(|item| self.compared(Some(name.clone()), item));
            }
            other => vec![other.clone()],
        };
        self.add(&name, values);
    }

    fn add(&mut self, name: &Text, values: Vec<Value>) {
        let known_values = self.values.entry(name.clone()).or_default();
        for value in values {
            if known_values.len() < MOST && !known_values.contains(&value) {
                known_values.push(value);
            }
        }
    }

    /// Records the members that a field copies: `"status.$": "$.Payload.State"` copies the member `State` to `status`.
    fn alias(&mut self, template: &Template) {
        for (pointer, expression) in template.expressions() {
            let Some(Step::Member(to)) = pointer.0.last() else {
                continue;
            };
            for path in expression.paths() {
                let from = path.last_name();
                self.aliases.extend(from.map(|from| (from, to.clone())));
            }
        }
    }

    /// If a member is copied to another member, the values to try for the copy are also tried for the original.
    fn spread(&mut self) {
        for _ in 0..4 {
            for (from, to) in self.aliases.clone() {
                if from == to {
                    continue;
                }
                let values = self.values.get(&to).cloned().unwrap_or_default();
                if !values.is_empty() {
                    self.add(&from, values);
                }
                if self.optional.contains(&to) {
                    self.optional.insert(from.clone());
                }
                for goal in &mut self.goals {
                    if let Some(value) = goal.get(&to).cloned() {
                        goal.entry(from.clone()).or_insert(value);
                    }
                }
                if self.items.contains(&to) {
                    self.items.insert(from);
                }
            }
        }
    }

    /// True if a rule depends on the value of a member with this name.
    #[must_use]
    pub fn decides(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Returns the error with the given cause. If no cause is given, returns the error with each cause to try: texts
    /// that rules test for, and JSON objects with members that rules test for.
    #[must_use]
    pub fn with_causes(&self, error: Text, given: Option<Text>) -> Vec<(Text, Text)> {
        if let Some(cause) = given {
            return vec![(error, cause)];
        }
        let asked = |name: &str| self.values.get(name).into_iter().flatten();
        // If the definition parses causes as JSON, a text that is not JSON is tried only if a rule tests for this text.
        let is_tried = |text: &&str| !self.is_parsed || *text != OTHER;
        let texts = asked("Cause").filter_map(Value::as_str).filter(is_tried);
        let mut causes: Vec<Text> = texts.map(Text::from).collect();
        if self.is_parsed {
            let members = [("errorMessage", MADE), ("errorType", &*error)];
            let members = members.map(|(name, text)| (name.into(), Value::from(text)));
            let usual = Object::new(members.into());
            let others = IN_CAUSES.iter().flat_map(|name| {
                asked(name).map(|value| usual.with(&(*name).into(), value.clone()))
            });
            let all = std::iter::once(usual.clone()).chain(others);
            causes.extend(all.map(|object| Text::from(one_line(&Value::Object(Arc::new(object))))));
        } else if causes.is_empty() {
            causes.push(MADE.into());
        }
        causes.truncate(MOST_CAUSES);
        let pairs = causes.into_iter().map(|cause| (error.clone(), cause));
        pairs.collect()
    }

    /// Returns variants of a value. In each variant, one part (the value itself, a member or an item) is replaced, a
    /// member is missing, or several members have the values of a goal. `whole` is the name of the member that will
    /// contain the value; `given` is true if the user provided the value.
    #[must_use]
    pub fn variants(&self, value: &Value, whole: Option<&Text>, given: bool) -> Vec<Value> {
        let mut variants = Vec::new();
        self.vary(value, whole, given, 0, &mut |value| variants.push(value));
        for goal in &self.goals {
            let (other, changed) = reach(goal, value, whole, given, 0);
            if changed > 1 && !variants.contains(&other) {
                variants.push(other);
            }
        }
        variants
    }

    fn vary(
        &self,
        value: &Value,
        name: Option<&Text>,
        given: bool,
        depth: usize,
        try_value: &mut dyn FnMut(Value),
    ) {
        if let Some(name) = name {
            for other in self.values.get(name).into_iter().flatten() {
                if replaces(other, value, given) {
                    try_value(other.clone());
                }
            }
            let items = value.as_array().filter(|_| self.items.contains(name));
            if let Some(items @ [first, ..]) = items {
                try_value(Value::array(Vec::new()));
                let other = if items.len() == 1 { 2 } else { 1 };
                try_value(Value::array(vec![first.clone(); other]));
            }
        }
        if depth > 6 {
            return;
        }
        match value {
            Value::Object(object) => {
                for (name, member) in object.members() {
                    if self.optional.contains(name) {
                        try_value(Value::Object(Arc::new(object.without(name))));
                    }
                    self.vary(member, Some(name), given, depth + 1, &mut |new| {
                        try_value(Value::Object(Arc::new(object.with(name, new))));
                    });
                }
            }
            Value::Array(array) => {
                if let Some(first) = array.items().first() {
                    self.vary(first, None, given, depth + 1, &mut |new| {
                        let mut items = array.items().to_vec();
                        if let Some(slot) = items.first_mut() {
                            *slot = new;
                        }
                        try_value(Value::array(items));
                    });
                }
            }
            _ => {}
        }
    }
}

/// True if the value `other` may be tried in place of `value`. If the user provided `value` (`given`), both values must
/// have the same type.
fn replaces(other: &Value, value: &Value, given: bool) -> bool {
    let fits = !given || other.type_name() == value.type_name() || value == &Value::Null;
    fits && other != value
}

/// Returns the number, the number minus one and the number plus one.
fn around(number: &Number) -> Vec<Value> {
    let numbers = [0.0, -1.0, 1.0].into_iter();
    let numbers = numbers.filter_map(|by| shifted(number, by));
    numbers.map(Value::Number).collect()
}

/// Maximum depth at which members are set to reach a goal.
const DEEPEST: usize = 7;
/// A text that no rule tests for.
pub const OTHER: &str = "something else";

/// The values that members must have at the same time to make a Choice take one of its rules, by the name of the
/// member.
pub type Goal = BTreeMap<Text, Value>;

/// Returns a goal for each rule and for Default. If no value can be derived from a test, the goal ignores this test.
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

/// Adds values to the goal that give a condition the result `holds`. A member that already has a value keeps it.
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
                let value = match holds {
                    true => text.replace('*', "x"),
                    false => OTHER.to_owned(),
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
    let is_test = matches!(relation, Operator::Equal | Operator::NotEqual);
    let other = || Some(Value::from(OTHER));
    match constant {
        Value::Number(number) => {
            let by = match (relation, holds) {
                _ if is_equal => 0.0,
                (Operator::Less | Operator::Greater, false)
                | (Operator::LessOrEqual | Operator::GreaterOrEqual, true) => 0.0,
                (Operator::Less, true) | (Operator::GreaterOrEqual, false) => -1.0,
                _ => 1.0,
            };
            shifted(number, by).map(Value::Number)
        }
        Value::Bool(flag) if is_test => Some(Value::from(*flag == is_equal)),
        Value::String(_) if is_test && is_equal => Some(constant.clone()),
        Value::String(_) if is_test => other(),
        Value::Array(array) if relation == Operator::In => match array.items().first() {
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

/// Returns a copy of a value in which members have the values that the goal requires, and the number of members that
/// were replaced.
#[must_use]
pub fn reach(
    goal: &Goal,
    value: &Value,
    name: Option<&Text>,
    given: bool,
    depth: usize,
) -> (Value, usize) {
    if let Some(other) = name.and_then(|name| goal.get(name)) {
        return match replaces(other, value, given) {
            true => (other.clone(), 1),
            false => (value.clone(), 0),
        };
    }
    let Value::Object(object) = value else {
        return (value.clone(), 0);
    };
    if depth >= DEEPEST {
        return (value.clone(), 0);
    }
    let (mut changed, mut whole) = (0, Arc::clone(object));
    for (name, member) in object.members() {
        let (other, count) = reach(goal, member, Some(name), given, depth + 1);
        if count > 0 {
            changed += count;
            whole = Arc::new(whole.with(name, other));
        }
    }
    (Value::Object(whole), changed)
}
