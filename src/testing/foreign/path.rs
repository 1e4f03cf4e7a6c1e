//! The ways that a suite of sfn-test expects, as patterns of visits.
//!
//! It must not know what else is expected.

use crate::definition::{Definition, StateKind};
use crate::json::Value;

/// How a way is held against what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matching {
    /// All of it.
    Exact,
    /// It holds these, one right after another.
    Includes,
    /// It holds these in this order.
    Sequence,
}

impl Matching {
    /// By its name there.
    pub(super) fn named(name: Option<&str>) -> Self {
        match name {
            Some("exact") => Self::Exact,
            Some("includes") => Self::Includes,
            _ => Self::Sequence,
        }
    }
}

/// The first way as a pattern, and how many others there are. States inside of others are no part of a way there.
pub(super) fn visits(
    path: &Value,
    matching: Matching,
    definition: Option<&Definition>,
) -> (Value, usize) {
    let items = path.as_array().unwrap_or_default();
    let several = items
        .first()
        .is_some_and(|first| first.as_array().is_some());
    let first = match several {
        true => items.first().and_then(Value::as_array).unwrap_or_default(),
        false => items,
    };
    let any = || Value::from("…");
    let mut pattern: Vec<Value> = Vec::new();
    if matching != Matching::Exact {
        pattern.push(any());
    }
    let last = first.len().saturating_sub(1);
    for (place, state) in first.iter().enumerate() {
        pattern.push(state.clone());
        let is_last = place == last;
        let gap = match matching {
            Matching::Sequence => true,
            Matching::Includes => is_last || holds_states(state, definition),
            Matching::Exact => holds_states(state, definition),
        };
        if gap {
            pattern.push(any());
        }
    }
    let others = if several {
        items.len().saturating_sub(1)
    } else {
        0
    };
    (Value::array(pattern), others)
}

fn holds_states(state: &Value, definition: Option<&Definition>) -> bool {
    let found = definition.and_then(|own| own.state(own.find_by_name(state.as_str()?)?));
    found.is_some_and(|state| matches!(state.kind, StateKind::Map(_) | StateKind::Parallel { .. }))
}
