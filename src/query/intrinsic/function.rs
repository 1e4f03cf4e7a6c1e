//! An intrinsic function: its name, its parameters and its implementation.

use super::built::Built;
use super::failure::Failure;
use crate::json::Value;
use crate::query::Bindings;
use std::fmt;

pub(super) type Outcome = Result<Value, Failure>;

pub(super) type Run = fn(&[Value], &dyn Bindings) -> Outcome;

/// Describes which parts of the arguments the value consists of; `None` if the function rejects the arguments.
pub(super) type Build = fn(&[Value]) -> Option<Built>;

/// The type required of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A string.
    Text,
    /// A number.
    Number,
    /// An array.
    Array,
    /// An object.
    Object,
    /// Any type.
    Any,
}

/// One intrinsic function.
#[derive(Clone, Copy)]
pub struct Function {
    /// Name including `States.`.
    pub name: &'static str,
    /// Minimum number of arguments.
    pub min: usize,
    /// Maximum number of arguments; `None` if unlimited.
    pub max: Option<usize>,
    /// The types of the first parameters; any further argument may have any type.
    parameters: &'static [Parameter],
    /// One-line description.
    pub doc: &'static str,
    run: Run,
    /// `None` if the value is computed rather than composed of parts of the arguments.
    built: Option<Build>,
}

/// Functions are equal if their names are equal.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

impl Function {
    /// True if the function accepts this number of arguments.
    #[must_use]
    pub fn takes(&self, arguments: usize) -> bool {
        arguments >= self.min && self.max.is_none_or(|max| arguments <= max)
    }

    /// The type required of the argument at `index`.
    #[must_use]
    pub fn parameter(&self, index: usize) -> Parameter {
        let parameter = self.parameters.get(index);
        parameter.copied().unwrap_or(Parameter::Any)
    }

    pub(super) fn run(&self, arguments: &[Value], bindings: &dyn Bindings) -> Outcome {
        (self.run)(arguments, bindings)
    }

    /// Describes which parts of the arguments the value consists of; `None` if the value is computed.
    pub(super) fn built(&self, arguments: &[Value]) -> Option<Built> {
        self.built.and_then(|built| built(arguments))
    }

    pub(super) const fn built_as(mut self, built: Build) -> Self {
        self.built = Some(built);
        self
    }
}

pub(super) const fn function(
    name: &'static str,
    (min, max): (usize, Option<usize>),
    parameters: &'static [Parameter],
    doc: &'static str,
    run: Run,
) -> Function {
    Function {
        name,
        min,
        max,
        parameters,
        doc,
        run,
        built: None,
    }
}
