//! The description of an intrinsic function: its name, its parameters, its implementation and its errors. Also tells
//! which parts of the arguments appear in the function's value: the search for origins needs this.

use crate::json::{Step, Text, Value};
use crate::query::Bindings;
use crate::query::trace::{Provenance, Recorder};
use std::fmt;

pub(super) type Outcome = Result<Value, Failure>;

type Run = fn(&[Value], &dyn Bindings) -> Outcome;

/// Tells how a function's value is composed of parts of its arguments; `None` if the function rejects the arguments.
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

/// An intrinsic function that expressions can call.
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
    /// Tells how the value is composed of parts of the arguments. `None` if the function computes a new value.
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
    /// The arguments are wrong. AWS has the same message for every wrong argument.
    Arguments,
    /// The function failed with a message of its own.
    Message(String),
}

/// The parts of its arguments of which a function's value is composed.
pub(super) enum Built {
    /// An unchanged part of an argument: the argument's index, and the path from the argument's root to the part.
    Part(usize, Vec<Step>),
    /// A new array of these items.
    Array(Vec<Built>),
    /// A new object with these members.
    Object(Vec<(Text, Built)>),
}

impl Built {
    /// True if the value is an array whose items are complete arguments.
    pub(super) fn is_of_whole_arguments(&self) -> bool {
        let is_whole = |item: &Self| matches!(item, Self::Part(_, steps) if steps.is_empty());
        matches!(self, Self::Array(items) if items.iter().all(is_whole))
    }

    /// Returns the provenance of the value (where its parts come from), computed from the provenance of the arguments.
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
