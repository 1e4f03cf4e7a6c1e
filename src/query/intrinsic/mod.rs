//! An intrinsic function call, compiled once and evaluated on the bindings of an expression.
//!
//! It must not know the field it is written in.

mod failure;
mod format;
mod function;
mod hashing;
mod parse;
mod refusal;

pub use format::Braces;
pub use function::{FUNCTIONS, Function};
pub use hashing::{digest, digest_bytes};

use self::failure::Failure;
use super::error::quoted;
use super::{Bindings, Path, QueryError, SyntaxError};
use crate::json::{Text, Value};
use std::ops::Range;
use std::sync::Arc;

/// A compiled call. Cloning copies a pointer.
#[derive(Clone, Debug)]
pub struct Intrinsic {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    text: Text,
    call: CallNode,
}

#[derive(Debug)]
struct CallNode {
    function: &'static Function,
    range: Range<usize>,
    arguments: Vec<Argument>,
    /// The parsed template, if the first argument of `States.Format` is a literal.
    template: Option<Result<format::Template, format::Unmatched>>,
}

#[derive(Debug)]
struct Argument {
    range: Range<usize>,
    kind: ArgumentKind,
}

#[derive(Debug)]
enum ArgumentKind {
    Literal(Value),
    Path(Path),
    Call(CallNode),
}

/// One call of an expression, for checks that do not evaluate it.
#[derive(Clone, Debug)]
pub struct Call<'i> {
    /// The function.
    pub function: &'static Function,
    /// Byte range of the call in the expression.
    pub range: Range<usize>,
    /// The arguments: byte range and, for a literal, the value.
    pub arguments: Vec<(Range<usize>, Option<&'i Value>)>,
    /// For a literal template of `States.Format`: its number of placeholders, or AWS's error message.
    pub placeholders: Option<Result<usize, String>>,
    /// Escaped braces of that template that probably were to be a place.
    pub braces: Option<Braces>,
}

/// The value of a part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct SubExpression {
    /// The part as written.
    pub text: Text,
    /// Its byte range in the expression.
    pub range: Range<usize>,
    /// Its value, or why there is none.
    pub value: Result<Value, QueryError>,
}

impl Intrinsic {
    /// Compiles `States.Name(…)`; the number of arguments is not checked, because AWS does not check it.
    ///
    /// # Errors
    /// If `text` is not a call of a known function.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let call = parse::whole(text)?;
        Ok(Self {
            inner: Arc::new(Inner {
                text: text.into(),
                call,
            }),
        })
    }

    /// The call as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The outermost function's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.inner.call.function.name
    }

    /// Every call, outer calls first.
    #[must_use]
    pub fn calls(&self) -> Vec<Call<'_>> {
        let mut calls = Vec::new();
        self.inner.call.visit(&mut |node| {
            calls.push(Call {
                function: node.function,
                range: node.range.clone(),
                arguments: node
                    .arguments
                    .iter()
                    .map(|argument| {
                        let literal = match &argument.kind {
                            ArgumentKind::Literal(value) => Some(value),
                            _ => None,
                        };
                        (argument.range.clone(), literal)
                    })
                    .collect(),
                placeholders: node.template.as_ref().map(|template| match template {
                    Ok(template) => Ok(template.places()),
                    Err(unmatched) => Err(unmatched.message()),
                }),
                braces: node
                    .template
                    .as_ref()
                    .and_then(|template| template.as_ref().ok()?.braces()),
            });
        });
        calls
    }

    /// Every path, in source order.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        self.located_paths()
            .into_iter()
            .map(|(_, path)| path)
            .collect()
    }

    /// Every path with its byte range.
    #[must_use]
    pub fn located_paths(&self) -> Vec<(Range<usize>, &Path)> {
        let mut paths = Vec::new();
        self.inner.call.visit(&mut |node| {
            for argument in &node.arguments {
                if let ArgumentKind::Path(path) = &argument.kind {
                    paths.push((argument.range.clone(), path));
                }
            }
        });
        paths.sort_by_key(|(range, _)| range.start);
        paths
    }

    /// Evaluates the call.
    ///
    /// # Errors
    /// If a path has no match or a function fails.
    pub fn eval(&self, bindings: &dyn Bindings) -> Result<Value, QueryError> {
        Evaluation {
            text: &self.inner.text,
            bindings,
            trace: None,
        }
        .call(&self.inner.call)
    }

    /// The value of every part, inner parts first, up to the one that failed.
    #[must_use]
    pub fn explain(&self, bindings: &dyn Bindings) -> Vec<SubExpression> {
        let mut evaluation = Evaluation {
            text: &self.inner.text,
            bindings,
            trace: Some(Vec::new()),
        };
        let _ = evaluation.call(&self.inner.call);
        evaluation.trace.unwrap_or_default()
    }
}

/// Calls are equal if their texts are.
impl PartialEq for Intrinsic {
    fn eq(&self, other: &Self) -> bool {
        self.inner.text == other.inner.text
    }
}

impl Eq for Intrinsic {}

impl CallNode {
    fn visit<'n>(&'n self, each: &mut dyn FnMut(&'n CallNode)) {
        each(self);
        for argument in &self.arguments {
            if let ArgumentKind::Call(call) = &argument.kind {
                call.visit(each);
            }
        }
    }
}

struct Evaluation<'e> {
    text: &'e Text,
    bindings: &'e dyn Bindings,
    trace: Option<Vec<SubExpression>>,
}

impl Evaluation<'_> {
    fn call(&mut self, call: &CallNode) -> Result<Value, QueryError> {
        let result = self.run(call);
        self.note(&call.range, &result);
        result
    }

    fn run(&mut self, call: &CallNode) -> Result<Value, QueryError> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(match &argument.kind {
                ArgumentKind::Literal(value) => value.clone(),
                ArgumentKind::Path(path) => self.path(path, &argument.range)?,
                ArgumentKind::Call(inner) => self.call(inner)?,
            });
        }
        let function = call.function;
        let result = if !function.takes(arguments.len()) {
            Err(Failure::Arguments)
        } else if let Some(template) = &call.template {
            let values = arguments.get(1..).unwrap_or_default();
            format::fill(template.as_ref(), values, self.bindings)
        } else {
            function.run(&arguments, self.bindings)
        };
        result.map_err(|failure| QueryError::Intrinsic {
            expression: self.text.clone(),
            message: match failure {
                Failure::Arguments => format!("Invalid arguments in {}", function.name),
                Failure::Message(message) => message,
            },
        })
    }

    fn path(&mut self, path: &Path, range: &Range<usize>) -> Result<Value, QueryError> {
        let result = path.eval(self.bindings).map_err(|error| match error {
            QueryError::NoMatch { path, .. } => QueryError::IntrinsicArgument {
                expression: self.text.clone(),
                path,
                input: quoted(self.bindings.data()),
            },
            other => other,
        });
        self.note(range, &result);
        result
    }

    fn note(&mut self, range: &Range<usize>, result: &Result<Value, QueryError>) {
        if let Some(trace) = &mut self.trace {
            trace.push(SubExpression {
                text: self.text.get(range.clone()).unwrap_or("").into(),
                range: range.clone(),
                value: result.clone(),
            });
        }
    }
}

#[cfg(test)]
mod tests;
