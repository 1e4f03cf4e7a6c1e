//! Whether an expression has a use for a variable that has no value, or needs one that has.
//!
//! It must not know who sets variables.

use super::LONGEST;
use super::analysis::tree_of;
use super::tree::{children, drop_deep, each};
use jsonata_core::ast::{AstNode, BinaryOp};
use jsonata_core::value::with_stack;

/// Functions to which nothing is as good as a value.
const TAKE_NOTHING: [&str; 9] = [
    "append", "boolean", "count", "exists", "lookup", "merge", "not", "string", "type",
];

/// Whether an expression reads a variable where it needs its value: not where it asks if there is one, or does as well
/// without.
#[must_use]
pub fn needs(text: &str, variable: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let Ok(tree) = tree_of(text) else {
        return false;
    };
    let found = is_needed(&tree, variable);
    drop_deep(tree);
    found
}

fn is_needed(node: &AstNode, variable: &str) -> bool {
    with_stack(|| match node {
        AstNode::Variable(name) => name == variable,
        AstNode::Conditional { condition, .. } if mentions(condition, variable) => false,
        AstNode::Binary { op, .. } if asks(*op) && mentions(node, variable) => false,
        AstNode::Function { name, .. } if TAKE_NOTHING.contains(&name.as_str()) => false,
        // What is nothing is left out of them.
        AstNode::Array(_) | AstNode::ArrayGroup(_) | AstNode::Object(_) => false,
        _ => {
            let below = children(node).into_iter();
            below
                .map(|(child, _)| child)
                .any(|child| is_needed(child, variable))
        }
    })
}

/// Operators that give something, whatever one side is.
fn asks(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Coalesce
            | BinaryOp::Default
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::In
            | BinaryOp::Concatenate
    )
}

fn mentions(node: &AstNode, variable: &str) -> bool {
    let mut found = false;
    each(node, &mut |node| {
        found |= matches!(node, AstNode::Variable(name) if name == variable);
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_value() {
        for (text, wanted) in [
            ("$n", true),
            ("$n + 1", true),
            ("$n.id", true),
            ("$uppercase($n)", true),
            ("$n < 5", true),
            ("$x > 1 ? $n : 2", true),
            ("($m := $n * 2; $m)", true),
            ("$exists($n) ? $n : 0", false),
            ("$n ? $n : 0", false),
            ("$append($n, [1])", false),
            ("[$n, 1]", false),
            ("{'a': $n}", false),
            ("$n = 'x'", false),
            ("$n & 'x'", false),
            ("$count($n) < 3", false),
            ("$n ?? 1", false),
            ("$m", false),
            ("$n[", false),
        ] {
            assert_eq!(needs(text, "n"), wanted, "{text}");
        }
    }
}
