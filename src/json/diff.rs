//! The differences between two values, skipping parts that both share.

use super::{Pointer, Step, Value};

/// How a place differs between two values.
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
    /// How the place differs.
    pub kind: ChangeKind,
}

/// Returns the smallest places that differ, at most `limit`: first those of `old` in its order, then those that only
/// `new` has.
#[must_use]
pub fn diff(old: &Value, new: &Value, limit: usize) -> Vec<Change> {
    let mut found = Vec::new();
    walk(old, new, &Pointer::root(), limit, &mut found);
    found
}

fn walk(old: &Value, new: &Value, at: &Pointer, limit: usize, found: &mut Vec<Change>) {
    if found.len() >= limit || old.same(new) {
        return;
    }
    let mut note = |step: Step, kind| {
        if found.len() < limit {
            found.push(Change {
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
                walk(was, is, &at.child(step), limit, found);
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
                    walk(&was, &is, &at.child(Step::Item(place)), limit, found);
                }
            }
        }
        _ if old != new => found.push(Change {
            at: at.clone(),
            kind: ChangeKind::Changed,
        }),
        _ => {}
    }
}

#[cfg(test)]
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
}
