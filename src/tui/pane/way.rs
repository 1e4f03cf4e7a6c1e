//! Edges between states: which were taken, and their texts.

use super::Paint;
use crate::coverage::edge_of;
use crate::definition::{State, StateId, StateKind, Target, Transition};
use crate::graph::{EdgeRoute, Node as Drawn};
use crate::interpreter::Edge;
use crate::session::view::{StatePane, StateView};
use crate::tui::theme::Role;
use std::collections::HashSet;

/// Maximum number of edges of a state to show.
const MOST_WAYS: usize = 50;

/// A token that moves along an edge during playback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// The state that the token comes from.
    pub from: StateId,
    /// The edge.
    pub edge: Edge,
    /// Fraction of the edge that the token has passed, 0 to 1.
    pub way: f64,
}

pub(super) fn is_taken(paint: &Paint, taken: &HashSet<(StateId, Edge)>, edge: &EdgeRoute) -> bool {
    let visited = |state: StateId| {
        if let Some(reached) = paint.reached {
            return reached.state(state).times > 0;
        }
        paint
            .view
            .states
            .get(state.0 as usize)
            .is_some_and(|view: &StateView| view.visits > 0)
    };
    match (edge.from, edge.to) {
        (Drawn::Start, Drawn::State(to)) => visited(to),
        (Drawn::State(from), _) => {
            edge_of(edge.kind).is_some_and(|kind| taken.contains(&(from, kind)))
        }
        _ => false,
    }
}

/// Edges that were taken, and the one that the current Choice has decided to take.
pub(super) fn taken_edges(paint: &Paint) -> HashSet<(StateId, Edge)> {
    if let Some(reached) = paint.reached {
        return reached.edges().clone();
    }
    let edges = paint.view.edges.iter();
    edges
        .filter(|(_, _, times)| *times > 0)
        .map(|(from, edge, _)| (*from, *edge))
        .chain(decided(paint))
        .collect()
}

/// The edge that the current Choice has decided to take.
pub(super) fn decided(paint: &Paint) -> Option<(StateId, Edge)> {
    let StatePane::Choice(rules) = &paint.view.state else {
        return None;
    };
    let taken = rules.iter().find(|rule| rule.taken)?;
    let edge = taken.index.map_or(Edge::Default, Edge::Rule);
    Some((paint.view.current?, edge))
}

/// Texts and roles for the edges of a state: `Ship`, `rule:37 Ship`, `default Refund`, `catch 0 NotifyDeclined`.
pub(super) fn ways_on(paint: &Paint, state: &State, id: StateId) -> Vec<(String, Role)> {
    let was_taken = |edge: Edge| {
        let own =
            |(from, way, times): &(StateId, Edge, u32)| (*from, *way) == (id, edge) && *times > 0;
        paint.view.edges.iter().any(own) || decided(paint) == Some((id, edge))
    };
    let mut out = Vec::new();
    let mut way = |edge: Edge, word: String, target: Option<&Target>| {
        if let Some(target) = target {
            let role = match (was_taken(edge), edge) {
                (true, Edge::Catch(_)) => Role::Caught,
                (true, _) => Role::EdgeTaken,
                (false, _) => Role::Dim,
            };
            out.push((format!("{word}{}", target.name), role));
        }
    };
    if let Transition::Next(target) = &state.transition {
        way(Edge::Next, String::new(), Some(target));
    }
    if let StateKind::Choice(choice) = &state.kind {
        for (index, rule) in (0u32..).zip(&choice.rules).take(MOST_WAYS) {
            way(
                Edge::Rule(index),
                format!("rule{} ", paint.line_of(Some(rule.span)).trim_start()),
                rule.next.as_ref(),
            );
        }
        way(
            Edge::Default,
            "default ".to_owned(),
            choice.default.as_ref(),
        );
    }
    for (index, catcher) in (0u32..).zip(&state.catch).take(MOST_WAYS) {
        way(
            Edge::Catch(index),
            format!("catch{} ", paint.line_of(Some(catcher.span)).trim_start()),
            catcher.next.as_ref(),
        );
    }
    out
}
