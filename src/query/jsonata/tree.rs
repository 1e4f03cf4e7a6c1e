//! The tree of a parsed expression: the children of each node, and the names that it binds itself.
//!
//! It must not know what Step Functions takes.

use jsonata_core::ast::{AstNode, BinaryOp, PathStep, Stage};
use jsonata_core::value::with_stack;

/// Drops a tree that may be deeper than the stack allows, on a stack that grows.
pub(super) fn drop_deep(tree: AstNode) {
    with_stack(|| drop(tree));
}

/// Collects the names that the expression binds itself: parameters, `:=`, `@` and `#`.
pub(super) fn bind_all(node: &AstNode, bound: &mut Vec<String>) {
    bound.extend(bound_in(node).map(str::to_string));
}

/// The same names, in no particular order.
pub(super) fn bound_in(node: &AstNode) -> impl Iterator<Item = &str> {
    let mut bound: Vec<&str> = Vec::new();
    each(node, &mut |node| match node {
        AstNode::Lambda { params, .. } => bound.extend(params.iter().map(String::as_str)),
        AstNode::Binary {
            op: BinaryOp::ColonEqual | BinaryOp::FocusBind | BinaryOp::IndexBind,
            lhs,
            rhs,
        } => {
            for side in [lhs, rhs] {
                if let AstNode::Variable(name) = &**side {
                    bound.push(name);
                }
            }
        }
        AstNode::Path { steps } => {
            for step in steps {
                bound.extend(step.focus.iter().map(String::as_str));
                bound.extend(step.index_var.iter().map(String::as_str));
                for stage in &step.stages {
                    if let Stage::Index(name) = stage {
                        bound.push(name);
                    }
                }
            }
        }
        _ => {}
    });
    bound.into_iter()
}

/// Visits every node of a tree, outer nodes first.
pub(super) fn each<'t>(node: &'t AstNode, see: &mut dyn FnMut(&'t AstNode)) {
    with_stack(|| {
        see(node);
        for (child, _) in children(node) {
            each(child, see);
        }
    });
}

/// The direct children, and whether each is evaluated in a context of its own rather than this node's.
pub(super) fn children(node: &AstNode) -> Vec<(&AstNode, bool)> {
    let mut below: Vec<(&AstNode, bool)> = Vec::new();
    match node {
        AstNode::Path { steps } => {
            for (place, step) in steps.iter().enumerate() {
                below.push((&step.node, place > 0));
                below.extend(predicates(step).map(|node| (node, true)));
            }
        }
        AstNode::Binary { op, lhs, rhs } => {
            below.push((lhs, false));
            let inside = matches!(op, BinaryOp::FocusBind | BinaryOp::IndexBind);
            below.push((rhs, inside));
        }
        AstNode::Unary { operand, .. } => below.push((operand, false)),
        AstNode::Function { args, .. } => below.extend(args.iter().map(|one| (one, false))),
        AstNode::Call { procedure, args } => {
            below.push((procedure, false));
            below.extend(args.iter().map(|one| (one, false)));
        }
        AstNode::Lambda { body, .. } => below.push((body, true)),
        AstNode::Array(items) | AstNode::Block(items) | AstNode::ArrayGroup(items) => {
            below.extend(items.iter().map(|one| (one, false)));
        }
        AstNode::Object(pairs) => {
            below.extend(
                pairs
                    .iter()
                    .flat_map(|(key, value)| [(key, false), (value, false)]),
            );
        }
        AstNode::ObjectTransform { input, pattern } => {
            below.push((input, false));
            below.extend(
                pattern
                    .iter()
                    .flat_map(|(key, value)| [(key, true), (value, true)]),
            );
        }
        AstNode::Conditional {
            condition,
            then_branch,
            else_branch,
        } => {
            below.push((condition, false));
            below.push((then_branch, false));
            below.extend(else_branch.iter().map(|one| (&**one, false)));
        }
        AstNode::FunctionApplication(inner) => below.push((inner, true)),
        AstNode::Sort { input, terms } => {
            below.push((input, false));
            below.extend(terms.iter().map(|(term, _)| (term, true)));
        }
        AstNode::Transform {
            location,
            update,
            delete,
        } => {
            below.push((location, true));
            below.push((update, true));
            below.extend(delete.iter().map(|one| (&**one, true)));
        }
        _ => {}
    }
    below
}

/// How many levels deep the parts of an expression are that are evaluated whatever its values are.
pub(super) fn levels(node: &AstNode) -> u32 {
    with_stack(|| {
        let deepest = |parts: &[AstNode]| parts.iter().map(levels).max().unwrap_or(0);
        let below = match node {
            AstNode::Path { steps } => match steps.as_slice() {
                [only] => return levels(&only.node),
                [first, ..] => levels(&first.node),
                [] => 0,
            },
            AstNode::Binary { op, lhs, rhs } => match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Coalesce | BinaryOp::Default => {
                    levels(lhs)
                }
                BinaryOp::ColonEqual => levels(rhs),
                BinaryOp::FocusBind | BinaryOp::IndexBind => 0,
                _ => levels(lhs).max(levels(rhs)),
            },
            AstNode::Unary { operand, .. } => levels(operand),
            AstNode::Function { args, .. } => deepest(args),
            AstNode::Call { procedure, args } => levels(procedure).max(deepest(args)),
            AstNode::Array(items) | AstNode::Block(items) | AstNode::ArrayGroup(items) => {
                deepest(items)
            }
            AstNode::Object(pairs) => {
                let parts = pairs.iter().flat_map(|(name, value)| [name, value]);
                parts.map(levels).max().unwrap_or(0)
            }
            AstNode::Conditional { condition, .. } => levels(condition),
            _ => 0,
        };
        below.saturating_add(1)
    })
}

pub(super) fn predicates(step: &PathStep) -> impl Iterator<Item = &AstNode> {
    step.stages.iter().filter_map(|stage| match stage {
        Stage::Filter(node) => Some(&**node),
        _ => None,
    })
}
