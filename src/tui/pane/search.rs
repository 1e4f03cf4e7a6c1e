//! Searches the displayed nodes of a value one by one.

use super::data_line::preview;
use super::folds::{Hop, Marks, Place, json_text, length};
use super::pipeline::expression_at;
use crate::json::{Step, Value};
use crate::source::Node;
use std::ops::Range;
use std::rc::Rc;

/// A match of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Number of the match, starting at 1.
    pub number: usize,
    /// Number of all matches that were found.
    pub count: usize,
    /// The text around the match. A message shows this text, because the pane may cut the match off.
    pub around: String,
}

/// Maximum number of characters before the match in an excerpt.
const BEFORE: usize = 24;
/// Maximum number of characters of the whole excerpt.
const SHOWN: usize = 80;

impl Match {
    /// Creates a match with its number, and an excerpt of `text` around the first occurrence of `wanted`.
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

    /// Message with the number of the match; `so_far` is added while the search continues.
    pub(in crate::tui) fn said(&self, so_far: &str) -> String {
        let (number, count, text) = (self.number, self.count, &self.around);
        format!("match {number} of {count}{so_far}: {text}")
    }
}

/// Returns the first of `places` after `at` if `forward`, otherwise the last before `at`; continues at the other end if
/// there is none. `places` is in ascending order. Also returns the number of the returned place, and the number of all
/// places.
#[must_use]
pub(in crate::tui) fn next_match<T: Copy + PartialOrd>(
    places: &[T],
    at: T,
    forward: bool,
) -> Option<((usize, usize), T)> {
    let count = places.len();
    let place = match forward {
        true => places.partition_point(|place| *place <= at),
        false => places.partition_point(|place| *place < at) + count.saturating_sub(1),
    };
    let place = place % count.max(1);
    Some(((place + 1, count), *places.get(place)?))
}

/// Maximum number of nodes of a value that are searched.
const SEARCHED: usize = 1_000_000;

/// A search in a value: in names, scalars, expressions and removed members, node by node in the order of the rows.
#[derive(Debug)]
pub(super) struct Search {
    /// The text to find, in lower case.
    text: String,
    /// Differences from the compared value; they contain the removed members.
    marks: Rc<Marks>,
    /// Containers that contain the current node, the outermost first.
    open: Vec<Open>,
    /// The steps that lead to the innermost container in `open`.
    at: Vec<Hop>,
    left: usize,
    /// The selected place, if it is in this value. The next field is true once the search has passed this place.
    pub(super) here: Option<Place>,
    pub(super) passed: bool,
}

/// A container that contains the current node.
#[derive(Debug)]
struct Open {
    value: Value,
    /// Index of the container's next child.
    next: usize,
    /// Number of steps from the parent container to this container: 1, or 2 if this container is JSON text in a string.
    hops: usize,
}

impl Search {
    pub(super) fn new(value: &Value, marks: Rc<Marks>, text: &str) -> Self {
        let mut search = Self {
            text: text.to_lowercase(),
            marks,
            open: Vec::new(),
            at: Vec::new(),
            left: SEARCHED,
            here: None,
            passed: false,
        };
        search.enter(value, 0);
        search
    }

    /// Examines the next node. Returns the node's place if the node, or the expression that produced it, contains the
    /// text; `Some(None)` if not. Returns `None` if there are no more nodes.
    pub(super) fn next(&mut self, template: Option<&Node>) -> Option<Option<Place>> {
        self.left = self.left.checked_sub(1)?;
        loop {
            let open = self.open.last_mut()?;
            let index = open.next;
            open.next += 1;
            let (step, value, is_present) = match child(&open.value, index) {
                Some((step, value)) => (step, value, true),
                None => match removed(&self.marks, &self.at).get(index - length(&open.value)) {
                    Some((step, was)) => (step.clone(), was.clone(), false),
                    None => {
                        self.leave();
                        continue;
                    }
                },
            };
            let named = matches!(&step, Step::Member(name) if holds(name, &self.text));
            self.at.push(Hop::Into(step));
            let holds = match is_present {
                true => named || holds_value(&value, &self.text) || self.is_made_by(template),
                false => named || holds(&preview(&value, usize::MAX).0, &self.text),
            };
            let here = self.here.as_ref();
            self.passed |= here.is_some_and(|here| here.0 == self.at);
            let matched = holds.then(|| Place(self.at.clone()));
            if !is_present || !self.enter(&value, 1) {
                self.at.pop();
            }
            return Some(matched);
        }
    }

    /// Continues with the children of a value, if it has children; returns true if it has.
    fn enter(&mut self, value: &Value, hops: usize) -> bool {
        let (value, hops) = match (value, json_text(value)) {
            (Value::Array(_) | Value::Object(_), _) => (value.clone(), hops),
            (_, Some(inner)) => {
                self.at.push(Hop::Text);
                (inner, hops + 1)
            }
            (_, None) => return false,
        };
        let next = 0;
        self.open.push(Open { value, next, hops });
        true
    }

    fn leave(&mut self) {
        let hops = self.open.pop().map_or(0, |open| open.hops);
        self.at.truncate(self.at.len().saturating_sub(hops));
    }

    /// True if the expression that produced the current node contains the text.
    fn is_made_by(&self, template: Option<&Node>) -> bool {
        let Some(template) = template else {
            return false;
        };
        let steps: Option<Vec<Step>> = (self.at.iter())
            .map(|hop| match hop {
                Hop::Into(step) => Some(step.clone()),
                Hop::Text | Hop::Note(_) => None,
            })
            .collect();
        steps.is_some_and(|steps| {
            expression_at(template, &steps).is_some_and(|text| holds(text, &self.text))
        })
    }
}

/// The members that the old value has directly below a place and the new value does not have.
pub(super) fn removed<'m>(marks: &'m Marks, at: &[Hop]) -> &'m [(Step, Value)] {
    let inner = at.iter().try_fold(marks, |marks, hop| match hop {
        Hop::Into(step) => marks.below.get(step),
        Hop::Text | Hop::Note(_) => None,
    });
    inner.map_or(&[], |marks| &marks.removed)
}

/// True if a scalar contains a text. A match inside the members of JSON text in a string does not count, because these
/// members are searched as nodes of their own.
fn holds_value(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => {
            let is_inside = |inner: Value| {
                let mut inside = Search::new(&inner, Rc::default(), text);
                std::iter::from_fn(|| inside.next(None)).any(|hit| hit.is_some())
            };
            holds(string, text) && !json_text(value).is_some_and(is_inside)
        }
        Value::Number(number) => number.to_string().contains(text),
        Value::Bool(flag) => (if *flag { "true" } else { "false" }).contains(text),
        Value::Null => "null".contains(text),
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// True if `text` contains `wanted`, which is in lower case; the case of `text` is ignored.
pub(in crate::tui) fn holds(text: &str, wanted: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(wanted);
    }
    let mut parts = text.as_bytes().windows(wanted.len().max(1));
    wanted.is_empty() || parts.any(|part| part.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// Byte ranges of all occurrences of `wanted`, which is in lower case, in `text`; the case of `text` is ignored.
pub(super) fn occurrences(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.char_indices() {
        if ranges.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let end = text.get(at..).and_then(|rest| prefix(rest, wanted));
        ranges.extend(end.map(|length| at..at + length));
    }
    ranges
}

/// If `text` starts with `wanted`, which is in lower case, returns the length of this start in bytes; the case of
/// `text` is ignored.
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
