//! The values that the rules of Choices ask for, by the name of the member that they look at.

use super::goal::{Goal, OTHER, goals, reach, shifted};
use crate::definition::{Ask, Asked, Choice, Definition, Family, StateKind, Term, Type};
use crate::json::{Number, Object, Step, Text, Value, one_line};
use crate::query::Template;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// At most so many values of one member are tried.
const MOST: usize = 12;
/// The cause of errors for which no other is known.
pub const MADE: &str = "made to fail by explore";
/// At most so many causes of an error are tried.
const MOST_CAUSES: usize = 4;
/// Members that the JSON of a Cause has: of a function, and of a job.
const IN_CAUSES: [&str; 6] = [
    "errorType",
    "errorMessage",
    "Status",
    "StopCode",
    "StoppedReason",
    "StatusReason",
];
/// At most so many rules are steered to with several members at once.
const MOST_GOALS: usize = 100;

/// Values to try for members of these names.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    values: BTreeMap<Text, Vec<Value>>,
    /// Members that may be away.
    optional: BTreeSet<Text>,
    /// Members over whose items a Map runs.
    items: BTreeSet<Text>,
    /// Names under which the same value goes on.
    aliases: Vec<(Text, Text)>,
    /// Whether a Cause is read as JSON.
    is_parsed: bool,
    /// What the members have to be together for each rule to be taken.
    goals: Vec<Goal>,
}

impl Constants {
    /// Of a definition.
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
        // What is compared inside of an expression may decide as well.
        for term in ask.terms() {
            if let Term::Node(_, node) = term {
                for compared in node.compared() {
                    self.compared(compared.left.last_name().map(Text::from), &compared.value);
                }
            }
        }
    }

    /// Notes values to try for a member that is compared with a constant, or with each item of one.
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

    /// `"status.$": "$.Payload.State"`: both are names of one value.
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

    /// What is asked of a name is asked of the names that it came from.
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

    /// Whether the value of a member of this name decides something.
    #[must_use]
    pub fn decides(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// An error with the cause that is given, or with each that rules ask for: as text, and of JSON in it a member.
    #[must_use]
    pub fn with_causes(&self, error: Text, given: Option<Text>) -> Vec<(Text, Text)> {
        if let Some(cause) = given {
            return vec![(error, cause)];
        }
        let asked = |name: &str| self.values.get(name).into_iter().flatten();
        // What is read as JSON is JSON, but where a rule asks for the text itself.
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

    /// A value with another at one place, each of them; `whole` is the name that the value itself goes by later.
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
                // What was given is of the type that it will be of.
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

/// A number, one less and one more.
fn around(number: &Number) -> Vec<Value> {
    let others = [-1.0, 1.0];
    let others = others.into_iter().filter_map(|by| shifted(number, by));
    std::iter::once(number.clone())
        .chain(others)
        .map(Value::Number)
        .collect()
}
