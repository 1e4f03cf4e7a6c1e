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
use crate::query::jsonata::{Budget, Evaluated, Evaluation, Expression, Failure};
use indexmap::IndexMap;
use jsonata_core::parser::parse;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// So many compiled expressions are kept.
const KEPT: usize = 4096;

/// Compiled expressions and converted documents; lives and dies with its thread.
#[derive(Default)]
pub(in crate::worker) struct Engine {
    plans: HashMap<Text, Rc<Node>>,
    documents: Documents,
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
        let mut allowance = Allowance::new(evaluation.budget, evaluation.expressions.len());
        for expression in &evaluation.expressions {
            if evaluation.budget == Budget::Glance {
                // What stands beside it makes no difference to what is looked at.
                service = Rc::new(Service::new(evaluation.now, evaluation.seed));
            }
            let account = allowance.account(Arc::clone(cancel));
            let (result, account) = self.one(evaluation, expression, account, &service);
            allowance.spend(&account);
            let enough = evaluation.until_true
                && (result.is_err() || matches!(result, Ok(crate::json::Value::Bool(true))));
            results.push(result);
            if enough {
                break;
            }
        }
        results
    }

    /// The result of one expression, and what is left on its account.
    fn one(
        &mut self,
        evaluation: &Evaluation,
        expression: &Expression,
        mut account: Account,
        service: &Rc<Service>,
    ) -> (Evaluated, Account) {
        let plan = match self.plan(&expression.text) {
            Ok(plan) => plan,
            Err(failure) => return (Err(failure), account),
        };
        if let Some(found) = named(&plan, evaluation) {
            return (found, account);
        }
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

    fn plan(&mut self, text: &Text) -> Result<Rc<Node>, Failure> {
        if let Some(plan) = self.plans.get(text) {
            return Ok(Rc::clone(plan));
        }
        let tree = parse(text).map_err(|error| Failure::Thrown(error.to_string().into()))?;
        let plan = Rc::new(lower(&tree).map_err(failure)?);
        if self.plans.len() >= KEPT {
            self.plans.clear();
        }
        self.plans.insert(text.clone(), Rc::clone(&plan));
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
