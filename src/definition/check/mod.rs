//! The rules that a definition is checked against, in addition to those that parsing checks.

mod answer;
mod array_for_value;
mod checker;
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
mod facts;
mod fields;
mod flow;
mod gathered;
mod hashed;
mod into_text;
mod invocation;
mod items;
mod jsonata;
mod left_out;
mod located;
mod loops;
mod lost;
mod map;
mod never_raised;
mod number_as_text;
mod on_aws;
mod parameters;
mod presence;
mod program;
mod reach;
mod reads;
mod resource;
mod sample;
mod shape;
mod shapes;
mod state;
mod state_at;
mod task;
mod text_number;
mod timeout;
mod unreachable_cause;
mod unset;
mod variable;

pub use lost::DroppedRead;
pub use variable::{is_variable_name, variables_read};

pub use self::sample::lacking;

use self::checker::Checker;
use self::facts::Facts;
use self::flow::Flow;
use self::hashed::HashSet;
use self::shapes::Shapes;
use self::state_at::{ScopeAt, StateAt};
use super::Definition;
use super::rule::LintRule;
use crate::query::Profile;
use crate::source::{Diagnostic, Diagnostics};

/// The rules of each module.
pub(super) const RULES: &[&[LintRule]] = &[
    answer::RULES,
    into_text::RULES,
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
    gathered::RULES,
    items::RULES,
    number_as_text::RULES,
    jsonata::RULES,
    left_out::RULES,
    loops::RULES,
    map::RULES,
    never_raised::RULES,
    on_aws::RULES,
    parameters::RULES,
    presence::RULES,
    reach::RULES,
    resource::RULES,
    state::RULES,
    task::RULES,
    text_number::RULES,
    unset::RULES,
    variable::RULES,
];

/// Checks a definition against all rules that parsing has not checked.
#[must_use]
pub fn check(definition: &Definition, profile: Profile) -> Diagnostics {
    let facts = Facts::of(definition);
    let mut checker = Checker::new(definition, &facts, profile);
    checker.run();
    checker.found
}

/// Returns all diagnostics, including those from parsing, in the order of the text and without duplicates.
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
    let mut seen = HashSet::default();
    found.retain(|diagnostic| {
        seen.insert((
            diagnostic.span,
            diagnostic.location.clone(),
            diagnostic.message.clone(),
        ))
    });
    found
}

impl Checker<'_> {
    fn run(&mut self) {
        let flow = Flow::of(&self.states);
        self.machine();
        for at in self.scopes.clone() {
            self.scope_fields(at);
            self.reach(at, &flow);
            self.nesting(at);
        }
        self.names();
        let shapes = Shapes::of(self.definition, &self.states);
        for at in self.states.clone() {
            self.state_fields(at);
            self.transition(at);
            self.data(at, &flow);
            self.dropped(at, &shapes);
            self.jsonata(at);
            self.on_aws(at);
            self.context(at, &flow);
            self.texts_as_numbers(at, &shapes);
            match at.kind() {
                Some("Task") => self.task(at, &shapes),
                Some("Choice") => {
                    self.choice(at, &flow);
                    self.presence(at);
                }
                Some("Fail") => self.fail(at),
                Some("Wait") => self.wait(at),
                Some("Map") => {
                    self.map(at);
                    self.single_items(at, &shapes);
                }
                _ => {}
            }
            self.errors(at);
        }
        self.several(&shapes);
        self.left_out(&shapes, &flow);
        self.loops(&flow);
        self.labels();
        self.variables();
        self.express();
    }
}
