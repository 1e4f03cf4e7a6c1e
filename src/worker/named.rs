//! Expressions that merely name a value of the run: it is handed over as it is, its numbers with all their digits.
//!
//! It must not know what else an expression can do; the engine does that, with numbers of 53 bits.

use crate::json::Value;
use crate::query::jsonata::{Evaluated, Evaluation, Failure};
use jsonata_core::ast::{AstNode, PathStep};

/// What `$states.input`, `$states.result.a.b` or `$name.a` gives; `None` where the engine has to say it.
pub(super) fn named(tree: &AstNode, evaluation: &Evaluation) -> Option<Evaluated> {
    let (name, steps) = match tree {
        AstNode::Variable(name) => (name, [].as_slice()),
        AstNode::Path { steps } => match steps.split_first()? {
            (first, rest) if is_plain(first) => match &first.node {
                AstNode::Variable(name) => (name, rest),
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let mut names = Vec::with_capacity(steps.len());
    for step in steps {
        match &step.node {
            AstNode::Name(name) if is_plain(step) => names.push(name.as_str()),
            _ => return None,
        }
    }
    let mut names = names.into_iter();
    let all = match name.as_str() {
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
            // The engine maps over the items.
            Value::Array(_) => return None,
            _ => return Some(Err(Failure::Undefined)),
        };
    }
    Some(Ok(at.clone()))
}

fn is_plain(step: &PathStep) -> bool {
    step.stages.is_empty() && step.focus.is_none() && step.index_var.is_none() && !step.is_tuple
}
