//! Requests: compiled expressions, what they may read, their results.
//!
//! It must not know who waits for it.

use super::account::{Account, Outcome};
use super::datum::{Datum, Letters};
use super::evaluate::Run;
use super::frame::Frame;
use super::lower::lower;
use super::named::named;
use super::plan::Node;
use super::service::Service;
use super::value::{Documents, failure, to_json};
use crate::json::Text;
use crate::query::jsonata::{Evaluated, Evaluation, Expression, Failure};
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
        let service = Rc::new(Service::new(evaluation.now, evaluation.seed));
        let mut results = Vec::with_capacity(evaluation.expressions.len());
        for expression in &evaluation.expressions {
            let result = self.one(evaluation, expression, cancel, &service);
            let enough = evaluation.until_true
                && (result.is_err() || matches!(result, Ok(crate::json::Value::Bool(true))));
            results.push(result);
            if enough {
                break;
            }
        }
        results
    }

    fn one(
        &mut self,
        evaluation: &Evaluation,
        expression: &Expression,
        cancel: &Arc<AtomicBool>,
        service: &Rc<Service>,
    ) -> Evaluated {
        let plan = self.plan(&expression.text)?;
        if let Some(found) = named(&plan, evaluation) {
            return found;
        }
        let mut account = Account::new(evaluation.budget, Arc::clone(cancel));
        let bound = self.bound(evaluation, expression, &mut account);
        let mut run = Run::new(account, Rc::clone(service));
        let frame = Frame::outermost();
        let value = bound.and_then(|bound| {
            for (name, value) in bound {
                run.bind(&frame, &name, value)?;
            }
            run.whole(&plan, &Datum::Nothing, &frame)
        });
        to_json(&value.map_err(failure)?)
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
