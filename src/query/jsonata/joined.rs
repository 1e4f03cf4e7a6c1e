//! Texts that `&` makes and that are meant to be something else: a condition, a number.
//!
//! It must not know the data.

use super::LONGEST;
use super::analysis::tree_of;
use super::literal::without_literals;
use super::tree::{drop_deep, each};
use jsonata_core::ast::{AstNode, BinaryOp};
use jsonata_core::value::with_stack;
use std::ops::Range;

/// What is no condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCondition {
    /// `a & b` is all of what is to be a condition.
    Whole,
    /// `a & b`, where a condition is wanted.
    Text,
    /// `a & b`, both of them conditions.
    JoinedConditions,
    /// `a = 1 & b = 2`, which compares with `1 & b` first.
    BoundFirst,
}

/// The values in an expression that stand where a condition is wanted, each with its bytes as near as can be told; `whole` says
/// whether the expression itself is one.
#[must_use]
pub fn no_conditions(text: &str, whole: bool) -> Vec<(NoCondition, Range<usize>)> {
    if text.len() > LONGEST || !text.contains('&') {
        return Vec::new();
    }
    let Ok(tree) = tree_of(text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if whole && is_joined(&tree) {
        found.push(NoCondition::Whole);
    }
    let own = (!found.is_empty()).then(|| bare(&tree));
    each(&tree, &mut |node| match node {
        _ if own.is_some_and(|own| std::ptr::eq(own, node)) => {}
        AstNode::Conditional { condition, .. } if is_joined(condition) => {
            found.push(kind_of(condition));
        }
        AstNode::Binary {
            op: BinaryOp::And | BinaryOp::Or,
            lhs,
            rhs,
        } => {
            let sides = [lhs, rhs].into_iter().filter(|side| is_joined(side));
            found.extend(sides.map(|side| kind_of(side)));
        }
        AstNode::Function { name, args, .. } if name == "not" || name == "boolean" => {
            found.extend(args.first().filter(|only| is_joined(only)).map(kind_of));
        }
        AstNode::Binary {
            op: BinaryOp::Concatenate,
            lhs,
            rhs,
        } if is_condition(lhs) && is_condition(rhs) => found.push(NoCondition::JoinedConditions),
        AstNode::Binary { op, lhs, .. } if compares(*op) => {
            if let AstNode::Binary { op: inner, rhs, .. } = &**lhs
                && compares(*inner)
                && matches!(
                    &**rhs,
                    AstNode::Binary {
                        op: BinaryOp::Concatenate,
                        ..
                    }
                )
            {
                found.push(NoCondition::BoundFirst);
            }
        }
        _ => {}
    });
    drop_deep(tree);
    found.dedup();
    let plain = without_literals(text);
    let mut signs = plain.match_indices('&').map(|(at, _)| at..at + 1);
    // Of several which one is meant, the tree does not tell.
    let place = match (signs.next(), signs.next()) {
        (Some(only), None) => only,
        _ => 0..text.len(),
    };
    found
        .into_iter()
        .map(|kind| (kind, place.clone()))
        .collect()
}

/// Whether an expression is a text that joins nothing but values with `&`: no text stands between them.
#[must_use]
pub fn joins_values(text: &str) -> bool {
    if text.len() > LONGEST || !text.contains('&') {
        return false;
    }
    let Ok(tree) = tree_of(text) else {
        return false;
    };
    let joins = is_joined(&tree) && is_of_values(&tree);
    drop_deep(tree);
    joins
}

fn is_of_values(node: &AstNode) -> bool {
    with_stack(|| match bare(node) {
        AstNode::Binary {
            op: BinaryOp::Concatenate,
            lhs,
            rhs,
        } => is_of_values(lhs) && is_of_values(rhs),
        AstNode::Variable(_) | AstNode::Path { .. } | AstNode::Number(_) => true,
        _ => false,
    })
}

/// Whether an expression takes a variable as a number: in `$number(…)`, in arithmetic or compared with a number.
#[must_use]
pub fn reads_number(text: &str, name: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let Ok(tree) = tree_of(text) else {
        return false;
    };
    let is_it = |node: &AstNode| matches!(bare(node), AstNode::Variable(own) if own == name);
    let mut reads = false;
    each(&tree, &mut |node| {
        reads |= match node {
            AstNode::Function { name, args, .. } => name == "number" && args.iter().any(is_it),
            AstNode::Binary { op, lhs, rhs } => match op {
                BinaryOp::Add
                | BinaryOp::Subtract
                | BinaryOp::Multiply
                | BinaryOp::Divide
                | BinaryOp::Modulo => is_it(lhs) || is_it(rhs),
                op if compares(*op) => {
                    let is_number = |node: &AstNode| matches!(bare(node), AstNode::Number(_));
                    (is_it(lhs) && is_number(rhs)) || (is_number(lhs) && is_it(rhs))
                }
                _ => false,
            },
            _ => false,
        };
    });
    drop_deep(tree);
    reads
}

fn kind_of(node: &AstNode) -> NoCondition {
    match bare(node) {
        AstNode::Binary { lhs, rhs, .. } if is_condition(lhs) && is_condition(rhs) => {
            NoCondition::JoinedConditions
        }
        _ => NoCondition::Text,
    }
}

/// The expression without the parentheses around it.
fn bare(node: &AstNode) -> &AstNode {
    match node {
        AstNode::Block(items) => match items.as_slice() {
            [only] => bare(only),
            _ => node,
        },
        _ => node,
    }
}

fn is_joined(node: &AstNode) -> bool {
    let joins = |node: &AstNode| {
        matches!(
            node,
            AstNode::Binary {
                op: BinaryOp::Concatenate,
                ..
            }
        )
    };
    joins(bare(node))
}

fn compares(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::LessThan
            | BinaryOp::LessThanOrEqual
            | BinaryOp::GreaterThan
            | BinaryOp::GreaterThanOrEqual
            | BinaryOp::In
    )
}

/// Whether it gives true or false.
fn is_condition(node: &AstNode) -> bool {
    match bare(node) {
        AstNode::Binary { op, .. } => compares(*op) || matches!(op, BinaryOp::And | BinaryOp::Or),
        AstNode::Function { name, .. } => {
            ["not", "exists", "boolean", "contains"].contains(&name.as_str())
        }
        AstNode::Boolean(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_where_conditions_are_wanted() {
        use NoCondition::{BoundFirst, JoinedConditions, Text, Whole};
        let said = |text: &str, whole: bool| -> Vec<NoCondition> {
            let found = no_conditions(text, whole).into_iter();
            found.map(|(kind, _)| kind).collect()
        };
        for (text, whole, wanted) in [
            ("$a & $b", true, vec![Whole]),
            ("$a & $b", false, vec![]),
            ("($a = 1) & ($b = 2)", true, vec![Whole]),
            ("($a = 1) & ($b = 2)", false, vec![JoinedConditions]),
            ("$a = 1 & $b = 2", true, vec![BoundFirst]),
            ("$a = $b & 'x'", true, vec![]),
            ("$a & $b ? 1 : 2", false, vec![Text]),
            (
                "$exists($a) & $exists($b) ? 1 : 2",
                false,
                vec![JoinedConditions],
            ),
            ("$c and ($a & $b)", false, vec![Text]),
            ("$not($a & $b)", false, vec![Text]),
            ("'ok: ' & ($a = 1)", false, vec![]),
            ("$a ? $a & $b : 'x'", false, vec![]),
            ("$contains($a & $b, 'x') ? 1 : 2", false, vec![]),
        ] {
            assert_eq!(said(text, whole), wanted, "{text}");
        }
    }
}
