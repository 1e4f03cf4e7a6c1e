//! Templates: values that contain expressions. In a payload template of JSONPath, fields named `….$` contain paths and
//! intrinsic functions.

use super::error::not_an_expression;
use super::trace::{Evaluate, Provenance, Recorder};
use super::{Bindings, Expression, QueryError, SyntaxError};
use crate::json::{Pointer, Step, Text, Value};

/// A value that contains expressions of type `E`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree<E> {
    /// A value without expressions.
    Literal(Value),
    /// An expression; `None` if it did not compile.
    Expression(Option<E>),
    Array(Vec<Tree<E>>),
    Object(Vec<Member<E>>),
}

/// A member of an object in a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member<E> {
    /// The name as written, such as `value.$`.
    pub written: Text,
    /// The name in the output.
    pub name: Text,
    pub value: Tree<E>,
}

/// The part of a template that produces the value at a requested place of the result. `written` is the place of this
/// part in the template.
#[derive(Clone, Debug)]
pub enum Maker<'t, E> {
    /// A literal.
    Literal {
        /// Place of the literal.
        written: Pointer,
    },
    /// An expression: the requested value is the expression's value or a part of it.
    Expression {
        /// Place of the expression.
        written: Pointer,
        /// The expression.
        expression: &'t E,
        /// The path from the expression's value to the requested place.
        rest: Vec<Step>,
    },
    /// An object or array that contains expressions.
    Fields {
        /// Place of the object or array.
        written: Pointer,
        /// The expressions in order, each with the steps from the object or array to the expression's value.
        expressions: Vec<(Pointer, &'t E)>,
        /// Number of values of the object or array that are literals, not expressions.
        literals: usize,
    },
    /// The template produces no value at the requested place.
    Nothing,
}

/// The place of an expression's value in the template's value, the place of the expression in the template, and the
/// expression.
type Located<'t, E> = (Pointer, Pointer, Option<&'t E>);

impl<E> Tree<E> {
    /// Member names of the value; `None` if the value is not an object.
    pub(super) fn names(&self) -> Option<Vec<Text>> {
        match self {
            Self::Object(members) => {
                Some(members.iter().map(|member| member.name.clone()).collect())
            }
            Self::Literal(value) => {
                let members = value.as_object()?.members().iter();
                Some(members.map(|(name, _)| name.clone()).collect())
            }
            Self::Array(_) | Self::Expression(_) => None,
        }
    }

    /// The part that produces the place `at` of the value.
    pub(super) fn maker(&self, at: &[Step], written: Pointer) -> Maker<'_, E> {
        match (self, at.split_first()) {
            (Self::Literal(value), _) if Pointer(at.to_vec()).get(value).is_some() => {
                let steps = written.0.into_iter().chain(at.iter().cloned());
                Maker::Literal {
                    written: Pointer(steps.collect()),
                }
            }
            (Self::Expression(Some(expression)), _) => Maker::Expression {
                written,
                expression,
                rest: at.to_vec(),
            },
            (Self::Array(_) | Self::Object(_), None) => {
                let all = self.located().into_iter();
                let expressions = all.filter_map(|(place, _, made)| Some((place, made?)));
                Maker::Fields {
                    written,
                    expressions: expressions.collect(),
                    literals: self.literals(),
                }
            }
            (Self::Array(items), Some((step @ Step::Item(index), rest))) => {
                let item = items.get(*index);
                item.map_or(Maker::Nothing, |item| {
                    item.maker(rest, written.child(step.clone()))
                })
            }
            (Self::Object(members), Some((Step::Member(name), rest))) => {
                // Of members with the same name, the last one is used.
                let member = members.iter().rev().find(|known| known.name == *name);
                member.map_or(Maker::Nothing, |member| {
                    let written = written.child(Step::Member(member.written.clone()));
                    member.value.maker(rest, written)
                })
            }
            _ => Maker::Nothing,
        }
    }

    fn literals(&self) -> usize {
        match self {
            Self::Literal(_) => 1,
            Self::Expression(_) => 0,
            Self::Array(items) => items.iter().map(Self::literals).sum(),
            Self::Object(members) => members.iter().map(|member| member.value.literals()).sum(),
        }
    }

    /// Returns the expressions in the order of the template, each with its places.
    fn located(&self) -> Vec<Located<'_, E>> {
        let mut all = Vec::new();
        self.locate(Pointer::root(), Pointer::root(), &mut all);
        all
    }

    fn locate<'t>(&'t self, place: Pointer, written: Pointer, all: &mut Vec<Located<'t, E>>) {
        match self {
            Self::Literal(_) => {}
            Self::Expression(expression) => all.push((place, written, expression.as_ref())),
            Self::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let step = Step::Item(index);
                    item.locate(place.child(step.clone()), written.child(step), all);
                }
            }
            Self::Object(members) => {
                for member in members {
                    let place = place.child(Step::Member(member.name.clone()));
                    let written = written.child(Step::Member(member.written.clone()));
                    member.value.locate(place, written, all);
                }
            }
        }
    }
}

/// A compiled template. Cloning copies the fields, not the literals.
#[derive(Clone, Debug)]
pub struct Template {
    tree: Tree<Expression>,
}

/// The kinds of errors in template fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateErrorKind {
    /// The text is not an expression.
    Expression,
    /// The value is not a string.
    NotText,
    /// Another field has the same name after the `.$` is removed.
    Duplicate,
}

/// A field that does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The field's place in the template.
    pub at: Pointer,
    /// The field as written: `value.$`.
    pub field: Text,
    /// Kind of the error.
    pub kind: TemplateErrorKind,
    /// The error. If the field is a string, the byte range refers to its text.
    pub error: SyntaxError,
}

impl TemplateError {
    /// The message that AWS returns when a definition with this template is created.
    #[must_use]
    pub fn message(&self) -> String {
        match self.kind {
            TemplateErrorKind::Expression | TemplateErrorKind::NotText => {
                not_an_expression(&self.field)
            }
            TemplateErrorKind::Duplicate => self.error.message.clone(),
        }
    }
}

/// Evaluates the expressions in the order of the template, up to the first that fails. Numbers them in that order.
impl Evaluate for Template {
    fn record(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        eval(&self.tree, "", bindings, recorder)
    }
}

impl Template {
    /// Compiles `value` and collects all errors. A field that does not compile raises its error at evaluation.
    #[must_use]
    pub fn compile(value: &Value) -> (Self, Vec<TemplateError>) {
        let mut errors = Vec::new();
        let tree = compile(value, &mut Pointer::root(), &mut errors);
        (Self { tree }, errors)
    }

    /// The part of the template that produces the place `at` of the value.
    #[must_use]
    pub fn maker(&self, at: &[Step]) -> Maker<'_, Expression> {
        self.tree.maker(at, Pointer::root())
    }

    /// Member names of the resulting object; `None` if the result is not an object.
    #[must_use]
    pub fn names(&self) -> Option<Vec<Text>> {
        self.tree.names()
    }

    /// Every expression, with its pointer in the template.
    #[must_use]
    pub fn expressions(&self) -> Vec<(Pointer, &Expression)> {
        let all = self.tree.located().into_iter();
        all.filter_map(|(_, written, made)| Some((written, made?)))
            .collect()
    }
}

fn compile(value: &Value, at: &mut Pointer, errors: &mut Vec<TemplateError>) -> Tree<Expression> {
    match value {
        Value::Array(array) => {
            let mut items = Vec::with_capacity(array.items().len());
            for (place, item) in array.items().iter().enumerate() {
                at.0.push(Step::Item(place));
                items.push(compile(item, at, errors));
                at.0.pop();
            }
            if items.iter().all(|item| matches!(item, Tree::Literal(_))) {
                return Tree::Literal(value.clone());
            }
            Tree::Array(items)
        }
        Value::Object(object) => {
            let mut members = Vec::with_capacity(object.members().len());
            for (written, member) in object.members() {
                at.0.push(Step::Member(written.clone()));
                let (name, value) = match written.strip_suffix(".$") {
                    Some(name) => {
                        if object.get(name).is_some() {
                            errors.push(duplicate(at, written, name));
                        }
                        let expression = dynamic(member, written, at, errors);
                        (name.into(), Tree::Expression(expression))
                    }
                    None => (written.clone(), compile(member, at, errors)),
                };
                members.push(Member {
                    written: written.clone(),
                    name,
                    value,
                });
                at.0.pop();
            }
            let mut values = members.iter().map(|member| &member.value);
            if values.all(|value| matches!(value, Tree::Literal(_))) {
                return Tree::Literal(value.clone());
            }
            Tree::Object(members)
        }
        scalar => Tree::Literal(scalar.clone()),
    }
}

fn dynamic(
    value: &Value,
    written: &Text,
    at: &Pointer,
    errors: &mut Vec<TemplateError>,
) -> Option<Expression> {
    let (kind, error) = match value.as_str() {
        Some(text) => match Expression::parse(text) {
            Ok(expression) => return Some(expression),
            Err(error) => (TemplateErrorKind::Expression, error),
        },
        None => (
            TemplateErrorKind::NotText,
            SyntaxError::new(
                format!(
                    "A path or an intrinsic function is expected, not a value of type {value_type}",
                    value_type = value.type_name()
                ),
                0..0,
            )
            .help(format!(
                "remove .$ from the name \"{written}\" if the value is a constant"
            )),
        ),
    };
    errors.push(TemplateError {
        at: at.clone(),
        field: written.clone(),
        kind,
        error,
    });
    None
}

fn duplicate(at: &Pointer, written: &Text, name: &str) -> TemplateError {
    TemplateError {
        at: at.clone(),
        field: written.clone(),
        kind: TemplateErrorKind::Duplicate,
        error: SyntaxError::new(
            format!(
                "The fields \"{name}\" and \"{written}\" would have the same name in the result"
            ),
            0..0,
        )
        .help("keep one of the two fields"),
    }
}

fn eval(
    tree: &Tree<Expression>,
    field: &str,
    bindings: &dyn Bindings,
    mut recorder: Option<&mut Recorder>,
) -> Result<Value, QueryError> {
    let mut parts = Vec::new();
    let mut note = |step: &dyn Fn() -> Step, recorder: &mut Option<&mut Recorder>| {
        if let Some(recorder) = recorder {
            parts.push((step(), recorder.take()));
        }
    };
    let value = match tree {
        Tree::Literal(value) => {
            if let Some(recorder) = recorder {
                recorder.result(Provenance::Literal(None));
            }
            return Ok(value.clone());
        }
        Tree::Expression(None) => {
            return Err(QueryError::Field {
                field: field.into(),
            });
        }
        Tree::Expression(Some(expression)) => {
            let result = expression.record(bindings, recorder.as_deref_mut());
            if let Some(recorder) = recorder {
                recorder.next_expression();
            }
            return result.map_err(|error| error.in_field(field, bindings.data()));
        }
        Tree::Array(items) => {
            let mut values = Vec::with_capacity(items.len());
            for (place, item) in items.iter().enumerate() {
                values.push(eval(item, field, bindings, recorder.as_deref_mut())?);
                note(&|| Step::Item(place), &mut recorder);
            }
            Value::array(values)
        }
        Tree::Object(members) => {
            let mut values = Vec::with_capacity(members.len());
            for member in members {
                let value = eval(
                    &member.value,
                    &member.written,
                    bindings,
                    recorder.as_deref_mut(),
                )?;
                note(&|| Step::Member(member.name.clone()), &mut recorder);
                values.push((member.name.clone(), value));
            }
            Value::object(values)
        }
    };
    if let Some(recorder) = recorder {
        recorder.result(Provenance::Built(parts));
    }
    Ok(value)
}
