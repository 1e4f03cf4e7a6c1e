//! The surroundings of a state: its successors, and the states and scopes (lists of states) that contain it. Also the
//! names of branches and rules, and the paths that a Choice tests for presence.

use super::{
    Comparator, Comparison, Definition, MapMode, Owner, ScopeId, State, StateId, StateKind, Target,
    Transition,
};
use crate::query::Path;
use crate::source::Span;
use std::collections::HashSet;
use std::hash::BuildHasher;

impl State {
    /// The transitions out of a state. Each pair has the object that contains the transition (the state itself, a rule
    /// or a catcher) and the target.
    pub fn ways(&self) -> impl Iterator<Item = (Owner, &Target)> {
        let next = match &self.transition {
            Transition::Next(target) => Some((Owner::State, target)),
            _ => None,
        };
        let choice = match &self.kind {
            StateKind::Choice(choice) => Some(choice),
            _ => None,
        };
        let rules = choice.into_iter().flat_map(|choice| {
            let rules = (0..).zip(&choice.rules);
            let rules =
                rules.filter_map(|(index, rule)| Some((Owner::Rule(index), rule.next.as_ref()?)));
            rules.chain(choice.default.iter().map(|target| (Owner::State, target)))
        });
        let catchers = (0..).zip(&self.catch);
        let catchers = catchers
            .filter_map(|(index, catcher)| Some((Owner::Catcher(index), catcher.next.as_ref()?)));
        next.into_iter().chain(rules).chain(catchers)
    }

    /// All targets of a state: the targets of Next, of rules and Default, and of catchers.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        self.ways().map(|(_, target)| target)
    }

    /// The targets of the transitions that do not follow an error: the targets of Next, and of rules and Default.
    pub fn next_targets(&self) -> impl Iterator<Item = &Target> {
        let ways = self.ways();
        ways.take_while(|(way, _)| !matches!(way, Owner::Catcher(_)))
            .map(|(_, target)| target)
    }

    /// The targets of the catchers.
    pub fn catch_targets(&self) -> impl Iterator<Item = &Target> {
        let catchers = self.catch.iter();
        catchers.filter_map(|catcher| catcher.next.as_ref())
    }
}

/// All states that can be reached from the states `from`, including these states. `next` returns the direct successors
/// of a state.
pub fn reach<I: IntoIterator<Item = StateId>, S: BuildHasher + Default>(
    from: impl IntoIterator<Item = StateId>,
    mut next: impl FnMut(StateId) -> I,
) -> HashSet<StateId, S> {
    let mut reached = HashSet::default();
    let mut open: Vec<StateId> = from.into_iter().collect();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(next(id));
        }
    }
    reached
}

/// A scope (list of states) that contains another scope, which is called the inner scope here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outer {
    /// The outer scope.
    pub scope: ScopeId,
    /// The Parallel or Map in this scope that contains the inner scope.
    pub around: StateId,
    /// True if a DISTRIBUTED Map lies between this scope and the inner scope. The inner scope then does not see the
    /// variables of this scope.
    pub is_cut_off: bool,
}

impl Definition {
    /// The scopes that contain a scope, innermost first.
    #[must_use]
    pub fn outer(&self, scope: ScopeId) -> Vec<Outer> {
        let mut outer: Vec<Outer> = Vec::new();
        let (mut inner, mut is_cut_off) = (scope, false);
        while let Some(around) = self.scope(inner).and_then(|scope| scope.owner)
            && let Some(state) = self.state(around)
            && outer.len() < self.scopes.len()
        {
            is_cut_off |= state.is_distributed();
            inner = state.scope;
            outer.push(Outer {
                scope: inner,
                around,
                is_cut_off,
            });
        }
        outer
    }

    /// The Parallel and Map states that contain a state, innermost first.
    pub fn around(&self, state: StateId) -> impl Iterator<Item = StateId> {
        let outer = self.state(state).map(|state| self.outer(state.scope));
        outer.into_iter().flatten().map(|outer| outer.around)
    }

    /// The innermost Map that contains a state. Each of the Map's items runs the state.
    #[must_use]
    pub fn map_around(&self, state: StateId) -> Option<&State> {
        let mut around = self.around(state).filter_map(|id| self.state(id));
        around.find(|state| matches!(state.kind, StateKind::Map(_)))
    }
}

impl State {
    /// True if the state is a Map that runs its items in child executions.
    #[must_use]
    pub fn is_distributed(&self) -> bool {
        matches!(&self.kind, StateKind::Map(map) if map.mode == MapMode::Distributed)
    }
}

impl Definition {
    /// The name of a branch of a Parallel: the name of the state at which the branch starts. `None` for other states.
    #[must_use]
    pub fn branch(&self, parallel: &State, index: u32) -> Option<&str> {
        let StateKind::Parallel { branches } = &parallel.kind else {
            return None;
        };
        let scope = self.scope(*branches.get(index as usize)?)?;
        Some(&scope.start_at.as_ref()?.name)
    }

    /// The name of a Choice rule for messages, made from its line in the text: `rule of line 37`. If the line is not
    /// known, the name has the rule's index instead.
    #[must_use]
    pub fn rule_name(&self, span: Option<Span>, index: u32) -> String {
        match span.and_then(|span| self.sources.line(span)) {
            Some(line) => format!("rule of line {line}"),
            None => format!("rule {index}"),
        }
    }
}

/// The IsPresent tests of a Choice.
pub(super) fn presence_tests(state: &State) -> impl Iterator<Item = &Comparison> {
    let rules = match &state.kind {
        StateKind::Choice(choice) => &choice.rules[..],
        _ => &[],
    };
    let all = rules.iter().flat_map(|rule| rule.test.comparisons());
    all.filter(|comparison| comparison.comparator == Comparator::IsPresent)
}

/// The paths that a Choice tests with IsPresent.
pub(super) fn tested_for_presence(state: &State) -> Vec<&Path> {
    presence_tests(state)
        .map(|comparison| &comparison.variable)
        .collect()
}
