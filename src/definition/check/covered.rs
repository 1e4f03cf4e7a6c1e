//! Rules of a Choice that are never taken, because an earlier one holds wherever they do.
//!
//! It must not know the data: a rule is covered by what the two tests say alone, and in doubt it is not.

use super::{Checker, StateAt};
use crate::definition::implies::{fails, implies};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, rules};
use crate::definition::{Comparator, Operand, Relation, Rule, StateKind, Test};
use crate::json::one_line;
use crate::query::jsonata::{Condition, drawn, inner};
use crate::source::{Node, Span};
use std::collections::{HashMap, HashSet};

rules! {
    COVERED_RULE = 83, "covered-rule", "RULE_COVERED", Severities::WARNING,
        "an earlier rule of a Choice matches whenever this one does, so this one is never taken";
}

/// So many rules are compared in pairs: one of two holds whatever the data.
const PAIRED: usize = 60;
/// A rule is compared with earlier rules of patterns, ranges and combinations until these have so many comparisons: more
/// nobody writes by hand.
const COMPARED: usize = 500;

impl Checker<'_> {
    /// Reports each rule that an earlier one covers; those that `said` of already ask the very same.
    pub(super) fn covered_rules(&mut self, at: StateAt<'_>, said: &HashSet<usize>) {
        let StateKind::Choice(choice) = &at.state.kind else {
            return;
        };
        let written = at.get("Choices").and_then(Node::items).unwrap_or_default();
        // What could not be read has no rule, and then the places differ.
        if written.len() != choice.rules.len() {
            return;
        }
        if at.is_jsonata() {
            return self.covered_conditions(at, said, written);
        }
        let mut exact: HashMap<String, usize> = HashMap::new();
        let mut wider: Vec<usize> = Vec::new();
        let mut compared = 0;
        let mut either: Option<[usize; 2]> = None;
        for (place, rule) in choice.rules.iter().enumerate() {
            let by = |test: &Test| covering(test, &exact, &wider, &choice.rules);
            let first = by(&rule.test);
            let covering = match (first, &rule.test) {
                (Some(first), _) => vec![first],
                (None, Test::Or(any)) => any
                    .iter()
                    .map(by)
                    .collect::<Option<_>>()
                    .unwrap_or_default(),
                _ => Vec::new(),
            };
            let covering = or_either(covering, either);
            if let Some(node) = written.get(place)
                && !said.contains(&place)
            {
                self.covered_rule(at, (place, node), covering, written);
            }
            let before = choice.rules.iter().take(place.min(PAIRED)).enumerate();
            let mut other =
                before.filter(|(_, one)| place <= PAIRED && fails(&one.test, &rule.test));
            either = either.or_else(|| other.next().map(|(one, _)| [one, place]));
            match exact_key(&rule.test) {
                Some(key) => {
                    exact.entry(key).or_insert(place);
                }
                None if compared < COMPARED => {
                    compared += rule.test.comparisons().len();
                    wider.push(place);
                }
                None => {}
            }
        }
    }

    fn covered_conditions(&mut self, at: StateAt<'_>, said: &HashSet<usize>, written: &[Node]) {
        let text = |rule: &Node| {
            let text = inner(rule.get("Condition")?.as_str()?)?;
            // What it draws may be another number the next time.
            drawn(text).is_none().then(|| Condition::read(text))?
        };
        let mut earlier: Vec<(usize, Condition)> = Vec::new();
        let mut either: Option<[usize; 2]> = None;
        for (place, rule) in written.iter().enumerate() {
            let Some(own) = text(rule) else { continue };
            let by = |part: &Condition| {
                let mut wider = earlier.iter().filter(|(_, wide)| part.implies(wide));
                wider.next().map(|(place, _)| *place)
            };
            let covering = match by(&own) {
                Some(first) => vec![first],
                None => own
                    .alternatives()
                    .iter()
                    .map(by)
                    .collect::<Option<_>>()
                    .unwrap_or_default(),
            };
            let covering = or_either(covering, either);
            if !said.contains(&place) {
                self.covered_rule(at, (place, rule), covering, written);
            }
            let mut other = earlier
                .iter()
                .take(PAIRED)
                .filter(|(_, one)| one.fails(&own));
            either = either.or_else(|| other.next().map(|(one, _)| [*one, place]));
            if earlier.len() < COMPARED {
                earlier.push((place, own));
            }
        }
    }

    /// Reports a rule that these earlier ones cover, one alone or all together.
    fn covered_rule(
        &mut self,
        at: StateAt<'_>,
        (place, node): (usize, &Node),
        covering: Vec<usize>,
        written: &[Node],
    ) {
        let nodes: Vec<&Node> = covering
            .iter()
            .filter_map(|one| written.get(*one))
            .collect();
        let Some(first) = covering.first() else {
            return;
        };
        let location = format!("{}[{place}]", at.at("Choices"));
        let names: Vec<String> = covering
            .iter()
            .map(|one| format!("Choices[{one}]"))
            .collect();
        let message = match names.split_last() {
            Some((last, others)) if !others.is_empty() => format!(
                "{} or {last} matches whenever this rule does, so this one is never taken",
                others.join(", ")
            ),
            _ => format!(
                "{} matches whenever this rule does, so this one is never taken",
                names.concat()
            ),
        };
        let mut diagnostic = self
            .found(COVERED_RULE, message)
            .at(opening(node), location)
            .help(format!("move it above Choices[{first}], or remove it"));
        for earlier in nodes {
            let start = Span {
                end: earlier.span.start.saturating_add(1),
                ..earlier.span
            };
            diagnostic = diagnostic.related(start, "the earlier rule");
        }
        self.add(diagnostic);
    }
}

/// The rules that cover one, each once and in order; where none do, the two of which one always holds.
fn or_either(mut covering: Vec<usize>, either: Option<[usize; 2]>) -> Vec<usize> {
    covering.sort_unstable();
    covering.dedup();
    match covering.is_empty() {
        true => either.map_or_else(Vec::new, Vec::from),
        false => covering,
    }
}

/// The first of the earlier rules that holds wherever the test does.
fn covering(
    test: &Test,
    exact: &HashMap<String, usize>,
    wider: &[usize],
    rules: &[Rule],
) -> Option<usize> {
    let same = parts(test).filter_map(|part| exact.get(&exact_key(part)?).copied());
    let covers = |place: &&usize| {
        rules
            .get(**place)
            .is_some_and(|earlier| implies(test, &earlier.test))
    };
    same.chain(wider.iter().find(covers).copied()).min()
}

/// The test and, of an And, what it is made of: each of them alone is enough to be covered.
fn parts(test: &Test) -> impl Iterator<Item = &Test> {
    let inner = match test {
        Test::And(tests) => tests.as_slice(),
        _ => &[],
    };
    std::iter::once(test).chain(inner)
}

/// What an equality with a constant asks; it covers equal ones alone, which need not be compared one by one.
fn exact_key(test: &Test) -> Option<String> {
    let Test::Compare(one) = test else {
        return None;
    };
    let equality = matches!(
        one.comparator,
        Comparator::String(Relation::Equals)
            | Comparator::Numeric(Relation::Equals)
            | Comparator::Timestamp(Relation::Equals)
            | Comparator::BooleanEquals
    );
    match &one.operand {
        Operand::Constant(value) if equality => Some(format!(
            "{} {} {}",
            one.comparator,
            one.variable.text(),
            one_line(value)
        )),
        _ => None,
    }
}
