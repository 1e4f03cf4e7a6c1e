//! Describes which parts of its arguments a function's value consists of.

use crate::json::{Step, Text};
use crate::query::trace::{Provenance, Recorder};

/// The composition of a value.
pub(super) enum Built {
    /// A part of an argument: the argument's index and the steps from its root to the part.
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
