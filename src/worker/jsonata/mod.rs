//! Evaluates JSONata within budgets. Steps, bytes and depth are charged before they are used, so no expression can
//! exceed its budget.
//!
//! To answer a request, the engine compiles the expressions, binds the values that they read, and converts their
//! results to JSON.
//!
//! An expression that only names a value returns the value unchanged, with all digits of its numbers. In any other
//! evaluation, numbers have a precision of 53 bits.

mod account;
mod builtin;
mod call;
mod collection;
mod datum;
mod evaluate;
mod function;
mod moment;
mod moment_picture;
mod number;
mod numeral;
mod path;
mod pattern;
mod picture;
mod plan;
mod regular;
mod regular_syntax;
mod rows;
mod service;
mod text;
mod tracer;
mod value;

use self::account::{Account, Allowance, Outcome};
use self::datum::{Datum, Letters};
use self::evaluate::Run;
use self::plan::{Form, Node, Step, StepForm, lower};
use self::service::Service;
use self::tracer::{Spots, Tracer};
use self::value::{Documents, located, to_json};
use crate::json::{Text, Value};
use crate::query::Profile;
use crate::query::jsonata::{Budget, Evaluated, Evaluation, Expression, Failure, Operator, Traced};
use crate::query::trace::Base;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Number of requests for which an expression that did not finish on the caller's thread is not tried there again.
const UNTRIED: u8 = 16;
/// Maximum number of compiled expressions that an engine keeps.
const KEPT: usize = 4096;

/// Evaluates expressions on one thread, and keeps its compiled expressions and converted documents.
#[derive(Default)]
pub(in crate::worker) struct Engine {
    plans: HashMap<Text, Rc<Node>, RandomState>,
    documents: Documents,
    /// Expressions that did not finish on the caller's thread. The number says how many of the next requests with the
    /// expression are not tried there again.
    long: HashMap<Text, u8>,
}

impl Engine {
    /// Returns the results of a request, up to the first that makes the others unnecessary. `cancel` stops the
    /// evaluation. Without `cancel`, this is a trial on the caller's thread: it returns `None` as soon as its steps are
    /// used up.
    pub(in crate::worker) fn evaluate(
        &mut self,
        evaluation: &Evaluation,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Option<Vec<Evaluated>> {
        if cancel.is_none() && !self.long.is_empty() && self.is_long(evaluation) {
            return None;
        }
        let mut allowance = match cancel {
            Some(_) => Allowance::new(evaluation, evaluation.budget),
            None => Allowance::trial(evaluation),
        };
        let fresh = || Rc::new(Service::new(evaluation.now, evaluation.seed));
        let mut service = fresh();
        let mut results = Vec::with_capacity(evaluation.expressions.len());
        for (place, expression) in evaluation.expressions.iter().enumerate() {
            if evaluation.budget == Budget::Glance && place > 0 {
                // Each expression gets a fresh random sequence, because the other expressions of the request must not
                // change its result.
                service = fresh();
            }
            let account = allowance.account(cancel);
            let (result, account) =
                self.evaluate_expression(evaluation, expression, account, &service);
            if cancel.is_none() && is_overdue(&result) {
                if self.long.len() >= KEPT {
                    self.long.clear();
                }
                self.long.insert(expression.text.clone(), UNTRIED);
                return None;
            }
            allowance.spend(&account);
            let enough = is_enough(evaluation, &result);
            results.push(result);
            if enough {
                break;
            }
        }
        Some(results)
    }

    /// Like [`Self::evaluate`], but returns each result with its trace.
    pub(in crate::worker) fn look(
        &mut self,
        evaluation: &Evaluation,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Option<Vec<Traced>> {
        let mut allowance = match cancel {
            Some(_) => Allowance::new(evaluation, Budget::Run),
            None => Allowance::trial(evaluation),
        };
        let service = Rc::new(Service::new(evaluation.now, evaluation.seed));
        let mut results = Vec::with_capacity(evaluation.expressions.len());
        for (place, expression) in (0_u32..).zip(&evaluation.expressions) {
            let account = allowance.account(cancel).traced();
            let (traced, account) = self.traced(evaluation, (place, expression), account, &service);
            if cancel.is_none() && is_overdue(&traced.value) {
                return None;
            }
            allowance.spend(&account);
            let enough = is_enough(evaluation, &traced.value);
            results.push(traced);
            if enough {
                break;
            }
        }
        Some(results)
    }

    /// Evaluates one expression with a trace and without the shortcuts that only save time. Returns the result and the
    /// account with the remaining budget.
    fn traced(
        &mut self,
        evaluation: &Evaluation,
        (place, expression): (u32, &Expression),
        mut account: Account,
        service: &Rc<Service>,
    ) -> (Traced, Account) {
        let plan = match self.plan_for(evaluation, expression) {
            Ok(plan) => plan,
            Err(failure) => return (Traced::failed(failure), account),
        };
        let given = account.mark();
        let mut spots = Spots::default();
        let bound = self.bound(evaluation, expression, Some(&mut spots), &mut account);
        account.restart(given);
        let mut run = Run::new(account, Rc::clone(service));
        run.tracer = Some(Box::new(Tracer::new(place, spots)));
        let value = run.bound_to(bound, &plan);
        // The value that the expression names is returned as it is, with all digits of its numbers.
        let value =
            named(&plan, evaluation).unwrap_or_else(|| value.and_then(|value| to_json(&value)));
        let trace = run.tracer.map(|tracer| tracer.finish(&expression.reads));
        let trace = trace.unwrap_or_default();
        (Traced { value, trace }, run.account)
    }

    /// True if the request should not be tried on the caller's thread, because one of its expressions recently did not
    /// finish there.
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

    /// Evaluates one expression. Returns the result, and the account that says how much of the budget is left.
    fn evaluate_expression(
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
        if let Some(value) = named(&plan, evaluation) {
            return (value, account);
        }
        let given = account.mark();
        let mut run = Run::new(account, Rc::clone(service));
        if let Some(value) = run.of_scalars(&plan, evaluation) {
            let result = value.and_then(|value| to_json(&value));
            return (result, run.account);
        }
        let mut account = run.account;
        account.restart(given);
        let bound = self.bound(evaluation, expression, None, &mut account);
        let mut run = Run::new(account, Rc::clone(service));
        let value = run.bound_to(bound, &plan);
        let result = value.and_then(|value| to_json(&value));
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
        let plan = Rc::new(lower(tree.root())?);
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

/// True if the evaluation was stopped because it needed too many steps or too much time.
fn is_overdue(result: &Evaluated) -> bool {
    matches!(result, Err(failure) if failure.is_of_time())
}

/// True if this result makes the remaining expressions of the request unnecessary.
fn is_enough(evaluation: &Evaluation, result: &Evaluated) -> bool {
    evaluation.until_true && (result.is_err() || matches!(result, Ok(Value::Bool(true))))
}

/// The error that JSONata 2.0.6 raises for an operator that only later versions have.
fn refused(operator: &str) -> Failure {
    let symbol = if operator == "??" { "?" } else { ":" };
    Failure::Thrown(
        format!("S0211: The symbol \"{symbol}\" cannot be used as a unary operator").into(),
    )
}

/// The value that an expression names, such as `$states.input`, `$states.result.a.b` or `$name.a`. `None` if the
/// expression has to be evaluated.
fn named(plan: &Node, evaluation: &Evaluation) -> Option<Evaluated> {
    Some(match place(plan, evaluation)? {
        Some(value) => Ok(value.clone()),
        None => Err(Failure::Undefined),
    })
}

/// The value that a node names. `Some(None)` if the node names a member that does not exist; `None` if the node has to
/// be evaluated.
fn place<'e>(plan: &Node, evaluation: &'e Evaluation) -> Option<Option<&'e Value>> {
    if !plan.is_plain() {
        return None;
    }
    let (name, steps) = match &plan.form {
        Form::Variable(name) => (name, &[][..]),
        Form::Path(path) if !path.keep => {
            let (first, rest) = path.steps.split_first()?;
            match &of_step(first)?.form {
                Form::Variable(name) => (name, rest),
                _ => return None,
            }
        }
        _ => return None,
    };
    let (all, variable, steps) = match &**name {
        "states" => {
            let (member, rest) = steps.split_first()?;
            (&evaluation.states, member_of(member)?, rest)
        }
        variable => (&evaluation.variables, variable, steps),
    };
    let mut at = &all.iter().find(|(name, _)| **name == *variable)?.1;
    for step in steps {
        let name = member_of(step)?;
        at = match at {
            Value::Object(object) => match object.get(name) {
                Some(member) => member,
                None => return only_members(steps).then_some(None),
            },
            // A path into an array reads the member of every item, so the expression has to be evaluated.
            Value::Array(_) => return None,
            _ => return only_members(steps).then_some(None),
        };
    }
    Some(Some(at))
}

fn member_of(step: &Step) -> Option<&str> {
    match &of_step(step)?.form {
        Form::Member(name) => Some(name),
        _ => None,
    }
}

fn only_members(steps: &[Step]) -> bool {
    steps.iter().all(|step| member_of(step).is_some())
}

impl Run {
    /// Evaluates an expression that consists only of literals, named scalars and operators; `None` for any other
    /// expression.
    fn of_scalars(&mut self, plan: &Node, evaluation: &Evaluation) -> Option<Outcome> {
        if !plan.is_plain() {
            return None;
        }
        if let Form::Literal(value) = &plan.form {
            return Some(self.leaf().map(|()| value.clone()));
        }
        if let Some(value) = place(plan, evaluation) {
            let value = scalar(value)?;
            return Some(self.account.take(2).map(|()| value));
        }
        if self.account.down().is_err() {
            // Here the evaluation fails. The regular evaluation, which follows, reports the error.
            return None;
        }
        let made = match &plan.form {
            Form::Binary(operator, left, right) if *operator != Operator::Range => {
                let sides = (
                    self.of_scalars(left, evaluation)?,
                    self.of_scalars(right, evaluation)?,
                );
                match sides {
                    (Ok(left), Ok(right)) => self.operation(*operator, &left, &right),
                    (Err(failure), _) | (_, Err(failure)) => Err(failure),
                }
            }
            Form::Lazy(operator @ (Operator::And | Operator::Or), left, right) => {
                let decided = *operator == Operator::Or;
                let left = self.of_scalars(left, evaluation)?;
                match left.and_then(|left| self.account.truth(&left)) {
                    Ok(left) if left == decided => Ok(Datum::bool(decided)),
                    Ok(_) => {
                        let right = self.of_scalars(right, evaluation)?;
                        right
                            .and_then(|right| self.account.truth(&right))
                            .map(Datum::bool)
                    }
                    Err(failure) => Err(failure),
                }
            }
            _ => return None,
        };
        self.account.up();
        Some(made)
    }
}

/// Converts a value that is not a list or a record, or a missing value. `None` for lists and records.
fn scalar(value: Option<&Value>) -> Option<Datum> {
    Some(match value {
        None => Datum::Nothing,
        Some(Value::Null) => Datum::null(),
        Some(Value::Bool(flag)) => Datum::bool(*flag),
        Some(Value::Number(number)) => Datum::number(number.as_f64()),
        Some(Value::String(text)) => Datum::text(&**text),
        Some(Value::Array(_) | Value::Object(_)) => return None,
    })
}

fn of_step(step: &Step) -> Option<&Node> {
    match &step.form {
        StepForm::Map(node) if step.stages.is_empty() && !step.rows && node.is_plain() => {
            Some(node)
        }
        _ => None,
    }
}
