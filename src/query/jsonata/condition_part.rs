//! The tests of a condition: what `and`, `or` and `$not` join, down to single comparisons, each with its own text.
//!
//! It must not know what a test gives.

use super::depth::with_stack;
use super::tree::{Form, Node, Operator, Tree};
use crate::json::{Number, Value};

/// Longer conditions, in bytes, are not taken apart.
const LONGEST: usize = 4096;
/// Tests are taken apart no deeper than this.
const DEEPEST: u32 = 12;

/// A condition or a test in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionPart {
    /// `and`.
    All(Vec<ConditionPart>),
    /// `or`.
    Any(Vec<ConditionPart>),
    /// `$not`.
    Not(Box<ConditionPart>),
    /// Two values and how they are to stand to each other.
    Compare {
        /// As written, with both sides.
        text: String,
        /// The left side.
        left: String,
        /// `=`, `!=`, `<`, `<=`, `>`, `>=` or `in`.
        sign: &'static str,
        /// The right side.
        right: String,
    },
    /// Any other expression.
    Value(String),
}

impl ConditionPart {
    /// Takes the text between the delimiters apart; what cannot be is one value.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        match Tree::parse(text) {
            Ok(tree) if text.len() <= LONGEST => parsed(&tree, tree.root(), 0),
            _ => Self::Value(text.to_string()),
        }
    }
}

fn parsed(tree: &Tree, node: &Node, depth: u32) -> ConditionPart {
    let text = |node| tree.text_of(node).to_string();
    match &node.form {
        _ if depth > DEEPEST => ConditionPart::Value(text(node)),
        Form::Block(parts) if parts.len() == 1 => parsed(tree, node.bare(), depth + 1),
        Form::Function {
            name, arguments, ..
        } if name == "not" => match arguments.as_slice() {
            [only] => ConditionPart::Not(Box::new(parsed(tree, only, depth + 1))),
            _ => ConditionPart::Value(text(node)),
        },
        Form::Binary(operator @ (Operator::And | Operator::Or), left, right) => {
            let is_and = *operator == Operator::And;
            let mut tests = Vec::new();
            for side in [left, right] {
                // `a and b and c` is one list, whichever two are joined first.
                match parsed(tree, side, depth + 1) {
                    ConditionPart::All(inner) if is_and => tests.extend(inner),
                    ConditionPart::Any(inner) if !is_and => tests.extend(inner),
                    other => tests.push(other),
                }
            }
            match is_and {
                true => ConditionPart::All(tests),
                false => ConditionPart::Any(tests),
            }
        }
        Form::Binary(operator, left, right) if operator.compares() => ConditionPart::Compare {
            text: text(node),
            left: text(left),
            sign: operator.sign(),
            right: text(right),
        },
        _ => ConditionPart::Value(text(node)),
    }
}

/// Whether an expression is a value as it is written.
#[must_use]
pub fn is_literal(text: &str) -> bool {
    literal(text).is_some()
}

/// The value that an expression is as it is written; `None` for any that is evaluated.
#[must_use]
pub fn literal(text: &str) -> Option<Value> {
    Tree::parse(text).ok()?.root().literal()
}

impl Node {
    /// The value that it is as it is written; `None` for any that is evaluated.
    #[must_use]
    pub fn literal(&self) -> Option<Value> {
        let Form::Array(items) = &self.form else {
            return self.scalar();
        };
        let items = items.iter().map(|item| match item.form {
            Form::Array(_) => with_stack(|| item.literal()),
            _ => item.scalar(),
        });
        Some(Value::array(items.collect::<Option<Vec<_>>>()?))
    }

    fn scalar(&self) -> Option<Value> {
        Some(match &self.form {
            Form::Text(text) => Value::from(text.as_str()),
            Form::Number(_) | Form::Negate(_) => {
                Value::Number(Number::parse(&self.number()?.to_string())?)
            }
            Form::Bool(flag) => Value::Bool(*flag),
            Form::Null => Value::Null,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `all(a; any(b; not(c < d)))`.
    fn shown(one: &ConditionPart) -> String {
        let list = |all: &[ConditionPart]| all.iter().map(shown).collect::<Vec<_>>().join("; ");
        match one {
            ConditionPart::All(tests) => format!("all({})", list(tests)),
            ConditionPart::Any(tests) => format!("any({})", list(tests)),
            ConditionPart::Not(test) => format!("not({})", shown(test)),
            ConditionPart::Compare {
                left, sign, right, ..
            } => format!("{left} {sign} {right}"),
            ConditionPart::Value(text) => text.clone(),
        }
    }

    #[test]
    fn conditions_are_taken_apart_as_they_bind() {
        for (text, wanted) in [
            ("$a", "$a"),
            ("$a = 1", "$a = 1"),
            ("$a <= $b", "$a <= $b"),
            ("'x' in $states.input.tags", "'x' in $states.input.tags"),
            ("$a and $b or $c", "any(all($a; $b); $c)"),
            ("$a and ($b or $c)", "all($a; any($b; $c))"),
            (
                "$a and $b and $c != 'x and y'",
                "all($a; $b; $c != 'x and y')",
            ),
            (
                "$not($a > 1 and $exists($b))",
                "not(all($a > 1; $exists($b)))",
            ),
            ("($a = 1)", "$a = 1"),
            ("($x := 1; $x = 1 and $y)", "($x := 1; $x = 1 and $y)"),
            ("$o[a = 1 and b].c = 'k'", "$o[a = 1 and b].c = 'k'"),
            ("$count($o[a = 1]) = 2", "$count($o[a = 1]) = 2"),
            ("$band and $sort", "all($band; $sort)"),
            ("$a ? $b = 1 : $c", "$a ? $b = 1 : $c"),
            ("$a = ", "$a ="),
            ("$contains($s, /a=b/) = true", "$contains($s, /a=b/) = true"),
        ] {
            assert_eq!(shown(&ConditionPart::parse(text)), wanted, "{text}");
        }
    }
}
