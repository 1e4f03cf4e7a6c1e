//! Finds members that are missing in the value of an expression although an object constructor in the expression writes
//! them. A constructor leaves out a member whose value is undefined.

use super::limit::with_stack;
use super::tree::{Form, Node, Step, Tree};
use crate::json::Value;
use indexmap::IndexMap;

/// Maximum number of objects in an array that is examined. Longer arrays are skipped, because examining them would be
/// too slow for repeated use.
const MOST: usize = 1_000;

/// A member that an object constructor writes but that is missing in the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The name, preceded by the names of the enclosing members: `order.uplift`.
    pub name: String,
    /// The path that gives the member its value, if the value is a path that consists of names only.
    pub path: Option<String>,
    /// The number of objects without the member, and the number of all objects that the constructor built.
    pub of: (usize, usize),
}

impl Tree {
    /// Returns the members that the expression's object constructors write but that are missing in `value`, in the
    /// order of the text.
    #[must_use]
    pub fn left_out(&self, value: &Value) -> Vec<LeftOut> {
        let mut members = IndexMap::new();
        compare(self.root(), value, "", &mut members);
        let members = members.into_iter();
        members
            .filter(|(_, (.., of))| of.0 > 0)
            .map(|(name, (path, of))| LeftOut { name, path, of })
            .collect()
    }
}

type Members = IndexMap<String, (Option<String>, (usize, usize))>;

fn compare(node: &Node, value: &Value, around: &str, members: &mut Members) {
    with_stack(|| match &node.form {
        Form::Object(pairs) => {
            for object in each(value) {
                let Some(object) = object.as_object() else {
                    continue;
                };
                for (key, made) in pairs {
                    let Form::Text(key) = &key.form else {
                        continue;
                    };
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
        Form::Block(items) => {
            if let Some(last) = items.last() {
                compare(last, value, around, members);
            }
        }
        Form::Array(items) => {
            if let [only] = items.as_slice()
                && matches!(only.form, Form::Path(_))
            {
                compare(only, value, around, members);
            }
        }
        Form::Path(steps) => {
            if let Some(last) = steps.last() {
                compare(&last.node, value, around, members);
            }
        }
        Form::Function {
            name, arguments, ..
        } => match (name.as_str(), arguments.last().map(|node| &node.form)) {
            ("merge", Some(Form::Array(parts))) if arguments.len() == 1 => {
                for part in parts {
                    compare(part, value, around, members);
                }
            }
            ("map", Some(Form::Lambda { body, .. })) if arguments.len() == 2 => {
                compare(body, value, around, members);
            }
            _ => {}
        },
        _ => {}
    });
}

/// Returns the objects that a constructor built: the items of `value` if it is an array (none if it has more than
/// `MOST`), otherwise `value` itself.
fn each(value: &Value) -> &[Value] {
    match value.as_array() {
        Some(items) if items.len() > MOST => &[],
        Some(items) => items,
        None => std::slice::from_ref(value),
    }
}

/// The path as written, if it consists of names only.
fn path_of(node: &Node) -> Option<String> {
    let name = |step: &Step| step.is_plain().then(|| own_name(&step.node)).flatten();
    match &node.form {
        Form::Path(steps) => {
            let names: Option<Vec<String>> = steps.iter().map(name).collect();
            names.map(|names| names.join("."))
        }
        _ => own_name(node),
    }
}

fn own_name(node: &Node) -> Option<String> {
    match &node.form {
        Form::Variable(name) => Some(format!("${name}")),
        Form::Name(name) => Some(name.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn check(text: &str, value: &str, expected: &str) {
        let findings = Tree::parse(text)
            .expect(text)
            .left_out(&parse(value).expect(value));
        let shown: Vec<String> = findings
            .iter()
            .map(|finding| {
                let path = finding.path.as_deref().unwrap_or("?");
                format!(
                    "{} = {path} {}/{}",
                    finding.name, finding.of.0, finding.of.1
                )
            })
            .collect();
        assert_eq!(shown.join("; "), expected, "{text}");
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
    }
}
