//! A payload template: a value whose fields named `….$` contain paths and intrinsic functions.

use super::error::not_an_expression;
use super::trace::{Provenance, Recorder};
use super::{Bindings, Evaluate, Expression, Maker, QueryError, SyntaxError};
use crate::json::{Pointer, Step, Text, Value};

/// A compiled template. Cloning copies the fields, not the literals.
#[derive(Clone, Debug)]
pub struct Template {
    node: Node,
}

#[derive(Clone, Debug)]
enum Node {
    /// A value without expressions.
    Literal(Value),
    Array(Vec<Node>),
    Object(Vec<Field>),
}

#[derive(Clone, Debug)]
struct Field {
    /// The name of the field in the output.
    name: Text,
    kind: FieldKind,
}

#[derive(Clone, Debug)]
enum FieldKind {
    Plain(Node),
    Dynamic {
        /// The name as written, such as `value.$`.
        written: Text,
        /// `None` if the expression did not compile.
        expression: Option<Expression>,
    },
}

/// The kinds of errors in template fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateErrorKind {
    /// The text is not an expression.
    Expression,
    /// The value is not a string.
    NotText,
    /// Another field has the same name once the `.$` is removed.
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
    /// The error, with the byte range in the field's text if it is a string.
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

/// How the value of a field was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateFieldExplanation {
    /// The field's place in the output.
    pub at: Pointer,
    /// The field's place in the template.
    pub written_at: Pointer,
    /// The field as written, such as `cents.$`.
    pub field: Text,
    /// The expression as written.
    pub expression: Text,
    /// The value, or the reason why there is none.
    pub value: Result<Value, QueryError>,
}

/// The expressions are numbered in order. Evaluation fails at the first expression, in order, that fails.
impl Evaluate for Template {
    fn record(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        eval(&self.node, bindings, recorder)
    }
}

impl Template {
    /// Compiles `value` and collects all errors. A field that does not compile fails when it is evaluated.
    #[must_use]
    pub fn compile(value: &Value) -> (Self, Vec<TemplateError>) {
        let mut errors = Vec::new();
        let node = compile(value, &mut Pointer::root(), &mut errors);
        (Self { node }, errors)
    }

    /// The value of every field, in order.
    #[must_use]
    pub fn explain(&self, bindings: &dyn Bindings) -> Vec<TemplateFieldExplanation> {
        let mut told = Vec::new();
        visit(
            &self.node,
            &mut Pointer::root(),
            &mut |at, name, written, expression| {
                let value = match expression {
                    Some(expression) => eval_field(written, expression, bindings, None),
                    None => Err(QueryError::Field {
                        field: written.clone(),
                    }),
                };
                told.push(TemplateFieldExplanation {
                    at: at.child(Step::Member(name.clone())),
                    written_at: at.child(Step::Member(written.clone())),
                    field: written.clone(),
                    expression: expression.map_or("", Expression::text).into(),
                    value,
                });
            },
        );
        told
    }

    /// The part of the template that produces the place `at` of the value.
    #[must_use]
    pub fn maker(&self, at: &[Step]) -> Maker<'_, Expression> {
        maker(&self.node, at, Pointer::root())
    }

    /// Member names of the resulting object; `None` if the result is not an object.
    #[must_use]
    pub fn names(&self) -> Option<Vec<Text>> {
        match &self.node {
            Node::Object(fields) => Some(fields.iter().map(|field| field.name.clone()).collect()),
            Node::Literal(value) => {
                let members = value.as_object()?.members().iter();
                Some(members.map(|(name, _)| name.clone()).collect())
            }
            Node::Array(_) => None,
        }
    }

    /// Every expression, with its pointer in the template.
    #[must_use]
    pub fn expressions(&self) -> Vec<(Pointer, &Expression)> {
        let mut found = Vec::new();
        visit(
            &self.node,
            &mut Pointer::root(),
            &mut |at, _, written, expression| {
                if let Some(expression) = expression {
                    found.push((at.child(Step::Member(written.clone())), expression));
                }
            },
        );
        found
    }
}

fn compile(value: &Value, at: &mut Pointer, errors: &mut Vec<TemplateError>) -> Node {
    match value {
        Value::Array(array) => {
            let mut nodes = Vec::with_capacity(array.items().len());
            for (place, item) in array.items().iter().enumerate() {
                at.0.push(Step::Item(place));
                nodes.push(compile(item, at, errors));
                at.0.pop();
            }
            if nodes.iter().all(|node| matches!(node, Node::Literal(_))) {
                return Node::Literal(value.clone());
            }
            Node::Array(nodes)
        }
        Value::Object(object) => {
            let mut fields = Vec::with_capacity(object.members().len());
            for (written, member) in object.members() {
                at.0.push(Step::Member(written.clone()));
                let field = match written.strip_suffix(".$") {
                    Some(name) => {
                        if object.get(name).is_some() {
                            errors.push(duplicate(at, written, name));
                        }
                        Field {
                            name: name.into(),
                            kind: FieldKind::Dynamic {
                                written: written.clone(),
                                expression: dynamic(member, written, at, errors),
                            },
                        }
                    }
                    None => Field {
                        name: written.clone(),
                        kind: FieldKind::Plain(compile(member, at, errors)),
                    },
                };
                fields.push(field);
                at.0.pop();
            }
            let literal = fields
                .iter()
                .all(|field| matches!(field.kind, FieldKind::Plain(Node::Literal(_))));
            if literal {
                return Node::Literal(value.clone());
            }
            Node::Object(fields)
        }
        scalar => Node::Literal(scalar.clone()),
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
                    "A path or an intrinsic function is expected, not the {} here",
                    value.type_name()
                ),
                0..0,
            )
            .help(format!(
                "drop the .$ of \"{written}\" if the value is meant as it stands"
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
            format!("The fields \"{name}\" and \"{written}\" give the same name"),
            0..0,
        )
        .help("keep one of the two"),
    }
}

fn eval(
    node: &Node,
    bindings: &dyn Bindings,
    mut recorder: Option<&mut Recorder>,
) -> Result<Value, QueryError> {
    let mut parts = Vec::new();
    let mut note = |step: &dyn Fn() -> Step, recorder: &mut Option<&mut Recorder>| {
        if let Some(recorder) = recorder {
            parts.push((step(), recorder.take()));
        }
    };
    let value = match node {
        Node::Literal(value) => {
            if let Some(recorder) = recorder {
                recorder.result(Provenance::Literal(None));
            }
            return Ok(value.clone());
        }
        Node::Array(nodes) => {
            let mut items = Vec::with_capacity(nodes.len());
            for (place, node) in nodes.iter().enumerate() {
                items.push(eval(node, bindings, recorder.as_deref_mut())?);
                note(&|| Step::Item(place), &mut recorder);
            }
            Value::array(items)
        }
        Node::Object(fields) => {
            let mut members = Vec::with_capacity(fields.len());
            for field in fields {
                let sink = recorder.as_deref_mut();
                let value = match &field.kind {
                    FieldKind::Plain(node) => eval(node, bindings, sink)?,
                    FieldKind::Dynamic {
                        written,
                        expression: Some(expression),
                    } => eval_field(written, expression, bindings, sink)?,
                    FieldKind::Dynamic { written, .. } => {
                        return Err(QueryError::Field {
                            field: written.clone(),
                        });
                    }
                };
                note(&|| Step::Member(field.name.clone()), &mut recorder);
                members.push((field.name.clone(), value));
            }
            Value::object(members)
        }
    };
    if let Some(recorder) = recorder {
        recorder.result(Provenance::Built(parts));
    }
    Ok(value)
}

fn maker<'n>(node: &'n Node, at: &[Step], written: Pointer) -> Maker<'n, Expression> {
    if let Node::Literal(value) = node {
        return Maker::literal(value, at, written);
    }
    let Some((step, rest)) = at.split_first() else {
        let mut expressions = Vec::new();
        visit(
            node,
            &mut Pointer::root(),
            &mut |at, name, _, expression| {
                let place = at.child(Step::Member(name.clone()));
                expressions.extend(expression.map(|expression| (place, expression)));
            },
        );
        return Maker::Fields {
            written,
            expressions,
            literals: literals(node),
        };
    };
    match (node, step) {
        (Node::Array(nodes), Step::Item(place)) => match nodes.get(*place) {
            Some(node) => maker(node, rest, written.child(step.clone())),
            None => Maker::Nothing,
        },
        (Node::Object(fields), Step::Member(name)) => {
            // Of fields with the same name, the last one is used.
            let field = fields.iter().rev().find(|field| field.name == *name);
            match field.map(|field| &field.kind) {
                Some(FieldKind::Plain(node)) => maker(node, rest, written.child(step.clone())),
                Some(FieldKind::Dynamic {
                    written: key,
                    expression: Some(expression),
                }) => Maker::Expression {
                    written: written.child(Step::Member(key.clone())),
                    expression,
                    rest: rest.to_vec(),
                },
                _ => Maker::Nothing,
            }
        }
        _ => Maker::Nothing,
    }
}

/// Number of literals in a node.
fn literals(node: &Node) -> usize {
    match node {
        Node::Literal(_) => 1,
        Node::Array(nodes) => nodes.iter().map(literals).sum(),
        Node::Object(fields) => {
            let plain = fields.iter().map(|field| match &field.kind {
                FieldKind::Plain(node) => literals(node),
                FieldKind::Dynamic { .. } => 0,
            });
            plain.sum()
        }
    }
}

fn eval_field(
    written: &Text,
    expression: &Expression,
    bindings: &dyn Bindings,
    mut recorder: Option<&mut Recorder>,
) -> Result<Value, QueryError> {
    let result = expression.record(bindings, recorder.as_deref_mut());
    if let Some(recorder) = recorder {
        recorder.next_expression();
    }
    result.map_err(|error| error.in_field(written, bindings.data()))
}

/// Called for each field with the pointer of its object, its name in the output, its name as written and its
/// expression.
type Visitor<'n, 'v> = dyn FnMut(&Pointer, &'n Text, &'n Text, Option<&'n Expression>) + 'v;

fn visit<'n>(node: &'n Node, at: &mut Pointer, each: &mut Visitor<'n, '_>) {
    match node {
        Node::Literal(_) => {}
        Node::Array(nodes) => {
            for (place, node) in nodes.iter().enumerate() {
                at.0.push(Step::Item(place));
                visit(node, at, each);
                at.0.pop();
            }
        }
        Node::Object(fields) => {
            for field in fields {
                match &field.kind {
                    FieldKind::Plain(node) => {
                        at.0.push(Step::Member(field.name.clone()));
                        visit(node, at, each);
                        at.0.pop();
                    }
                    FieldKind::Dynamic {
                        written,
                        expression,
                    } => each(at, &field.name, written, expression.as_ref()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
