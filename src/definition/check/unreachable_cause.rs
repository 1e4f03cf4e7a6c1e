//! Finds states that are unreachable because of a single mistake elsewhere: a misspelt name of a state or of a field.

use super::hashed::{HashMap, HashSet};
use super::reach::no_type;
use super::{Checker, ScopeAt, StateAt};
use crate::definition::lower::{MISSING, misspelt, opening};
use crate::definition::{StateId, StateKind, Target};
use crate::source::{Node, Span, nearest};

/// The fields that determine the next state.
const LEADING: [&str; 4] = ["Next", "End", "Choices", "Default"];

impl Checker<'_> {
    /// For each unreachable state the place of the diagnostic that explains it, if there is one.
    pub(super) fn misled(
        &self,
        at: ScopeAt<'_>,
        reached: &HashSet<StateId>,
    ) -> HashMap<StateId, Span> {
        let mut names: Vec<(&str, StateId)> = self
            .states_of(at.scope)
            .into_iter()
            .map(|one| (&*one.state.name, one.id))
            .collect();
        names.sort_unstable();
        let mut search = Search {
            names,
            asked: 0,
            led: HashMap::default(),
            blind: None,
        };
        let mut seen = reached.clone();
        let mut waiting: Vec<StateId> = reached.iter().copied().collect();
        waiting.sort_unstable_by_key(|id| std::cmp::Reverse(id.0));
        if let Some(start) = &at.scope.start_at {
            let begun = search.follow(start);
            self.lead(begun, &mut seen, &mut waiting, &mut search);
        }
        while let Some(id) = waiting.pop() {
            let Some(one) = self.state_at(id) else {
                continue;
            };
            for target in one.state.targets() {
                let followed = search.follow(target);
                self.lead(followed, &mut seen, &mut waiting, &mut search);
            }
            let slip = misspelt(one.node, &LEADING);
            for (place, name) in slip.iter().flat_map(|(place, value)| {
                let names = named_by(value).into_iter();
                names.map(move |name| (*place, name))
            }) {
                let followed = search.exact(name).map(|id| (place, id));
                self.lead(followed, &mut seen, &mut waiting, &mut search);
            }
            // The successors of a state without a valid type are not known.
            if let Some(place) = no_type(one) {
                search.blind.get_or_insert(place);
            }
            if leads_nowhere(one) && slip.is_none_or(|(_, value)| named_by(value).is_empty()) {
                let place = slip.map_or_else(|| opening(one.node), |slip| slip.0);
                search.blind.get_or_insert(place);
            }
        }
        let Search { mut led, blind, .. } = search;
        if let Some(blind) = blind {
            for at in self.states_of(at.scope) {
                if !seen.contains(&at.id) {
                    led.insert(at.id, blind);
                }
            }
        }
        led
    }

    /// Adds the states that would be reachable if a mistake were corrected.
    fn lead(
        &self,
        followed: Option<(Span, StateId)>,
        seen: &mut HashSet<StateId>,
        waiting: &mut Vec<StateId>,
        search: &mut Search<'_>,
    ) {
        let Some((place, first)) = followed else {
            return;
        };
        let mut new = vec![first];
        while let Some(id) = new.pop() {
            if seen.insert(id) {
                search.led.insert(id, place);
                waiting.push(id);
                new.extend(self.next(id));
            }
        }
    }
}

struct Search<'n> {
    names: Vec<(&'n str, StateId)>,
    /// Number of unknown names for which a similar one was searched.
    asked: usize,
    led: HashMap<StateId, Span>,
    /// Place of the first mistake whose intended target is not known.
    blind: Option<Span>,
}

impl Search<'_> {
    fn exact(&self, name: &str) -> Option<StateId> {
        let place = self.names.binary_search_by_key(&name, |(name, _)| name);
        let (_, id) = self.names.get(place.ok()?)?;
        Some(*id)
    }

    /// The state that an unresolved target probably means, with the span of the target.
    fn follow(&mut self, target: &Target) -> Option<(Span, StateId)> {
        if target.state.is_some() {
            return None;
        }
        self.asked += 1;
        let near = match self.asked <= MISSING {
            true => nearest(&target.name, self.names.iter().map(|(name, _)| *name)),
            false => None,
        };
        let id = near.and_then(|name| self.exact(name));
        if id.is_none() {
            self.blind.get_or_insert(target.span);
        }
        id.map(|id| (target.span, id))
    }
}

/// The state names in the value of a field that determines the next state: the text itself, or the Next of each rule.
fn named_by(value: &Node) -> Vec<&str> {
    let rules = value.items().unwrap_or_default().iter();
    let next = rules.filter_map(|rule| rule.get("Next")?.as_str());
    value.as_str().into_iter().chain(next).collect()
}

/// True if a state has no next state although it needs one.
fn leads_nowhere(at: StateAt<'_>) -> bool {
    let named = at.state.targets().next().is_some();
    let ends = at.state.is_terminal() || at.get("End").is_some();
    let has_rules = matches!(at.state.kind, StateKind::Choice(_)) && at.get("Choices").is_some();
    at.kind().is_some() && !named && !ends && !has_rules
}
