//! Finds text in the names and scalars of a value.
//!
//! It must not know rows or folds.

use super::place::{Hop, Place, steps};
use crate::json::{Step, Value};

/// One of the places where a text was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Which one it is, from 1.
    pub number: usize,
    /// How many there are.
    pub count: usize,
    /// What stands there, around the text: what the pane cuts off is seen here.
    pub around: String,
}

/// So many characters are shown before what was found, and so many in all.
const BEFORE: usize = 24;
const SHOWN: usize = 80;

impl Match {
    /// The match of this number in a text that holds what was looked for.
    #[must_use]
    pub(in crate::tui) fn new((number, count): (usize, usize), text: &str, wanted: &str) -> Self {
        let lower = text.to_lowercase();
        let at = lower.find(&wanted.to_lowercase()).unwrap_or(0);
        let before = lower.get(..at).map_or(0, |before| before.chars().count());
        let skipped = before.saturating_sub(BEFORE);
        let mut around: String = text.chars().skip(skipped).take(SHOWN).collect();
        if skipped > 0 {
            around.insert_str(0, "... ");
        }
        if text.chars().nth(skipped + SHOWN).is_some() {
            around.push_str(" ...");
        }
        Self {
            number,
            count,
            around,
        }
    }
}

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
