//! The tests of a condition: what `and`, `or` and `$not` join, down to single comparisons, each with its own text.
//!
//! It must not know what a test gives.

use super::analysis::tree_of;
use super::literal::without_literals;
use super::tree::drop_deep;
use crate::json::{Number, Value};
use jsonata_core::ast::{AstNode, BinaryOp, UnaryOp};

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

/// The operators that compare.
const SIGNS: [(BinaryOp, &str); 7] = [
    (BinaryOp::Equal, "="),
    (BinaryOp::NotEqual, "!="),
    (BinaryOp::LessThan, "<"),
    (BinaryOp::LessThanOrEqual, "<="),
    (BinaryOp::GreaterThan, ">"),
    (BinaryOp::GreaterThanOrEqual, ">="),
    (BinaryOp::In, "in"),
];

impl ConditionPart {
    /// Takes the text between the delimiters apart; what cannot be is one value.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let tree = match text.len() <= LONGEST {
            true => tree_of(text).ok(),
            false => None,
        };
        let Some(tree) = tree else {
            return Self::Value(text.to_string());
        };
        let found = parsed(text, &tree, 0);
        drop_deep(tree);
        found
    }
}

fn parsed(text: &str, tree: &AstNode, depth: u32) -> ConditionPart {
    let text = text.trim();
    let whole = || ConditionPart::Value(text.to_string());
    if depth > DEEPEST {
        return whole();
    }
    match tree {
        AstNode::Block(items) => match items.as_slice() {
            [only] => within(text, "(", only, depth).unwrap_or_else(whole),
            _ => whole(),
        },
        AstNode::Function { name, args, .. } if name == "not" => match args.as_slice() {
            [only] => match within(text, "$not", only, depth) {
                Some(inner) => ConditionPart::Not(Box::new(inner)),
                None => whole(),
            },
            _ => whole(),
        },
        AstNode::Binary { op, lhs, rhs } => {
            let (word, joins) = match op {
                BinaryOp::And => ("and", true),
                BinaryOp::Or => ("or", true),
                op => match SIGNS.iter().find(|(own, _)| own == op) {
                    Some((_, sign)) => (*sign, false),
                    None => return whole(),
                },
            };
            let Some((left, right)) = sides(text, word, lhs, rhs) else {
                return whole();
            };
            if !joins {
                return ConditionPart::Compare {
                    text: text.to_string(),
                    left: left.to_string(),
                    sign: word,
                    right: right.to_string(),
                };
            }
            let mut tests = Vec::new();
            let is_and = *op == BinaryOp::And;
            for (side, node) in [(left, lhs), (right, rhs)] {
                // `a and b and c` is one list, whichever two are joined first.
                match parsed(side, node, depth + 1) {
                    ConditionPart::All(inner) if is_and => tests.extend(inner),
                    ConditionPart::Any(inner) if !is_and => tests.extend(inner),
                    one => tests.push(one),
                }
            }
            match is_and {
                true => ConditionPart::All(tests),
                false => ConditionPart::Any(tests),
            }
        }
        _ => whole(),
    }
}

/// What stands in the parentheses that follow `head`, or that are it.
fn within(text: &str, head: &str, node: &AstNode, depth: u32) -> Option<ConditionPart> {
    let rest = text.strip_prefix(head)?;
    let rest = match head {
        "(" => rest,
        _ => rest.trim_start().strip_prefix('(')?,
    };
    let inner = rest.strip_suffix(')')?;
    is_tree(inner, node).then(|| parsed(inner, node, depth + 1))
}

/// The texts of the two sides: where the operator stands, the trees of both tell.
fn sides<'t>(
    text: &'t str,
    word: &str,
    lhs: &AstNode,
    rhs: &AstNode,
) -> Option<(&'t str, &'t str)> {
    let plain = without_literals(text);
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let mut places: Vec<usize> = plain.match_indices(word).map(|(at, _)| at).collect();
    // The operator that binds least stands last.
    places.reverse();
    places.into_iter().find_map(|at| {
        let (left, right) = (text.get(..at)?, text.get(at + word.len()..)?);
        let touches =
            word.starts_with(is_name) && (left.ends_with(is_name) || right.starts_with(is_name));
        let fits = !touches && is_tree(left, lhs) && is_tree(right, rhs);
        fits.then(|| (left.trim(), right.trim()))
    })
}

/// Whether a text gives this tree.
fn is_tree(text: &str, wanted: &AstNode) -> bool {
    let Ok(tree) = tree_of(text) else {
        return false;
    };
    let same = tree == *wanted;
    drop_deep(tree);
    same
}

/// Whether an expression is a value as it is written.
#[must_use]
pub fn is_literal(text: &str) -> bool {
    literal(text).is_some()
}

/// The value that an expression is as it is written; `None` for any that is evaluated.
#[must_use]
pub fn literal(text: &str) -> Option<Value> {
    fn value(node: &AstNode, depth: u32) -> Option<Value> {
        Some(match node {
            AstNode::String(text) => Value::from(text.as_str()),
            AstNode::Number(number) => Value::Number(Number::parse(&number.to_string())?),
            AstNode::Boolean(flag) => Value::Bool(*flag),
            AstNode::Null => Value::Null,
            AstNode::Unary {
                op: UnaryOp::Negate,
                operand,
            } => match **operand {
                AstNode::Number(number) => Value::Number(Number::parse(&(-number).to_string())?),
                _ => return None,
            },
            AstNode::Array(items) if depth < DEEPEST => {
                let items = items.iter().map(|item| value(item, depth + 1));
                Value::array(items.collect::<Option<Vec<_>>>()?)
            }
            _ => return None,
        })
    }
    let tree = tree_of(text).ok()?;
    let found = value(&tree, 0);
    drop_deep(tree);
    found
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
