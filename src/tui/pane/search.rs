//! Finds text in the names and scalars of a value, one node after the other.
//!
//! It must not know rows or folds.

use super::place::{Hop, Place, json_text};
use crate::json::{Step, Value};
use std::ops::Range;

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

/// So many nodes of a value are looked at by a search.
const SEARCHED: usize = 1_000_000;

/// A search for a text in the names and scalars of a value, node by node in the order in which they are shown.
#[derive(Debug)]
pub(super) struct Search {
    /// In lower case.
    text: String,
    /// Containers that are gone through, each with the index of its next child.
    open: Vec<(Value, usize)>,
    /// The place of the innermost, and the indexes that lead there.
    at: Vec<Hop>,
    order: Vec<usize>,
    left: usize,
}

impl Search {
    pub(super) fn new(value: &Value, text: &str) -> Self {
        Self {
            text: text.to_lowercase(),
            open: vec![(value.clone(), 0)],
            at: Vec::new(),
            order: Vec::new(),
            left: SEARCHED,
        }
    }

    /// Looks at the next node: its place, where it holds the text. `None` once there is no more.
    pub(super) fn next(&mut self) -> Option<Option<(Vec<usize>, Place)>> {
        self.left = self.left.checked_sub(1)?;
        loop {
            let (value, next) = self.open.last_mut()?;
            let Some((step, child)) = child(value, *next) else {
                self.open.pop();
                self.at.pop();
                self.order.pop();
                continue;
            };
            self.order.push(*next);
            *next += 1;
            let holds = self.holds(&step, &child);
            self.at.push(Hop::Into(step));
            let found = holds.then(|| (self.order.clone(), Place(self.at.clone())));
            if matches!(child, Value::Array(_) | Value::Object(_)) {
                self.open.push((child, 0));
            } else {
                self.at.pop();
                self.order.pop();
            }
            return Some(found);
        }
    }

    fn holds(&self, step: &Step, value: &Value) -> bool {
        let text = &*self.text;
        let named = matches!(step, Step::Member(name) if holds(name, text));
        named
            || match value {
                Value::String(own) => holds(own, text),
                Value::Number(number) => number.to_string().contains(text),
                Value::Bool(flag) => (if *flag { "true" } else { "false" }).contains(text),
                Value::Null => "null".contains(text),
                Value::Array(_) | Value::Object(_) => false,
            }
    }
}

/// Whether a text holds another one that is in lower case, in whatever case.
fn holds(own: &str, wanted: &str) -> bool {
    if !own.is_ascii() {
        return own.to_lowercase().contains(wanted);
    }
    let mut parts = own.as_bytes().windows(wanted.len().max(1));
    wanted.is_empty() || parts.any(|part| part.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// Where a text holds another one that is in lower case, in whatever case, one after the other.
pub(super) fn occurrences(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.char_indices() {
        if found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let end = text.get(at..).and_then(|rest| prefix(rest, wanted));
        found.extend(end.map(|length| at..at + length));
    }
    found
}

/// The length of the beginning of a text that is another one in lower case.
fn prefix(text: &str, wanted: &str) -> Option<usize> {
    let mut left = wanted;
    for (at, c) in text.char_indices() {
        if left.is_empty() {
            return (at > 0).then_some(at);
        }
        for lower in c.to_lowercase() {
            left = left.strip_prefix(lower)?;
        }
    }
    (left.is_empty() && !wanted.is_empty()).then_some(text.len())
}

fn child(value: &Value, index: usize) -> Option<(Step, Value)> {
    match value {
        Value::Array(array) => Some((Step::Item(index), array.item(index)?)),
        Value::Object(object) => {
            let (name, child) = object.members().get(index)?;
            Some((Step::Member(name.clone()), child.clone()))
        }
        _ => None,
    }
}

/// The indexes that lead to a place: places are in the order in which they are shown where these are.
pub(super) fn order_of(place: &Place, value: &Value) -> Vec<usize> {
    let mut at = value.clone();
    let mut order = Vec::new();
    for hop in &place.0 {
        let below = match hop {
            Hop::Text => json_text(&at).map(|text| (None, text)),
            Hop::Into(Step::Item(index)) => {
                at.item(*index).map(|item| (Some(*index), item.clone()))
            }
            Hop::Into(Step::Member(name)) => {
                let members = at.as_object().map_or(&[][..], |object| object.members());
                let found = members.iter().enumerate().find(|(_, (own, _))| own == name);
                found.map(|(index, (_, value))| (Some(index), value.clone()))
            }
        };
        let Some((index, value)) = below else {
            // What was removed is shown after what is there.
            order.push(usize::MAX);
            return order;
        };
        order.extend(index);
        at = value;
    }
    order
}
