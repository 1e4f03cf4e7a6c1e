//! What an expression reads from outside of itself, as its tree has it: a variable, and the names and indices behind it.
//!
//! It must not know what the variables hold.

use super::LONGEST;
use super::analysis::tree_of;
use super::tree::{bound_in, children, drop_deep, predicates};
use crate::json::Text;
use jsonata_core::ast::{AstNode, PathStep, Stage, UnaryOp};
use jsonata_core::value::with_stack;
use std::collections::HashSet;

/// A path that begins with a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadPath {
    /// The variable, `states` for one.
    pub variable: Text,
    /// What is read of it, as far as that is names and indices.
    pub steps: Vec<ReadStep>,
    /// Whether there is more: a filter, a wildcard, a call.
    pub goes_on: bool,
    /// Whether it is the whole expression.
    pub alone: bool,
}

/// A step of such a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadStep {
    /// A member, of each item where it is an array.
    Name(Text),
    /// An item, from the end if negative.
    Index(i64),
}

/// The paths of an expression, in the order of its text, each once; what it binds itself is not among them.
#[must_use]
pub fn read_paths(text: &str) -> Vec<ReadPath> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let Ok(tree) = tree_of(text) else {
        return Vec::new();
    };
    let bound: HashSet<&str> = bound_in(&tree).collect();
    let mut found = Vec::new();
    walk(&tree, &bound, true, &mut found);
    drop(bound);
    drop_deep(tree);
    found
}

/// `$seals` and `$states.input.position` of `$seals[$states.input.position]`: what an expression takes an item of, and which,
/// where it is that and nothing else.
#[must_use]
pub fn item_asked(text: &str) -> Option<(&str, &str)> {
    let (array, index) = text.trim().strip_suffix(']')?.split_once('[')?;
    let (array, index) = (array.trim(), index.trim());
    let is_plain = |text: &str| {
        let mut chars = text.chars();
        chars.all(|c| c.is_alphanumeric() || matches!(c, '$' | '.' | '_' | '-'))
    };
    (array.starts_with('$') && is_plain(array) && is_plain(index)).then_some((array, index))
}

fn walk(node: &AstNode, bound: &HashSet<&str>, alone: bool, found: &mut Vec<ReadPath>) {
    let take = |path: ReadPath, found: &mut Vec<ReadPath>| {
        if !bound.contains(&*path.variable) && !found.contains(&path) {
            found.push(path);
        }
    };
    with_stack(|| match node {
        AstNode::Variable(name) if !name.is_empty() => {
            let path = ReadPath {
                variable: name.as_str().into(),
                steps: Vec::new(),
                goes_on: false,
                alone,
            };
            take(path, found);
        }
        AstNode::Path { steps } => {
            let Some((path, rest)) = path_of(steps, alone) else {
                return each_child(node, bound, found);
            };
            take(path, found);
            // What is asked in brackets, and what follows, may read on its own.
            for step in steps {
                for predicate in predicates(step) {
                    walk(predicate, bound, false, found);
                }
            }
            for step in rest {
                walk(&step.node, bound, false, found);
            }
        }
        _ => each_child(node, bound, found),
    });
}

fn each_child(node: &AstNode, bound: &HashSet<&str>, found: &mut Vec<ReadPath>) {
    for (child, _) in children(node) {
        walk(child, bound, false, found);
    }
}

/// The path that begins with a variable, and the steps behind what it is told by.
fn path_of(steps: &[PathStep], alone: bool) -> Option<(ReadPath, &[PathStep])> {
    let (first, mut rest) = steps.split_first()?;
    let AstNode::Variable(name) = &first.node else {
        return None;
    };
    if name.is_empty() {
        return None;
    }
    let mut path = ReadPath {
        variable: name.as_str().into(),
        steps: Vec::new(),
        goes_on: !indices(first, &mut Vec::new()),
        alone,
    };
    if !path.goes_on {
        indices(first, &mut path.steps);
    }
    while let Some((step, after)) = rest.split_first().filter(|_| !path.goes_on) {
        let AstNode::Name(name) = &step.node else {
            path.goes_on = true;
            break;
        };
        path.steps.push(ReadStep::Name(name.as_str().into()));
        path.goes_on = !indices(step, &mut path.steps);
        rest = after;
    }
    Some((path, rest))
}

/// Adds the indices that a step has, as long as they are written as numbers; whether that is all it has.
fn indices(step: &PathStep, steps: &mut Vec<ReadStep>) -> bool {
    if step.focus.is_some() || step.index_var.is_some() {
        return false;
    }
    step.stages.iter().all(|stage| {
        let index = match stage {
            Stage::Filter(node) => index_of(node),
            Stage::KeepArray | Stage::Index(_) => None,
        };
        steps.extend(index.map(ReadStep::Index));
        index.is_some()
    })
}

#[expect(clippy::cast_possible_truncation, reason = "it is a whole number")]
fn index_of(node: &AstNode) -> Option<i64> {
    let number = match node {
        AstNode::Number(number) => *number,
        AstNode::Unary {
            op: UnaryOp::Negate,
            operand,
        } => match **operand {
            AstNode::Number(number) => -number,
            _ => return None,
        },
        _ => return None,
    };
    (number.fract() == 0.0 && number.abs() < 1e9).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &ReadPath) -> String {
        let steps = path.steps.iter().map(|step| match step {
            ReadStep::Name(name) => format!(".{name}"),
            ReadStep::Index(index) => format!("[{index}]"),
        });
        let steps: String = steps.collect();
        let alone = if path.alone { "=" } else { "" };
        let more = if path.goes_on { "…" } else { "" };
        format!("{alone}{}{steps}{more}", path.variable)
    }

    #[test]
    fn what_is_read_is_told_with_its_names_and_indices() {
        for (text, wanted) in [
            ("$states.input.n", "=states.input.n"),
            ("$a", "=a"),
            ("$a + $b.c & $a", "a, b.c"),
            ("$sum($states.input.items.n)", "states.input.items.n"),
            (
                "$s.items[0].n & $s.items[-1].n",
                "s.items[0].n, s.items[-1].n",
            ),
            ("$s.items[ok = $w].n", "=s.items…, w"),
            ("$s.items.$string(n + $w)", "=s.items…, w"),
            ("$s.*", "=s…"),
            ("($p := $s.n; $p > 1 ? $p : $q)", "s.n, q"),
            ("$map($s.l, function($i) { $i.n + $w })", "s.l, w"),
            ("$s.l#$i[$i > 1].n", "=s.l…"),
            ("'$a'", ""),
            ("$a +", ""),
        ] {
            let found: Vec<String> = read_paths(text).iter().map(shown).collect();
            assert_eq!(found.join(", "), wanted, "{text}");
        }
    }
}
