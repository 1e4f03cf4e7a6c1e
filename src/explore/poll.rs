//! Finds polling loops in a definition: they repeat a task until it returns a certain value.

use super::world::World;
use crate::definition::{
    Ask, Asked, Choice, Definition, Family, State, StateId, StateKind, Target, Term,
};
use crate::interpreter::Outcome;
use crate::json::{Text, Value, one_line};
use crate::query::jsonata::Operator;
use std::collections::BTreeSet;

/// A Choice that only one answer leads out of.
#[derive(Clone, Debug)]
pub struct Poll {
    /// The Choice.
    pub choice: StateId,
    /// The task that is repeated.
    pub task: StateId,
    /// The compared variable.
    pub variable: Text,
    /// The value that it must have, as JSON.
    pub wanted: String,
}

impl Poll {
    /// An answer of the task with which the loop continues.
    #[must_use]
    pub fn other(&self, world: &World) -> Value {
        let usual = match world
            .returns(self.task)
            .last()
            .map(|answer| &answer.outcome)
        {
            Some(Outcome::Success(value)) => value.clone(),
            _ => world.made_for(self.task),
        };
        let name = world.result_name(self.task);
        let variants = world.constants.variants(&usual, name.as_ref(), true);
        let other = super::goal::OTHER;
        let mut variants = variants.into_iter();
        variants
            .find(|value| one_line(value).contains(other))
            .unwrap_or(usual)
    }
}

/// Returns all polling loops.
#[must_use]
pub fn polls(definition: &Definition) -> Vec<Poll> {
    let ids = definition.state_ids();
    ids.filter_map(|id| poll(definition, id)).collect()
}

/// Catchers that always lead back to their own task, as task and index of the catcher.
#[must_use]
pub fn returns(definition: &Definition) -> Vec<(StateId, usize)> {
    let mut found = Vec::new();
    for id in definition.state_ids() {
        let catchers = definition.state(id).map(|state| &state.catch);
        for (place, catcher) in catchers.into_iter().flatten().enumerate() {
            let target = catcher.next.as_ref().and_then(|target| target.state);
            if target.is_some_and(|target| !leaves(definition, target, id)) {
                found.push((id, place));
            }
        }
    }
    found
}

fn poll(definition: &Definition, id: StateId) -> Option<Poll> {
    let StateKind::Choice(choice) = &definition.state(id)?.kind else {
        return None;
    };
    // The Default must stay in the loop, because a loop that waits continues for unknown values.
    let default = choice.default.as_ref()?.state?;
    let stays = |target: StateId| !leaves(definition, target, id);
    if !stays(default) {
        return None;
    }
    let (variable, wanted) = only_exit(choice, &|target: &Target| {
        target.state.is_some_and(|state| !stays(state))
    })?;
    let inside = reached(definition, default, Some(id), false);
    // A loop without a Wait processes items one by one and ends with an error.
    let waits = |id: &StateId| {
        let state = definition.state(*id);
        state.is_some_and(|state| matches!(state.kind, StateKind::Wait(_)))
    };
    if !inside.iter().any(waits) {
        return None;
    }
    let mut tasks = inside.iter().rev();
    let task = tasks.find(|id| super::world::task(definition, **id).is_some())?;
    Some(Poll {
        choice: id,
        task: *task,
        variable,
        wanted,
    })
}

/// The variable and value that all rules leading out of the loop test for, if it is the same for all.
fn only_exit(choice: &Choice, leads_out: &dyn Fn(&Target) -> bool) -> Option<(Text, String)> {
    let mut found: Option<(Text, String)> = None;
    for rule in &choice.rules {
        if !rule.next.as_ref().is_some_and(leads_out) {
            continue;
        }
        let own = equality(&Asked::of(&rule.test).ask)?;
        match &found {
            Some(known) if *known != own => return None,
            _ => found = Some(own),
        }
    }
    found
}

/// If the test is only that a path equals a text: the path and the text.
fn equality(ask: &Ask<Term<'_>>) -> Option<(Text, String)> {
    let Ask::Compare {
        left,
        relation: Operator::Equal,
        right,
        family: Family::Text | Family::Any,
    } = ask
    else {
        return None;
    };
    let wanted = right.literal().filter(|value| value.as_str().is_some())?;
    let is_path = matches!(left, Term::Path(_)) || left.is_path();
    is_path.then(|| (left.text().into(), one_line(&wanted)))
}

/// The states reachable from a state without passing the other one, beginning with the state itself. If `caught` is
/// true, catchers are followed too.
fn reached(
    definition: &Definition,
    from: StateId,
    without: Option<StateId>,
    caught: bool,
) -> Vec<StateId> {
    let mut seen: BTreeSet<StateId> = without.into_iter().chain([from]).collect();
    let (mut open, mut all) = (vec![from], vec![from]);
    while let Some(state) = open.pop().and_then(|id| definition.state(id)) {
        let next: Vec<&Target> = match caught {
            true => state.targets().collect(),
            false => state.next_targets().collect(),
        };
        for next in next.into_iter().filter_map(|target| target.state) {
            if seen.insert(next) {
                open.push(next);
                all.push(next);
            }
        }
    }
    all
}

fn has_end(definition: &Definition, states: &[StateId]) -> bool {
    let mut states = states.iter().filter_map(|id| definition.state(*id));
    states.any(State::is_terminal)
}

/// True if any path from a state leads to an end.
pub(super) fn leads_out(definition: &Definition, from: StateId) -> bool {
    has_end(definition, &reached(definition, from, None, true))
}

/// True if a path from a state leads to an end without errors and without passing another state.
fn leaves(definition: &Definition, from: StateId, without: StateId) -> bool {
    from != without && has_end(definition, &reached(definition, from, Some(without), false))
}
