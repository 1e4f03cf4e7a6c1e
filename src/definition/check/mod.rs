//! The rules that a definition is checked against after it was parsed, and the data that the rules share: the states of
//! a definition with their objects, and the diagnostics found so far.

mod checker;
mod choice;
mod data;
mod dropped;
mod error;
mod facts;
mod fields;
mod jsonata;
mod left_out;
mod located;
mod loops;
mod map;
mod parameters;
mod path;
mod reach;
mod sample;
mod shape;
mod shapes;
mod single_value;
mod state;
mod task;
mod text;
mod variable;

pub use dropped::DroppedRead;
pub use sample::lacking;
pub use variable::{is_variable_name, variables_read};

use self::checker::Checker;
use self::data::NO_DOLLAR;
use self::error::NO_EFFECT;
use self::facts::{Facts, HashMap, HashSet, StateAt, uses};
use self::map::DEPRECATED;
use self::reach::{BEHIND_LOOP, Flow, NO_END, UNREACHABLE};
use self::shape::{Maker, Shape};
use self::shapes::Shapes;
use self::state::{DUPLICATE_IN_PROGRAM, DUPLICATE_STATE};
use self::task::NO_TIMEOUT;
use super::rule::LintRule;
use super::{Definition, State};
use crate::query::Profile;
use crate::source::dsl::GeneratedKind;
use crate::source::{Diagnostic, Diagnostics};

/// The rules that the modules of this folder check, one list for each module that has rules.
pub(super) const RULES: &[&[LintRule]] = &[
    choice::RULES,
    data::RULES,
    dropped::RULES,
    error::RULES,
    fields::RULES,
    jsonata::RULES,
    left_out::RULES,
    loops::RULES,
    map::RULES,
    parameters::RULES,
    path::RULES,
    reach::RULES,
    single_value::RULES,
    state::RULES,
    task::RULES,
    text::RULES,
    variable::RULES,
];

/// Checks a definition against all rules that parsing has not checked.
#[must_use]
pub fn check(definition: &Definition, profile: Profile) -> Diagnostics {
    let facts = Facts::of(definition);
    let mut checker = Checker::new(definition, &facts, profile);
    checker.run();
    checker.findings
}

/// Checks a definition. Returns all diagnostics, including `lowered` from parsing, in the order of the text and without
/// duplicates.
#[must_use]
pub fn diagnose(definition: &Definition, lowered: &[Diagnostic], profile: Profile) -> Diagnostics {
    let mut findings = lowered.to_vec();
    findings.extend(check(definition, profile));
    if definition.is_program() {
        for_program(definition, profile, &mut findings);
    }
    findings.sort_by_key(|diagnostic| {
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
    findings.retain(|diagnostic| {
        let (location, message) = (diagnostic.location.clone(), diagnostic.message.clone());
        seen.insert((diagnostic.span, location, message))
    });
    findings
}

impl<'d> Checker<'d> {
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
        let mut reported = Vec::new();
        for at in self.states.clone() {
            self.state_fields(at);
            self.transition(at);
            self.data(at, &flow);
            self.dropped(at, &shapes);
            self.jsonata(at);
            self.on_aws(at);
            self.context(at, &flow);
            self.uses(at, &shapes, &mut reported);
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
        for at in self.states.clone() {
            self.index_in_matches(at);
        }
        self.left_out(&shapes, &flow);
        self.loops(&flow);
        self.labels();
        self.variables();
        self.express();
    }

    /// Checks every use of a path in a state against the shape (the statically known contents) of the value at the
    /// path.
    fn uses(&mut self, at: StateAt<'d>, shapes: &Shapes, reported: &mut Vec<Maker>) {
        let documents = shapes.documents(at);
        for used in uses(at) {
            let document = documents.root(used.path.root(), used.document);
            let steps = document.and_then(|_| used.path.names());
            let shape = match (document, steps) {
                (Some(document), Some(steps)) => document.within(&steps),
                _ => Shape::Anything,
            };
            self.text_as_number(&used, &shape);
            self.array_as_value(at, &used, &shape, reported);
        }
    }
}

/// Adapts the diagnostics of a definition that was compiled from an SFN DSL program: removes those that do not apply to
/// a program, and rewords others in the terms of the DSL.
fn for_program(definition: &Definition, profile: Profile, findings: &mut Diagnostics) {
    let loops: HashMap<&str, &State> = (definition.states.iter())
        .filter(|state| state.generated == Some(GeneratedKind::Loop))
        .map(|state| (&*state.location, state))
        .collect();
    findings.retain_mut(|finding| {
        let help = match LintRule::of(finding.rule).copied() {
            // The DSL has no other way to express the constructs that this rule reports.
            Some(DEPRECATED) => return false,
            Some(NO_EFFECT) => return !finding.location.ends_with("/BackoffRate"),
            Some(UNREACHABLE) => match loops.get(finding.location.as_str()) {
                Some(state) => {
                    BEHIND_LOOP.restate(finding, profile);
                    finding.message = format!("the block of this \"while\" never returns to the condition, so nothing leads to the state \"{state}\", which repeats the loop", state = state.name);
                    "AWS refuses a state that nothing leads to; write \"if\" in place of \"while\""
                }
                None => "nothing leads to this state: no state above it, no block and no goto",
            },
            Some(NO_END) => {
                "let one path end with a Success(), a Fail(...) or the last state"
            }
            Some(DUPLICATE_STATE) => {
                DUPLICATE_IN_PROGRAM.restate(finding, profile);
                "on AWS, names must be unique in the whole machine, including branches and iterators"
            }
            Some(NO_TIMEOUT) => "write timeout: SECONDS below the first line of the task",
            Some(NO_DOLLAR) => "a path can be compared only with a value, not with another path",
            _ => return true,
        };
        finding.help = Some(help.to_string());
        true
    });
}
