//! Finds text in the names and scalars of a value.
//!
//! It must not know rows or folds.

use super::place::{Hop, Place, steps};
use crate::json::{Step, Value};

/// So many nodes are looked at by a search.
const SEARCHED: usize = 1_000_000;

/// The places whose name or scalar holds `text`, in the order they are shown, at most `limit`.
#[must_use]
pub(super) fn search(value: &Value, text: &str, limit: usize) -> Vec<Place> {
    let mut found = Vec::new();
    let mut budget = SEARCHED;
    let text = text.to_lowercase();
    search_in(value, &text, &mut Vec::new(), &mut budget, &mut found);
    found.truncate(limit);
    found
}

fn search_in(
    value: &Value,
    text: &str,
    at: &mut Vec<Hop>,
    budget: &mut usize,
    found: &mut Vec<Place>,
) {
    for (step, child) in steps(value) {
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        let named = matches!(&step, Step::Member(name) if name.to_lowercase().contains(text));
        let holds = match child {
            Value::String(own) => own.to_lowercase().contains(text),
            Value::Number(number) => number.to_string().contains(text),
            Value::Bool(flag) => (if *flag { "true" } else { "false" }).contains(text),
            Value::Null => "null".contains(text),
            Value::Array(_) | Value::Object(_) => false,
        };
        at.push(Hop::Into(step));
        if named || holds {
            found.push(Place(at.clone()));
        }
        search_in(child, text, at, budget, found);
        at.pop();
    }
}
