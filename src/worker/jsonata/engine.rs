//! Requests: compiled expressions, what they may read, their results.
//!
//! It must not know who waits for it.

use super::account::{Account, Allowance, Outcome};
use super::datum::{Datum, Letters};
use super::evaluate::Run;
use super::frame::Frame;
use super::lower::lower;
use super::named::named;
use super::plan::Node;
use super::service::Service;
use super::value::{Documents, failure, to_json};
use crate::json::Text;
use crate::query::Profile;
use crate::query::jsonata::{Budget, Evaluated, Evaluation, Expression, Failure};
use indexmap::IndexMap;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// An expression that did not end at once is not tried so often.
const UNTRIED: u8 = 16;
/// So many compiled expressions are kept.
const KEPT: usize = 4096;

/// Compiled expressions and converted documents; lives and dies with its thread.
#[derive(Default)]
pub(in crate::worker) struct Engine {
    plans: HashMap<Text, Rc<Node>>,
    documents: Documents,
    /// Expressions that did not end at once lately: so often they are not tried.
    long: HashMap<Text, u8>,
}

impl Engine {
    /// The results of a request, as far as it says; `cancel` ends them.
    pub(in crate::worker) fn evaluate(
        &mut self,
        evaluation: &Evaluation,
        cancel: &Arc<AtomicBool>,
    ) -> Vec<Evaluated> {
        let mut service = Rc::new(Service::new(evaluation.now, evaluation.seed));
        let mut results = Vec::with_capacity(evaluation.expressions.len());
        let count = evaluation.expressions.len();
        let mut allowance = Allowance::new(evaluation.budget, count, evaluation.profile);
        for expression in &evaluation.expressions {
            if evaluation.budget == Budget::Glance {
                // What stands beside it makes no difference to what is looked at.
                service = Rc::new(Service::new(evaluation.now, evaluation.seed));
            }
            let account = allowance.account(Arc::clone(cancel));
            let (result, account) = self.one(evaluation, expression, account, &service);
            allowance.spend(&account);
            let enough = is_enough(evaluation, &result);
            results.push(result);
            if enough {
                break;
            }
        }
        results
    }

    /// The results of a request that ends soon; `None` for one that needs more steps than are tried at once.
    pub(in crate::worker) fn try_at_once(
        &mut self,
        evaluation: &Evaluation,
    ) -> Option<Vec<Evaluated>> {
        if !self.long.is_empty() && self.is_long(evaluation) {
            return None;
        }
        let fresh = || Rc::new(Service::new(evaluation.now, evaluation.seed));
        let mut service = fresh();
        let mut results = Vec::with_capacity(evaluation.expressions.len());
        let mut allowance = Allowance::trial(evaluation.profile);
        for (place, expression) in evaluation.expressions.iter().enumerate() {
            if evaluation.budget == Budget::Glance && place > 0 {
                service = fresh();
            }
            let account = allowance.trial_account();
            let (result, account) = self.one(evaluation, expression, account, &service);
            if matches!(&result, Err(failure) if failure.is_of_time()) {
                if self.long.len() >= KEPT {
                    self.long.clear();
                }
                self.long.insert(expression.text.clone(), UNTRIED);
                return None;
            }
            allowance.spend_trial(&account);
            let enough = is_enough(evaluation, &result);
            results.push(result);
            if enough {
                break;
            }
        }
        Some(results)
    }

    /// Whether an expression of a request did not end at once when it was tried last.
    fn is_long(&mut self, evaluation: &Evaluation) -> bool {
        let long = &mut self.long;
        evaluation.expressions.iter().any(|expression| {
            let Some(left) = long.get_mut(&expression.text) else {
                return false;
            };
            *left = left.saturating_sub(1);
            if *left == 0 {
                long.remove(&expression.text);
            }
            true
        })
    }

    /// The result of one expression, and what is left on its account.
    fn one(
        &mut self,
        evaluation: &Evaluation,
        expression: &Expression,
        account: Account,
        service: &Rc<Service>,
    ) -> (Evaluated, Account) {
        if let (Some(operator), Profile::Aws) = (expression.younger, evaluation.profile) {
            return (Err(refused(operator)), account);
        }
        let plan = match self.plan(expression) {
            Ok(plan) => plan,
            Err(failure) => return (Err(failure), account),
        };
        if let Some(found) = named(&plan, evaluation) {
            return (found, account);
        }
        let given = account.mark();
        let mut run = Run::new(account, Rc::clone(service));
        if let Some(value) = run.of_scalars(&plan, evaluation) {
            let result = value.map_err(failure).and_then(|value| to_json(&value));
            return (result, run.account);
        }
        let mut account = run.account;
        account.restart(given);
        let bound = self.bound(evaluation, expression, &mut account);
        let mut run = Run::new(account, Rc::clone(service));
        let frame = Frame::outermost();
        let value = bound.and_then(|bound| {
            for (name, value) in bound {
                run.bind(&frame, &name, value)?;
            }
            run.whole(&plan, &Datum::Nothing, &frame)
        });
        let result = value.map_err(failure).and_then(|value| to_json(&value));
        (result, run.account)
    }

    fn plan(&mut self, expression: &Expression) -> Result<Rc<Node>, Failure> {
        if let Some(plan) = self.plans.get(&expression.text) {
            return Ok(Rc::clone(plan));
        }
        let tree = expression.tree.as_ref();
        let tree = tree.map_err(|error| Failure::Thrown(error.to_string().into()))?;
        let plan = Rc::new(lower(tree.root()).map_err(failure)?);
        if self.plans.len() >= KEPT {
            self.plans.clear();
        }
        self.plans.insert(expression.text.clone(), Rc::clone(&plan));
        Ok(plan)
    }

    fn bound(
        &mut self,
        evaluation: &Evaluation,
        expression: &Expression,
        account: &mut Account,
    ) -> Outcome<Vec<(Letters, Datum)>> {
        let reads = &expression.reads;
        let mut states = IndexMap::new();
        for (name, value) in &evaluation.states {
            if reads.reads(name) {
                let value = self.documents.get(value, account)?;
                states.insert(Letters::from(&**name), value);
            }
        }
        let mut bound = vec![(Letters::from("states"), account.record(states)?)];
        for (name, value) in &evaluation.variables {
            if reads.variables.contains(name) {
                let value = self.documents.get(value, account)?;
                bound.push((Letters::from(&**name), value));
            }
        }
        Ok(bound)
    }
}

/// Whether a result ends a request.
fn is_enough(evaluation: &Evaluation, result: &Evaluated) -> bool {
    evaluation.until_true
        && (result.is_err() || matches!(result, Ok(crate::json::Value::Bool(true))))
}

/// What JSONata 2.0.6 says of an operator that it does not know.
fn refused(operator: &str) -> Failure {
    let symbol = if operator == "??" { "?" } else { ":" };
    Failure::Thrown(
        format!("S0211: The symbol \"{symbol}\" cannot be used as a unary operator").into(),
    )
}
