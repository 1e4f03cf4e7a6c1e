//! Converts the paths that an sfn-test suite expects to visit patterns.

use crate::definition::{Definition, StateKind};
use crate::json::Value;

/// How a path is compared with the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matching {
    /// The whole path is equal.
    Exact,
    /// The path contains these states consecutively.
    Includes,
    /// The path contains these states in this order.
    Sequence,
}

impl Matching {
    /// Parses sfn-test's name of the mode.
    pub(super) fn named(name: Option<&str>) -> Self {
        match name {
            Some("exact") => Self::Exact,
            Some("includes") => Self::Includes,
            _ => Self::Sequence,
        }
    }
}

/// Returns the first path as a pattern and the number of other paths. sfn-test omits states inside Map and Parallel
/// states.
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
