//! Evaluates requests: compiles expressions, binds what they read, and returns their results.

use super::account::{Account, Allowance, Outcome};
use super::datum::{Datum, Letters};
use super::evaluate::Run;
use super::lower::lower;
use super::named::named;
use super::plan::Node;
use super::service::Service;
use super::spots::Spots;
use super::tracer::Tracer;
use super::value::{Documents, failure, located, to_json};
use crate::json::{Text, Value};
use crate::query::Profile;
use crate::query::jsonata::{Budget, Evaluated, Evaluation, Expression, Failure, Traced};
use crate::query::trace::Base;
use indexmap::IndexMap;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// After an expression did not finish on the caller's thread, number of requests before it is tried there again.
const UNTRIED: u8 = 16;
/// Maximum number of compiled expressions kept.
const KEPT: usize = 4096;

/// Compiled expressions and converted documents, owned by one thread.
#[derive(Default)]
pub(in crate::worker) struct Engine {
    plans: HashMap<Text, Rc<Node>>,
    documents: Documents,
    /// Expressions that did not finish on the caller's thread, with the number of requests before the next try.
    long: HashMap<Text, u8>,
}

impl Engine {
    /// Returns the results of a request; may stop early if the request is decided by a result. `cancel` stops it.
    pub(in crate::worker) fn evaluate(
        &mut self,
        evaluation: &Evaluation,
        cancel: &Arc<AtomicBool>,
    ) -> Vec<Evaluated> {
        let mut service = Rc::new(Service::new(evaluation.now, evaluation.seed));
        let mut results = Vec::with_capacity(evaluation.expressions.len());
        let mut allowance = Allowance::new(evaluation, evaluation.budget);
        for expression in &evaluation.expressions {
            if evaluation.budget == Budget::Glance {
                // Each expression gets a fresh random sequence, because neighbouring ones must not change its result.
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

    /// Returns the results of a short request; `None` if it needs too many steps.
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
        let mut allowance = Allowance::trial(evaluation);
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

    /// Returns the results of a request with their traces; may stop early as in `evaluate`. `cancel` stops it.
    pub(in crate::worker) fn look(
        &mut self,
        evaluation: &Evaluation,
        cancel: &Arc<AtomicBool>,
    ) -> Vec<Traced> {
        let service = Rc::new(Service::new(evaluation.now, evaluation.seed));
        let mut results = Vec::with_capacity(evaluation.expressions.len());
        let allowance = Allowance::new(evaluation, Budget::Run);
        for (place, expression) in (0_u32..).zip(&evaluation.expressions) {
            let account = allowance.account(Arc::clone(cancel)).traced();
            let traced = self.traced(evaluation, (place, expression), account, &service);
            let enough = is_enough(evaluation, &traced.value);
            results.push(traced);
            if enough {
                break;
            }
        }
        results
    }

    /// Evaluates one expression with a trace, without any shortcut that exists only for speed.
    fn traced(
        &mut self,
        evaluation: &Evaluation,
        (place, expression): (u32, &Expression),
        mut account: Account,
        service: &Rc<Service>,
    ) -> Traced {
        let plan = match self.plan_for(evaluation, expression) {
            Ok(plan) => plan,
            Err(failure) => return Traced::failed(failure),
        };
        let given = account.mark();
        let mut spots = Spots::default();
        let bound = self.bound(evaluation, expression, Some(&mut spots), &mut account);
        account.restart(given);
        let mut run = Run::new(account, Rc::clone(service));
        run.tracer = Some(Box::new(Tracer::new(place, spots)));
        let value = run.bound_to(bound, &plan);
        // A value that is merely named keeps all its digits.
        let value = named(&plan, evaluation)
            .unwrap_or_else(|| value.map_err(failure).and_then(|value| to_json(&value)));
        let trace = run.tracer.map(|tracer| tracer.finish(&expression.reads));
        Traced {
            value,
            trace: trace.unwrap_or_default(),
        }
    }

    /// True if an expression of the request did not finish on the caller's thread recently.
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

    /// Evaluates one expression; returns the result and the remaining account.
    fn one(
        &mut self,
        evaluation: &Evaluation,
        expression: &Expression,
        account: Account,
        service: &Rc<Service>,
    ) -> (Evaluated, Account) {
        let plan = match self.plan_for(evaluation, expression) {
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
        let bound = self.bound(evaluation, expression, None, &mut account);
        let mut run = Run::new(account, Rc::clone(service));
        let value = run.bound_to(bound, &plan);
        let result = value.map_err(failure).and_then(|value| to_json(&value));
        (result, run.account)
    }

    fn plan_for(
        &mut self,
        evaluation: &Evaluation,
        expression: &Expression,
    ) -> Result<Rc<Node>, Failure> {
        match (expression.younger, evaluation.profile) {
            (Some(operator), Profile::Aws) => Err(refused(operator)),
            _ => self.plan(expression),
        }
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
        mut spots: Option<&mut Spots>,
        account: &mut Account,
    ) -> Outcome<Vec<(Letters, Datum)>> {
        let reads = &expression.reads;
        let mut document = |base: &dyn Fn() -> Base, value: &Value| match &mut spots {
            Some(spots) => {
                let tag = spots.document(base());
                located(value, tag, spots, account)
            }
            None => self.documents.get(value, account),
        };
        let mut states = IndexMap::new();
        for (name, value) in &evaluation.states {
            if reads.reads(name) {
                let value = document(&|| Base::of_states(name), value)?;
                states.insert(Letters::from(&**name), value);
            }
        }
        let mut bound = Vec::new();
        for (name, value) in &evaluation.variables {
            if reads.variables.contains(name) {
                let value = document(&|| Base::Variable(name.clone()), value)?;
                bound.push((Letters::from(&**name), value));
            }
        }
        bound.push((Letters::from("states"), account.record(states)?));
        Ok(bound)
    }
}

/// True if this result decides the request, so that the remaining expressions need not be evaluated.
fn is_enough(evaluation: &Evaluation, result: &Evaluated) -> bool {
    evaluation.until_true && (result.is_err() || matches!(result, Ok(Value::Bool(true))))
}

/// JSONata 2.0.6's error for an operator that only later versions have.
fn refused(operator: &str) -> Failure {
    let symbol = if operator == "??" { "?" } else { ":" };
    Failure::Thrown(
        format!("S0211: The symbol \"{symbol}\" cannot be used as a unary operator").into(),
    )
}
