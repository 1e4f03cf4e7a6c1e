//! Data shared by the rules: the states of a definition with their objects in the source, and the diagnostics found so
//! far.

use super::facts::{Facts, HashMap, HashSet, Read, ScopeAt, StateAt};
use crate::definition::lower::{inner_scopes, last_members};
use crate::definition::rule::LintRule;
use crate::definition::{Definition, Scope, StateId};
use crate::query::Profile;
use crate::source::{Diagnostic, Diagnostics, Span};

/// Checks a definition against the rules, one after the other.
pub(super) struct Checker<'d> {
    pub(super) definition: &'d Definition,
    pub(super) facts: &'d Facts<'d>,
    pub(super) profile: Profile,
    pub(super) scopes: Vec<ScopeAt<'d>>,
    pub(super) states: Vec<StateAt<'d>>,
    places: HashMap<StateId, usize>,
    /// The possible successors of each state.
    next: Vec<Vec<StateId>>,
    /// Caches searches for a read of a dropped member. The key is the state at which a search starts, and the members
    /// that this state's input has. The value is the read that the search found, with the state that contains the read.
    pub(super) searched: HashMap<(StateId, String), Option<(StateId, &'d Read<'d>)>>,
    /// States whose result replaces input that a later state reads.
    pub(super) replacing: HashSet<StateId>,
    /// States that read data which an earlier state dropped.
    pub(super) missing: HashSet<StateId>,
    /// Errors that the Fail states of the machine raise; `None` until a check needs them.
    pub(super) raised: Option<HashSet<&'d str>>,
    pub(super) findings: Diagnostics,
}

impl<'d> Checker<'d> {
    pub(super) fn new(definition: &'d Definition, facts: &'d Facts<'d>, profile: Profile) -> Self {
        let next = definition.states.iter().map(|state| {
            let targets = state.targets().filter_map(|target| target.state);
            targets.collect()
        });
        let mut checker = Self {
            definition,
            facts,
            profile,
            scopes: Vec::new(),
            states: Vec::new(),
            places: HashMap::default(),
            next: next.collect(),
            searched: HashMap::default(),
            replacing: HashSet::default(),
            missing: HashSet::default(),
            raised: None,
            findings: Vec::new(),
        };
        checker.walk();
        let places = checker.states.iter().enumerate();
        checker.places = places.map(|(place, at)| (at.id, place)).collect();
        checker
    }

    /// Collects every scope (list of states) and every state of the definition, each with its object in the source.
    fn walk(&mut self) {
        let definition = self.definition;
        let first = definition.scopes.first();
        let node = &*definition.node;
        let mut waiting: Vec<ScopeAt<'d>> =
            Vec::from_iter(first.map(|scope| ScopeAt { scope, node }));
        while let Some(at) = waiting.pop() {
            self.scopes.push(at);
            let members = at.node.get("States").map(last_members).unwrap_or_default();
            for (id, member) in at.scope.states.iter().zip(members) {
                let (Some(state), Some(facts)) = (definition.state(*id), self.facts.get(*id))
                else {
                    continue;
                };
                let node = &member.value;
                self.states.push(StateAt {
                    id: *id,
                    state,
                    node,
                    facts,
                });
                let inner = inner_scopes(node);
                let node = |scope: &Scope| {
                    let mut inner = inner.iter();
                    inner.find_map(|(node, below)| scope.location.ends_with(below).then_some(*node))
                };
                let scopes = state.inner().iter().rev();
                let scopes = scopes.filter_map(|id| definition.scope(*id));
                waiting.extend(scopes.filter_map(|scope| {
                    let node = node(scope)?;
                    Some(ScopeAt { scope, node })
                }));
            }
        }
    }

    /// The state with this id, together with its object in the source.
    pub(super) fn state_at(&self, id: StateId) -> Option<StateAt<'d>> {
        self.states.get(*self.places.get(&id)?).copied()
    }

    /// The possible successors of a state.
    pub(super) fn next(&self, id: StateId) -> impl Iterator<Item = StateId> {
        let next = self.next.get(id.0 as usize).map(Vec::as_slice);
        next.unwrap_or_default().iter().copied()
    }

    /// The name of a state.
    pub(super) fn name_of(&self, id: StateId) -> &'d str {
        self.definition.state(id).map_or("?", |state| &state.name)
    }

    /// The states of a scope (a list of states), each with its object in the source.
    pub(super) fn states_of(&self, scope: &Scope) -> Vec<StateAt<'d>> {
        let states = scope.states.iter();
        states.filter_map(|id| self.state_at(*id)).collect()
    }

    /// The states of the branches or the items of a state. States inside these states are not included.
    pub(super) fn inside(&self, at: StateAt<'_>) -> Vec<StateAt<'d>> {
        let scopes = at.state.inner().iter();
        let scopes = scopes.filter_map(|id| self.definition.scope(*id));
        scopes.flat_map(|scope| self.states_of(scope)).collect()
    }

    /// Creates a diagnostic of a rule under the current profile, without a span or help.
    pub(super) fn finding(&self, rule: LintRule, message: impl Into<String>) -> Diagnostic {
        rule.finding(self.profile, message)
    }

    pub(super) fn add(&mut self, diagnostic: Diagnostic) {
        self.findings.push(diagnostic);
    }

    /// Adds a diagnostic of a rule. The rule determines its severity.
    pub(super) fn report(
        &mut self,
        rule: LintRule,
        message: impl Into<String>,
        (span, location): (Span, &str),
        help: impl Into<String>,
    ) {
        self.add(self.finding(rule, message).at(span, location).help(help));
    }

    /// Lets the last diagnostic also point to `span`. The label says what is there.
    pub(super) fn related(&mut self, span: Span, label: &str) {
        if let Some(last) = self.findings.last_mut() {
            last.related.push((span, label.into()));
        }
    }

    /// Records that the last diagnostic is only a consequence of the diagnostic at the span `from`.
    pub(super) fn following(&mut self, from: Option<Span>) {
        if let Some(last) = self.findings.last_mut() {
            last.follows = from;
        }
    }
}
