//! Comparisons of a part of an expression with a literal.

use super::depth::with_stack;
use super::tree::{Form, Node, Operator};
use crate::json::{Number, Value};

/// A comparison whose right side is a literal.
#[derive(Clone, Debug)]
pub struct Compared<'t> {
    /// The comparison operator.
    pub operator: Operator,
    /// The left side.
    pub left: &'t Node,
    /// The right side.
    pub right: &'t Node,
    /// The value of the literal.
    pub value: Value,
}

impl Node {
    /// All comparisons with literals anywhere in this node.
    #[must_use]
    pub fn compared(&self) -> Vec<Compared<'_>> {
        let mut all = Vec::new();
        self.each(&mut |node| {
            if let Form::Binary(operator, left, right) = &node.form
                && operator.compares()
                && let Some(value) = right.literal()
            {
                all.push(Compared {
                    operator: *operator,
                    left,
                    right,
                    value,
                });
            }
        });
        all
    }
}

/// True if `$boolean` converts the value to true.
#[must_use]
pub fn counts_as_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != 0.0,
        Value::String(text) => !text.is_empty(),
        Value::Array(array) => with_stack(|| array.items().iter().any(counts_as_true)),
        Value::Object(object) => !object.members().is_empty(),
    }
}

impl Node {
    /// The value of a literal, which may be an array of literals; `None` for anything that has to be evaluated.
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

impl Node {
    /// The names of a path that consists of a variable and member names only, such as `states`, `input`, `total`.
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
