//! In which Parallel or Map each frame stands of which no recorded event says it: by the scopes of a definition, else by
//! names, which a machine uses only once.

use super::{Before, DEEPEST, Lane, Under};
use crate::definition::ScopeId;
use crate::json::Text;
use std::collections::HashMap;

impl Before<'_> {
    /// Finds a place for each frame of which nothing says where it stands.
    pub(super) fn join(&mut self, root_scope: ScopeId) {
        for at in 0..self.lanes.len() {
            let scope = self.scope_of(at, root_scope);
            if let Some(lane) = self.lane(at) {
                lane.scope = scope;
            }
        }
        let mut at = 0;
        while at < self.lanes.len() {
            let scope = self.lanes.get(at).and_then(|lane| lane.scope);
            let is_free = self.lanes.get(at).is_some_and(|lane| lane.parent.is_none());
            if is_free && let Some(scope) = scope {
                match scope == root_scope {
                    true => {
                        self.root.get_or_insert(at);
                    }
                    false => self.put_into(at, scope),
                }
            }
            at += 1;
        }
        self.join_by_names();
        let free = |lanes: &[Lane]| -> Vec<usize> {
            let all = lanes.iter().enumerate();
            let all = all.filter(|(_, lane)| lane.parent.is_none());
            all.map(|(at, _)| at).collect()
        };
        let left = free(&self.lanes);
        if let ([only], None) = (&left[..], self.root) {
            self.root = Some(*only);
        }
        for at in left
            .into_iter()
            .filter(|at| Some(*at) != self.root)
            .collect::<Vec<_>>()
        {
            let owners = self.lanes.iter().enumerate().filter(|(owner, lane)| {
                let is_group = |under: &Under| matches!(&*under.type_name, "Parallel" | "Map");
                let last = self.lanes.get(at).map_or(0, |lane| lane.last);
                let is_open = lane.closed.is_none_or(|closed| closed > last);
                lane.under.as_ref().is_some_and(is_group) && is_open && self.top(*owner) != at
            });
            let best = owners.max_by_key(|(owner, lane)| {
                let is_parallel = lane
                    .under
                    .as_ref()
                    .is_some_and(|own| &*own.type_name == "Parallel");
                (is_parallel, self.depth(*owner))
            });
            let best = best.map(|(owner, _)| owner);
            if let (Some(owner), Some(lane)) = (best, self.lane(at)) {
                lane.parent = Some(owner);
            }
        }
        let left = free(&self.lanes);
        match (&left[..], self.root) {
            ([only], _) => self.root = Some(*only),
            _ => {
                // They stood side by side, and nothing says in what.
                let owner = self.begin_under(Under {
                    type_name: "Parallel".into(),
                    name: None,
                    begun: true,
                    ended: false,
                    is_run: false,
                });
                for at in left {
                    if let Some(lane) = self.lane(at) {
                        lane.parent = Some(owner);
                    }
                }
                self.root = Some(owner);
            }
        }
        if let Some(root) = self.root
            && let Some(lane) = self.lane(root)
        {
            lane.scope.get_or_insert(root_scope);
        }
    }

    /// Puts frames beside others that went through a state of the same name: names are used only once in a machine.
    fn join_by_names(&mut self) {
        let mut known: HashMap<Text, usize> = HashMap::new();
        for (at, lane) in self.lanes.iter().enumerate() {
            let is_known = lane.parent.is_some();
            for name in lane.names.iter().filter(|_| is_known) {
                // One that is under way is better than one that came later.
                let better = known.get(name).and_then(|own| self.lanes.get(*own));
                if better.is_none_or(|own| own.is_later && !lane.is_later) {
                    known.insert(name.clone(), at);
                }
            }
        }
        let mut at = 0;
        while at < self.lanes.len() {
            let lane = self.lanes.get(at).filter(|lane| lane.parent.is_none());
            let other = lane.and_then(|lane| lane.names.iter().find_map(|name| known.get(name)));
            let other = other.and_then(|other| self.lanes.get(*other));
            if let Some((parent, is_later)) = other.map(|other| (other.parent, other.is_later)) {
                let of = other.and_then(|other| {
                    let under = self.lanes.get(other.parent?)?.under.as_ref();
                    let under = under.filter(|_| !other.is_later);
                    let under = under.map(|under| (under.type_name.clone(), under.name.clone()));
                    under.or_else(|| other.of.clone())
                });
                let parent = match of {
                    Some((type_name, _)) if &*type_name == "Map" && !is_later => parent,
                    Some((type_name, name)) => Some(self.begin_under(Under {
                        type_name,
                        name,
                        begun: true,
                        ended: false,
                        is_run: false,
                    })),
                    None => None,
                };
                if parent.is_some_and(|parent| self.top(parent) != at)
                    && let Some(lane) = self.lane(at)
                {
                    lane.parent = parent;
                    self.root = self.root.filter(|root| *root != at);
                }
            }
            at += 1;
            if at > self.events.len() + DEEPEST {
                break;
            }
        }
    }

    fn depth(&self, mut at: usize) -> usize {
        let mut depth = 0;
        while let Some(parent) = self.lanes.get(at).and_then(|lane| lane.parent) {
            (at, depth) = (parent, depth + 1);
            if depth > DEEPEST {
                break;
            }
        }
        depth
    }

    /// The scope that has the states of a frame, or the items of a Map of which it is one.
    fn scope_of(&self, at: usize, root_scope: ScopeId) -> Option<ScopeId> {
        let definition = self.definition?;
        let lane = self.lanes.get(at)?;
        let count = u32::try_from(definition.scopes.len()).unwrap_or(u32::MAX);
        let mut scopes = (0..count).map(ScopeId);
        let has_all = |scope: &ScopeId| {
            let mut names = lane.names.iter();
            names.all(|name| self.states.contains_key(&(*scope, name.clone())))
        };
        if !lane.names.is_empty() {
            return scopes.find(has_all);
        }
        if let Some((_, map)) = &lane.item {
            let state = definition.states.iter().find(|state| state.name == *map)?;
            return state.inner().first().copied();
        }
        (self.root == Some(at)).then_some(root_scope)
    }

    /// Puts a frame into one that is in the Parallel or Map which has this scope.
    fn put_into(&mut self, at: usize, scope: ScopeId) {
        let Some(definition) = self.definition else {
            return;
        };
        let owner = definition.scope(scope).and_then(|scope| scope.owner);
        let Some(owner) = owner.and_then(|owner| definition.state(owner)) else {
            return;
        };
        let type_name: Text = owner.type_name().into();
        let is_taken = |owner: usize| {
            let mut lanes = self.lanes.iter();
            lanes.any(|lane| lane.parent == Some(owner) && lane.scope == Some(scope))
        };
        let is_branch = &*type_name == "Parallel";
        let last = self.lanes.get(at).map_or(0, |lane| lane.last);
        let mut lanes = 0..self.lanes.len();
        let found = lanes.find(|other| {
            let Some(lane) = self.lanes.get(*other) else {
                return false;
            };
            let fits = lane.under.as_ref().is_some_and(|under| {
                let named = under.name.as_ref().is_none_or(|name| *name == owner.name);
                under.type_name == type_name && named
            });
            let fits = fits && lane.scope.is_none_or(|own| own == owner.scope);
            let is_open = lane.closed.is_none_or(|closed| closed > last);
            fits && is_open && self.top(*other) != at && !(is_branch && is_taken(*other))
        });
        let found = found.unwrap_or_else(|| {
            self.begin_under(Under {
                type_name,
                name: Some(owner.name.clone()),
                begun: true,
                ended: false,
                is_run: false,
            })
        });
        if let Some(lane) = self.lane(found) {
            lane.scope = Some(owner.scope);
            if let Some(under) = &mut lane.under
                && under.name.is_none()
            {
                under.name = Some(owner.name.clone());
                lane.names.insert(0, owner.name.clone());
            }
        }
        if let Some(lane) = self.lane(at) {
            lane.parent = Some(found);
        }
    }
}
