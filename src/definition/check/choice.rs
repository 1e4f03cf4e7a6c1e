//! Checks a Choice for a missing Default and for rules that are never taken.

use super::flow::Flow;
use super::hashed::{HashMap, HashSet};
use super::{Checker, StateAt};
use crate::definition::lower::opening;
use crate::definition::rule::{Severities, rules};
use crate::json::{Value, one_line};
use crate::query::Profile;
use crate::source::Node;

rules! {
    NO_DEFAULT = 46, "no-default", "NO_DEFAULT", Severities::WARNING, "a Choice has no Default";
    SAME_TEST = 48, "same-test", "SAME_TEST", Severities::INFO, "an earlier rule tests the same" {
        SAME_TEST_ELSEWHERE = Severities::WARNING, "where it leads to another state";
    };
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
                    "without a Default it may end in States.NoChoiceMatched (AWS: States.Runtime)"
                }
                Profile::Aws => "without a Default it may end in States.Runtime",
            };
            let help = "add a Default for when no rule matches";
            let choices = at.field("Choices");
            let span = choices.map_or_else(|| opening(at.node), |choices| choices.key().0);
            self.report(NO_DEFAULT, message, (span, &at.state.location), help);
        }
        let said = self.same_tests(at, rules);
        self.covered_rules(at, &said);
    }

    /// Reports each rule with the same test as an earlier one. Returns the indexes of the reported rules.
    fn same_tests(&mut self, at: StateAt<'_>, rules: &[Node]) -> HashSet<usize> {
        let mut earlier: HashMap<String, &Node> = HashMap::default();
        let mut said = HashSet::default();
        for (index, rule) in rules.iter().enumerate() {
            let Some(test) = test_of(rule) else {
                continue;
            };
            match earlier.get(&test) {
                None => {
                    earlier.insert(test, rule);
                }
                Some(first) => {
                    said.insert(index);
                    let message = "an earlier rule tests the same, so this one is never taken";
                    let next =
                        |rule: &Node| rule.get("Next").and_then(Node::as_str).map(str::to_owned);
                    let kind = match next(first) == next(rule) {
                        true => SAME_TEST,
                        false => SAME_TEST_ELSEWHERE,
                    };
                    let diagnostic = self
                        .found(kind, message)
                        .at(opening(rule), format!("{}[{index}]", at.at("Choices")))
                        .related(opening(first), "the earlier one")
                        .help("remove one of them");
                    self.add(diagnostic);
                }
            }
        }
        said
    }
}

/// The test of a rule as text, without the fields that apply only if the rule matches.
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
