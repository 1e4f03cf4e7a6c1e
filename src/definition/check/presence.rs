//! Comparators on what may be missing: tests that a Choice asks without the IsPresent it has elsewhere.
//!
//! It must not know the data; that a value may be missing it takes from the author's own IsPresent.

use super::{Checker, StateAt};
use crate::definition::Comparator;
use crate::definition::rule::{Severities, rules};
use crate::source::Node;
use std::collections::HashSet;

rules! {
    NOT_GUARDED = 47, "not-guarded", "NOT_GUARDED", Severities::WARNING,
        "a test of what may be missing, before the IsPresent that the Choice has for it";
}

/// Paths that are known to select something.
type Known<'d> = HashSet<&'d str>;

/// What is known where a test holds, and where it does not.
struct Outcome<'d> {
    holds: Known<'d>,
    fails: Known<'d>,
}

impl<'d> Checker<'d> {
    /// Follows the rules of a Choice in the order in which they are asked.
    pub(super) fn presence(&mut self, at: StateAt<'d>) {
        let Some(rules) = at.get("Choices").and_then(Node::items) else {
            return;
        };
        let mut asked = HashSet::new();
        for rule in rules {
            guards(rule, &mut asked);
        }
        if asked.is_empty() || at.is_jsonata() {
            return;
        }
        let mut known = Known::new();
        for (index, rule) in rules.iter().enumerate() {
            let location = format!("{}[{index}]", at.at("Choices"));
            known = self.ask(rule, &location, &known, &asked).fails;
        }
    }

    /// Asks one test where some paths are known to be there.
    fn ask(
        &mut self,
        test: &'d Node,
        location: &str,
        known: &Known<'d>,
        asked: &HashSet<&'d str>,
    ) -> Outcome<'d> {
        if let Some(inner) = test.get("Not") {
            let Outcome { holds, fails } =
                self.ask(inner, &format!("{location}/Not"), known, asked);
            return Outcome {
                holds: fails,
                fails: holds,
            };
        }
        if let Some(items) = test.get("And").and_then(Node::items) {
            // Each is asked where those before it hold.
            let (holds, fails) =
                self.ask_all(items, &format!("{location}/And"), known, asked, |one| {
                    (one.holds, one.fails)
                });
            return Outcome { holds, fails };
        }
        if let Some(items) = test.get("Or").and_then(Node::items) {
            let (fails, holds) =
                self.ask_all(items, &format!("{location}/Or"), known, asked, |one| {
                    (one.fails, one.holds)
                });
            return Outcome { holds, fails };
        }
        self.compare(test, location, known, asked)
    }

    /// What is known when all of the tests went on to the next, and when any of them ended it.
    fn ask_all(
        &mut self,
        items: &'d [Node],
        location: &str,
        known: &Known<'d>,
        asked: &HashSet<&'d str>,
        way: impl Fn(Outcome<'d>) -> (Known<'d>, Known<'d>),
    ) -> (Known<'d>, Known<'d>) {
        let mut so_far = known.clone();
        let mut ended: Option<Known<'d>> = None;
        for (index, item) in items.iter().enumerate() {
            let outcome = self.ask(item, &format!("{location}[{index}]"), &so_far, asked);
            let (on, end) = way(outcome);
            ended = Some(match ended {
                None => end,
                Some(before) => before.intersection(&end).copied().collect(),
            });
            so_far = on;
        }
        (so_far, ended.unwrap_or_else(|| known.clone()))
    }

    fn compare(
        &mut self,
        test: &'d Node,
        location: &str,
        known: &Known<'d>,
        asked: &HashSet<&'d str>,
    ) -> Outcome<'d> {
        let mut outcome = Outcome {
            holds: known.clone(),
            fails: known.clone(),
        };
        let Some(member) = test.member("Variable") else {
            return outcome;
        };
        let Some(path) = member.value.as_str() else {
            return outcome;
        };
        match is_present(test) {
            Some(true) => {
                outcome.holds.insert(path);
            }
            Some(false) => {
                outcome.fails.insert(path);
            }
            None => {
                if asked.contains(path) && !known.iter().any(|known| reaches(known, path)) {
                    self.report(
                        NOT_GUARDED,
                        format!("{path} may be missing, as the IsPresent of this Choice says, and then this test fails the run"),
                        member.value.span,
                        format!("{location}/Variable"),
                        "test IsPresent before it, in an And or in a rule above",
                    );
                }
                // Where the run goes on, the path has selected something.
                outcome.holds.insert(path);
                outcome.fails.insert(path);
            }
        }
        outcome
    }
}

/// Whether a path that selects something shows that the other does.
fn reaches(known: &str, path: &str) -> bool {
    known
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The constant of `IsPresent`, of a test that asks that.
fn is_present(test: &Node) -> Option<bool> {
    test.get(Comparator::IsPresent.name())?.as_bool()
}

/// The paths of which some test asks IsPresent.
fn guards<'d>(test: &'d Node, asked: &mut HashSet<&'d str>) {
    if is_present(test).is_some()
        && let Some(path) = test.get("Variable").and_then(Node::as_str)
    {
        asked.insert(path);
    }
    let mut inside: Vec<&'d Node> = test.get("Not").into_iter().collect();
    for name in ["And", "Or"] {
        inside.extend(test.get(name).and_then(Node::items).unwrap_or_default());
    }
    for test in inside {
        guards(test, asked);
    }
}
