//! Signatures of moments: equal for the same states, the same open requests and the same shapes of data.

use super::world::{LAST_TRIED, World, item_index};
use crate::interpreter::{Ask, FrameId, Machine, Outcome, Stage};
use crate::json::Value;
use foldhash::quality::{FixedState, FoldHasher};
use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

/// Maximum depth at which data are distinguished.
const DEEPEST: usize = 8;
/// Maximum number of members or items of one container that are distinguished.
const WIDEST: usize = 64;

/// The signature of a moment at which a machine makes a request; `last` is the error of the previous attempt.
#[must_use]
pub fn signature(world: &World, machine: &Machine, ask: &Ask, last: Option<&str>) -> u64 {
    let mut hash = FixedState::default().build_hasher();
    last.hash(&mut hash);
    ask.state.hash(&mut hash);
    ask.key.attempt.min(3).hash(&mut hash);
    let returns = world.returns(ask.state).len();
    if returns > 1 {
        (ask.key.visit as usize).min(returns).hash(&mut hash);
    }
    let timed = machine.definition().timeout_seconds.is_some();
    // Frames of first items have no entry.
    let mut indices: HashMap<FrameId, u32> = HashMap::new();
    for frame in machine.frames() {
        let outer = frame.parent.and_then(|id| indices.get(&id)).copied();
        let index = item_index(frame).saturating_add(outer.unwrap_or(0));
        if index > 0 {
            indices.insert(frame.id, index);
        }
        if index > LAST_TRIED {
            continue;
        }
        let visit = &frame.visit;
        (frame.scope, frame.index.min(3), visit.state, visit.phase).hash(&mut hash);
        for used in &visit.retriers {
            used.used.hash(&mut hash);
        }
        if let Some(group) = &visit.group {
            let left = group.total.saturating_sub(group.next).min(2);
            (left, group.live.len().min(3), group.failed.min(3)).hash(&mut hash);
        }
        if let Some((fault, _)) = &visit.fault {
            fault.error.hash(&mut hash);
        }
        // An answer that has been set but not processed yet.
        let answer = visit.call.as_ref().and_then(|call| call.answer.as_ref());
        match answer.map(|answer| &answer.outcome) {
            None | Some(Outcome::Evaluated(_)) => 0_u8.hash(&mut hash),
            Some(Outcome::Success(value)) => {
                let name = world.result_name(visit.state);
                1_u8.hash(&mut hash);
                shape(world, value, name.as_deref(), 0, &mut hash);
            }
            Some(Outcome::Failure { error, .. }) => (2_u8, error).hash(&mut hash),
            Some(Outcome::Never) => 3_u8.hash(&mut hash),
        }
        // The input of the work need not contain all of the state's input.
        for value in [
            visit.data.latest(Stage::Input),
            visit.data.latest(Stage::Output),
        ] {
            shape(world, &value, None, 0, &mut hash);
        }
        // In any order of assignment.
        let variables = frame.variables.own().iter().map(|(name, value)| {
            let mut own = FixedState::default().build_hasher();
            name.hash(&mut own);
            shape(world, value, Some(name), 0, &mut own);
            own.finish()
        });
        variables.fold(0, u64::wrapping_add).hash(&mut hash);
        for (due, timer) in machine.timers(frame.id) {
            timer.hash(&mut hash);
            if timed {
                due.hash(&mut hash);
            }
        }
    }
    if timed {
        machine.now().hash(&mut hash);
    }
    hash.finish()
}

/// Hashes names and types; for members that a rule depends on, also the values.
fn shape(
    world: &World,
    value: &Value,
    name: Option<&str>,
    depth: usize,
    hash: &mut FoldHasher<'_>,
) {
    let exact = name.is_some_and(|name| world.constants.decides(name));
    match value {
        Value::Null => 0_u8.hash(hash),
        Value::Bool(flag) => (1_u8, exact && *flag).hash(hash),
        Value::Number(number) => {
            2_u8.hash(hash);
            if exact {
                number.as_f64().to_bits().hash(hash);
            }
        }
        Value::String(text) => {
            3_u8.hash(hash);
            if exact {
                text.hash(hash);
            }
        }
        Value::Array(array) => {
            let items = array.items();
            (4_u8, items.len().min(3)).hash(hash);
            if depth < DEEPEST {
                for item in items.iter().take(3) {
                    shape(world, item, None, depth + 1, hash);
                }
            }
        }
        Value::Object(object) => {
            5_u8.hash(hash);
            if depth < DEEPEST {
                for (name, value) in object.members().iter().take(WIDEST) {
                    name.hash(hash);
                    shape(world, value, Some(name), depth + 1, hash);
                }
            }
        }
    }
}
