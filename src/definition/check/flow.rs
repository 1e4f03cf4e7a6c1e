//! The transitions to each state and the variables of a definition, collected once for all rules.

use super::hashed::{HashMap, HashSet};
use super::located::Located;
use super::state_at::StateAt;
use crate::definition::StateId;

/// Maximum number of states that a search along transitions examines. The limit keeps searches short in definitions of
/// many thousands of states. States farther apart than this are hardly meant to belong together.
pub(super) const FAR: usize = 200;

/// The transitions and assignments of a definition.
pub(super) struct Flow<'d> {
    /// The predecessors of each state, in the order of the text.
    before: HashMap<StateId, Vec<StateId>>,
    /// Every variable that a state assigns.
    assigned: HashSet<&'d str>,
}

impl<'d> Flow<'d> {
    pub(super) fn of(states: &[StateAt<'d>]) -> Self {
        let mut flow = Self {
            before: HashMap::default(),
            assigned: HashSet::default(),
        };
        for at in states {
            for target in at.state.targets().filter_map(|target| target.state) {
                flow.before.entry(target).or_default().push(at.id);
            }
            for assign in assigns(*at) {
                let members = assign.node.members().unwrap_or_default().iter();
                let names = members.map(|member| assigned_name(&member.key.text));
                flow.assigned.extend(names);
            }
        }
        flow
    }

    /// The predecessors of a state.
    pub(super) fn before(&self, id: StateId) -> &[StateId] {
        self.before.get(&id).map_or(&[], Vec::as_slice)
    }

    /// True if a text is a variable that some state assigns, or a path into one: `$total`, `$order.lines[0].sku`.
    pub(super) fn is_variable(&self, text: &str) -> bool {
        let whole = text.strip_prefix('$').unwrap_or_default();
        let end = whole.find(['.', '[']).unwrap_or(whole.len());
        let (name, path) = whole.split_at(end);
        let plain = |letter: char| letter.is_alphanumeric() || "_.[]".contains(letter);
        self.assigned.contains(name) && path.chars().all(plain) && !path.ends_with('.')
    }

    /// True if some state assigns the variable.
    pub(super) fn is_assigned(&self, name: &str) -> bool {
        self.assigned.contains(name)
    }
}

/// The Assign objects of a state, of its rules and of its catchers.
pub(super) fn assigns(at: StateAt<'_>) -> Vec<Located<'_>> {
    let inner = ["Choices", "Catch"]
        .into_iter()
        .flat_map(|field| at.entries(field));
    let owners = std::iter::once(at.object()).chain(inner);
    owners.filter_map(|owner| owner.get("Assign")).collect()
}

/// The name of the variable that a member of an Assign object sets.
pub(super) fn assigned_name(written: &str) -> &str {
    written.strip_suffix(".$").unwrap_or(written)
}
