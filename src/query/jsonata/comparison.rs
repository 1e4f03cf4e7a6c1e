//! Comparisons of an expression with values that it writes literally.

use super::tree::{Form, Node, Operator, Tree};
use crate::json::Value;

/// A comparison with a literal on its right side.
#[derive(Clone, Debug)]
pub struct Compared<'t> {
    /// How both sides are compared.
    pub operator: Operator,
    /// The left side.
    pub left: &'t Node,
    /// The right side.
    pub right: &'t Node,
    /// What the right side is: the literal, or the literals of an array.
    pub values: Vec<Value>,
}

impl Tree {
    /// All comparisons with literals, wherever they stand in the expression.
    #[must_use]
    pub fn compared(&self) -> Vec<Compared<'_>> {
        let mut all = Vec::new();
        self.root().each(&mut |node| {
            let Form::Binary(operator, left, right) = &node.form else {
                return;
            };
            let values: Vec<Value> = match &right.form {
                Form::Array(items) => items.iter().filter_map(Node::literal).collect(),
                _ => right.literal().into_iter().collect(),
            };
            if operator.compares() && !values.is_empty() {
                all.push(Compared {
                    operator: *operator,
                    left,
                    right,
                    values,
                });
            }
        });
        all
    }
}

impl Node {
    /// The names of a path of a variable and members, without anything else: `states`, `input`, `total`.
    #[must_use]
    pub fn names(&self) -> Option<Vec<&str>> {
        let Form::Path(steps) = &self.form else {
            return self.variable().map(|name| vec![name]);
        };
        let (first, rest) = steps.split_first()?;
        let mut names = vec![first.node.variable()?];
        for step in rest {
            match &step.node.form {
                Form::Name(name) => names.push(name),
                _ => return None,
            }
        }
        steps.iter().all(|step| step.is_plain()).then_some(names)
    }

    /// The last name of a variable or of a path of any kind.
    #[must_use]
    pub fn last_name(&self) -> Option<&str> {
        match &self.form {
            Form::Variable(name) | Form::Name(name) => Some(name),
            Form::Path(steps) => {
                let last = steps.last().filter(|step| step.is_plain())?;
                last.node.last_name()
            }
            _ => None,
        }
    }
}
