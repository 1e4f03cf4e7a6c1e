//! Which Assign of the definition would set a variable that nothing has set.

use crate::definition::{Definition, ScopeId, State, StateId};
use crate::interpreter::{Frame, Machine};
use crate::source::{Node, Span};

/// Whether what an Assign sets is seen from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It is.
    Seen,
    /// Only from the next state on: this is the state that sets it.
    Later,
    /// No: a DISTRIBUTED Map stands between, which this is inside of.
    CutOff,
    /// No: it is set inside of this Map or Parallel, and stays there.
    Inside(StateId),
}

/// An Assign that sets a variable, and had not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The state whose Assign it is.
    pub state: StateId,
    /// Where the variable is named in it.
    pub span: Span,
    /// Whether the frame that looks for it would see it.
    pub reach: Reach,
    /// How many more set it.
    pub others: usize,
}

/// The Assign that sets a variable for a frame: that of its own state first, then one that it would see.
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

/// Whether what is set in a scope is seen in another one.
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
