//! The comparison that best explains where a Choice led, or the result of one of its rules: one whose values alone do
//! not explain its result comes first.

use super::rule_view::{Joint, OperandView, RuleView};
use std::cmp::Reverse;

/// The test that explains a result.
#[derive(Clone, Copy, Debug)]
pub struct Reason<'v> {
    /// Index of the rule that contains the test.
    pub place: usize,
    /// The rule that contains the test.
    pub rule: &'v RuleView,
    /// The test.
    pub test: &'v OperandView,
    /// True if the rule is false only because of this test, while other tests of the rule are true.
    pub is_only: bool,
}

impl Reason<'_> {
    /// The test as a sentence; `None` if it only says that the rule was true or false.
    #[must_use]
    pub fn said(&self) -> Option<String> {
        let tells = self.test.why.is_some() || self.is_only;
        tells.then(|| self.test.sentence())
    }
}

/// Rank of a test: the smallest one explains most. The first flag is false if the values alone do not explain the
/// test's result; the second is false if the test alone decides its rule; then follows the number of other tests that
/// are true.
type Rank = (bool, bool, Reverse<usize>);

/// The test that best explains why the rule at `decided` is matched. For Default, it explains why the other rules are
/// false.
#[must_use]
pub fn reason(rules: &[RuleView], decided: usize) -> Option<Reason<'_>> {
    let passed = rules.iter().enumerate().take(decided);
    let passed = passed.filter(|(_, rule)| rule.result == Some(Ok(false)));
    let passed = passed.filter_map(|(place, rule)| {
        let (rank, test) = first(rule)?;
        let is_only = !rank.1;
        Some((
            rank,
            Reason {
                place,
                rule,
                test,
                is_only,
            },
        ))
    });
    let passed = passed.min_by_key(|(rank, _)| *rank);
    let rule = rules.get(decided)?;
    if rule.index.is_none() {
        return passed.map(|(_, reason)| reason);
    }
    let own = first(rule).map(|(rank, test)| {
        let own = Reason {
            place: decided,
            rule,
            test,
            is_only: false,
        };
        (rank, own)
    });
    let is_odd = |(_, reason): &(Rank, Reason<'_>)| reason.test.why.is_some();
    let own_is_odd = own.as_ref().is_some_and(is_odd);
    let passed = passed.filter(|found| !own_is_odd && is_odd(found));
    passed.or(own).map(|(_, reason)| reason)
}

/// The tests that decide the result of a rule, with the values that they read.
fn deciding(rule: &RuleView) -> Vec<&OperandView> {
    let tests = rule.operands.iter().zip(rule.decisive());
    let tests = tests.filter(|(one, decides)| *decides && !one.after && one.joint == Joint::None);
    tests.map(|(one, _)| one).collect()
}

/// The deciding test that explains most, with its rank.
fn first(rule: &RuleView) -> Option<(Rank, &OperandView)> {
    let deciding = deciding(rule);
    let tests = rule.operands.iter().filter(|one| one.joint == Joint::None);
    let is_only = deciding.len() == 1;
    let held = tests.filter(|one| !one.after).count();
    let held = held.saturating_sub(deciding.len());
    let held = if is_only { held } else { 0 };
    let ranked = deciding.into_iter();
    let ranked = ranked.map(|test| ((test.why.is_none(), held == 0, Reverse(held)), test));
    ranked.min_by_key(|(rank, _)| *rank)
}

impl RuleView {
    /// The test whose values are worth following: the one that explains most, otherwise the first that reads a value.
    #[must_use]
    pub fn telling(&self) -> Option<&OperandView> {
        let looks = |test: &&OperandView| !test.paths.is_empty();
        let first = first(self).map(|(_, test)| test);
        first
            .filter(looks)
            .or_else(|| self.operands.iter().find(looks))
    }
}
