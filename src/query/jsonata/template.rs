//! A JSON value that contains JSONata expressions. A string at any depth is an expression if it is in `{%` and `%}`; a
//! member name never is.

use super::{Evaluated, Expression, Failure, JsonataError, inner};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::template::{Maker, Member, Tree};
use std::sync::Arc;

/// The compiled value of a field in JSONata mode: a JSON value whose strings may be expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    tree: Tree<Arc<Expression>>,
    expressions: Vec<Arc<Expression>>,
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
        let tree = compile(value, location.to_string(), &mut expressions);
        let problems = expressions.iter().filter_map(|expression| {
            let error = expression.tree.as_ref().err()?.clone();
            let location = expression.location.clone();
            Some(TemplateProblem { location, error })
        });
        let problems = problems.collect();
        (Self { tree, expressions }, problems)
    }

    /// The expressions, in the order in which [`Template::fill`] expects their results.
    #[must_use]
    pub fn expressions(&self) -> &[Arc<Expression>] {
        &self.expressions
    }

    /// Returns the member names of the resulting object, if they are known without evaluating the template.
    #[must_use]
    pub fn names(&self) -> Option<Vec<Text>> {
        self.tree.names()
    }

    /// Returns the part of the template that produces the part of the resulting value at the path `at`.
    #[must_use]
    pub fn maker(&self, at: &[Step]) -> Maker<'_, Arc<Expression>> {
        self.tree.maker(at, Pointer::root())
    }

    /// Returns the expression if the whole template is just one expression.
    #[must_use]
    pub fn whole(&self) -> Option<&Arc<Expression>> {
        match &self.tree {
            Tree::Expression(expression) => expression.as_ref(),
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
        filled(&self.tree, results)
    }
}

fn compile(
    value: &Value,
    location: String,
    expressions: &mut Vec<Arc<Expression>>,
) -> Tree<Arc<Expression>> {
    let before = expressions.len();
    let made = match value {
        Value::String(text) => {
            let Some(text) = inner(text) else {
                return Tree::Literal(value.clone());
            };
            let expression = Arc::new(Expression::new(text, &location));
            expressions.push(Arc::clone(&expression));
            return Tree::Expression(Some(expression));
        }
        Value::Array(array) => {
            let items = array.items().iter().enumerate();
            let items = items
                .map(|(index, item)| compile(item, format!("{location}[{index}]"), expressions));
            Tree::Array(items.collect())
        }
        Value::Object(object) => {
            let members = object.members().iter().map(|(name, member)| Member {
                written: name.clone(),
                name: name.clone(),
                value: compile(member, format!("{location}/{name}"), expressions),
            });
            Tree::Object(members.collect())
        }
        _ => return Tree::Literal(value.clone()),
    };
    if expressions.len() == before {
        Tree::Literal(value.clone())
    } else {
        made
    }
}

fn filled(
    tree: &Tree<Arc<Expression>>,
    results: &mut dyn Iterator<Item = Evaluated>,
) -> Result<Value, (Arc<Expression>, Failure)> {
    Ok(match tree {
        Tree::Literal(value) => value.clone(),
        Tree::Expression(None) => Value::Null,
        Tree::Expression(Some(expression)) => {
            let missing = || {
                Err(Failure::Internal(
                    "the JSONata engine returned no result".into(),
                ))
            };
            let result = results.next().unwrap_or_else(missing);
            result.map_err(|failure| (Arc::clone(expression), failure))?
        }
        Tree::Array(items) => {
            let items = items.iter().map(|item| filled(item, results));
            Value::array(items.collect::<Result<_, _>>()?)
        }
        Tree::Object(members) => {
            let mut all = Vec::with_capacity(members.len());
            for member in members {
                all.push((member.name.clone(), filled(&member.value, results)?));
            }
            Value::object(all)
        }
    })
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
        let expressions: Vec<(&str, &str)> = template
            .expressions()
            .iter()
            .map(|expression| (&*expression.location, &*expression.text))
            .collect();
        assert_eq!(
            expressions,
            [("Output/a", "1"), ("Output/c[1]/d", "2"), ("Output/e", "")]
        );
        assert_eq!(problems.len(), 1);
        let results = [1_i64, 2, 3].map(|n| Ok(Value::from(n)));
        let filled = template.fill(&mut results.into_iter()).unwrap();
        let wanted = r#"{"a":1,"b":" {% 1 %}","c":["{% $x %} ",{"d":2}],"{% 3 %}":"{%}","e":3}"#;
        assert_eq!(filled, parse(wanted).unwrap());
    }
}
