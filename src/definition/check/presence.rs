//! Checks for comparisons of values that may be missing, where the Choice tests the value with IsPresent in other
//! places.

use super::hashed::HashSet;
use super::located::Located;
use super::{Checker, StateAt};
use crate::definition::Comparator;
use crate::definition::inputs::tested_for_presence;
use crate::definition::rule::{Severities, rules};
use crate::query::Path;
use crate::source::Node;

rules! {
    NOT_GUARDED = 47, "not-guarded", "NOT_GUARDED", Severities::WARNING,
        "a test of what may be missing, before the IsPresent that the Choice has for it";
}

/// Paths that are known to have a value.
type Known<'d> = HashSet<&'d str>;

impl<'d> Checker<'d> {
    /// Checks the rules of a Choice in the order in which they are evaluated.
    pub(super) fn presence(&mut self, at: StateAt<'d>) {
        let asked: Known<'d> = (tested_for_presence(at.state).into_iter())
            .map(Path::text)
            .collect();
        if asked.is_empty() || at.is_jsonata() {
            return;
        }
        let mut known = Known::default();
        for rule in at.entries("Choices") {
            [known, _] = self.ask(&rule, &known, &asked);
        }
    }

    /// Checks a test, given the paths that are known to have a value before it. Returns the paths that are known to
    /// have a value after the test failed, and after it succeeded.
    fn ask(&mut self, test: &Located<'d>, known: &Known<'d>, asked: &Known<'d>) -> [Known<'d>; 2] {
        if let Some(inner) = test.get("Not") {
            let [fails, holds] = self.ask(&inner, known, asked);
            return [holds, fails];
        }
        // `And` evaluates its parts until one fails, `Or` until one succeeds.
        for (name, goes_on) in [("And", true), ("Or", false)] {
            let parts = test.get(name).filter(|parts| parts.node.items().is_some());
            let Some(parts) = parts else { continue };
            let (mut known, mut stopped) = (known.clone(), None::<Known<'d>>);
            for part in parts.items() {
                let [fails, holds] = self.ask(&part, &known, asked);
                let (stop, next) = if goes_on {
                    (fails, holds)
                } else {
                    (holds, fails)
                };
                stopped = Some(stopped.map_or_else(|| stop.clone(), |before| &before & &stop));
                known = next;
            }
            let stopped = stopped.unwrap_or_else(|| known.clone());
            return if goes_on {
                [stopped, known]
            } else {
                [known, stopped]
            };
        }
        self.compare(test, known, asked)
    }

    fn compare(
        &mut self,
        test: &Located<'d>,
        known: &Known<'d>,
        asked: &Known<'d>,
    ) -> [Known<'d>; 2] {
        let variable = test.get("Variable");
        let Some((path, variable)) = variable.and_then(|one| Some((one.text()?, one))) else {
            return [known.clone(), known.clone()];
        };
        let present = test
            .node
            .get(Comparator::IsPresent.name())
            .and_then(Node::as_bool);
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
        let outcome = |missing: Option<bool>| {
            let path = (present != missing).then_some(path);
            known.iter().copied().chain(path).collect()
        };
        [outcome(Some(true)), outcome(Some(false))]
    }
}

/// True if a value at the path `known` implies that there is a value at `path`.
fn reaches(known: &str, path: &str) -> bool {
    known
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
