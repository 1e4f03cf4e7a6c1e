//! Values that the rules of Choices test for, by the name of the member that is tested.

use super::goal::{Goal, OTHER, goals, reach, shifted};
use crate::definition::{Ask, Asked, Choice, Definition, Family, StateKind, Term, Type};
use crate::json::{Number, Object, Step, Text, Value, one_line};
use crate::query::Template;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum number of values to try for one member.
const MOST: usize = 12;
/// The cause of errors that have no known cause.
pub const MADE: &str = "made to fail by explore";
/// Maximum number of causes to try for an error.
const MOST_CAUSES: usize = 4;
/// Members in the JSON of a Cause, from Lambda functions and jobs.
const IN_CAUSES: [&str; 6] = [
    "errorType",
    "errorMessage",
    "Status",
    "StopCode",
    "StoppedReason",
    "StatusReason",
];
/// Maximum number of rules for which several members are set at once.
const MOST_GOALS: usize = 100;

/// Values to try for members, by name.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    values: BTreeMap<Text, Vec<Value>>,
    /// Members that may be missing.
    optional: BTreeSet<Text>,
    /// Members whose items a Map processes.
    items: BTreeSet<Text>,
    /// Pairs of names through which the same value is passed.
    aliases: Vec<(Text, Text)>,
    /// True if the definition parses a Cause as JSON.
    is_parsed: bool,
    /// For each rule, the members that must be set together for the rule to be taken.
    goals: Vec<Goal>,
}

impl Constants {
    /// Collects the values that a definition tests for.
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        let mut found = Self::default();
        for state in &definition.states {
            for (_, template) in &state.templates {
                found.alias(template);
            }
            match &state.kind {
                StateKind::Choice(choice) => found.choice(choice),
                StateKind::Map(map) => {
                    if let crate::definition::PathField::Path(path) = &map.items_path
                        && let Some(Step::Member(name)) =
                            path.names().and_then(|steps| steps.last().cloned())
                    {
                        found.items.insert(name);
                    }
                }
                _ => {}
            }
        }
        found.is_parsed = (definition.node.texts().iter())
            .any(|text| text.contains("StringToJson(") || text.contains("$parse("));
        found.spread();
        found
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
        // Comparisons inside an expression may matter as well.
        for term in ask.terms() {
            if let Term::Node(_, node) = term {
                for compared in node.compared() {
                    self.compared(compared.left.last_name().map(Text::from), &compared.value);
                }
            }
        }
    }

    /// Adds values to try for a member that is compared with a constant, or with each item of an array.
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
        let own = self.values.entry(name.clone()).or_default();
        for value in values {
            if own.len() < MOST && !own.contains(&value) {
                own.push(value);
            }
        }
    }

    /// Records that `"status.$": "$.Payload.State"` passes one value from one name to another.
    fn alias(&mut self, template: &Template) {
        for (pointer, expression) in template.expressions() {
            let Some(Step::Member(to)) = pointer.0.last() else {
                continue;
            };
            for path in expression.paths() {
                let last = path.names().and_then(|steps| steps.last().cloned());
                if let Some(Step::Member(from)) = last {
                    self.aliases.push((from, to.clone()));
                }
            }
        }
    }

    /// Copies the values of a name to the names from which its value comes.
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

    /// The error with its known cause, or with each cause that rules test for: as text, or as a member of JSON.
    #[must_use]
    pub fn with_causes(&self, error: Text, given: Option<Text>) -> Vec<(Text, Text)> {
        if let Some(cause) = given {
            return vec![(error, cause)];
        }
        let asked = |name: &str| self.values.get(name).into_iter().flatten();
        // A cause that is parsed should be JSON, unless a rule tests the text itself.
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

    /// Variants of a value with one part replaced; `whole` is the name that the value itself gets later.
    #[must_use]
    pub fn variants(&self, value: &Value, whole: Option<&Text>, given: bool) -> Vec<Value> {
        let mut found = Vec::new();
        self.vary(value, whole, given, 0, &mut |value| found.push(value));
        for goal in &self.goals {
            let (other, changed) = reach(goal, value, whole, given, 0);
            if changed > 1 && !found.contains(&other) {
                found.push(other);
            }
        }
        found
    }

    fn vary(
        &self,
        value: &Value,
        name: Option<&Text>,
        given: bool,
        depth: usize,
        told: &mut dyn FnMut(Value),
    ) {
        if let Some(name) = name {
            for other in self.values.get(name).into_iter().flatten() {
                // A value from the user keeps its type.
                let fits =
                    !given || other.type_name() == value.type_name() || value == &Value::Null;
                if fits && other != value {
                    told(other.clone());
                }
            }
            let items = value.as_array().filter(|_| self.items.contains(name));
            if let Some(items @ [first, ..]) = items {
                told(Value::array(Vec::new()));
                let one = vec![first.clone()];
                told(Value::array(match items.len() {
                    1 => vec![first.clone(), first.clone()],
                    _ => one,
                }));
            }
        }
        if depth > 6 {
            return;
        }
        match value {
            Value::Object(object) => {
                for (name, own) in object.members() {
                    if self.optional.contains(name) {
                        told(Value::Object(Arc::new(object.without(name))));
                    }
                    self.vary(own, Some(name), given, depth + 1, &mut |new| {
                        told(Value::Object(Arc::new(object.with(name, new))));
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
                        told(Value::array(items));
                    });
                }
            }
            _ => {}
        }
    }
}

/// The number itself, one less and one more.
fn around(number: &Number) -> Vec<Value> {
    let others = [-1.0, 1.0];
    let others = others.into_iter().filter_map(|by| shifted(number, by));
    std::iter::once(number.clone())
        .chain(others)
        .map(Value::Number)
        .collect()
}
