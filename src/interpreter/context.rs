//! The context object that `$$` names (ASL-SEMANTICS 14).
//!
//! It must not know who asks for it.

use super::ask::Want;
use super::children::Item;
use super::frame::Frame;
use super::machine::Machine;
use crate::definition::{State, StateKind};
use crate::json::{Text, Value};
use crate::query::Profile;

/// The context object as a frame sees it; `item` is the one of an ItemSelector being evaluated.
#[must_use]
pub fn context(machine: &Machine, frame: &Frame, item: Option<&Item>) -> Value {
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
    let mut members = run.execution.clone();
    if let Some(own) = child_execution(machine, frame)
        && let Some(slot) = members.first_mut()
    {
        slot.1 = own;
    }
    members.push(("State".into(), state_part(machine, frame)));
    if let Some(token) = token_of(frame) {
        members.push((
            "Task".into(),
            Value::object(vec![("Token".into(), Value::String(token))]),
        ));
    }
    // AWS was seen not to resolve the item inside the iteration's own states (12.1).
    let around = (machine.profile() == Profile::Spec)
        .then(|| item_around(machine, frame))
        .flatten();
    if let Some(shown) = item.or(around) {
        // The item of an ItemSelector is the frame's own, another is of a Map around it.
        let map = match item {
            Some(_) => Some(frame),
            None => frame.parent.and_then(|parent| machine.frame(parent)),
        };
        members.push(("Map".into(), map_part(shown, source(machine, map))));
    }
    merged(Value::object(members), &run.header.context)
}

fn state_part(machine: &Machine, frame: &Frame) -> Value {
    let Some(state) = machine.state_of(frame) else {
        debug_assert!(false, "{:?} is in a state that is not there", frame.id);
        return Value::empty_object();
    };
    let mut part = vec![
        ("Name".into(), Value::String(state.name.clone())),
        (
            "EnteredTime".into(),
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

/// `Execution` of the child execution that a frame is in.
fn child_execution(machine: &Machine, frame: &Frame) -> Option<Value> {
    let mut at = frame.in_child_execution.then_some(frame);
    while let Some(frame) = at {
        if let Some(execution) = &frame.execution {
            return Some(execution.clone());
        }
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    None
}

/// Whether a frame's context object has an item by the specification alone.
pub(super) fn inside_iteration(machine: &Machine, frame: &Frame) -> bool {
    !machine.run().header.context_whole && item_around(machine, frame).is_some()
}

/// The item of the nearest iteration around a frame.
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

/// Where the items of the nearest Map come from.
fn source<'m>(machine: &'m Machine, mut at: Option<&'m Frame>) -> Text {
    while let Some(frame) = at {
        let is_map = |state: &State| matches!(state.kind, StateKind::Map(_));
        if machine.state_of(frame).is_some_and(is_map) {
            return frame
                .visit
                .source
                .clone()
                .unwrap_or_else(|| "STATE_DATA".into());
        }
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    "STATE_DATA".into()
}

/// `{"Item": ...}`.
fn map_part(item: &Item, source: Text) -> Value {
    Value::object(vec![("Item".into(), item_part(item, source))])
}

fn item_part(item: &Item, source: Text) -> Value {
    let mut part = vec![("Index".into(), Value::from(i64::from(item.index)))];
    let value = match &item.key {
        Some(key) => {
            part.push(("Key".into(), Value::String(key.clone())));
            item.value.get("Value").cloned().unwrap_or_default()
        }
        None => item.value.clone(),
    };
    part.push(("Value".into(), value));
    part.push(("Source".into(), Value::String(source)));
    Value::object(part)
}

/// `over` laid over `base`, objects member by member.
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
