//! Of which parts of its arguments the value of a function is built.

use crate::json::{Step, Text};
use crate::query::trace::{Provenance, Recorder};

/// What a value is built of.
pub(super) enum Built {
    /// A part of an argument.
    Part(usize, Vec<Step>),
    /// A new array of these.
    Array(Vec<Built>),
    /// A new object of these.
    Object(Vec<(Text, Built)>),
}

impl Built {
    /// True if it is an array of arguments as they are.
    pub(super) fn is_of_whole_arguments(&self) -> bool {
        let is_whole = |item: &Self| matches!(item, Self::Part(_, steps) if steps.is_empty());
        matches!(self, Self::Array(items) if items.iter().all(is_whole))
    }

    /// Where the value came from if its arguments came from `arguments`.
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
