//! Determines whether a Choice needs no Default, because one of its rules holds for any data or for all data that can
//! reach the state.

use super::flow::Flow;
use super::{Checker, StateAt};
use crate::definition::implies::{fails, implies};
use crate::definition::{Asked, Choice, PathField, Rule, State, StateId, StateKind, Target, Test};
use crate::query::Root;

/// Maximum number of rules and of preceding states that are examined. Nobody writes more by hand.
const MOST: usize = 60;

/// True if one of `others` holds whenever `asked` holds.
fn leads_to_one(asked: &Asked<'_>, others: &[Asked<'_>]) -> bool {
    let one = |own: &Asked<'_>| others.iter().any(|wide| implies(own, wide));
    let parts = asked.alternatives();
    one(asked) || !parts.is_empty() && parts.iter().all(one)
}

/// True if one of `others` holds whenever `asked` does not hold.
fn fails_to_one(asked: &Asked<'_>, others: &[Asked<'_>]) -> bool {
    others.iter().any(|other| fails(asked, other))
}

impl Checker<'_> {
    /// True if one of the rules of a Choice is certain to hold whenever the state is entered.
    pub(super) fn is_complete(&self, at: StateAt<'_>, flow: &Flow<'_>) -> bool {
        let StateKind::Choice(choice) = &at.state.kind else {
            return false;
        };
        let rules = choice.rules.iter().take(MOST);
        let own: Vec<Asked<'_>> = rules.map(|rule| Asked::of(&rule.test)).collect();
        own.iter().any(|asked| fails_to_one(asked, &own)) || self.is_asked_before(at, flow, &own)
    }

    /// True if every transition to the state comes from a Choice whose rules ensure that one of this state's rules
    /// holds.
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

/// True if every transition from a Choice to the state `to` ensures that one of the conditions `own` holds.
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

/// The condition of a test, if it has the same result in the next state for the same data. Tests of the context object
/// do not.
fn lasting(test: &Test) -> Option<Asked<'_>> {
    let of_context = match test {
        Test::Condition(expression) => expression.reads.reads("context"),
        test => (test.comparisons().iter()).any(|one| *one.variable.root() == Root::Context),
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
