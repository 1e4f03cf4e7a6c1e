//! Expressions that merely name a value of the run: it is handed over as it is, its numbers with all their digits.
//!
//! It must not know what else an expression can do; that is done with numbers of 53 bits.

use super::plan::{Form, Node, Step, StepForm};
use crate::json::Value;
use crate::query::jsonata::{Evaluated, Evaluation, Failure};

/// What `$states.input`, `$states.result.a.b` or `$name.a` gives; `None` where it has to be evaluated.
pub(super) fn named(plan: &Node, evaluation: &Evaluation) -> Option<Evaluated> {
    if !is_plain(plan) {
        return None;
    }
    let mut names = Vec::new();
    let name = match &plan.form {
        Form::Variable(name) => name,
        Form::Path(path) if !path.keep => {
            let (first, rest) = path.steps.split_first()?;
            for step in rest {
                match &of_step(step)?.form {
                    Form::Member(name) => names.push(&**name),
                    _ => return None,
                }
            }
            match &of_step(first)?.form {
                Form::Variable(name) => name,
                _ => return None,
            }
        }
        _ => return None,
    };
    let mut names = names.into_iter();
    let all = match &**name {
        "states" => (&evaluation.states, names.next()?),
        own => (&evaluation.variables, own),
    };
    let mut at = &all.0.iter().find(|(own, _)| **own == *all.1)?.1;
    for name in names {
        at = match at {
            Value::Object(object) => match object.get(name) {
                Some(member) => member,
                None => return Some(Err(Failure::Undefined)),
            },
            // The items have to be gone through.
            Value::Array(_) => return None,
            _ => return Some(Err(Failure::Undefined)),
        };
    }
    Some(Ok(at.clone()))
}

fn is_plain(node: &Node) -> bool {
    node.predicates.is_empty() && node.group.is_none() && !node.keep
}

fn of_step(step: &Step) -> Option<&Node> {
    match &step.form {
        StepForm::Map(node) if step.stages.is_empty() && !step.rows && is_plain(node) => Some(node),
        _ => None,
    }
}
