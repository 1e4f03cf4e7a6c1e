//! Conditions in an expression: comparisons with literals, and text joined with `&` where a condition or a number was
//! meant.

use super::limit::with_stack;
use super::tree::{Form, Node, Operator, Tree};
use crate::json::{Number, Value};
use std::ops::Range;

/// How `&`, which joins texts, is used by mistake where a condition is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCondition {
    /// The whole expression should be a condition but is `a & b`.
    Whole,
    /// `a & b` inside the expression, in a place that needs a condition.
    Text,
    /// `a & b` where both operands are conditions.
    JoinedConditions,
    /// `a = 1 & b = 2`, meant as two conditions. But `&` binds first: JSONata joins `1 & b` before it compares.
    BoundFirst,
}

impl Tree {
    /// Returns each `&` where a condition is needed, with its byte range. `whole` is true if the value of the whole
    /// expression must be a condition.
    #[must_use]
    pub fn no_conditions(&self, whole: bool) -> Vec<(NoCondition, Range<usize>)> {
        if !self.text().contains('&') {
            return Vec::new();
        }
        let root = self.root().bare();
        let whole = (whole && is_joined(root)).then_some(root);
        let mut problems: Vec<(NoCondition, &Node)> = Vec::new();
        problems.extend(whole.map(|root| (NoCondition::Whole, root)));
        let wanted = |node| is_joined(node).then(|| (kind_of(node), node));
        self.root().each(&mut |node| match &node.form {
            _ if whole.is_some_and(|root| root.id == node.id) => {}
            Form::Conditional { condition, .. } => problems.extend(wanted(condition)),
            Form::Binary(Operator::And | Operator::Or, left, right) => {
                problems.extend([left, right].into_iter().filter_map(|side| wanted(side)));
            }
            Form::Function {
                name, arguments, ..
            } if name == "not" || name == "boolean" => {
                problems.extend(arguments.first().and_then(wanted));
            }
            Form::Binary(Operator::Concatenate, left, right)
                if is_condition(left) && is_condition(right) =>
            {
                problems.push((NoCondition::JoinedConditions, node));
            }
            Form::Binary(operator, left, _) if operator.compares() => {
                if let Form::Binary(inner, _, right) = &left.form
                    && inner.compares()
                    && matches!(right.form, Form::Binary(Operator::Concatenate, ..))
                {
                    problems.push((NoCondition::BoundFirst, right));
                }
            }
            _ => {}
        });
        let mut problems: Vec<_> = problems
            .into_iter()
            .map(|(kind, node)| match &node.bare().form {
                Form::Binary(_, left, _) => (kind, self.sign_behind(left)),
                _ => (kind, node.range.clone()),
            })
            .collect();
        problems.dedup();
        problems
    }

    /// True if the expression only joins variables, paths and numbers with `&`, with no text between them.
    #[must_use]
    pub fn joins_values(&self) -> bool {
        is_joined(self.root()) && is_of_values(self.root())
    }

    /// True if the expression uses a variable as a number: in `$number(…)`, in arithmetic or in a comparison with a
    /// number.
    #[must_use]
    pub fn reads_number(&self, name: &str) -> bool {
        let is_it = |node: &Node| node.bare().variable() == Some(name);
        let mut reads = number_operator(self, &is_it).is_some();
        self.root().each(&mut |node| {
            if let Form::Function {
                name, arguments, ..
            } = &node.form
            {
                reads |= name == "number" && arguments.iter().any(is_it);
            }
        });
        reads
    }

    /// Returns the first operator that uses the value of `path` as a number: arithmetic, or a comparison with a number.
    /// `path` has to be written as in the expression.
    #[must_use]
    pub fn taken_for_number(&self, path: &str) -> Option<Operator> {
        number_operator(self, &|node| self.text_of(node.bare()) == path)
    }
}

fn is_of_values(node: &Node) -> bool {
    with_stack(|| match &node.bare().form {
        Form::Binary(Operator::Concatenate, left, right) => {
            is_of_values(left) && is_of_values(right)
        }
        Form::Variable(_) | Form::Path(_) | Form::Number(_) => true,
        _ => false,
    })
}

/// Returns the first operator that has one of certain nodes as an operand and treats it as a number. `is_it` is true
/// for these nodes.
fn number_operator(tree: &Tree, is_it: &dyn Fn(&Node) -> bool) -> Option<Operator> {
    let is_number = |node: &Node| matches!(node.bare().form, Form::Number(_));
    let mut operator_found = None;
    tree.root().each(&mut |node| {
        let Form::Binary(operator, left, right) = &node.form else {
            return;
        };
        let takes = match operator {
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Modulo => is_it(left) || is_it(right),
            operator if operator.compares() => {
                (is_it(left) && is_number(right)) || (is_number(left) && is_it(right))
            }
            _ => false,
        };
        if takes {
            operator_found.get_or_insert(*operator);
        }
    });
    operator_found
}

fn kind_of(node: &Node) -> NoCondition {
    match &node.bare().form {
        Form::Binary(_, left, right) if is_condition(left) && is_condition(right) => {
            NoCondition::JoinedConditions
        }
        _ => NoCondition::Text,
    }
}

fn is_joined(node: &Node) -> bool {
    matches!(node.bare().form, Form::Binary(Operator::Concatenate, ..))
}

/// True if the result is certainly a boolean.
fn is_condition(node: &Node) -> bool {
    match &node.bare().form {
        Form::Binary(operator, ..) => {
            operator.compares() || matches!(operator, Operator::And | Operator::Or)
        }
        Form::Function { name, .. } => {
            ["not", "exists", "boolean", "contains"].contains(&name.as_str())
        }
        Form::Bool(_) => true,
        _ => false,
    }
}

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

impl Operator {
    /// Returns the result of this comparison operator if the left operand is less than, equal to or greater than the
    /// right one (`order`). `None` if the operator is no comparison.
    #[must_use]
    pub fn holds(self, order: std::cmp::Ordering) -> Option<bool> {
        Some(match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
            _ => return None,
        })
    }
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

    /// Returns the name of a variable, or the last name of a path. The last step has to be just a name; the steps
    /// before it may be anything.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_where_conditions_are_wanted() {
        use NoCondition::{BoundFirst, JoinedConditions, Text, Whole};
        let said = |text: &str, whole: bool| -> Vec<NoCondition> {
            let tree = Tree::parse(text).expect(text);
            let problems = tree.no_conditions(whole).into_iter();
            problems.map(|(kind, _)| kind).collect()
        };
        for (text, whole, wanted) in [
            ("$a & $b", true, vec![Whole]),
            ("$a & $b", false, vec![]),
            ("($a = 1) & ($b = 2)", true, vec![Whole]),
            ("($a = 1) & ($b = 2)", false, vec![JoinedConditions]),
            ("$a = 1 & $b = 2", true, vec![BoundFirst]),
            ("$a = $b & 'x'", true, vec![]),
            ("$a & $b ? 1 : 2", false, vec![Text]),
            (
                "$exists($a) & $exists($b) ? 1 : 2",
                false,
                vec![JoinedConditions],
            ),
            ("$c and ($a & $b)", false, vec![Text]),
            ("$not($a & $b)", false, vec![Text]),
            ("'ok: ' & ($a = 1)", false, vec![]),
            ("$a ? $a & $b : 'x'", false, vec![]),
            ("$contains($a & $b, 'x') ? 1 : 2", false, vec![]),
        ] {
            assert_eq!(said(text, whole), wanted, "{text}");
        }
    }
}
