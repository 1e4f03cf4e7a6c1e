//! Expressions that give an array for several results and for one result that result itself.
//!
//! It must not know where the value is used.

use super::LONGEST;
use super::analysis::tree_of;
use super::tree::drop_deep;
use jsonata_core::ast::{AstNode, BinaryOp, PathStep, Stage, UnaryOp};
use jsonata_core::value::with_stack;

/// Functions whose single result comes without an array.
const FUNCTIONS: [(&str, &str); 5] = [
    ("map", "$map"),
    ("filter", "$filter"),
    ("each", "$each"),
    ("keys", "$keys"),
    ("match", "$match"),
];

/// What in an expression gives one result without an array around it: `a filter`, `$map`; `None` where an array stays an
/// array, or the text does not tell.
#[must_use]
pub fn gives_single(text: &str) -> Option<&'static str> {
    if text.len() > LONGEST {
        return None;
    }
    let tree = tree_of(text).ok()?;
    let found = single(&tree);
    drop_deep(tree);
    found
}

/// The same for a member of the object that an expression writes.
#[must_use]
pub fn member_gives_single(text: &str, name: &str) -> Option<&'static str> {
    if text.len() > LONGEST {
        return None;
    }
    let tree = tree_of(text).ok()?;
    let found = member(&tree, name).and_then(single);
    drop_deep(tree);
    found
}

fn member<'t>(node: &'t AstNode, name: &str) -> Option<&'t AstNode> {
    with_stack(|| match node {
        AstNode::Object(pairs) => {
            let is_it = |key: &AstNode| matches!(key, AstNode::String(text) if text == name);
            let found = pairs.iter().find(|(key, _)| is_it(key));
            found.map(|(_, value)| value)
        }
        AstNode::Block(items) => member(items.last()?, name),
        _ => None,
    })
}

fn single(node: &AstNode) -> Option<&'static str> {
    with_stack(|| match node {
        AstNode::Path { steps } => single_path(steps),
        AstNode::Function { name, .. } => {
            let known = FUNCTIONS.iter().find(|(own, _)| own == name)?;
            Some(known.1)
        }
        AstNode::Binary {
            op: BinaryOp::ChainPipe | BinaryOp::ColonEqual,
            rhs,
            ..
        } => single(rhs),
        AstNode::Conditional {
            then_branch,
            else_branch,
            ..
        } => single(then_branch).or_else(|| single(else_branch.as_deref()?)),
        AstNode::Block(items) => single(items.last()?),
        AstNode::Sort { input, .. } => single(input),
        AstNode::Wildcard | AstNode::Descendant => Some("a wildcard"),
        _ => None,
    })
}

fn single_path(steps: &[PathStep]) -> Option<&'static str> {
    let keeps = |step: &PathStep| {
        let kept = step
            .stages
            .iter()
            .any(|stage| matches!(stage, Stage::KeepArray));
        kept || matches!(step.node, AstNode::Array(_) | AstNode::ArrayGroup(_))
    };
    if steps.iter().any(keeps) {
        return None;
    }
    steps.iter().enumerate().find_map(|(place, step)| {
        let filters = step
            .stages
            .iter()
            .any(|stage| matches!(stage, Stage::Filter(predicate) if !is_position(predicate)));
        if filters {
            return Some("a filter");
        }
        match (&step.node, place) {
            (node, 0) => single(node),
            (AstNode::Wildcard | AstNode::Descendant, _) => Some("a wildcard"),
            (
                AstNode::Object(_)
                | AstNode::Block(_)
                | AstNode::FunctionApplication(_)
                | AstNode::Function { .. },
                _,
            ) => Some("a map"),
            _ => None,
        }
    })
}

/// Whether a predicate says which place is meant: one value is what it is to give.
fn is_position(predicate: &AstNode) -> bool {
    match predicate {
        AstNode::Number(_) => true,
        AstNode::Unary {
            op: UnaryOp::Negate,
            operand,
        } => is_position(operand),
        // A flag of its own would be a member of the item.
        AstNode::Variable(_) => true,
        AstNode::Path { steps } => {
            let first = steps.first();
            first.is_some_and(|first| matches!(first.node, AstNode::Variable(_)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gives_one_result_bare() {
        for (text, wanted) in [
            ("$states.input.orders", None),
            ("$states.input.orders[status = 'open']", Some("a filter")),
            ("$states.input.orders[status = 'open'][]", None),
            ("[$states.input.orders[status = 'open']]", None),
            ("$states.input.orders[0]", None),
            ("$states.input.orders[-1]", None),
            ("$states.input.orders[$states.context.Map.Item.Index]", None),
            ("$states.input.orders[$i].id", None),
            ("$states.input.orders[open].id", Some("a filter")),
            ("$states.input.orders.{'id': id}", Some("a map")),
            ("$states.input.orders.(id & 'x')", Some("a map")),
            (
                "$map($states.input.orders, function($o) { $o.id })",
                Some("$map"),
            ),
            ("$o ~> $filter(function($o) { $o.open })", Some("$filter")),
            ("$x ? $orders[open] : []", Some("a filter")),
            ("($o := $orders[open]; $o)", None),
            ("$orders[open] ~> $append([])", None),
            ("$states.input.*", Some("a wildcard")),
            ("$sort($orders)", None),
            ("$orders[open]^(price)", Some("a filter")),
            ("orders[", None),
        ] {
            assert_eq!(gives_single(text), wanted, "{text}");
        }
    }
}
