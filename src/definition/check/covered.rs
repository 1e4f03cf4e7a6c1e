//! Checks for rules of a Choice that are never taken, because an earlier rule holds whenever they do.

use super::hashed::{HashMap, HashSet};
use super::{Checker, StateAt};
use crate::definition::implies::{fails, implies};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, rules};
use crate::definition::{Ask, Asked, StateKind, Term};
use crate::json::one_line;
use crate::query::jsonata::Operator;
use crate::source::Node;

rules! {
    COVERED_RULE = 83, "covered-rule", "RULE_COVERED", Severities::WARNING,
        "an earlier rule of a Choice matches whenever this one does, so this one is never taken";
}

/// Maximum number of rules to compare in pairs when searching for two rules of which at least one always matches.
const PAIRED: usize = 60;
/// Maximum total number of comparisons in earlier rules that are kept for testing whether one of them covers a later
/// rule. It concerns rules with patterns, ranges and combinations; nobody writes that many by hand.
const COMPARED: usize = 500;

impl Checker<'_> {
    /// Reports each rule that is covered by an earlier one. The rules in `said` have already been reported.
    pub(super) fn covered_rules(&mut self, at: StateAt<'_>, said: &HashSet<usize>) {
        let StateKind::Choice(choice) = &at.state.kind else {
            return;
        };
        let written = at.get("Choices").and_then(Node::items).unwrap_or_default();
        // A rule that could not be parsed is missing from the list, so indexes would not match.
        if written.len() != choice.rules.len() {
            return;
        }
        let asked: Vec<Asked<'_>> = (choice.rules.iter())
            .map(|rule| Asked::of(&rule.test))
            .collect();
        let mut exact: HashMap<String, usize> = HashMap::default();
        let mut wider: Vec<(usize, &Asked<'_>)> = Vec::new();
        let mut compared = 0;
        let mut either: Option<[usize; 2]> = None;
        for (place, (own, node)) in asked.iter().zip(written).enumerate() {
            let by = |part: &Asked<'_>| covering(part, &exact, &wider);
            let covering = match by(own) {
                Some(first) => vec![first],
                None => {
                    let parts = own.alternatives();
                    let all: Option<_> = parts.iter().map(by).collect();
                    all.unwrap_or_default()
                }
            };
            let covering = or_either(covering, either);
            if !said.contains(&place) {
                self.covered_rule(at, (place, node), covering, written);
            }
            let before = asked.iter().take(place.min(PAIRED)).enumerate();
            let mut other = before.filter(|(_, wide)| place <= PAIRED && fails(wide, own));
            either = either.or_else(|| other.next().map(|(first, _)| [first, place]));
            match exact_key(own) {
                Some(key) => {
                    exact.entry(key).or_insert(place);
                }
                None if compared < COMPARED => {
                    own.each(true, &mut |_, _| compared += 1);
                    wider.push((place, own));
                }
                None => {}
            }
        }
    }

    /// Reports a rule that is covered by one of the earlier rules or by all of them together.
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
        let location = format!("{}[{place}]", at.at("Choices"));
        let message = match nodes.len() {
            0 => return,
            1 => "an earlier rule matches whenever this one does, so this one is never taken",
            _ => {
                "one of the earlier rules matches whenever this one does, so this one is never taken"
            }
        };
        let mut diagnostic = self
            .found(COVERED_RULE, message)
            .at(opening(node), location)
            .help("move it above the earlier rule if it is meant to be taken");
        for earlier in nodes {
            diagnostic = diagnostic.related(opening(earlier), "the earlier rule");
        }
        self.add(diagnostic);
    }
}

/// The rules that cover another one, sorted and without duplicates; if there are none, the two rules of which at least
/// one always matches.
fn or_either(mut covering: Vec<usize>, either: Option<[usize; 2]>) -> Vec<usize> {
    covering.sort_unstable();
    covering.dedup();
    match covering.is_empty() {
        true => either.map_or_else(Vec::new, Vec::from),
        false => covering,
    }
}

/// The first earlier rule that matches whenever the condition is true.
fn covering(
    asked: &Asked<'_>,
    exact: &HashMap<String, usize>,
    wider: &[(usize, &Asked<'_>)],
) -> Option<usize> {
    // A conjunction is covered if any of its parts is covered.
    let parts = match &asked.ask {
        Ask::All(parts) => parts.as_slice(),
        _ => &[],
    };
    let parts = std::iter::once(asked).chain(parts);
    let same = parts.filter_map(|part| exact.get(&exact_key(part)?).copied());
    let wide = wider.iter().find(|(_, wide)| implies(asked, wide));
    same.chain(wide.map(|(place, _)| *place)).min()
}

/// A key for a comparison for equality with a constant. It is only covered by an equal comparison, which a map finds
/// quickly.
fn exact_key(asked: &Asked<'_>) -> Option<String> {
    let Ask::Compare {
        left,
        relation: Operator::Equal,
        right,
        family,
    } = &asked.ask
    else {
        return None;
    };
    let (about, value) = match (left.literal(), right.literal()) {
        (None, Some(value)) => (left, value),
        (Some(value), None) => (right, value),
        _ => return None,
    };
    let about = match about {
        Term::Path(path) => path.text(),
        Term::Node(tree, node) if node.drawn().is_none() => tree.text_of(node),
        _ => return None,
    };
    Some(format!("{family:?} {about} {}", one_line(&value)))
}
