//! What leads to each state and what gives each variable its values, found once for every rule that follows data.
//!
//! It must not know the rules.

use super::located::StateAt;
use crate::definition::StateId;
use crate::source::Node;
use std::collections::HashMap;

/// So many states a search along transitions looks at: farther ones nobody has in mind, and a search for each of many
/// thousand states has an end.
pub(super) const FAR: usize = 200;

/// The transitions and assignments of a definition.
pub(super) struct Flow<'d> {
    /// The states that lead to each, in the order of the text.
    before: HashMap<StateId, Vec<StateId>>,
    /// Every value that is assigned to a variable, with its location; in JSONPath under the name without `.$`.
    assigned: HashMap<&'d str, Vec<(&'d Node, String)>>,
}

impl<'d> Flow<'d> {
    pub(super) fn of(states: &[StateAt<'d>]) -> Self {
        let mut flow = Self {
            before: HashMap::new(),
            assigned: HashMap::new(),
        };
        for at in states {
            for target in at.state.targets().filter_map(|target| target.state) {
                flow.before.entry(target).or_default().push(at.id);
            }
            for (node, location) in assigns(*at) {
                for member in node.members().unwrap_or_default() {
                    let written = &*member.key.text;
                    let name = written.strip_suffix(".$").unwrap_or(written);
                    let values = flow.assigned.entry(name).or_default();
                    values.push((&member.value, format!("{location}/{written}")));
                }
            }
        }
        flow
    }

    /// The states that lead to a state.
    pub(super) fn before(&self, id: StateId) -> &[StateId] {
        self.before.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Whether a text is a variable that some state assigns, or a path into one: `$total`, `$order.lines[0].sku`.
    pub(super) fn is_variable(&self, text: &str) -> bool {
        let whole = text.strip_prefix('$').unwrap_or_default();
        let end = whole.find(['.', '[']).unwrap_or(whole.len());
        let (name, path) = whole.split_at(end);
        let plain = |letter: char| letter.is_alphanumeric() || "_.[]".contains(letter);
        self.assigned.contains_key(name) && path.chars().all(plain) && !path.ends_with('.')
    }

    /// What every Assign of the definition gives a variable.
    pub(super) fn assigned(&self, name: &str) -> &[(&'d Node, String)] {
        self.assigned.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The Assign objects of a state, its rules and its catchers.
pub(super) fn assigns(at: StateAt<'_>) -> Vec<(&Node, String)> {
    let own = at.get("Assign").map(|node| (node, at.at("Assign")));
    let inner = ["Choices", "Catch"].into_iter().flat_map(|field| {
        let items = at.get(field).and_then(Node::items).unwrap_or_default();
        items.iter().enumerate().filter_map(move |(index, item)| {
            let location = format!("{}[{index}]/Assign", at.at(field));
            Some((item.get("Assign")?, location))
        })
    });
    own.into_iter().chain(inner).collect()
}
