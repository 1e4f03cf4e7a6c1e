//! A call of an intrinsic function: compiled once, then evaluated with different bindings.

mod format;
mod function;
mod library;
mod parse;

pub use format::Braces;
pub use function::{Function, Parameter};
pub use library::{FUNCTIONS, digest, digest_bytes};

use self::function::Failure;
use self::parse::{ArgumentKind, CallNode};
use super::error::quoted;
use super::trace::{Provenance, Recorder, Role};
use super::{Bindings, Evaluate, Path, QueryError, SyntaxError};
use crate::json::{Text, Value};
use std::ops::Range;
use std::sync::Arc;

/// A compiled call. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Intrinsic {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    text: Text,
    call: CallNode,
}

/// A function call in an expression, for checks that do not evaluate it.
#[derive(Clone, Debug)]
pub struct Call<'i> {
    /// The function.
    pub function: &'static Function,
    /// Byte range of the call in the expression.
    pub range: Range<usize>,
    /// The arguments.
    pub arguments: Vec<Argument<'i>>,
    /// For `States.Format` with a literal template: the number of placeholders or, if the template is wrong, AWS's
    /// message.
    pub placeholders: Option<Result<usize, String>>,
    /// Tells how the literal template of `States.Format` escapes braces that were probably meant as a placeholder;
    /// `None` if it does not.
    pub braces: Option<Braces>,
}

/// An argument of a [`Call`].
#[derive(Clone, Debug)]
pub struct Argument<'i> {
    /// Byte range in the expression.
    pub range: Range<usize>,
    /// The argument's value, if it is a literal.
    pub literal: Option<&'i Value>,
    /// The parsed path, if the argument is a path.
    pub path: Option<&'i Path>,
}

impl Intrinsic {
    /// Compiles `States.Name(…)`. The number of arguments is not checked, because AWS does not check it either.
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

    /// The name of the outermost function.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.inner.call.function.name
    }

    /// Returns this call and every call in its arguments, outer calls first.
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
                    .map(|argument| Argument {
                        range: argument.range.clone(),
                        literal: match &argument.kind {
                            ArgumentKind::Literal(value) => Some(value),
                            _ => None,
                        },
                        path: match &argument.kind {
                            ArgumentKind::Path(path) => Some(path),
                            _ => None,
                        },
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

    /// Returns every path in the arguments, in the order of the text.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        self.located_paths()
            .into_iter()
            .map(|(_, path)| path)
            .collect()
    }

    /// Returns every path in the arguments, with its byte range in the expression.
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

    /// Returns the byte range of the call, path, path step or literal that has the number `node`.
    #[must_use]
    pub fn range(&self, node: u32) -> Option<Range<usize>> {
        let mut next = 0;
        self.inner.call.range(node, &mut next)
    }
}

/// Evaluates the call. The recorder gets numbers for the calls, paths, path steps and literals: they are numbered in
/// the order of the text.
impl Evaluate for Intrinsic {
    fn record(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        Evaluation {
            text: &self.inner.text,
            bindings,
            recorder,
        }
        .call(&self.inner.call)
    }
}

/// Calls are equal if their texts are equal.
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

    /// Returns the byte range of the call, path, path step or literal that has the number `node`. `next` is the number
    /// of this call; if `node` is not inside this call, `next` becomes the first number after the call.
    fn range(&self, node: u32, next: &mut usize) -> Option<Range<usize>> {
        let wanted = usize::try_from(node).ok()?;
        if wanted == *next {
            return Some(self.range.clone());
        }
        *next += 1;
        for argument in &self.arguments {
            let (numbers, path) = match &argument.kind {
                ArgumentKind::Call(inner) => match inner.range(node, next) {
                    Some(range) => return Some(range),
                    None => continue,
                },
                ArgumentKind::Literal(_) => (1, None),
                ArgumentKind::Path(path) => (1 + path.ranges().len(), Some(path)),
            };
            if let Some(step) = wanted.checked_sub(*next)
                && step < numbers
            {
                let ranges = path.map_or(&[][..], |path| path.ranges());
                let inner = step.checked_sub(1).and_then(|step| ranges.get(step));
                let start = argument.range.start;
                return Some(match inner {
                    Some(inner) => start + inner.start..start + inner.end,
                    None => argument.range.clone(),
                });
            }
            *next += numbers;
        }
        None
    }
}

struct Evaluation<'e, 'r> {
    text: &'e Text,
    bindings: &'e dyn Bindings,
    recorder: Option<&'r mut Recorder>,
}

impl Evaluation<'_, '_> {
    fn call(&mut self, call: &CallNode) -> Result<Value, QueryError> {
        let Some(recorder) = &mut self.recorder else {
            return self.run(call);
        };
        let act = recorder.begin(1, Role::Operand);
        let result = self.run(call);
        if let Some(recorder) = &mut self.recorder {
            let from = recorder.take();
            recorder.result(match from {
                Provenance::Unknown => Provenance::Made(act),
                known => known,
            });
            recorder.end(act, result.as_ref().ok());
        }
        result
    }

    fn run(&mut self, call: &CallNode) -> Result<Value, QueryError> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        let mut origins = Vec::new();
        for argument in &call.arguments {
            arguments.push(match &argument.kind {
                ArgumentKind::Literal(value) => self.literal(value),
                ArgumentKind::Path(path) => self.path(path)?,
                ArgumentKind::Call(inner) => self.call(inner)?,
            });
            origins.extend(self.recorder.as_mut().map(|recorder| recorder.take()));
        }
        let function = call.function;
        let result = if !function.takes(arguments.len()) {
            Err(Failure::Arguments)
        } else if let Some(template) = &call.template {
            let values = arguments.get(1..).unwrap_or_default();
            format::fill(template.as_ref(), values, self.bindings)
        } else {
            (function.run)(&arguments, self.bindings)
        };
        if let (Some(recorder), Ok(_)) = (&mut self.recorder, &result)
            && let Some(built) = function.built.and_then(|built| built(&arguments))
        {
            let from = built.provenance(&origins, recorder);
            recorder.result(from);
            // All arguments together decide which of their parts the value contains, so the value depends on each of
            // them.
            if !built.is_of_whole_arguments() {
                recorder.decide_below();
            }
        }
        result.map_err(|failure| QueryError::Intrinsic {
            expression: self.text.clone(),
            message: match failure {
                Failure::Arguments => format!("Invalid arguments in {name}", name = function.name),
                Failure::Message(message) => message,
            },
        })
    }

    fn literal(&mut self, value: &Value) -> Value {
        if let Some(recorder) = &mut self.recorder {
            recorder.literal(value);
        }
        value.clone()
    }

    fn path(&mut self, path: &Path) -> Result<Value, QueryError> {
        let recorder = self.recorder.as_deref_mut();
        let result = path.record(self.bindings, recorder);
        result.map_err(|error| match error {
            QueryError::NoMatch { path, .. } => QueryError::IntrinsicArgument {
                expression: self.text.clone(),
                path,
                input: quoted(self.bindings.data()),
            },
            other => other,
        })
    }
}

#[cfg(test)]
mod tests;
