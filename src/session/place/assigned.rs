//! Finds an Assign in the definition that would set a variable which has not been set.

use crate::definition::{Definition, ScopeId, State, StateId};
use crate::interpreter::{Frame, Machine};
use crate::source::{Node, Span};

/// Tells if a variable set by an Assign is visible to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The variable is visible.
    Seen,
    /// The variable is visible from the next state on: the current state sets it.
    Later,
    /// The variable is not visible, because the frame is inside a DISTRIBUTED Map and the Assign is outside.
    CutOff,
    /// The variable is not visible, because it is set inside this Map or Parallel.
    Inside(StateId),
}

/// An Assign that sets a variable and has not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The state with the Assign.
    pub state: StateId,
    /// Location of the variable's name in the Assign.
    pub span: Span,
    /// Tells if the variable would be visible to the frame.
    pub reach: Reach,
    /// Number of further Assigns that set the variable.
    pub others: usize,
}

/// The Assign that sets a variable for a frame: preferably that of its current state, then one that is visible.
pub(in crate::session) fn assigned(
    machine: &Machine,
    frame: &Frame,
    name: &str,
) -> Option<Assigned> {
    let definition = machine.definition();
    let own = definition.state(frame.visit.state)?.scope;
    let ids = (0..).map(StateId).zip(&definition.states);
    let mut all: Vec<Assigned> = Vec::new();
    for (id, state) in ids {
        let reach = match id == frame.visit.state {
            true => Reach::Later,
            false => reach(definition, state.scope, own),
        };
        all.extend(named(definition, state, name).map(|span| Assigned {
            state: id,
            span,
            reach,
            others: 0,
        }));
    }
    let others = all.len().saturating_sub(1);
    let of = |reach: Reach| all.iter().find(move |one| one.reach == reach);
    let first = of(Reach::Later).or(of(Reach::Seen)).or(all.first())?;
    Some(Assigned { others, ..*first })
}

/// Locations of a variable's name in the Assigns of a state, its rules and its catchers.
fn named<'d>(
    definition: &'d Definition,
    state: &State,
    name: &'d str,
) -> impl Iterator<Item = Span> + use<'d> {
    let node = definition.node.at(state.span);
    let lists = ["Choices", "Catch"].into_iter();
    let inside = lists.filter_map(move |list| node?.get(list)?.items());
    let owners = node.into_iter().chain(inside.flatten());
    owners.filter_map(move |owner: &Node| {
        let mut members = owner.get("Assign")?.members()?.iter();
        let is_own = |key: &str| key == name || key.strip_suffix(".$") == Some(name);
        let member = members.find(|member| is_own(&member.key.text))?;
        Some(member.key.span)
    })
}

/// Determines if variables of one scope are visible in another.
fn reach(definition: &Definition, set: ScopeId, own: ScopeId) -> Reach {
    let outer = definition.outer(own);
    match outer.iter().find(|outer| outer.scope == set) {
        _ if set == own => Reach::Seen,
        Some(outer) if !outer.is_cut_off => Reach::Seen,
        Some(_) => Reach::CutOff,
        None => {
            let owner = definition.scope(set).and_then(|scope| scope.owner);
            owner.map_or(Reach::Seen, Reach::Inside)
        }
    }
}
