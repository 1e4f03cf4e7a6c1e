//! Finds the few places in a value that contain most of its bytes.

use super::{Pointer, Step, Value};

/// Maximum number of members of a container that are measured.
const WEIGHED: usize = 10_000;

/// Returns at most `most` places below the root with their size in bytes of compact JSON, largest first. If nearly all
/// bytes of a place come from one place inside it, the inner place is returned instead.
#[must_use]
pub fn heaviest(value: &Value, most: usize) -> Vec<(Pointer, u64)> {
    let mut found: Vec<(Pointer, u64)> = children(value, &Pointer::root())
        .into_iter()
        .map(|(pointer, child)| narrowed(pointer, child))
        .collect();
    found.sort_by(|(one, a), (other, b)| b.cmp(a).then_with(|| one.cmp(other)));
    found.truncate(most);
    found
}

/// Descends while one child contains at least four fifths of the bytes.
fn narrowed(mut pointer: Pointer, mut value: &Value) -> (Pointer, u64) {
    loop {
        let below = children(value, &pointer);
        let heavy = below.into_iter().max_by_key(|(_, child)| child.size());
        match heavy
            .filter(|(_, child)| child.size().saturating_mul(5) >= value.size().saturating_mul(4))
        {
            Some((down, child)) => (pointer, value) = (down, child),
            None => return (pointer, value.size()),
        }
    }
}

fn children<'v>(value: &'v Value, at: &Pointer) -> Vec<(Pointer, &'v Value)> {
    // A pointer is built only for a child with at least 1 % of the bytes.
    let weighs = |child: &Value| child.size().saturating_mul(100) >= value.size();
    match value {
        Value::Object(object) => {
            let members = object.members().iter().take(WEIGHED);
            let heavy = members.filter(|(_, child)| weighs(child));
            heavy
                .map(|(name, child)| (at.child(Step::Member(name.clone())), child))
                .collect()
        }
        Value::Array(array) => {
            let items = array.from(0).enumerate().take(WEIGHED);
            let heavy = items.filter(|(_, child)| weighs(child));
            heavy
                .map(|(place, child)| (at.child(Step::Item(place)), child))
                .collect()
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
    fn the_heaviest_come_first_and_lead_down_to_what_is_heavy() {
        let text = format!(
            r#"{{"a":{{"b":[1,"{}"]}},"l":["{}","{}"],"n":1}}"#,
            "x".repeat(500),
            "y".repeat(100),
            "z".repeat(120)
        );
        let found = heaviest(&parse(&text).unwrap(), 2);
        let shown: Vec<String> = found
            .iter()
            .map(|(pointer, bytes)| format!("{pointer} {bytes}"))
            .collect();
        assert_eq!(shown, ["$.a.b[1] 502", "$.l 227"]);
        assert!(heaviest(&Value::from("text"), 3).is_empty());
        assert!(heaviest(&parse("[]").unwrap(), 3).is_empty());
    }
}
