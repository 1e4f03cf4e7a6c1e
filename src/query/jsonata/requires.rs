//! Determines whether an expression needs a variable to have a value.

use super::depth::with_stack;
use super::tree::{Form, Node, Operator, Tree};

/// Functions that also accept an undefined argument.
const TAKE_NOTHING: [&str; 9] = [
    "append", "boolean", "count", "exists", "lookup", "merge", "not", "string", "type",
];

impl Tree {
    /// True if the expression has no value without the variable. False if it only tests whether the variable exists, or
    /// has a value in any case.
    #[must_use]
    pub fn needs(&self, variable: &str) -> bool {
        is_needed(self.root(), variable)
    }
}

fn is_needed(node: &Node, variable: &str) -> bool {
    with_stack(|| match &node.form {
        Form::Variable(name) => name == variable,
        Form::Conditional { condition, .. } if mentions(condition, variable) => false,
        Form::Binary(op, ..) if asks(*op) && mentions(node, variable) => false,
        Form::Function { name, .. } if TAKE_NOTHING.contains(&name.as_str()) => false,
        // These constructors omit undefined items and members.
        Form::Array(_) | Form::ArrayStep(_) | Form::Object(_) => false,
        _ => {
            let mut below = node.children().into_iter();
            below.any(|(child, _)| is_needed(child, variable))
        }
    })
}

/// True for operators that have a result even if one operand is undefined.
fn asks(op: Operator) -> bool {
    matches!(
        op,
        Operator::And
            | Operator::Or
            | Operator::Coalesce
            | Operator::Default
            | Operator::Equal
            | Operator::NotEqual
            | Operator::In
            | Operator::Concatenate
    )
}

fn mentions(node: &Node, variable: &str) -> bool {
    let mut found = false;
    node.each(&mut |node| found |= node.variable() == Some(variable));
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
        ] {
            let tree = Tree::parse(text).expect(text);
            assert_eq!(tree.needs("n"), wanted, "{text}");
        }
    }
}
