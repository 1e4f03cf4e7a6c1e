//! Places inside a value: pointers to places, the places where two values differ, and the places with the most bytes.

use super::{Text, Value};
use std::fmt;

/// One step down into a value: from an object to a member, or from an array to an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// The step to the member with this name.
    Member(Text),
    /// The step to the array item with this index, from 0.
    Item(usize),
}

/// A place inside a value, as the steps that lead to it from the root. The empty pointer is the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(pub Vec<Step>);

impl Pointer {
    /// The pointer to the root.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns this pointer extended by one step.
    #[must_use]
    pub fn child(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// Returns the value at this place, if it exists.
    #[must_use]
    pub fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |at, step| match step {
            Step::Member(name) => at.get(name),
            Step::Item(index) => at.item(*index),
        })
    }

    /// Returns a copy of `value` with `new` at this place; `None` if the parent of the place does not exist.
    #[must_use]
    pub fn set(&self, value: &Value, new: Value) -> Option<Value> {
        set(value, &self.0, new)
    }
}

fn set(value: &Value, steps: &[Step], new: Value) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(new);
    };
    match (step, value) {
        (Step::Member(name), Value::Object(object)) => {
            let child = match object.get(name) {
                Some(old) => set(old, rest, new)?,
                None if rest.is_empty() => new,
                None => return None,
            };
            Some(Value::Object(std::sync::Arc::new(object.with(name, child))))
        }
        (Step::Item(index), Value::Array(array)) => {
            let child = set(array.items().get(*index)?, rest, new)?;
            let mut items = array.items().to_vec();
            *items.get_mut(*index)? = child;
            Some(Value::array(items))
        }
        _ => None,
    }
}

/// Prints a path that can be parsed again, such as `$.order['a b'][0]`.
impl fmt::Display for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("$")?;
        for step in &self.0 {
            match step {
                Step::Item(index) => write!(out, "[{index}]")?,
                Step::Member(name) if is_plain(name) => write!(out, ".{name}")?,
                Step::Member(name) => {
                    let quoted = name.replace('\\', "\\\\").replace('\'', "\\'");
                    write!(out, "['{quoted}']")?;
                }
            }
        }
        Ok(())
    }
}

fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(is_plain)
}

/// The kind of difference between two values at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The place exists only in the new value.
    Added,
    /// The place exists only in the old value.
    Removed,
    /// The place exists in both values, with different content.
    Changed,
}

/// A place that differs between two values.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Pointer to the place.
    pub at: Pointer,
    /// The kind of difference at the place.
    pub kind: ChangeKind,
}

/// Returns the innermost places at which two values differ, at most `limit`. Two objects are compared member by member,
/// and two arrays item by item.
#[must_use]
pub fn diff(old: &Value, new: &Value, limit: usize) -> Vec<Change> {
    let mut changes = Vec::new();
    walk(old, new, &Pointer::root(), limit, &mut changes);
    changes
}

fn walk(old: &Value, new: &Value, at: &Pointer, limit: usize, changes: &mut Vec<Change>) {
    if changes.len() >= limit || old.same(new) {
        return;
    }
    let mut note = |step: Step, kind| {
        if changes.len() < limit {
            changes.push(Change {
                at: at.child(step),
                kind,
            });
        }
    };
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let mut both = Vec::new();
            for (name, was) in a.members() {
                match b.get(name) {
                    Some(is) => both.push((Step::Member(name.clone()), was, is)),
                    None => note(Step::Member(name.clone()), ChangeKind::Removed),
                }
            }
            for (name, _) in b.members().iter().filter(|(name, _)| a.get(name).is_none()) {
                note(Step::Member(name.clone()), ChangeKind::Added);
            }
            for (step, was, is) in both {
                walk(was, is, &at.child(step), limit, changes);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for place in b.len()..a.len() {
                note(Step::Item(place), ChangeKind::Removed);
            }
            for place in a.len()..b.len() {
                note(Step::Item(place), ChangeKind::Added);
            }
            for place in 0..a.len().min(b.len()) {
                if let (Some(was), Some(is)) = (a.item(place), b.item(place)) {
                    walk(&was, &is, &at.child(Step::Item(place)), limit, changes);
                }
            }
        }
        _ if old != new => changes.push(Change {
            at: at.clone(),
            kind: ChangeKind::Changed,
        }),
        _ => {}
    }
}

/// Maximum number of members or items of a container that are measured.
const WEIGHED: usize = 10_000;

/// Returns at most `most` places below the root with their size in bytes of compact JSON, largest first. If a place
/// contains another one with nearly all of its bytes, the inner one is returned instead.
#[must_use]
pub fn heaviest(value: &Value, most: usize) -> Vec<(Pointer, u64)> {
    let children = children(value, &Pointer::root()).into_iter();
    let narrowed = children.map(|(pointer, child)| narrowed(pointer, child));
    let mut places: Vec<(Pointer, u64)> = narrowed.collect();
    places.sort_by(|(at, a), (other, b)| b.cmp(a).then_with(|| at.cmp(other)));
    places.truncate(most);
    places
}

/// Moves from a value to the largest value directly inside it, as often as the inner value has at least four fifths of
/// the bytes. Returns the pointer to the value that is reached, and its size.
fn narrowed(mut pointer: Pointer, mut value: &Value) -> (Pointer, u64) {
    loop {
        let below = children(value, &pointer);
        let heavy = below.into_iter().max_by_key(|(_, child)| child.size());
        let most = value.size().saturating_mul(4);
        match heavy.filter(|(_, child)| child.size().saturating_mul(5) >= most) {
            Some((down, child)) => (pointer, value) = (down, child),
            None => return (pointer, value.size()),
        }
    }
}

fn children<'v>(value: &'v Value, at: &Pointer) -> Vec<(Pointer, &'v Value)> {
    // To save time, a pointer is built only for a child with at least 1 % of the bytes.
    let weighs = |child: &Value| child.size().saturating_mul(100) >= value.size();
    match value {
        Value::Object(object) => {
            let members = object.members().iter().take(WEIGHED);
            let heavy = members.filter(|(_, child)| weighs(child));
            let step = |name: &Text| at.child(Step::Member(name.clone()));
            heavy.map(|(name, child)| (step(name), child)).collect()
        }
        Value::Array(array) => {
            let items = array.from(0).enumerate().take(WEIGHED);
            let heavy = items.filter(|(_, child)| weighs(child));
            let step = |place| at.child(Step::Item(place));
            heavy.map(|(place, child)| (step(place), child)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn names_the_smallest_places() {
        let old = parse(r#"{"a":{"x":1,"y":[1,2]},"b":1}"#).expect("json");
        let new = parse(r#"{"a":{"x":1,"y":[1,3,4]},"c":1}"#).expect("json");
        let shown: Vec<String> = diff(&old, &new, 99)
            .iter()
            .map(|c| format!("{:?} {}", c.kind, c.at))
            .collect();
        assert_eq!(
            shown,
            [
                "Removed $.b",
                "Added $.c",
                "Added $.a.y[2]",
                "Changed $.a.y[1]"
            ]
        );
    }

    #[test]
    fn the_heaviest_come_first_and_lead_down_to_what_is_heavy() {
        let text = format!(
            r#"{{"a":{{"b":[1,"{}"]}},"l":["{}","{}"],"n":1}}"#,
            "x".repeat(500),
            "y".repeat(100),
            "z".repeat(120)
        );
        let heaviest_parts = heaviest(&parse(&text).unwrap(), 2);
        let shown: Vec<String> = heaviest_parts
            .iter()
            .map(|(pointer, bytes)| format!("{pointer} {bytes}"))
            .collect();
        assert_eq!(shown, ["$.a.b[1] 502", "$.l 227"]);
        assert!(heaviest(&Value::from("text"), 3).is_empty());
        assert!(heaviest(&parse("[]").unwrap(), 3).is_empty());
    }
}
