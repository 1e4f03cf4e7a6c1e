//! An intrinsic function: its name, its parameters, its implementation and its errors. Also which parts of the
//! arguments the function's value consists of.

use crate::json::{Step, Text, Value};
use crate::query::Bindings;
use crate::query::trace::{Provenance, Recorder};
use std::fmt;

pub(super) type Outcome = Result<Value, Failure>;

type Run = fn(&[Value], &dyn Bindings) -> Outcome;

/// Describes which parts of the arguments a function's value consists of; `None` if the function rejects the arguments.
type Build = fn(&[Value]) -> Option<Built>;

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
    pub(super) run: Run,
    /// Describes which parts of the arguments the value consists of; `None` if the value is computed instead.
    pub(super) built: Option<Build>,
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

    pub(super) const fn built_as(mut self, built: Build) -> Self {
        self.built = Some(built);
        self
    }
}

pub(super) const fn function(
    name: &'static str,
    (min, max): (usize, Option<usize>),
    parameters: &'static [Parameter],
    run: Run,
) -> Function {
    Function {
        name,
        min,
        max,
        parameters,
        run,
        built: None,
    }
}

/// The reason why a function has no value.
#[derive(Debug)]
pub(super) enum Failure {
    /// Wrong arguments of any kind, for which AWS has only one message.
    Arguments,
    /// A message specific to the function.
    Message(String),
}

/// How the value of a function is made from its arguments.
pub(super) enum Built {
    /// A part of an argument: the argument's index, and the steps from the argument's root to the part.
    Part(usize, Vec<Step>),
    /// A new array of these items.
    Array(Vec<Built>),
    /// A new object with these members.
    Object(Vec<(Text, Built)>),
}

impl Built {
    /// True if the value is an array of unchanged arguments.
    pub(super) fn is_of_whole_arguments(&self) -> bool {
        let is_whole = |item: &Self| matches!(item, Self::Part(_, steps) if steps.is_empty());
        matches!(self, Self::Array(items) if items.iter().all(is_whole))
    }

    /// The provenance of the value, computed from the provenance of the arguments.
    pub(super) fn provenance(&self, arguments: &[Provenance], recorder: &Recorder) -> Provenance {
        match self {
            Self::Part(argument, steps) => {
                let whole = arguments.get(*argument);
                whole.map_or(Provenance::Unknown, |whole| recorder.part(whole, steps))
            }
            Self::Array(items) => Provenance::items(
                items
                    .iter()
                    .map(|item| item.provenance(arguments, recorder)),
            ),
            Self::Object(members) => {
                let parts = members.iter().map(|(name, member)| {
                    let from = member.provenance(arguments, recorder);
                    (Step::Member(name.clone()), from)
                });
                Provenance::Built(parts.collect())
            }
        }
    }
}
