//! The comparison that best explains where a Choice led, or the result of one of its rules: one whose values alone do not
//! explain its result comes first.

use super::rule_view::{Joint, OperandView, RuleView};
use std::cmp::Reverse;

/// A test that tells why.
#[derive(Clone, Copy, Debug)]
pub struct Reason<'v> {
    /// The place of its rule.
    pub place: usize,
    /// Its rule.
    pub rule: &'v RuleView,
    /// The test.
    pub test: &'v OperandView,
    /// Whether it alone keeps its rule from holding, others in which do hold.
    pub is_only: bool,
}

impl Reason<'_> {
    /// It in a sentence, where it says more than that the rule did or did not hold.
    #[must_use]
    pub fn said(&self) -> Option<String> {
        let tells = self.test.why.is_some() || self.is_only;
        tells.then(|| self.test.sentence())
    }
}

/// The test of the smallest rank explains most: false if its values alone do not explain its result; false if it alone
/// decides its rule; how many other tests hold.
type Rank = (bool, bool, Reverse<usize>);

/// The test that tells most of why the rule at `decided` was taken, or will be: of Default, of why the others are false.
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

/// The tests that decide what came of a rule, with the values that they look at.
fn deciding(rule: &RuleView) -> Vec<&OperandView> {
    let tests = rule.operands.iter().zip(rule.decisive());
    let tests = tests.filter(|(one, decides)| *decides && !one.after && one.joint == Joint::None);
    tests.map(|(one, _)| one).collect()
}

/// The one of them that tells most, and how much.
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
    /// The test to ask about: the one that tells most of what decided, else the first that looks at a value.
    #[must_use]
    pub fn telling(&self) -> Option<&OperandView> {
        let looks = |test: &&OperandView| !test.paths.is_empty();
        let first = first(self).map(|(_, test)| test);
        first
            .filter(looks)
            .or_else(|| self.operands.iter().find(looks))
    }
}
