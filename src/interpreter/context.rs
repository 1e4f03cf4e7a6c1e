//! The context object, which `$$` selects (ASL-SEMANTICS 14).

use super::ask::Want;
use super::children::Item;
use super::frame::{Begun, Frame};
use super::machine::Machine;
use crate::definition::{State, StateKind};
use crate::json::{Text, Value};
use crate::query::Profile;
use std::sync::LazyLock;

/// The context object as a frame sees it; `item` is set while an ItemSelector is evaluated for it.
#[must_use]
pub fn context(machine: &Machine, frame: &Frame, item: Option<&Item>) -> Value {
    made(machine, frame, item, None, None)
}

/// A context object that has at least the given member, and in it at least the `inner` member, if any; used for paths
/// that need nothing else.
#[must_use]
pub(super) fn context_with(
    machine: &Machine,
    frame: &Frame,
    item: Option<&Item>,
    (member, inner): (&str, Option<&str>),
) -> Value {
    made(machine, frame, item, Some(member), inner)
}

/// Looks up a path of names in the context object without building it, if possible. Returns how many names were
/// resolved and the value; a template calls this once per item.
#[must_use]
pub(super) fn context_at(
    machine: &Machine,
    frame: &Frame,
    item: Option<&Item>,
    names: &[&str],
) -> Option<(usize, Value)> {
    let run = machine.run();
    let is_laid_over = |over: &Value| {
        over.as_object()
            .is_none_or(|over| !over.members().is_empty())
    };
    if run.header.context_whole || is_laid_over(&run.header.context) {
        return None;
    }
    match names {
        ["Execution", inner @ ..] => {
            let inner = inner.first().copied();
            let begun = begun_around(machine, frame);
            if let (Some((child, begun)), Some(inner)) = (begun, inner)
                && let Some(member) = machine.child_member(child, begun, inner)
            {
                return Some((2, member));
            }
            let own = child_execution(machine, frame, inner);
            let of_run = || {
                run.execution
                    .iter()
                    .find(|(name, _)| &**name == "Execution")
            };
            own.or_else(|| Some(of_run()?.1.clone())).map(|it| (1, it))
        }
        ["Map", "Item", name, ..] => {
            let item = match (item, machine.profile()) {
                (None, Profile::Spec) => item_around(machine, frame),
                (item, _) => item,
            }?;
            let value = match *name {
                "Index" => Value::from(i64::from(item.index)),
                "Value" => item_value(item),
                _ => return None,
            };
            Some((3, value))
        }
        _ => None,
    }
}

/// Builds the context object. If `only` is set, computes just the machine's own member with that name; if `inner` is
/// set as well, just that member inside it.
fn made(
    machine: &Machine,
    frame: &Frame,
    item: Option<&Item>,
    only: Option<&str>,
    inner: Option<&str>,
) -> Value {
    let run = machine.run();
    if run.header.context_whole {
        let given = &run.header.context;
        return match item {
            Some(item) => {
                let part = map_part(item, source(machine, Some(frame)));
                merged(given.clone(), &Value::object(vec![("Map".into(), part)]))
            }
            None => given.clone(),
        };
    }
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let mut members: Vec<(Text, Value)> = Vec::new();
    for (name, value) in run.execution.iter().filter(|(name, _)| wanted(name)) {
        let own = (&**name == "Execution").then(|| child_execution(machine, frame, inner));
        let value = own.flatten().unwrap_or_else(|| value.clone());
        members.push((name.clone(), value));
    }
    if wanted("State") {
        members.push((NAMES.state.clone(), state_part(machine, frame)));
    }
    if let Some(token) = token_of(frame).filter(|_| wanted("Task")) {
        members.push((
            "Task".into(),
            Value::object(vec![("Token".into(), Value::String(token))]),
        ));
    }
    // AWS was seen not to resolve the item inside the iteration's own states (12.1).
    let around = (machine.profile() == Profile::Spec)
        .then(|| item_around(machine, frame))
        .flatten();
    if let Some(shown) = item.or(around).filter(|_| wanted("Map")) {
        // The item of an ItemSelector belongs to the frame itself; any other belongs to an enclosing Map.
        let map = match item {
            Some(_) => Some(frame),
            None => frame.parent.and_then(|parent| machine.frame(parent)),
        };
        members.push((NAMES.map.clone(), map_part(shown, source(machine, map))));
    }
    merged(Value::object(members), &run.header.context)
}

/// Names that are needed for every item, allocated once.
struct Names {
    state: Text,
    name: Text,
    entered_time: Text,
    map: Text,
    item: Text,
    index: Text,
    value: Text,
    source: Text,
    state_data: Text,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
    state: "State".into(),
    name: "Name".into(),
    entered_time: "EnteredTime".into(),
    map: "Map".into(),
    item: "Item".into(),
    index: "Index".into(),
    value: "Value".into(),
    source: "Source".into(),
    state_data: "STATE_DATA".into(),
});

fn state_part(machine: &Machine, frame: &Frame) -> Value {
    let Some(state) = machine.state_of(frame) else {
        debug_assert!(false, "{:?} is in a state that is not there", frame.id);
        return Value::empty_object();
    };
    let mut part = vec![
        (NAMES.name.clone(), Value::String(state.name.clone())),
        (
            NAMES.entered_time.clone(),
            Value::string(machine.run().time_text(frame.visit.entered_at)),
        ),
    ];
    if matches!(
        state.kind,
        StateKind::Task(_) | StateKind::Map(_) | StateKind::Parallel { .. }
    ) {
        part.push((
            "RetryCount".into(),
            Value::from(i64::from(frame.visit.attempt) - 1),
        ));
    }
    Value::object(part)
}

fn token_of(frame: &Frame) -> Option<Text> {
    match &frame.visit.call.as_ref()?.ask.want {
        Want::Call { token, .. } => token.clone(),
        _ => None,
    }
}

/// `Execution` of the child execution that contains a frame, or only the member `inner` of it.
fn child_execution(machine: &Machine, frame: &Frame, inner: Option<&str>) -> Option<Value> {
    let (child, begun) = begun_around(machine, frame)?;
    Some(machine.child_execution(child, begun, inner))
}

/// The child execution that contains a frame, with its start.
fn begun_around<'m>(machine: &'m Machine, frame: &'m Frame) -> Option<(&'m Frame, &'m Begun)> {
    let mut at = frame.in_child_execution.then_some(frame);
    while let Some(frame) = at {
        if let Some(begun) = &frame.execution {
            return Some((frame, begun));
        }
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    None
}

/// True if the frame's context object has an item under the specification but not on AWS.
pub(super) fn inside_iteration(machine: &Machine, frame: &Frame) -> bool {
    !machine.run().header.context_whole && item_around(machine, frame).is_some()
}

/// The item of the nearest enclosing iteration.
fn item_around<'m>(machine: &'m Machine, frame: &'m Frame) -> Option<&'m Item> {
    let mut at = Some(frame);
    while let Some(frame) = at {
        if let Some(item) = &frame.item {
            return Some(item);
        }
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    None
}

/// Source of the items of the nearest enclosing Map.
fn source<'m>(machine: &'m Machine, mut at: Option<&'m Frame>) -> Text {
    while let Some(frame) = at {
        let is_map = |state: &State| matches!(state.kind, StateKind::Map(_));
        if machine.state_of(frame).is_some_and(is_map) {
            return frame
                .visit
                .source
                .clone()
                .unwrap_or_else(|| NAMES.state_data.clone());
        }
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    NAMES.state_data.clone()
}

/// The member `Map` of the context object: `{"Item": ...}`.
fn map_part(item: &Item, source: Text) -> Value {
    Value::object(vec![(NAMES.item.clone(), item_part(item, source))])
}

fn item_part(item: &Item, source: Text) -> Value {
    let mut part = vec![(NAMES.index.clone(), Value::from(i64::from(item.index)))];
    if let Some(key) = &item.key {
        part.push(("Key".into(), Value::String(key.clone())));
    }
    part.push((NAMES.value.clone(), item_value(item)));
    part.push((NAMES.source.clone(), Value::String(source)));
    Value::object(part)
}

/// The value of an item, without the key if it is an object member.
fn item_value(item: &Item) -> Value {
    match &item.key {
        Some(_) => item.value.get("Value").cloned().unwrap_or_default(),
        None => item.value.clone(),
    }
}

/// Merges `over` into `base`, objects member by member.
fn merged(base: Value, over: &Value) -> Value {
    match (base.as_object(), over.as_object()) {
        (Some(own), Some(other)) if !other.members().is_empty() => {
            let mut members = own.members().to_vec();
            for (name, value) in other.members() {
                match members.iter_mut().find(|(known, _)| known == name) {
                    Some(slot) => slot.1 = merged(std::mem::take(&mut slot.1), value),
                    None => members.push((name.clone(), value.clone())),
                }
            }
            Value::object(members)
        }
        (_, Some(other)) if other.members().is_empty() => base,
        _ => over.clone(),
    }
}
