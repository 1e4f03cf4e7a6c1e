//! Makes up data that a run reads but that the user has not provided. If a path selects nothing, a value is tried in
//! the input or in an answer, and is kept if the error disappears. If no value helps, the definition itself is wrong.

use super::moment::Way;
use super::search::{beginning, usual_way};
use super::walk::{DataFault, Fork, walk};
use super::world::World;
use crate::definition::{Definition, PathField, StateId, StateKind};
use crate::interpreter::{Outcome, Reason, Serve};
use crate::json::{Pointer, Step, Value};
use crate::query::{Path, QueryError};
use crate::worker::Worker;
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum number of values to make up for the run with the usual answers.
const MOST: usize = 80;
/// Maximum number of variants of a path: the path itself, the path without its first name, without its first two names,
/// and so on. The first names may come from ResultPath; the answer itself then does not contain them.
const SHIFTS: usize = 3;
/// Maximum number of arrays in one value that are tried as the target of a made-up value. The made-up value is put into
/// each item of the array.
const MOST_ARRAYS: usize = 6;

/// Makes up the data that the run with the usual answers reads. Returns true if this run is so large that its Maps
/// should be limited to their first items.
pub fn grow_usual(world: &mut World) -> bool {
    let mut is_large = false;
    for _ in 0..MOST {
        let walked = usual_way(world);
        is_large = walked.large;
        let fault = walked.faults.first();
        let mends = |fault| !world.deadline.is_over() && repair(world, fault);
        if !fault.is_some_and(mends) {
            break;
        }
    }
    is_large
}

/// Makes up the data that were missing in a failed run. Returns true if the run no longer fails with the same fault.
pub fn repair(world: &mut World, fault: &DataFault) -> bool {
    let server = Worker::new();
    for steps in paths(&world.run.definition, fault) {
        for source in sources(world, &fault.course.way) {
            if world.deadline.is_over() {
                return false;
            }
            for shift in 0..steps.len().min(SHIFTS) {
                let Some(rest) = steps.get(shift..) else {
                    continue;
                };
                // This variant of the input lacks a value that the usual input has. It was left out on purpose, so it
                // is not added again.
                let usual = Pointer(rest.to_vec());
                let usual = usual.get(&world.run.header.input).is_some();
                if source == Source::Input && fault.course.input.is_some() && usual {
                    continue;
                }
                for place in 0..=MOST_ARRAYS {
                    for guess in guesses() {
                        let Some(other) = with(world, source, place, rest, guess) else {
                            continue;
                        };
                        let again = widened(&other, source, fault);
                        if !recurs(&other, &again, &server) {
                            *world = other;
                            return true;
                        }
                    }
                }
            }
        }
    }
    false
}

/// The state whose catcher dropped the data that a fault is about, and the path of these data. `None` if the data were
/// already missing in the input of that state.
#[must_use]
pub fn is_lost(world: &World, fault: &DataFault) -> Option<(StateId, String)> {
    let path = path_of(fault)?;
    let names = Path::parse(&path).ok()?.names()?;
    let pointer = Pointer(names.clone());
    let held = |fault: &DataFault| {
        let (state, input) = fault.caught.as_ref()?;
        let was = pointer.get(input).is_some() && pointer.get(&fault.given).is_none();
        was.then_some((*state, path.clone()))
    };
    if let Some(held_fault) = held(fault) {
        return Some(held_fault);
    }
    if !world.input_made {
        return None;
    }
    // Adds a value to the made-up input, to find out whether the catcher would drop this value.
    let other = with(world, Source::Input, 0, &names, Value::from("text"))?;
    let server = Worker::new();
    let again = replay(&other, fault, &server);
    held(again.iter().find(|again| is_same(again, fault))?)
}

/// The path or expression that caused the fault because it had no value.
pub(super) fn path_of(fault: &DataFault) -> Option<String> {
    let reason = &*fault.fault.reason;
    let text = match reason {
        Reason::Evaluation { expression, .. } | Reason::WrongType { expression, .. } => {
            expression.text.clone()
        }
        Reason::Query {
            error: QueryError::Variable { name },
            ..
        } => format!("${name}").into(),
        _ => reason.missed()?.0.clone(),
    };
    text.starts_with('$').then(|| text.to_string())
}

/// The paths that may have caused the fault, most likely first.
fn paths(definition: &Definition, fault: &DataFault) -> Vec<Vec<Step>> {
    let mut name_paths: Vec<Vec<Step>> = Vec::new();
    let mut add = |path: &Path| {
        let names = path.names().filter(|names| !names.is_empty());
        if let Some(names) = names.filter(|names| !name_paths.contains(names)) {
            name_paths.push(names);
        }
    };
    if let Some(path) = path_of(fault).and_then(|text| Path::parse(&text).ok()) {
        add(&path);
    }
    let Some(state) = definition.state(fault.state) else {
        return name_paths;
    };
    for (_, template) in &state.templates {
        for (_, expression) in template.expressions() {
            expression.paths().into_iter().for_each(&mut add);
        }
    }
    if let StateKind::Map(map) = &state.kind
        && let PathField::Path(path) = &map.items_path
    {
        add(path);
    }
    name_paths
}

/// A source of the data in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Input,
    Answer(StateId),
}

/// The answers of a run that are made up, latest first, and then the input if it is made up.
fn sources(world: &World, way: &Way) -> Vec<Source> {
    let (mut sources, mut seen) = (Vec::new(), HashSet::new());
    let mut at = way.as_deref();
    while let Some(step) = at {
        let succeeded = matches!(step.answer.outcome, Outcome::Success(_));
        if succeeded && !world.is_given(step.state) && seen.insert(step.state) {
            sources.push(Source::Answer(step.state));
        }
        at = step.before.as_deref();
    }
    if world.input_made {
        sources.push(Source::Input);
    }
    sources
}

fn guesses() -> Vec<Value> {
    let item = || Value::empty_object();
    vec![
        Value::from("text"),
        Value::from(1),
        Value::from(true),
        Value::array(vec![item(), item()]),
        Value::empty_object(),
        Value::from("2026-01-01T00:00:00Z"),
        Value::from("{}"),
    ]
}

/// The arrays in a value; an array comes before the arrays inside it.
fn arrays(value: &Value, at: &Pointer, pointers: &mut Vec<Pointer>) {
    if pointers.len() >= MOST_ARRAYS || at.0.len() > 5 {
        return;
    }
    match value {
        Value::Object(object) => {
            for (name, value) in object.members() {
                arrays(value, &at.child(Step::Member(name.clone())), pointers);
            }
        }
        Value::Array(array) => {
            pointers.push(at.clone());
            if let Some(first) = array.items().first() {
                arrays(first, &at.child(Step::Item(0)), pointers);
            }
        }
        _ => {}
    }
}

/// Returns a copy of `value` with a new value at a path. If `place` is 0, the path starts at the root of the value.
/// Otherwise, the path starts at each item of array number `place` in the value, counted from 1.
fn put_at(value: &Value, place: usize, steps: &[Step], new: Value) -> Option<Value> {
    if place == 0 {
        return put(value, steps, new);
    }
    let mut all = Vec::new();
    arrays(value, &Pointer::root(), &mut all);
    let at = all.get(place - 1)?;
    let items = at.get(value)?.as_array()?.iter();
    let items: Option<Vec<Value>> = items.map(|item| put(item, steps, new.clone())).collect();
    at.set(value, Value::array(items?))
}

/// Returns a copy of the world with one more made-up value: at a path in the input or in an answer.
fn with(
    world: &World,
    source: Source,
    place: usize,
    steps: &[Step],
    guess: Value,
) -> Option<World> {
    let mut other = world.clone();
    match source {
        Source::Input => {
            let input = put_at(&world.run.header.input, place, steps, guess)?;
            other.run = world.run_with(Some(&input));
        }
        Source::Answer(state) => {
            let made = put_at(&world.made_for(state), place, steps, guess)?;
            *other.made.get_mut(state.0 as usize)? = made;
        }
    }
    Some(other)
}

/// Returns a copy of `value` with a new value at a path; missing objects are created.
fn put(value: &Value, steps: &[Step], new: Value) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(new);
    };
    match (step, value) {
        (Step::Member(name), Value::Object(object)) => {
            let old = object.get(name).cloned().unwrap_or_default();
            let new = put(&old, rest, new)?;
            Some(Value::Object(Arc::new(object.with(name, new))))
        }
        (Step::Member(name), value) if value.as_array().is_none() => {
            let new = put(&Value::Null, rest, new)?;
            Some(Value::object(vec![(name.clone(), new)]))
        }
        (Step::Item(index), _) if *index < 8 => {
            let mut items = value.as_array().unwrap_or_default().to_vec();
            while items.len() <= *index {
                items.push(Value::empty_object());
            }
            let slot = items.get_mut(*index)?;
            *slot = put(slot, rest, new)?;
            Some(Value::array(items))
        }
        _ => None,
    }
}

/// Returns a copy of `fault` whose run can be repeated in `world`. If a value was added to the usual input in `world`,
/// and the run has an input of its own, adds the value to this input, too.
fn widened(world: &World, source: Source, fault: &DataFault) -> DataFault {
    let mut fault = fault.clone();
    if let (Source::Input, Some(input)) = (source, &fault.course.input) {
        fault.course.input = Some(input.over(&world.run.header.input));
    }
    fault
}

fn is_same(left: &DataFault, right: &DataFault) -> bool {
    left.state == right.state && left.stage == right.stage && path_of(left) == path_of(right)
}

/// Repeats the run that had the fault, with the data of `world`. Returns true if the fault occurs again. Also returns
/// true if the time is over, because an incomplete run proves nothing.
fn recurs(world: &World, fault: &DataFault, server: &dyn Serve) -> bool {
    let again = replay(world, fault, server);
    // An error about another path is progress, even if it occurs in the same state.
    let recurs = again.iter().any(|again| is_same(again, fault));
    recurs || world.deadline.is_over()
}

/// Repeats the run that had the fault, with the data of `world`. Returns the errors that the interpreter raised.
fn replay(world: &World, fault: &DataFault, server: &dyn Serve) -> Vec<DataFault> {
    let fork = Fork {
        repeats: Some(fault.course.clone()),
        ..beginning(world, fault.course.input.clone())
    };
    walk(world, fork, server, &HashSet::new(), world.deadline).faults
}
