//! What an expression makes of a state's input, as far as its text tells: objects, parts of the input, merges of them.
//!
//! It must not know what the input of a state is.

use super::LONGEST;
use super::analysis::tree_of;
use super::tree::drop_deep;
use crate::json::Text;
use jsonata_core::ast::{AstNode, PathStep};
use jsonata_core::value::with_stack;

/// What the value of an expression is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// The text does not tell.
    Anything,
    /// What `$states.input` has at these names.
    Input(Vec<Text>),
    /// An object with at most these members.
    Object(Vec<(Text, Made)>),
    /// One object of all of these, later ones over earlier ones.
    Merged(Vec<Made>),
    /// One of these.
    Either(Vec<Made>),
}

/// What an expression, the text between its delimiters, makes.
#[must_use]
pub fn made(text: &str) -> Made {
    if text.len() > LONGEST {
        return Made::Anything;
    }
    let Ok(tree) = tree_of(text) else {
        return Made::Anything;
    };
    let found = of_node(&tree);
    drop_deep(tree);
    found
}

fn of_node(node: &AstNode) -> Made {
    with_stack(|| match node {
        AstNode::Path { steps } => of_path(steps),
        AstNode::Object(pairs) => {
            let member = |(key, value): &(AstNode, AstNode)| match key {
                AstNode::String(name) => Some((name.as_str().into(), of_node(value))),
                _ => None,
            };
            let members: Option<Vec<_>> = pairs.iter().map(member).collect();
            members.map_or(Made::Anything, Made::Object)
        }
        // What several expressions in a row do, the last one need not tell.
        AstNode::Block(items) => match items.as_slice() {
            [only] => of_node(only),
            _ => Made::Anything,
        },
        AstNode::Function { name, args, .. } if name == "merge" => match args.as_slice() {
            [AstNode::Array(parts)] => Made::Merged(parts.iter().map(of_node).collect()),
            _ => Made::Anything,
        },
        AstNode::Conditional {
            then_branch,
            else_branch,
            ..
        } => {
            let ways = std::iter::once(&**then_branch).chain(else_branch.as_deref());
            Made::Either(ways.map(of_node).collect())
        }
        _ => Made::Anything,
    })
}

/// `$states.input` and plain names behind it.
fn of_path(steps: &[PathStep]) -> Made {
    let plain = |step: &PathStep| {
        step.stages.is_empty() && step.focus.is_none() && step.index_var.is_none()
    };
    let Some((first, rest)) = steps.split_first().filter(|_| steps.iter().all(plain)) else {
        return Made::Anything;
    };
    if rest.is_empty() {
        return of_node(&first.node);
    }
    let names: Option<Vec<&str>> = rest
        .iter()
        .map(|step| match &step.node {
            AstNode::Name(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    match (&first.node, names.as_deref()) {
        (AstNode::Variable(root), Some(["input", names @ ..])) if root == "states" => {
            Made::Input(names.iter().map(|name| (*name).into()).collect())
        }
        _ => Made::Anything,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_text_tells() {
        let shown = |text: &str| show(&made(text));
        for (text, wanted) in [
            ("$states.input", "input"),
            ("($states.input.order)", "input.order"),
            ("$states.input.orders[0]", "?"),
            ("$states.result", "?"),
            ("{'a': 1, 'b': $states.input.b}", "{a: ?, b: input.b}"),
            ("{$key: 1}", "?"),
            (
                "$merge([$states.input, {'a': {'b': 2}}])",
                "merge(input, {a: {b: ?}})",
            ),
            ("$merge($x)", "?"),
            ("$x > 1 ? {'a': 1} : $states.input", "{a: ?} | input"),
            ("($x := 1; {'a': $x})", "?"),
            ("{'a'", "?"),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    fn show(made: &Made) -> String {
        let all =
            |parts: &[Made], between| parts.iter().map(show).collect::<Vec<_>>().join(between);
        match made {
            Made::Anything => "?".to_string(),
            Made::Input(names) => {
                let names = names.iter().map(|name| format!(".{name}"));
                format!("input{}", names.collect::<String>())
            }
            Made::Object(members) => {
                let members = members.iter();
                let members = members.map(|(name, made)| format!("{name}: {}", show(made)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            Made::Merged(parts) => format!("merge({})", all(parts, ", ")),
            Made::Either(ways) => all(ways, " | "),
        }
    }
}
