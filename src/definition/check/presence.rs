//! Checks for comparisons of values that may be missing, where the Choice tests the value with IsPresent in other
//! places.

use super::hashed::HashSet;
use super::located::Located;
use super::{Checker, StateAt};
use crate::definition::Comparator;
use crate::definition::rule::{Severities, rules};
use crate::source::Node;

rules! {
    NOT_GUARDED = 47, "not-guarded", "NOT_GUARDED", Severities::WARNING,
        "a test of what may be missing, before the IsPresent that the Choice has for it";
}

/// Paths that are known to have a value.
type Known<'d> = HashSet<&'d str>;

/// The paths known to have a value if a test holds, and if it does not.
struct Outcome<'d> {
    holds: Known<'d>,
    fails: Known<'d>,
}

impl<'d> Checker<'d> {
    /// Checks the rules of a Choice in the order in which they are evaluated.
    pub(super) fn presence(&mut self, at: StateAt<'d>) {
        let rules = at.entries("Choices");
        let mut asked = HashSet::default();
        for rule in &rules {
            guards(rule, &mut asked);
        }
        if asked.is_empty() || at.is_jsonata() {
            return;
        }
        let mut known = Known::default();
        for rule in &rules {
            known = self.ask(rule, &known, &asked).fails;
        }
    }

    /// Checks one test, given the paths that are known to have a value.
    fn ask(
        &mut self,
        test: &Located<'d>,
        known: &Known<'d>,
        asked: &HashSet<&'d str>,
    ) -> Outcome<'d> {
        if let Some(inner) = test.get("Not") {
            return self.ask(&inner, known, asked).turned();
        }
        let (all, any) = (test.get("And"), test.get("Or"));
        match (all.filter(is_list), any.filter(is_list)) {
            // Each part of `And` is only evaluated if the parts before it hold.
            (Some(all), _) => self.ask_all(all.items(), known, asked, |one| one),
            (None, Some(any)) => self
                .ask_all(any.items(), known, asked, Outcome::turned)
                .turned(),
            (None, None) => self.compare(test, known, asked),
        }
    }

    /// The paths known to have a value if every test continued to the next one, and if any test stopped the evaluation.
    fn ask_all(
        &mut self,
        tests: Vec<Located<'d>>,
        known: &Known<'d>,
        asked: &HashSet<&'d str>,
        way: impl Fn(Outcome<'d>) -> Outcome<'d>,
    ) -> Outcome<'d> {
        let mut holds = known.clone();
        let mut fails: Option<Known<'d>> = None;
        for test in tests {
            let one = way(self.ask(&test, &holds, asked));
            fails = Some(match fails {
                None => one.fails,
                Some(before) => before.intersection(&one.fails).copied().collect(),
            });
            holds = one.holds;
        }
        let fails = fails.unwrap_or_else(|| known.clone());
        Outcome { holds, fails }
    }

    fn compare(
        &mut self,
        test: &Located<'d>,
        known: &Known<'d>,
        asked: &HashSet<&'d str>,
    ) -> Outcome<'d> {
        let mut outcome = Outcome {
            holds: known.clone(),
            fails: known.clone(),
        };
        let Some(variable) = test.get("Variable") else {
            return outcome;
        };
        let Some(path) = variable.text() else {
            return outcome;
        };
        let present = is_present(test.node);
        if present.is_none()
            && asked.contains(path)
            && !known.iter().any(|known| reaches(known, path))
        {
            let message = format!(
                "{path} may be missing, as the IsPresent of this Choice says, and then this test fails the run"
            );
            let help = "test IsPresent before it, in an And or in a rule above";
            self.report(NOT_GUARDED, message, variable.value(), help);
        }
        // If the run continues after a comparison, its path has a value.
        if present != Some(false) {
            outcome.holds.insert(path);
        }
        if present != Some(true) {
            outcome.fails.insert(path);
        }
        outcome
    }
}

impl Outcome<'_> {
    fn turned(self) -> Self {
        Self {
            holds: self.fails,
            fails: self.holds,
        }
    }
}

fn is_list(value: &Located<'_>) -> bool {
    value.node.items().is_some()
}

/// True if a value at the path `known` implies that there is a value at `path`.
fn reaches(known: &str, path: &str) -> bool {
    known
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The constant of `IsPresent`, if the test has one.
fn is_present(test: &Node) -> Option<bool> {
    test.get(Comparator::IsPresent.name())?.as_bool()
}

/// Collects the paths that are tested with IsPresent.
fn guards<'d>(test: &Located<'d>, asked: &mut HashSet<&'d str>) {
    if is_present(test.node).is_some()
        && let Some(path) = test.node.get("Variable").and_then(Node::as_str)
    {
        asked.insert(path);
    }
    let inside = ["And", "Or"].into_iter().filter_map(|name| test.get(name));
    let inside = inside.flat_map(|tests| tests.items());
    for test in test.get("Not").into_iter().chain(inside) {
        guards(&test, asked);
    }
}
