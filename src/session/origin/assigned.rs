//! Which Assign of the definition would set a variable that nothing has set.
//!
//! It must not know a run beyond the frame that looks for the variable.

use crate::definition::{Definition, ScopeId, State, StateId};
use crate::interpreter::{Frame, Machine};
use crate::source::{Node, Span};

/// An Assign that sets a variable, and had not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The state whose Assign it is.
    pub state: StateId,
    /// Where the variable is named in it.
    pub span: Span,
    /// Whether the frame that looks for it would see it: what is set inside a Map or Parallel stays there.
    pub is_seen: bool,
    /// How many more set it.
    pub others: usize,
}

/// The Assign that sets a variable for a frame, one that it would see first.
pub(super) fn assigned(machine: &Machine, frame: &Frame, name: &str) -> Option<Assigned> {
    let definition = machine.definition();
    let own = definition.state(frame.visit.state)?.scope;
    let ids = (0..).map(StateId).zip(&definition.states);
    let mut all: Vec<Assigned> = Vec::new();
    for (id, state) in ids {
        let is_seen = encloses(definition, state.scope, own);
        all.extend(named(definition, state, name).map(|span| Assigned {
            state: id,
            span,
            is_seen,
            others: 0,
        }));
    }
    let others = all.len().saturating_sub(1);
    let first = all.iter().find(|one| one.is_seen).or(all.first())?;
    Some(Assigned { others, ..*first })
}

/// Where the Assigns of a state, its rules and its catchers name a variable.
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

/// Whether a scope is another one or around it.
fn encloses(definition: &Definition, outer: ScopeId, inner: ScopeId) -> bool {
    let mut at = Some(inner);
    while let Some(scope) = at {
        if scope == outer {
            return true;
        }
        let owner = definition.scope(scope).and_then(|scope| scope.owner);
        at = owner.and_then(|owner| Some(definition.state(owner)?.scope));
    }
    false
}
