//! What several rules ask of the same state. Each answer is worked out when the first rule asks for it.

use super::StateAt;
use super::evaluated::{Evaluated, evaluated};
use super::jsonata::{Found, expressions};
use super::reads::{Read, reads};
use crate::definition::{Definition, State, StateId};
use crate::query::jsonata::Tree;
use crate::source::Node;
use std::cell::OnceCell;

/// The facts of every state of a definition.
pub(super) struct Facts<'d>(Vec<StateFacts<'d>>);

/// The facts of one state.
#[derive(Default)]
pub(super) struct StateFacts<'d> {
    evaluated: OnceCell<Vec<Evaluated<'d>>>,
    expressions: OnceCell<Vec<Found<'d>>>,
    reads: OnceCell<Vec<Read<'d>>>,
    next: OnceCell<Vec<StateId>>,
}

impl<'d> Facts<'d> {
    pub(super) fn of(definition: &Definition) -> Self {
        Self(
            definition
                .state_ids()
                .map(|_| StateFacts::default())
                .collect(),
        )
    }

    /// The possible successors of a state.
    pub(super) fn next(&self, definition: &Definition, id: StateId) -> &[StateId] {
        let Some(facts) = self.get(id) else {
            return &[];
        };
        facts.next.get_or_init(|| {
            let state = definition.state(id);
            let targets = state.into_iter().flat_map(State::targets);
            targets.filter_map(|target| target.state).collect()
        })
    }

    pub(super) fn get(&self, id: StateId) -> Option<&StateFacts<'d>> {
        self.0.get(id.0 as usize)
    }
}

impl<'d> StateAt<'d> {
    /// The paths and intrinsic calls of a state in JSONPath.
    pub(super) fn evaluated(&self) -> &'d [Evaluated<'d>] {
        self.facts.evaluated.get_or_init(|| evaluated(*self))
    }

    /// The expressions of a state in JSONata, in the order of the text.
    pub(super) fn expressions(&self) -> &'d [Found<'d>] {
        self.facts.expressions.get_or_init(|| {
            let mut found = expressions(*self);
            found.sort_by_key(|found| found.place.node.span.start);
            found
        })
    }

    /// What the state reads of its documents, in the order of the text.
    pub(super) fn reads(&self) -> &'d [Read<'d>] {
        self.facts.reads.get_or_init(|| reads(*self))
    }

    /// The tree of the JSONata expression that a node of the state is.
    pub(super) fn tree(&self, node: &Node) -> Option<&'d Tree> {
        let start = |found: &Found<'_>| found.place.node.span.start;
        let all = self.expressions();
        let first = all.partition_point(|found| start(found) < node.span.start);
        // Nodes that a template generated may share their span.
        let same = all.get(first..)?.iter();
        let mut same = same.take_while(|found| start(found) == node.span.start);
        let found = same.find(|found| std::ptr::eq(found.place.node, node))?;
        found.tree.as_ref().ok()
    }
}
