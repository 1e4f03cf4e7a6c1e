//! Checks the rules of a Choice: a missing Default, rules that are never taken, and tests of values that may be
//! missing.

use super::facts::{HashMap, HashSet};
use super::located::Located;
use super::reach::Flow;
use super::{Checker, StateAt};
use crate::definition::implies::{fails, implies};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, lint_rules};
use crate::definition::scope::presence_tests;
use crate::definition::{
    Ask, Asked, Choice, Comparator, PathField, Rule, State, StateId, StateKind, Target, Term, Test,
};
use crate::json::{Value, one_line};
use crate::query::jsonata::Operator;
use crate::query::{Profile, Root};
use crate::source::{Node, Span};

lint_rules! {
    NO_DEFAULT = 46, "no-default", "NO_DEFAULT", Severities::WARNING, "a Choice has no Default";
    SAME_TEST = 48, "same-test", "SAME_TEST", Severities::INFO, "a Choice rule repeats the test of an earlier rule" {
        SAME_TEST_ELSEWHERE = Severities::WARNING, "if the two rules lead to different states";
    };
    COVERED_RULE = 83, "covered-rule", "RULE_COVERED", Severities::WARNING,
        "a Choice rule is never taken, because an earlier rule always matches first";
    NOT_GUARDED = 47, "not-guarded", "NOT_GUARDED", Severities::WARNING,
        "a Choice compares a value before IsPresent tests that the value exists";
}

impl Checker<'_> {
    pub(super) fn choice(&mut self, at: StateAt<'_>, flow: &Flow<'_>) {
        let rules = at.get("Choices").and_then(Node::items).unwrap_or_default();
        let always = rules
            .iter()
            .any(|rule| rule.get("Condition").and_then(Node::as_bool) == Some(true));
        if at.get("Default").is_none()
            && !rules.is_empty()
            && !always
            && !self.is_complete(at, flow)
        {
            let message = match self.profile {
                Profile::Spec => {
                    "without a Default, this Choice may fail with States.NoChoiceMatched (AWS: States.Runtime)"
                }
                Profile::Aws => "without a Default, this Choice may fail with States.Runtime",
            };
            let help = "add a Default for inputs that match no rule";
            let choices = at.field("Choices");
            let span = choices.map_or_else(|| opening(at.node), |choices| choices.key().0);
            self.report(NO_DEFAULT, message, (span, &at.state.location), help);
        }
        let reported = self.same_tests(at, rules);
        self.covered_rules(at, &reported);
    }

    /// Reports each rule with the same test as an earlier rule. Returns the indexes of the reported rules.
    fn same_tests(&mut self, at: StateAt<'_>, rules: &[Node]) -> HashSet<usize> {
        let mut earlier: HashMap<String, &Node> = HashMap::default();
        let mut reported = HashSet::default();
        for (index, rule) in rules.iter().enumerate() {
            let Some(test) = test_of(rule) else {
                continue;
            };
            let Some(first) = earlier.get(&test) else {
                earlier.insert(test, rule);
                continue;
            };
            reported.insert(index);
            let next = |rule: &Node| rule.get("Next").and_then(Node::as_str).map(str::to_owned);
            let kind = match next(first) == next(rule) {
                true => SAME_TEST,
                false => SAME_TEST_ELSEWHERE,
            };
            let message = "an earlier rule has the same test, so this rule is never taken";
            let location = format!("{}[{index}]", at.at("Choices"));
            let place = (opening(rule), &*location);
            self.report(kind, message, place, "remove this rule, or change its test");
            self.related(opening(first), "the earlier rule");
        }
        reported
    }
}

/// The test of a rule as text, without the other fields of the rule, such as `Next`.
fn test_of(rule: &Node) -> Option<String> {
    let mut members: Vec<(crate::json::Text, Value)> = rule
        .members()?
        .iter()
        .filter(|member| !matches!(&*member.key.text, "Next" | "Comment" | "Assign" | "Output"))
        .map(|member| (member.key.text.clone(), member.value.to_value()))
        .collect();
    members.sort_by(|a, b| a.0.cmp(&b.0));
    (!members.is_empty()).then(|| one_line(&Value::object(members)))
}

/// Maximum number of rules of a Choice, and of states before the Choice, that are examined. Nobody writes more by hand.
const MOST: usize = 60;

/// True if, whenever `asked` holds, at least one of the conditions `others` is certain to hold.
fn leads_to_one(asked: &Asked<'_>, others: &[Asked<'_>]) -> bool {
    let leads_to_another = |asked: &Asked<'_>| others.iter().any(|wide| implies(asked, wide));
    let parts = asked.alternatives();
    leads_to_another(asked) || !parts.is_empty() && parts.iter().all(leads_to_another)
}

/// True if at least one of the conditions `others` is certain to hold whenever `asked` does not hold.
fn fails_to_one(asked: &Asked<'_>, others: &[Asked<'_>]) -> bool {
    others.iter().any(|other| fails(asked, other))
}

impl Checker<'_> {
    /// True if one of the rules of a Choice is certain to match whenever the state is entered.
    fn is_complete(&self, at: StateAt<'_>, flow: &Flow<'_>) -> bool {
        let StateKind::Choice(choice) = &at.state.kind else {
            return false;
        };
        let rules = choice.rules.iter().take(MOST);
        let all_asked: Vec<Asked<'_>> = rules.map(|rule| Asked::of(&rule.test)).collect();
        all_asked
            .iter()
            .any(|asked| fails_to_one(asked, &all_asked))
            || self.is_asked_before(at, flow, &all_asked)
    }

    /// True if every transition to this state comes from another Choice whose tests ensure that one of this state's
    /// rules matches.
    fn is_asked_before(&self, at: StateAt<'_>, flow: &Flow<'_>, rules_asked: &[Asked<'_>]) -> bool {
        let scope = self.definition.scope(at.state.scope);
        let is_start = scope
            .and_then(|scope| scope.start_at.as_ref()?.state)
            .is_none_or(|start| start == at.id);
        let before = flow.before(at.id);
        let asks = |earlier: &StateId| {
            let earlier = self.definition.state(*earlier);
            earlier.is_some_and(|earlier| match &earlier.kind {
                StateKind::Choice(choice) => {
                    passes_on(earlier) && each_way_asks(choice, at.id, rules_asked)
                }
                _ => false,
            })
        };
        let has_before = !before.is_empty() && before.len() <= MOST;
        !is_start && has_before && reads_all(at.state) && before.iter().all(asks)
    }
}

/// True if the Choice takes a transition to the state `to` only when one of the conditions `rules_asked` is certain to
/// hold.
fn each_way_asks(choice: &Choice, to: StateId, rules_asked: &[Asked<'_>]) -> bool {
    let leads = |target: Option<&Target>| target.and_then(|target| target.state) == Some(to);
    let mut rules = choice.rules.iter().filter(|rule| leads(rule.next.as_ref()));
    let asks = |rule: &Rule| {
        let computed = &rule.jsonata;
        let is_computed = computed.assign.is_some() || computed.output.is_some();
        let changes = rule.assign.is_some() || is_computed;
        !changes && lasting(&rule.test).is_some_and(|asked| leads_to_one(&asked, rules_asked))
    };
    let mut others = choice.rules.iter().take(MOST);
    let no_rule =
        |rule: &Rule| lasting(&rule.test).is_some_and(|asked| fails_to_one(&asked, rules_asked));
    rules.all(asks) && (!leads(choice.default.as_ref()) || others.any(no_rule))
}

/// The condition of a test. `None` if the test reads the context object: the same test may then have another result in
/// the next state, even if the data is the same.
fn lasting(test: &Test) -> Option<Asked<'_>> {
    let of_context = match test {
        Test::Condition(expression) => expression.reads.reads("context"),
        test => (test.comparisons().iter())
            .any(|comparison| *comparison.variable.root() == Root::Context),
    };
    (!of_context).then(|| Asked::of(test))
}

/// True if a Choice passes on its complete input and assigns no variables.
fn passes_on(state: &State) -> bool {
    let makes = ["Output", "Assign"]
        .iter()
        .any(|name| state.field(name).is_some());
    reads_all(state) && matches!(state.output_path, PathField::Whole) && !makes
}

fn reads_all(state: &State) -> bool {
    matches!(state.input_path, PathField::Whole)
}

/// Maximum number of rules that are compared in pairs. The comparison finds two rules of which at least one always
/// matches.
const PAIRED: usize = 60;
/// Limits the search for rules that are never taken: a rule of a Choice is compared with earlier rules until these
/// contain this many comparisons in total. Rules that only test for equality with a constant do not count, because a
/// map finds them quickly. Nobody writes more by hand.
const COMPARED: usize = 500;

impl Checker<'_> {
    /// Reports each rule that is never taken, because one of the earlier rules, or several of them together, match
    /// whenever this rule does: they cover it. `reported` are the indexes of rules that have already been reported.
    fn covered_rules(&mut self, at: StateAt<'_>, reported: &HashSet<usize>) {
        let StateKind::Choice(choice) = &at.state.kind else {
            return;
        };
        let written = at.get("Choices").and_then(Node::items).unwrap_or_default();
        // `choice.rules` lacks rules that could not be parsed. An index would then mean one rule in `choice.rules` and
        // another in `written`.
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
        for (place, (rule_asked, node)) in asked.iter().zip(written).enumerate() {
            let by = |part: &Asked<'_>| covering(part, &exact, &wider);
            let covering = match by(rule_asked) {
                Some(first) => vec![first],
                None => {
                    let parts = rule_asked.alternatives();
                    let all: Option<_> = parts.iter().map(by).collect();
                    all.unwrap_or_default()
                }
            };
            let covering = or_either(covering, either);
            if !reported.contains(&place) {
                self.covered_rule(at, (place, node), covering, written);
            }
            let before = asked.iter().take(place.min(PAIRED)).enumerate();
            let mut other = before.filter(|(_, wide)| place <= PAIRED && fails(wide, rule_asked));
            either = either.or_else(|| other.next().map(|(first, _)| [first, place]));
            match exact_key(rule_asked) {
                Some(key) => {
                    exact.entry(key).or_insert(place);
                }
                None if compared < COMPARED => {
                    rule_asked.each(true, &mut |_, _| compared += 1);
                    wider.push((place, rule_asked));
                }
                None => {}
            }
        }
    }

    /// Reports a rule that is never taken, because the earlier rules with the indexes `covering` together match
    /// whenever this rule does. Does nothing if `covering` is empty.
    fn covered_rule(
        &mut self,
        at: StateAt<'_>,
        (place, node): (usize, &Node),
        covering: Vec<usize>,
        written: &[Node],
    ) {
        let nodes = covering.iter().filter_map(|place| written.get(*place));
        let nodes: Vec<&Node> = nodes.collect();
        let location = format!("{}[{place}]", at.at("Choices"));
        let message = match nodes.len() {
            0 => return,
            1 => "an earlier rule matches whenever this rule does, so this rule is never taken",
            _ => {
                "one of the earlier rules matches whenever this rule does, so this rule is never taken"
            }
        };
        let help = "to let this rule be taken, move it above the earlier rule";
        self.report(COVERED_RULE, message, (opening(node), &location), help);
        for earlier in nodes {
            self.related(opening(earlier), "the earlier rule");
        }
    }
}

/// The indexes `covering`, sorted and without duplicates. If `covering` is empty: the indexes in `either`, which are
/// two rules of which at least one always matches.
fn or_either(mut covering: Vec<usize>, either: Option<[usize; 2]>) -> Vec<usize> {
    covering.sort_unstable();
    covering.dedup();
    match covering.is_empty() {
        true => either.map_or_else(Vec::new, Vec::from),
        false => covering,
    }
}

/// The index of the first earlier rule that matches whenever `asked` holds.
fn covering(
    asked: &Asked<'_>,
    exact: &HashMap<String, usize>,
    wider: &[(usize, &Asked<'_>)],
) -> Option<usize> {
    // An `And` holds only if all its parts hold. So an earlier rule that matches whenever one part holds also matches
    // whenever the whole `And` holds.
    let parts = match &asked.ask {
        Ask::All(parts) => parts.as_slice(),
        _ => &[],
    };
    let parts = parts.iter().chain([asked]);
    let same = parts.filter_map(|part| exact.get(&exact_key(part)?).copied());
    let wide = wider.iter().find(|(_, wide)| implies(asked, wide));
    same.chain(wide.map(|(place, _)| *place)).min()
}

/// A key for a comparison that tests for equality with a constant; `None` for any other condition. One of two such
/// comparisons implies the other only if their keys are equal, and a map finds equal keys quickly.
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

/// The paths that are known to have a value when a test is evaluated.
type Known<'d> = HashSet<&'d str>;

/// For each path that is tested with IsPresent, the location of that test.
type Tested<'d> = HashMap<&'d str, Span>;

impl<'d> Checker<'d> {
    /// Checks the rules of a Choice in the order in which they are evaluated.
    pub(super) fn presence(&mut self, at: StateAt<'d>) {
        let asked: Tested<'d> = presence_tests(at.state)
            .map(|comparison| (comparison.variable.text(), comparison.span))
            .collect();
        if asked.is_empty() || at.is_jsonata() {
            return;
        }
        let mut known = Known::default();
        for rule in at.entries("Choices") {
            [known, _] = self.ask(&rule, &known, &asked);
        }
    }

    /// Checks a test. `known` are the paths that are known to have a value before the test. Returns two sets of paths
    /// that are known to have a value afterwards: the first applies if the test failed, the second if it succeeded.
    fn ask(&mut self, test: &Located<'d>, known: &Known<'d>, asked: &Tested<'d>) -> [Known<'d>; 2] {
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
        asked: &Tested<'d>,
    ) -> [Known<'d>; 2] {
        let variable = test.get("Variable");
        let Some((path, variable)) =
            variable.and_then(|variable| Some((variable.text()?, variable)))
        else {
            return [known.clone(), known.clone()];
        };
        let present = test.node.get(Comparator::IsPresent.name());
        let present = present.and_then(Node::as_bool);
        if present.is_none()
            && let Some(tested) = asked.get(path)
            && !known.iter().any(|known| reaches(known, path))
        {
            let message = format!(
                "{path} may be missing (this Choice tests it with IsPresent), and then this comparison makes the run fail"
            );
            let help = "test IsPresent before this comparison, in an And or in an earlier rule";
            self.report(NOT_GUARDED, message, variable.value(), help);
            self.related(*tested, "the IsPresent test of this path");
        }
        // If the path has no value, the comparison ends the run. So after the comparison, the path is known to have a
        // value.
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
