//! Fast paths for expressions that only name values: nothing else of a document is converted.
//!
//! An expression that merely names a value returns it unchanged, with all digits of its numbers. Any other evaluation
//! has numbers of 53 bits.

use super::account::Outcome;
use super::datum::Datum;
use super::evaluate::Run;
use super::plan::{Form, Logic, Node, Step, StepForm};
use crate::json::Value;
use crate::query::jsonata::Operator;
use crate::query::jsonata::{Evaluated, Evaluation, Failure};

/// The value of `$states.input`, `$states.result.a.b` or `$name.a`; `None` if the expression has to be evaluated.
pub(super) fn named(plan: &Node, evaluation: &Evaluation) -> Option<Evaluated> {
    Some(match place(plan, evaluation)? {
        Some(value) => Ok(value.clone()),
        None => Err(Failure::Undefined),
    })
}

/// The value that a node names: `Some(None)` if it names nothing, `None` if the node does more than name a value.
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
    let (all, own, steps) = match &**name {
        "states" => {
            let (member, rest) = steps.split_first()?;
            (&evaluation.states, member_of(member)?, rest)
        }
        own => (&evaluation.variables, own, steps),
    };
    let mut at = &all.iter().find(|(name, _)| **name == *own)?.1;
    for step in steps {
        let name = member_of(step)?;
        at = match at {
            Value::Object(object) => match object.get(name) {
                Some(member) => member,
                None => return only_members(steps).then_some(None),
            },
            // The path has to map over the items.
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
    /// Evaluates an expression of only literals, named scalars and operators between them; `None` if it has anything
    /// else.
    pub(super) fn of_scalars(&mut self, plan: &Node, evaluation: &Evaluation) -> Option<Outcome> {
        if !plan.is_plain() {
            return None;
        }
        if let Form::Literal(value) = &plan.form {
            return Some(self.leaf().map(|()| value.clone()));
        }
        if let Some(found) = place(plan, evaluation) {
            let value = scalar(found)?;
            return Some(self.account.take(2).map(|()| value));
        }
        if self.account.down().is_err() {
            // The regular evaluation reports the error.
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
                    (Err(stop), _) | (_, Err(stop)) => Err(stop),
                }
            }
            Form::Logic(logic, left, right) => {
                let decided = *logic == Logic::Or;
                let left = self.of_scalars(left, evaluation)?;
                match left.and_then(|left| self.account.truth(&left)) {
                    Ok(left) if left == decided => Ok(Datum::bool(decided)),
                    Ok(_) => {
                        let right = self.of_scalars(right, evaluation)?;
                        right
                            .and_then(|right| self.account.truth(&right))
                            .map(Datum::bool)
                    }
                    Err(stop) => Err(stop),
                }
            }
            _ => return None,
        };
        self.account.up();
        Some(made)
    }
}

/// Converts a scalar or a missing value; `None` for lists and records.
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
