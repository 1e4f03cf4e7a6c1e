//! The rules that a definition is held against, beyond what reading it already finds.
//!
//! It must not know how a definition runs, nor how findings are printed.

mod answer;
mod choice;
mod complete;
mod context;
mod covered;
mod data;
mod delimiter;
mod dropped;
mod envelope;
mod error;
mod evaluated;
mod express;
mod fields;
mod flow;
mod gathered;
mod items;
mod joined;
mod jsonata;
mod left_out;
mod located;
mod loops;
mod map;
mod misled;
mod on_aws;
mod presence;
mod program;
mod reach;
mod reads;
mod several;
mod shape;
mod shapes;
mod state;
mod task;
mod timeout;
mod unset;
mod variable;

pub use variable::is_variable_name;

use self::flow::Flow;
use self::located::{ScopeAt, StateAt};
use super::lower::{inner_scopes, last_members};
use super::rule::LintRule;
use super::{Definition, DroppedRead, Scope, StateId};
use crate::query::Profile;
use crate::source::{Diagnostic, Diagnostics, Node, Span};
use std::collections::{HashMap, HashSet};

/// The rules of each part.
pub(super) const RULES: &[&[LintRule]] = &[
    answer::RULES,
    choice::RULES,
    context::RULES,
    covered::RULES,
    data::RULES,
    delimiter::RULES,
    dropped::RULES,
    envelope::RULES,
    error::RULES,
    express::RULES,
    fields::RULES,
    items::RULES,
    joined::RULES,
    jsonata::RULES,
    left_out::RULES,
    loops::RULES,
    map::RULES,
    on_aws::RULES,
    presence::RULES,
    reach::RULES,
    several::RULES,
    state::RULES,
    task::RULES,
    unset::RULES,
    variable::RULES,
];

/// Holds a definition against every rule that reading it has not held it against.
#[must_use]
pub fn check(definition: &Definition, profile: Profile) -> Diagnostics {
    let mut checker = Checker::new(definition, profile);
    checker.run();
    checker.found
}

/// All findings, those of reading included: in the order of the text, each once.
#[must_use]
pub fn diagnose(definition: &Definition, lowered: &[Diagnostic], profile: Profile) -> Diagnostics {
    let mut found = lowered.to_vec();
    found.extend(check(definition, profile));
    if definition.is_program() {
        program::told(definition, profile, &mut found);
    }
    found.sort_by_key(|diagnostic| {
        let span = diagnostic.span.unwrap_or_default();
        (
            diagnostic.span.is_some(),
            span.source,
            span.start,
            std::cmp::Reverse(diagnostic.severity),
            span.end,
        )
    });
    let mut seen = HashSet::new();
    found.retain(|diagnostic| {
        seen.insert((
            diagnostic.span,
            diagnostic.location.clone(),
            diagnostic.message.clone(),
        ))
    });
    found
}

struct Checker<'d> {
    definition: &'d Definition,
    profile: Profile,
    scopes: Vec<ScopeAt<'d>>,
    states: Vec<StateAt<'d>>,
    places: HashMap<StateId, usize>,
    /// What was found behind a state that is entered with nothing but these members.
    searched: HashMap<(StateId, String), Option<DroppedRead>>,
    /// States whose result was found to replace what a later one reads.
    replacing: HashSet<StateId>,
    /// States that were found to read what an earlier one dropped.
    missing: HashSet<StateId>,
    found: Diagnostics,
}

impl<'d> Checker<'d> {
    fn new(definition: &'d Definition, profile: Profile) -> Self {
        let mut checker = Self {
            definition,
            profile,
            scopes: Vec::new(),
            states: Vec::new(),
            places: HashMap::new(),
            searched: HashMap::new(),
            replacing: HashSet::new(),
            missing: HashSet::new(),
            found: Vec::new(),
        };
        checker.walk();
        let places = checker.states.iter().enumerate();
        checker.places = places.map(|(place, at)| (at.id, place)).collect();
        checker
    }

    /// Finds the object of every scope and state.
    fn walk(&mut self) {
        let definition = self.definition;
        let mut owned: HashMap<StateId, Vec<&'d Scope>> = HashMap::new();
        for scope in &definition.scopes {
            if let Some(owner) = scope.owner {
                owned.entry(owner).or_default().push(scope);
            }
        }
        let first = definition.scopes.first();
        let mut waiting: Vec<ScopeAt<'d>> = first
            .map(|scope| ScopeAt {
                scope,
                node: &definition.node,
            })
            .into_iter()
            .collect();
        while let Some(at) = waiting.pop() {
            self.scopes.push(at);
            let members = at.node.get("States").map(last_members).unwrap_or_default();
            for (id, member) in at.scope.states.iter().zip(members) {
                let Some(state) = definition.state(*id) else {
                    continue;
                };
                let node = &member.value;
                self.states.push(StateAt {
                    id: *id,
                    state,
                    node,
                });
                let Some(scopes) = owned.get(id) else {
                    continue;
                };
                let nodes: HashMap<String, &Node> = inner_scopes(node)
                    .into_iter()
                    .map(|(node, below)| (format!("{}/{below}", state.location), node))
                    .collect();
                waiting.extend(scopes.iter().rev().filter_map(|scope| {
                    Some(ScopeAt {
                        scope,
                        node: nodes.get(&*scope.location)?,
                    })
                }));
            }
        }
    }

    /// The states of a scope with their objects.
    fn states_of(&self, scope: &Scope) -> Vec<StateAt<'d>> {
        let known = scope.states.iter().filter_map(|id| self.places.get(id));
        let states: Vec<StateAt<'d>> = known
            .filter_map(|place| self.states.get(*place).copied())
            .collect();
        debug_assert_eq!(
            states.len(),
            scope.states.len(),
            "a state without its object"
        );
        states
    }

    fn run(&mut self) {
        self.machine();
        for at in self.scopes.clone() {
            self.scope_fields(at);
            self.reach(at);
            self.nesting(at);
        }
        self.names();
        let flow = Flow::of(&self.states);
        for at in self.states.clone() {
            self.state_fields(at);
            self.transition(at);
            self.data(at, &flow);
            self.dropped(at, &flow);
            self.jsonata(at);
            self.on_aws(at);
            self.context(at, &flow);
            match at.kind() {
                Some("Task") => self.task(at),
                Some("Choice") => {
                    self.choice(at, &flow);
                    self.presence(at);
                }
                Some("Fail") => self.fail(at),
                Some("Wait") => self.wait(at),
                Some("Map") => {
                    self.map(at);
                    self.single_items(at, &flow);
                }
                _ => {}
            }
            self.errors(at);
        }
        self.several(&flow);
        self.envelopes();
        self.left_out(&flow);
        self.loops(&flow);
        self.labels();
        self.variables();
        self.express();
    }

    /// A finding of a rule under the profile at hand, without place or help.
    fn found(&self, rule: LintRule, message: impl Into<String>) -> Diagnostic {
        rule.found(self.profile, message)
    }

    fn add(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Adds a finding of a rule; how bad it is, the rule says.
    fn report(
        &mut self,
        rule: LintRule,
        message: impl Into<String>,
        span: Span,
        location: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(self.found(rule, message).at(span, location).help(help));
    }
}
