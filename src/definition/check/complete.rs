//! Whether one of the rules of a Choice holds whatever the data, by its own rules or by those that led to it.

use super::flow::Flow;
use super::{Checker, StateAt};
use crate::definition::implies::{fails, implies};
use crate::definition::{Asked, Choice, PathField, Rule, State, StateId, StateKind, Target, Test};
use crate::query::Root;

/// So many rules and states before are looked at: more nobody writes by hand.
const MOST: usize = 60;

/// Whether one of some conditions holds wherever this one does.
fn leads_to_one(asked: &Asked<'_>, others: &[Asked<'_>]) -> bool {
    let one = |own: &Asked<'_>| others.iter().any(|wide| implies(own, wide));
    let parts = asked.alternatives();
    one(asked) || !parts.is_empty() && parts.iter().all(one)
}

/// Whether one of some conditions holds wherever this one does not.
fn fails_to_one(asked: &Asked<'_>, others: &[Asked<'_>]) -> bool {
    others.iter().any(|other| fails(asked, other))
}

impl Checker<'_> {
    /// Whether a rule of a Choice surely holds whenever it is come to.
    pub(super) fn is_complete(&self, at: StateAt<'_>, flow: &Flow<'_>) -> bool {
        let StateKind::Choice(choice) = &at.state.kind else {
            return false;
        };
        let rules = choice.rules.iter().take(MOST);
        let own: Vec<Asked<'_>> = rules.map(|rule| Asked::of(&rule.test)).collect();
        own.iter().any(|asked| fails_to_one(asked, &own)) || self.is_asked_before(at, flow, &own)
    }

    /// Whether everything that leads to it is a Choice that has asked for one of its rules.
    fn is_asked_before(&self, at: StateAt<'_>, flow: &Flow<'_>, own: &[Asked<'_>]) -> bool {
        let scope = self.definition.scope(at.state.scope);
        let is_start = scope
            .and_then(|scope| scope.start_at.as_ref()?.state)
            .is_none_or(|start| start == at.id);
        let before = flow.before(at.id);
        let asks = |earlier: &State| match &earlier.kind {
            StateKind::Choice(choice) => passes_on(earlier) && each_way_asks(choice, at.id, own),
            _ => false,
        };
        let all = |ids: &[StateId]| {
            let mut states = ids.iter().map(|id| self.definition.state(*id));
            states.all(|state| state.is_some_and(asks))
        };
        !is_start
            && !before.is_empty()
            && before.len() <= MOST
            && reads_all(at.state)
            && all(before)
    }
}

/// Whether every way from a Choice to a state has asked what one of these rules of it asks.
fn each_way_asks(choice: &Choice, to: StateId, own: &[Asked<'_>]) -> bool {
    let leads = |target: Option<&Target>| target.and_then(|target| target.state) == Some(to);
    let mut rules = choice.rules.iter().filter(|rule| leads(rule.next.as_ref()));
    let asks = |rule: &Rule| {
        let computed = &rule.jsonata;
        let is_computed = computed.assign.is_some() || computed.output.is_some();
        let changes = rule.assign.is_some() || is_computed;
        !changes && lasting(&rule.test).is_some_and(|asked| leads_to_one(&asked, own))
    };
    let mut others = choice.rules.iter().take(MOST);
    let no_rule = |rule: &Rule| lasting(&rule.test).is_some_and(|asked| fails_to_one(&asked, own));
    rules.all(asks) && (!leads(choice.default.as_ref()) || others.any(no_rule))
}

/// A test that has the same answer in the next state, where the data is the same.
fn lasting(test: &Test) -> Option<Asked<'_>> {
    let of_context = match test {
        Test::Condition(expression) => expression.reads.reads("context"),
        test => (test.comparisons().iter()).any(|one| *one.variable.root() == Root::Context),
    };
    (!of_context).then(|| Asked::of(test))
}

/// Whether a Choice leaves data and variables as they are, and looks at all of the data.
fn passes_on(state: &State) -> bool {
    let makes = ["Output", "Assign"]
        .iter()
        .any(|name| state.field(name).is_some());
    reads_all(state) && matches!(state.output_path, PathField::Whole) && !makes
}

fn reads_all(state: &State) -> bool {
    matches!(state.input_path, PathField::Whole)
}
