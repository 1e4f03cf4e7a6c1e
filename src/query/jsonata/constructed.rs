//! The members that the object constructors of an expression write and that its value has not, because what they read is not there.
//!
//! It must not know what the expression reads from.

use super::LONGEST;
use super::analysis::tree_of;
use super::tree::drop_deep;
use crate::json::Value;
use indexmap::IndexMap;
use jsonata_core::ast::{AstNode, PathStep};
use jsonata_core::value::with_stack;

/// Of an array of more objects than these nothing is told: it would be gone through at every look.
const MOST: usize = 1_000;

/// A member that is written and not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name, those of the objects around it before it: `order.uplift`.
    pub name: String,
    /// What it was to be, where that is a path of names.
    pub path: Option<String>,
    /// In how many of how many objects it is not there.
    pub of: (usize, usize),
}

/// What the constructors of an expression, the text between its delimiters, left out of its value, in the order of the text.
#[must_use]
pub fn left_out(text: &str, value: &Value) -> Vec<LeftOut> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let Ok(tree) = tree_of(text) else {
        return Vec::new();
    };
    let mut members = IndexMap::new();
    compare(&tree, value, "", &mut members);
    drop_deep(tree);
    let members = members.into_iter();
    members
        .filter(|(_, (.., of))| of.0 > 0)
        .map(|(name, (path, of))| LeftOut { name, path, of })
        .collect()
}

type Members = IndexMap<String, (Option<String>, (usize, usize))>;

fn compare(node: &AstNode, value: &Value, around: &str, members: &mut Members) {
    with_stack(|| match node {
        AstNode::Object(pairs) => {
            for object in each(value) {
                let Some(object) = object.as_object() else {
                    continue;
                };
                for (key, made) in pairs {
                    let AstNode::String(key) = key else { continue };
                    let name = match around {
                        "" => key.clone(),
                        _ => format!("{around}.{key}"),
                    };
                    let is = object.get(key);
                    let entry = members.entry(name.clone());
                    let (_, (missing, all)) = entry.or_insert_with(|| (path_of(made), (0, 0)));
                    *all += 1;
                    match is {
                        Some(value) => compare(made, value, &name, members),
                        None => *missing += 1,
                    }
                }
            }
        }
        AstNode::Block(items) => {
            if let Some(last) = items.last() {
                compare(last, value, around, members);
            }
        }
        AstNode::Array(items) => {
            if let [one @ AstNode::Path { .. }] = items.as_slice() {
                compare(one, value, around, members);
            }
        }
        AstNode::Path { steps } => {
            if let Some(last) = steps.last() {
                compare(&last.node, value, around, members);
            }
        }
        AstNode::Function { name, args, .. } => match (name.as_str(), args.as_slice()) {
            ("merge", [AstNode::Array(parts)]) => {
                for part in parts {
                    compare(part, value, around, members);
                }
            }
            ("map", [_, AstNode::Lambda { body, .. }]) => compare(body, value, around, members),
            _ => {}
        },
        _ => {}
    });
}

/// The objects that a constructor made: one, or one of each item.
fn each(value: &Value) -> &[Value] {
    match value.as_array() {
        Some(items) if items.len() > MOST => &[],
        Some(items) => items,
        None => std::slice::from_ref(value),
    }
}

/// A path of names, as it is written.
fn path_of(node: &AstNode) -> Option<String> {
    let name = |step: &PathStep| {
        let plain = step.stages.is_empty() && step.focus.is_none() && step.index_var.is_none();
        plain.then(|| own_name(&step.node)).flatten()
    };
    match node {
        AstNode::Path { steps } => {
            let names: Option<Vec<String>> = steps.iter().map(name).collect();
            names.map(|names| names.join("."))
        }
        other => own_name(other),
    }
}

fn own_name(node: &AstNode) -> Option<String> {
    match node {
        AstNode::Variable(name) => Some(format!("${name}")),
        AstNode::Name(name) => Some(name.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn check(text: &str, value: &str, expected: &str) {
        let found = left_out(text, &parse(value).expect(value));
        let said: Vec<String> = found
            .iter()
            .map(|one| {
                let path = one.path.as_deref().unwrap_or("?");
                format!("{} = {path} {}/{}", one.name, one.of.0, one.of.1)
            })
            .collect();
        assert_eq!(said.join("; "), expected, "{text}");
    }

    #[test]
    fn members() {
        check("{'a': $x.b, 'c': d}", r#"{"c": 1}"#, "a = $x.b 1/1");
        check("{'a': $x.b, 'c': d}", r#"{"a": null, "c": 1}"#, "");
        check("{'a': $sum(b)}", "{}", "a = ? 1/1");
        check(
            "{'a': {'b': c.d, 'e': 1}}",
            r#"{"a": {"e": 1}}"#,
            "a.b = c.d 1/1",
        );
        check("($u := 1; {'a': $u.b})", "{}", "a = $u.b 1/1");
        check(
            "$merge([$states.input, {'a': b}])",
            r#"{"z": 1}"#,
            "a = b 1/1",
        );
        check(
            "items.{'a': b, 'c': d}",
            r#"[{"a": 1}, {"a": 1, "c": 2}]"#,
            "c = d 1/2",
        );
        check("[items.{'a': b}]", r#"[{}]"#, "a = b 1/1");
        check(
            "$map(items, function($i) {{'a': $i.b}})",
            "[{}, {}]",
            "a = $i.b 2/2",
        );
        check("items.{$k: b}", "[{}]", "");
        check("x ? {'a': b} : {'c': d}", "{}", "");
        check("{'a': b}", "12", "");
        check("{'a'", "{}", "");
    }
}
