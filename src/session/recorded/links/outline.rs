//! Finds the scope of each state, and the state that encloses each scope: from a definition, otherwise from the
//! events.

use crate::definition::{Definition, ScopeId};
use crate::interpreter::EventKind;
use crate::json::Text;
use crate::session::recorded::event::RecordedEvent;
use std::collections::HashMap;

/// Type and name of the state that encloses a scope; the name is `None` if no event gives it.
pub(super) type Owner = (Text, Option<Text>);

/// Scopes of a state machine.
#[derive(Debug, Default)]
pub(super) struct Outline {
    scopes: HashMap<Text, Vec<ScopeId>>,
    owners: HashMap<ScopeId, Owner>,
}

impl Outline {
    pub(super) fn new(events: &[RecordedEvent], definition: Option<&Definition>) -> Self {
        match definition {
            Some(definition) => Self::of_definition(definition),
            None => Self::of_events(events),
        }
    }

    fn of_definition(definition: &Definition) -> Self {
        let mut outline = Self::default();
        for state in &definition.states {
            let scopes = outline.scopes.entry(state.name.clone()).or_default();
            scopes.push(state.scope);
            for scope in state.inner() {
                let owner = (state.type_name().into(), Some(state.name.clone()));
                outline.owners.insert(*scope, owner);
            }
        }
        outline
    }

    /// A name is used only once per state machine, so states that follow one another are in the same scope.
    fn of_events(events: &[RecordedEvent]) -> Self {
        let exits = events
            .iter()
            .filter(|event| event.kind == Some(EventKind::StateExited));
        let exits: HashMap<u32, &Text> = exits
            .filter_map(|event| Some((event.id, event.name.as_ref()?)))
            .collect();
        let mut outline = Self::default();
        let mut members: HashMap<ScopeId, Vec<Text>> = HashMap::new();
        for event in events {
            let Some(name) = event.name.as_ref().filter(|_| event.state_type().is_some()) else {
                continue;
            };
            let own = outline.alone(name, &mut members);
            let before = match event.kind {
                Some(EventKind::StateEntered) => event.previous.and_then(|id| exits.get(&id)),
                _ => None,
            };
            let other = before.map(|before| outline.alone(before, &mut members));
            if let Some(other) = other.filter(|other| *other != own) {
                let moved = members.remove(&other).unwrap_or_default();
                for name in &moved {
                    outline.scopes.insert(name.clone(), vec![own]);
                }
                members.entry(own).or_default().extend(moved);
            }
        }
        outline
    }

    /// The scope known for a state, otherwise a new one.
    fn alone(&mut self, name: &Text, members: &mut HashMap<ScopeId, Vec<Text>>) -> ScopeId {
        let next = u32::try_from(self.scopes.len() + 1).unwrap_or(u32::MAX);
        let scopes = self.scopes.entry(name.clone()).or_insert_with(|| {
            members.insert(ScopeId(next), vec![name.clone()]);
            vec![ScopeId(next)]
        });
        scopes.first().copied().unwrap_or(ScopeId(next))
    }

    /// The scope that contains all these states.
    pub(super) fn scope_of(&self, names: &[Text]) -> Option<ScopeId> {
        let has = |scope: &ScopeId, name: &Text| {
            let scopes = self.scopes.get(name);
            scopes.is_some_and(|scopes| scopes.contains(scope))
        };
        let mut scopes = self.scopes.get(names.first()?)?.iter().copied();
        scopes.find(|scope| names.iter().all(|name| has(scope, name)))
    }

    /// The state that encloses a scope.
    pub(super) fn owner(&self, scope: ScopeId) -> Option<&Owner> {
        self.owners.get(&scope)
    }

    /// Records the state that encloses a scope.
    pub(super) fn learn(&mut self, scope: ScopeId, owner: Owner) {
        let known = self.owners.entry(scope).or_insert_with(|| owner.clone());
        if known.1.is_none() {
            *known = owner;
        }
    }
}
