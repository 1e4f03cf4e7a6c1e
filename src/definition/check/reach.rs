//! Checks the paths through a scope: unreachable states, missing ends, and states that never lead to an end.

use super::flow::Flow;
use super::hashed::HashSet;
use super::{Checker, ScopeAt, StateAt};
use crate::definition::lower::{is_filled_later, is_opaque, misspelt, opening};
use crate::definition::rule::{Severities, rules};
use crate::definition::{State, StateId};
use crate::source::Span;

rules! {
    UNREACHABLE = 8, "unreachable", "MISSING_TRANSITION_TARGET", Severities::ERROR, "a state cannot be reached" {
        BEHIND_LOOP = Severities::REFUSED_BY_AWS, "where it stands behind a loop of a program that has no end";
    };
    NO_END = 9, "no-end", "MISSING_END_STATE", Severities::ERROR, "a States object has no End, Succeed or Fail";
    ENDLESS = 10, "endless", "ENDLESS_LOOP", Severities::WARNING, "no way from a state leads to an end";
    NESTING = 76, "nesting", "TOO_DEEPLY_NESTED", Severities::WARNING,
        "Maps and Parallels are nested deeper than AWS is sure to accept";
}

/// Nesting depth of Maps and Parallels that AWS certainly accepts; AWS does not document its limit.
const NESTED: usize = 10;

impl<'d> Checker<'d> {
    /// The possible successors of a state.
    pub(super) fn next(&self, id: StateId) -> &'d [StateId] {
        self.facts.next(self.definition, id)
    }

    /// Reports each scope at which the nesting becomes too deep.
    pub(super) fn nesting(&mut self, at: ScopeAt<'_>) {
        let owner = at
            .scope
            .owner
            .and_then(|owner| self.definition.state(owner));
        let deep = owner.map_or(0, |owner| 1 + self.definition.outer(owner.scope).len());
        if deep == NESTED + 1 {
            let message = format!("these states are nested {deep} Maps and Parallels deep");
            let help = "AWS refuses what is nested too deeply: move the inner part into a state machine of its own";
            let place = (opening(at.node), &*at.scope.location);
            self.report(NESTING, message, place, help);
        }
    }

    pub(super) fn reach(&mut self, at: ScopeAt<'_>, flow: &Flow<'d>) {
        let Some(start) = &at.scope.start_at else {
            return;
        };
        if at.node.get("States").is_none_or(is_filled_later) {
            return;
        }
        let here: Vec<(StateId, &State, bool)> = self
            .states_of(at.scope)
            .into_iter()
            .map(|state| (state.id, state.state, state.kind().is_some()))
            .collect();
        let ends = |state: &State, typed: bool| typed && state.is_terminal();
        if !here.iter().any(|(_, state, typed)| ends(state, *typed)) {
            // A state without a valid type, or with a misspelt End, may be the intended end.
            let slips = self.states_of(at.scope).into_iter();
            let slip = slips.filter_map(|one| no_type(one).or_else(|| no_end(one)));
            let diagnostic = self
                .found(NO_END, "Workflow has no terminal state")
                .at(opening(at.node), &*at.scope.location)
                .help("end it with End: true, a Succeed or a Fail")
                .following(slip.into_iter().next());
            self.add(diagnostic);
            return;
        }
        let reached = closure(start.state, |id| self.next(id));
        // The successors of a placeholder or of a state without a valid type are not known.
        let unknown = here.iter().any(|(id, state, typed)| {
            reached.contains(id)
                && (!typed || state.targets().any(|target| is_opaque(&target.name)))
        });
        let is_lost = |id: &StateId| !unknown && !reached.contains(id);
        if here.iter().any(|(id, ..)| is_lost(id)) {
            let misled = self.misled(at, &reached);
            for (id, state, _) in here.iter().filter(|(id, ..)| is_lost(id)) {
                let diagnostic = self
                    .found(
                        UNREACHABLE,
                        format!("State \"{}\" is not reachable.", state.name),
                    )
                    .at(state.name_span, &*state.location)
                    .help("no Next, Default or Catch leads here")
                    .following(misled.get(id).copied());
                self.add(diagnostic);
            }
        }
        self.endless(&here, &reached, flow);
    }

    /// Reports states from which no end can be reached.
    fn endless(
        &mut self,
        here: &[(StateId, &State, bool)],
        reached: &HashSet<StateId>,
        flow: &Flow<'d>,
    ) {
        // A transition to an unknown state is reported elsewhere; here it counts as an exit.
        let exits = here.iter().filter(|(_, state, typed)| {
            let nowhere = state.targets().next().is_none();
            let unknown = state.targets().any(|target| target.state.is_none());
            nowhere || unknown || !typed || state.is_terminal()
        });
        let leaving = closure(exits.map(|(id, ..)| *id), |id| flow.before(id));
        let trapped = here
            .iter()
            .find(|(id, ..)| reached.contains(id) && !leaving.contains(id));
        if let Some((_, state, _)) = trapped {
            let message = format!("no way from \"{}\" leads to an end", state.name);
            let help = "give the loop a way out, such as a Choice";
            self.report(ENDLESS, message, (state.name_span, &state.location), help);
        }
    }
}

/// Place of the diagnostic about a state without a valid type, if it has none.
pub(super) fn no_type(at: StateAt<'_>) -> Option<Span> {
    match (at.kind(), at.get("Type")) {
        (Some(_), _) => None,
        (None, Some(value)) => Some(value.span),
        (None, None) => Some(misspelt(at.node, &["Type"]).map_or(opening(at.node), |slip| slip.0)),
    }
}

/// Place of the diagnostic about a state whose End is misspelt.
fn no_end(at: StateAt<'_>) -> Option<Span> {
    misspelt(at.node, &["End"])
        .filter(|_| at.get("Next").is_none() && at.get("End").is_none())
        .map(|slip| slip.0)
}

/// All states that can be reached from `starts`, including these.
pub(super) fn closure<'n>(
    starts: impl IntoIterator<Item = StateId>,
    mut next: impl FnMut(StateId) -> &'n [StateId],
) -> HashSet<StateId> {
    let mut reached = HashSet::default();
    let mut waiting: Vec<StateId> = starts.into_iter().collect();
    while let Some(id) = waiting.pop() {
        if reached.insert(id) {
            waiting.extend(next(id));
        }
    }
    reached
}
