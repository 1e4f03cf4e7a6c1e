//! Finds the places in the execution input that a definition reads, and reports the places that a sample input lacks.

use super::facts::Facts;
use super::{Checker, StateAt};
use crate::definition::{Definition, PathField, ResultPath, StateId, StateKind};
use crate::json::{Step, Text, Value};
use crate::query::Profile;

/// Maximum depth at which members of a sample are searched.
const DEEPEST: usize = 12;

/// Returns a sentence for each place in the execution input that a state reads although `sample` does not have it.
#[must_use]
pub fn lacking(definition: &Definition, sample: &Value, event_source: &str) -> Vec<String> {
    let facts = Facts::of(definition);
    let checker = Checker::new(definition, &facts, Profile::Aws);
    let scope = definition.scopes.first();
    let start = scope.and_then(|scope| scope.start_at.as_ref()?.state);
    let mut waiting: Vec<StateId> = start.into_iter().collect();
    let (mut seen, mut made, mut sentences) = (waiting.clone(), Vec::new(), Vec::new());
    while let Some(id) = waiting.pop() {
        let Some(at) = checker.state_at(id) else {
            continue;
        };
        for read in at.reads().iter().filter(|read| read.is_of_input()) {
            let names = read.in_input(read.names.len());
            let mut made = made.iter();
            let is_made = made.any(|written: &Vec<Text>| names.starts_with(written));
            if read.asks || read.of_item || is_made || has(sample, &names, read.in_jsonata) {
                continue;
            }
            let root = match read.in_jsonata {
                true => "$states.input",
                false => "$",
            };
            let place = names.last().and_then(|name| place_of(sample, name));
            let hint = place.map_or_else(String::new, |place| {
                format!("; in the event, the member is {root}{place}")
            });
            sentences.push(format!(
                "{state} reads {path}, which the event from {event_source} lacks{hint}",
                state = at.state.name,
                path = read.path
            ));
        }
        if let Some(place) = hands_on(at) {
            made.extend(place);
            let next = checker.next(id).filter(|id| !seen.contains(id));
            let next: Vec<StateId> = next.collect();
            seen.extend(&next);
            waiting.extend(next);
        }
    }
    sentences.dedup();
    sentences
}

/// The place in the input at which a state inserts its result, if the state's output contains the whole input.
/// `Some(None)` if the output is the whole input without a result. `None` if the output lacks a part of the input.
fn hands_on(at: StateAt<'_>) -> Option<Option<Vec<Text>>> {
    let state = at.state;
    let only_waits = matches!(state.kind, StateKind::Choice(_) | StateKind::Wait(_));
    if at.is_jsonata() {
        let written = at.node.get("Output").is_some();
        return (only_waits && !written).then_some(None);
    }
    let whole = |field: &PathField| matches!(field, PathField::Whole);
    if !whole(&state.input_path) || !whole(&state.output_path) {
        return None;
    }
    match &state.result_path {
        _ if only_waits => Some(None),
        ResultPath::Discard => Some(None),
        ResultPath::Insert(reference) => match reference.steps().first() {
            Some(Step::Member(name)) => Some(Some(vec![name.clone()])),
            _ => None,
        },
        ResultPath::Replace => {
            let makes = ["Parameters", "Result"];
            let is_pass = matches!(state.kind, StateKind::Pass { .. });
            let plain = makes.iter().all(|field| at.node.get(field).is_none());
            (is_pass && plain).then_some(None)
        }
    }
}

/// True if a value has a member at the path `names`. With `in_items`, a name that follows an array applies to each item
/// of the array, as in JSONata.
fn has(value: &Value, names: &[Text], in_items: bool) -> bool {
    let Some((name, rest)) = names.split_first() else {
        return true;
    };
    if let Some(items) = value.as_array().filter(|_| in_items) {
        return items.iter().any(|item| has(item, names, true));
    }
    value
        .get(name)
        .is_some_and(|inner| has(inner, rest, in_items))
}

/// Path to a member with this name at any depth: `.detail.bucket`, `[0].body`.
fn place_of(value: &Value, name: &str) -> Option<String> {
    let mut waiting = vec![(String::new(), value, 0)];
    let mut at = 0;
    while let Some((place, value, depth)) = waiting.get(at).cloned() {
        at += 1;
        if depth > DEEPEST {
            return None;
        }
        if let Some(object) = value.as_object() {
            if value.get(name).is_some() {
                return Some(format!("{place}.{name}"));
            }
            let inner = object.members().iter();
            let inner = inner.map(|(name, value)| (format!("{place}.{name}"), value, depth + 1));
            waiting.extend(inner);
        } else if let Some(first) = value.as_array().and_then(<[Value]>::first) {
            waiting.push((format!("{place}[0]"), first, depth + 1));
        }
    }
    None
}

impl Definition {
    /// The definite paths that read a state's raw input, in the order of the text and without duplicates. States inside
    /// a Map or Parallel are left out.
    #[must_use]
    pub fn input_paths(&self) -> Vec<String> {
        let facts = Facts::of(self);
        let checker = Checker::new(self, &facts, Profile::Aws);
        let mut input_reads: Vec<String> = Vec::new();
        let states = self.scopes.iter().take(1);
        for at in states.flat_map(|scope| checker.states_of(scope)) {
            for read in at.reads().iter().filter(|read| read.is_of_raw_input()) {
                if !input_reads.contains(&read.path) {
                    input_reads.push(read.path.clone());
                }
            }
        }
        input_reads
    }
}
