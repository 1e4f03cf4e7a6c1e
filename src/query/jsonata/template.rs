//! A JSON value that contains expressions: strings with delimiters at any depth, but never member names.

use super::{Evaluated, Expression, Failure, JsonataError, inner};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::Maker;
use std::sync::Arc;

/// The value of a field in JSONata mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    root: Part,
    expressions: Vec<Arc<Expression>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(Value),
    Expression,
    Array(Vec<Part>),
    Object(Vec<(Text, Part)>),
}

impl Part {
    /// Number of expressions.
    fn count(&self) -> usize {
        match self {
            Self::Literal(_) => 0,
            Self::Expression => 1,
            Self::Array(items) => items.iter().map(Self::count).sum(),
            Self::Object(members) => members.iter().map(|(_, part)| part.count()).sum(),
        }
    }
}

/// An expression that does not parse.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateProblem {
    /// Location within the state in the form that AWS prints.
    pub location: Text,
    /// The syntax error.
    pub error: JsonataError,
}

impl Template {
    /// Compiles a value; `location` is the location of the field.
    #[must_use]
    pub fn compile(value: &Value, location: &str) -> (Self, Vec<TemplateProblem>) {
        let mut expressions = Vec::new();
        let mut problems = Vec::new();
        let root = part(value, location.to_string(), &mut expressions, &mut problems);
        (Self { root, expressions }, problems)
    }

    /// The expressions, in the order in which [`Template::fill`] expects their results.
    #[must_use]
    pub fn expressions(&self) -> &[Arc<Expression>] {
        &self.expressions
    }

    /// Member names of the resulting object, if they are known statically.
    #[must_use]
    pub fn names(&self) -> Option<Vec<Text>> {
        match &self.root {
            Part::Object(members) => Some(members.iter().map(|(name, _)| name.clone()).collect()),
            Part::Literal(value) => {
                let members = value.as_object()?.members().iter();
                Some(members.map(|(name, _)| name.clone()).collect())
            }
            Part::Array(_) | Part::Expression => None,
        }
    }

    /// The part of the template that produces the place `at` of the value.
    #[must_use]
    pub fn maker(&self, at: &[Step]) -> Maker<'_, Arc<Expression>> {
        let mut expressions = self.expressions.as_slice();
        maker(&self.root, at, Pointer::root(), &mut expressions)
    }

    /// The expression, if the whole value is a single one.
    #[must_use]
    pub fn whole(&self) -> Option<&Arc<Expression>> {
        match (&self.root, self.expressions.first()) {
            (Part::Expression, Some(expression)) => Some(expression),
            _ => None,
        }
    }

    /// Replaces each expression with its result.
    ///
    /// # Errors
    /// The first failure among the results.
    pub fn fill(
        &self,
        results: &mut dyn Iterator<Item = Evaluated>,
    ) -> Result<Value, (Arc<Expression>, Failure)> {
        let mut own = Vec::with_capacity(self.expressions.len());
        let mut failed = None;
        for expression in &self.expressions {
            match results.next() {
                Some(Ok(value)) => own.push(value),
                Some(Err(failure)) if failed.is_none() => {
                    failed = Some((Arc::clone(expression), failure));
                }
                Some(Err(_)) => {}
                None if failed.is_none() => {
                    let text = "no result came back".into();
                    failed = Some((Arc::clone(expression), Failure::Internal(text)));
                }
                None => {}
            }
        }
        match failed {
            Some(failed) => Err(failed),
            None => Ok(filled(&self.root, &mut own.into_iter())),
        }
    }
}

fn part(
    value: &Value,
    location: String,
    expressions: &mut Vec<Arc<Expression>>,
    problems: &mut Vec<TemplateProblem>,
) -> Part {
    let before = expressions.len();
    let made = match value {
        Value::String(text) => {
            let Some(text) = inner(text) else {
                return Part::Literal(value.clone());
            };
            let expression = Expression::new(text, &location);
            if let Err(error) = &expression.tree {
                problems.push(TemplateProblem {
                    location: location.into(),
                    error: error.clone(),
                });
            }
            expressions.push(Arc::new(expression));
            return Part::Expression;
        }
        Value::Array(array) => Part::Array(
            array
                .items()
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    part(item, format!("{location}[{index}]"), expressions, problems)
                })
                .collect(),
        ),
        Value::Object(object) => Part::Object(
            object
                .members()
                .iter()
                .map(|(name, member)| {
                    let below = format!("{location}/{name}");
                    (name.clone(), part(member, below, expressions, problems))
                })
                .collect(),
        ),
        _ => return Part::Literal(value.clone()),
    };
    if expressions.len() == before {
        Part::Literal(value.clone())
    } else {
        made
    }
}

/// Number of literals in a part.
fn literals(part: &Part) -> usize {
    match part {
        Part::Literal(_) => 1,
        Part::Expression => 0,
        Part::Array(items) => items.iter().map(literals).sum(),
        Part::Object(members) => members.iter().map(|(_, member)| literals(member)).sum(),
    }
}

/// Pointers to the expressions within a part, in order.
fn places(part: &Part) -> Vec<Pointer> {
    let below = |step: Step, part: &Part| {
        let all = places(part).into_iter();
        let all = all.map(|at| Pointer(std::iter::once(step.clone()).chain(at.0).collect()));
        all.collect::<Vec<_>>()
    };
    match part {
        Part::Literal(_) => Vec::new(),
        Part::Expression => vec![Pointer::root()],
        Part::Array(items) => (items.iter().enumerate())
            .flat_map(|(index, item)| below(Step::Item(index), item))
            .collect(),
        Part::Object(members) => (members.iter())
            .flat_map(|(name, member)| below(Step::Member(name.clone()), member))
            .collect(),
    }
}

/// Removes the part's own expressions from the front of `expressions`.
fn maker<'t>(
    part: &Part,
    at: &[Step],
    written: Pointer,
    expressions: &mut &'t [Arc<Expression>],
) -> Maker<'t, Arc<Expression>> {
    let (own, after) = expressions.split_at(part.count().min(expressions.len()));
    let mut inside = own;
    *expressions = after;
    let (step, rest) = match (part, at.split_first()) {
        (Part::Literal(value), _) => return Maker::literal(value, at, written),
        (Part::Expression, _) => {
            return match own.first() {
                Some(expression) => Maker::Expression {
                    written,
                    expression,
                    rest: at.to_vec(),
                },
                None => Maker::Nothing,
            };
        }
        (_, None) => {
            return Maker::Fields {
                written,
                expressions: places(part).into_iter().zip(own).collect(),
                literals: literals(part),
            };
        }
        (_, Some(split)) => split,
    };
    let parts: Vec<(Step, &Part)> = match part {
        Part::Array(items) => (items.iter().enumerate())
            .map(|(index, item)| (Step::Item(index), item))
            .collect(),
        Part::Object(members) => (members.iter())
            .map(|(name, member)| (Step::Member(name.clone()), member))
            .collect(),
        Part::Literal(_) | Part::Expression => Vec::new(),
    };
    let mut found = Maker::Nothing;
    for (own, part) in parts {
        let below = if own == *step { rest } else { &[] };
        let made = maker(part, below, written.child(own.clone()), &mut inside);
        if own == *step {
            found = made;
        }
    }
    found
}

fn filled(part: &Part, results: &mut dyn Iterator<Item = Value>) -> Value {
    match part {
        Part::Literal(value) => value.clone(),
        Part::Expression => results.next().unwrap_or_default(),
        Part::Array(items) => {
            Value::array(items.iter().map(|item| filled(item, results)).collect())
        }
        Part::Object(members) => Value::object(
            members
                .iter()
                .map(|(name, member)| (name.clone(), filled(member, results)))
                .collect(),
        ),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn only_exactly_delimited_strings_are_expressions() {
        let value = parse(
            r#"{"a":"{% 1 %}","b":" {% 1 %}","c":["{% $x %} ",{"d":"{%2%}"}],"{% 3 %}":"{%}","e":"{%%}"}"#,
        )
        .unwrap();
        let (template, problems) = Template::compile(&value, "Output");
        let found: Vec<(&str, &str)> = template
            .expressions()
            .iter()
            .map(|one| (&*one.location, &*one.text))
            .collect();
        assert_eq!(
            found,
            [("Output/a", "1"), ("Output/c[1]/d", "2"), ("Output/e", "")]
        );
        assert_eq!(problems.len(), 1);
        let results = [1_i64, 2, 3].map(|n| Ok(Value::from(n)));
        let filled = template.fill(&mut results.into_iter()).unwrap();
        let wanted = r#"{"a":1,"b":" {% 1 %}","c":["{% $x %} ",{"d":2}],"{% 3 %}":"{%}","e":3}"#;
        assert_eq!(filled, parse(wanted).unwrap());
    }
}
