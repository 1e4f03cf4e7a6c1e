//! Checks which nodes are allowed as operands: as steps, with groups, as functions.

use super::error::JsonataError;
use super::tree::{Binding, Form, Node, Operator, Step, sign_behind};
use std::ops::Range;

/// Finds an operator whose operands or position JSONata rejects.
pub(super) fn misplaced(root: &Node, text: &str) -> Option<JsonataError> {
    let range_outside = |node: &Node| match &node.form {
        Form::Binary(Operator::Range, left, _) => Some(JsonataError {
            code: "S0201",
            message: "Syntax error: \"..\"".to_string(),
            range: sign_behind(text, left),
        }),
        _ => None,
    };
    let mut found = range_outside(root);
    root.each(&mut |node| {
        if found.is_some() {
            return;
        }
        match &node.form {
            Form::Array(_) | Form::ArrayStep(_) => {}
            Form::Binary(Operator::Bind, left, _) if !matches!(left.form, Form::Variable(_)) => {
                found = Some(JsonataError {
                    code: "S0212",
                    message: "The left side of := must be a variable name (start with $)"
                        .to_string(),
                    range: sign_behind(text, left),
                });
            }
            _ => {
                found = node
                    .children()
                    .iter()
                    .find_map(|(child, _)| range_outside(child))
            }
        }
    });
    found
}

/// Splits off the steps before the last one, also if the last one has bindings around it.
pub(super) fn steps_before_last(node: &mut Node) -> Vec<Step> {
    match &mut node.form {
        Form::Bound(inner, _) => {
            let before = steps_before_last(inner);
            node.range.start = inner.range.start;
            before
        }
        Form::Path(steps) if steps.len() > 1 => {
            let last = steps.split_off(steps.len() - 1);
            let before = std::mem::replace(steps, last);
            if let Some(step) = steps.first() {
                node.range.start = step.node.range.start;
            }
            before
        }
        _ => Vec::new(),
    }
}

/// Turns quoted steps into names. Returns the text and the byte range of a literal that cannot be a step.
pub(super) fn name_step(node: &mut Node) -> Option<(String, Range<usize>)> {
    let range = node.range.clone();
    match &mut node.form {
        Form::Bound(inner, _) | Form::Sort(inner, _) | Form::Group(inner, _) => name_step(inner),
        Form::Path(steps) => steps.iter_mut().find_map(|step| name_step(&mut step.node)),
        Form::Text(name) => {
            node.form = Form::Name(std::mem::take(name));
            None
        }
        Form::Bool(flag) => Some((flag.to_string(), range)),
        Form::Null => Some(("null".to_string(), range)),
        _ => number_of(node).map(|number| (number.to_string(), range)),
    }
}

/// A number with any number of minus signs before it.
fn number_of(mut node: &Node) -> Option<f64> {
    let mut sign = 1.0;
    while let Form::Negate(operand) = &node.form {
        sign = -sign;
        node = operand;
    }
    match node.form {
        Form::Number(number) => Some(sign * number),
        _ => None,
    }
}

/// True if a group after this node applies to the whole path rather than to a step.
pub(super) fn is_group_path(node: &Node) -> bool {
    match &node.form {
        Form::Path(steps) => match steps.as_slice() {
            [step] => matches!(step.node.form, Form::Name(_)) || is_group_path(&step.node),
            _ => true,
        },
        Form::Sort(..) | Form::Bound(_, Binding::Index(_)) => true,
        Form::Bound(inner, Binding::Focus(_)) => is_group_path(inner),
        _ => false,
    }
}

/// True if the step that a predicate would follow has a group.
pub(super) fn step_has_group(node: &Node) -> bool {
    match &node.form {
        Form::Group(..) => true,
        Form::Path(steps) => {
            let last = steps.last();
            last.is_some_and(|step| matches!(step.node.form, Form::Group(..)))
        }
        Form::Bound(inner, _) => step_has_group(inner),
        _ => false,
    }
}

/// True if another group after this node would be a second one.
pub(super) fn has_group(node: &Node) -> bool {
    match &node.form {
        Form::Group(..) => true,
        Form::Path(steps) if !is_group_path(node) => {
            let first = steps.first();
            first.is_some_and(|step| matches!(step.node.form, Form::Group(..)))
        }
        Form::Bound(inner, Binding::Focus(_)) => has_group(inner),
        _ => false,
    }
}

/// True if the value of the node may be a function.
pub(super) fn can_be_called(node: &Node) -> bool {
    match &node.form {
        Form::Bound(inner, _) => {
            matches!(inner.form, Form::Sort(..) | Form::Group(..)) || can_be_called(inner)
        }
        Form::Path(steps) => match steps.as_slice() {
            [step] if step.stages.is_empty() => can_be_called(&step.node),
            _ => true,
        },
        Form::Lambda { .. }
        | Form::Block(_)
        | Form::Call(..)
        | Form::Function { .. }
        | Form::Regex { .. }
        | Form::Variable(_)
        | Form::Name(_) => true,
        _ => false,
    }
}
