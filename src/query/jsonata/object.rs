//! What an expression that writes an object surely leaves out.
//!
//! It must not know what its values are.

use super::LONGEST;
use super::analysis::tree_of;
use super::tree::drop_deep;
use crate::json::Step;
use jsonata_core::ast::{AstNode, BinaryOp, UnaryOp};
use jsonata_core::value::with_stack;

/// Whether the text tells that the expression's value has nothing at a place, whatever it reads.
#[must_use]
pub fn leaves_out(text: &str, at: &[Step]) -> bool {
    if at.is_empty() || text.len() > LONGEST {
        return false;
    }
    let Ok(tree) = tree_of(text) else {
        return false;
    };
    let found = lacks(&tree, at, &[]);
    drop_deep(tree);
    found
}

/// What a block binds to a name.
type Bound<'t> = (&'t str, &'t AstNode);

/// `bound`: what is bound by the blocks around.
fn lacks<'t>(node: &'t AstNode, at: &[Step], bound: &[Bound<'t>]) -> bool {
    let Some((step, rest)) = at.split_first() else {
        return false;
    };
    with_stack(|| match node {
        AstNode::Object(pairs) => match step {
            Step::Member(name) => object_lacks(pairs, name, rest, bound),
            Step::Item(_) => false,
        },
        AstNode::Array(items) => {
            let inner = match step {
                Step::Item(_) => rest,
                Step::Member(_) => return false,
            };
            items.iter().all(|item| lacks(item, inner, bound))
        }
        AstNode::Block(items) => {
            let Some((last, before)) = items.split_last() else {
                return false;
            };
            let mut bound = bound.to_vec();
            bound.extend(before.iter().filter_map(binding));
            lacks(last, at, &bound)
        }
        AstNode::Variable(name) => {
            let mut known = bound.iter().enumerate().rev();
            match known.find(|(_, (own, _))| own == name) {
                // What it was made of knows only what was bound before it.
                Some((place, (_, value))) => lacks(value, at, bound.get(..place).unwrap_or(&[])),
                None => false,
            }
        }
        AstNode::Conditional {
            then_branch,
            else_branch,
            ..
        } => {
            let otherwise = else_branch.as_deref();
            lacks(then_branch, at, bound) && otherwise.is_none_or(|one| lacks(one, at, bound))
        }
        AstNode::Function { name, args, .. } => match (name.as_str(), args.as_slice()) {
            ("merge", [AstNode::Array(items)]) => {
                matches!(step, Step::Member(_)) && items.iter().all(|item| lacks(item, at, bound))
            }
            ("map", [_, AstNode::Lambda { body, .. }]) => lacks_in_each(body, at, bound),
            _ => false,
        },
        AstNode::Path { steps } => match steps.as_slice() {
            [only] if only.stages.is_empty() => lacks(&only.node, at, bound),
            [_, .., last] if last.stages.is_empty() && makes_object(&last.node) => {
                lacks_in_each(&last.node, at, bound)
            }
            _ => false,
        },
        AstNode::String(_) | AstNode::Number(_) | AstNode::Boolean(_) | AstNode::Null => true,
        AstNode::Unary {
            op: UnaryOp::Negate,
            ..
        } => true,
        AstNode::Binary { op, .. } => is_scalar(*op),
        _ => false,
    })
}

/// Of a value that is one for each item, or that of a single one.
fn lacks_in_each<'t>(made: &'t AstNode, at: &[Step], bound: &[Bound<'t>]) -> bool {
    match at.split_first() {
        Some((Step::Item(_), rest)) => lacks(made, rest, bound),
        _ => lacks(made, at, bound),
    }
}

fn makes_object(node: &AstNode) -> bool {
    match node {
        AstNode::Object(_) => true,
        AstNode::Block(items) => matches!(items.as_slice(), [only] if makes_object(only)),
        _ => false,
    }
}

fn object_lacks<'t>(
    pairs: &'t [(AstNode, AstNode)],
    name: &str,
    rest: &[Step],
    bound: &[Bound<'t>],
) -> bool {
    // A name that is computed may be any.
    let written = pairs
        .iter()
        .all(|(key, _)| matches!(key, AstNode::String(_)));
    let is_it = |key: &AstNode| matches!(key, AstNode::String(text) if text == name);
    let found = pairs.iter().find(|(key, _)| is_it(key));
    written && found.is_none_or(|(_, value)| lacks(value, rest, bound))
}

fn binding(node: &AstNode) -> Option<Bound<'_>> {
    match node {
        AstNode::Binary {
            op: BinaryOp::ColonEqual,
            lhs,
            rhs,
        } => match &**lhs {
            AstNode::Variable(name) => Some((name.as_str(), rhs)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an operator gives no object and no array.
fn is_scalar(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Modulo
            | BinaryOp::Concatenate
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::LessThan
            | BinaryOp::LessThanOrEqual
            | BinaryOp::GreaterThan
            | BinaryOp::GreaterThanOrEqual
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::In
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_object_leaves_out() {
        let member = |name: &str| Step::Member(name.into());
        let (total, id) = (member("total"), member("id"));
        for (text, at, wanted) in [
            ("{'id': $x}", vec![total.clone()], true),
            ("{'id': $x}", vec![id.clone()], false),
            ("{'id': $x}", vec![id.clone(), total.clone()], false),
            ("{'id': 'a'}", vec![id.clone(), total.clone()], true),
            ("{'id': {'n': 1}}", vec![id.clone(), total.clone()], true),
            ("{$k: 1}", vec![total.clone()], false),
            ("$merge([{'id': 1}, {'n': 2}])", vec![total.clone()], true),
            (
                "$merge([$states.input, {'n': 2}])",
                vec![total.clone()],
                false,
            ),
            ("$merge($list)", vec![total.clone()], false),
            ("$a ? {'id': 1} : {'n': 1}", vec![total.clone()], true),
            ("$a ? {'id': 1} : $o", vec![total.clone()], false),
            ("($o := {'id': 1}; $o)", vec![total.clone()], true),
            ("($o := $x; {'id': $o})", vec![total.clone()], true),
            ("($o := $o; $o)", vec![total.clone()], false),
            (
                "$states.input.items.{'id': id}",
                vec![Step::Item(0), total.clone()],
                true,
            ),
            (
                "$states.input.items.{'id': id}",
                vec![Step::Item(0), id.clone()],
                false,
            ),
            (
                "$map($l, function($v) { {'id': $v.id} })",
                vec![Step::Item(1), total.clone()],
                true,
            ),
            (
                "$states.input.items",
                vec![Step::Item(0), total.clone()],
                false,
            ),
            ("$states.input", vec![total.clone()], false),
            ("$a & 'x'", vec![total.clone()], true),
            ("{'id': $x}", vec![], false),
        ] {
            assert_eq!(leaves_out(text, &at), wanted, "{text} {at:?}");
        }
    }
}
