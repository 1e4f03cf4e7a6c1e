//! Starts the strand of a branch: determines which branch of its Parallel it is, from the strands so far.

use super::Linker;
use crate::definition::StateKind;
use crate::json::Text;

impl Linker<'_> {
    /// Starts a branch, given the first state entered in it.
    pub(super) fn branch(&mut self, owner: usize, name: &Text) -> usize {
        let visit = self
            .run
            .strands
            .get(owner)
            .and_then(|strand| strand.visits.last());
        let branches =
            visit
                .and_then(|visit| self.state(visit))
                .and_then(|state| match &state.kind {
                    StateKind::Parallel { branches } => Some(branches.clone()),
                    _ => None,
                });
        let place = branches.iter().flatten().position(|scope| {
            let start = self
                .definition
                .and_then(|own| own.scope(*scope))
                .and_then(|scope| scope.start_at.as_ref());
            start.is_some_and(|start| start.name == *name)
        });
        let place = place.or_else(|| {
            let mut scopes = branches.iter().flatten();
            scopes.position(|scope| self.states.contains_key(&(*scope, name.clone())))
        });
        let place = place.unwrap_or_else(|| self.seen_branch(owner, name));
        let index = u32::try_from(place).unwrap_or(u32::MAX);
        let scope = branches.and_then(|all| all.get(index as usize).copied());
        self.open(owner, index, |_, _| scope)
    }

    /// Index of a branch among those seen of its Parallel; a branch starts once per attempt.
    fn seen_branch(&mut self, owner: usize, name: &Text) -> usize {
        let Some(visit) = self
            .run
            .strands
            .get(owner)
            .and_then(|strand| strand.visits.last())
        else {
            return 0;
        };
        let begun = visit.attempts.last().and_then(|attempt| attempt.begun);
        let scope = self.outline.scope_of(std::slice::from_ref(name));
        let siblings = self.run.strands.iter().filter(|strand| {
            let is_later = strand.events.first().copied() > begun;
            strand.parent.is_some_and(|(parent, _)| parent == owner) && is_later
        });
        let taken: Vec<u32> = siblings
            .filter_map(|strand| strand.indices.last().copied())
            .collect();
        let seen = self.branches.entry(visit.name.clone()).or_default();
        let free = |at: &usize| !taken.iter().any(|index| *index as usize == *at);
        let same = (0..seen.len()).filter(|at| seen.get(*at) == Some(&scope));
        same.clone().find(free).unwrap_or_else(|| {
            seen.push(scope);
            seen.len() - 1
        })
    }
}
