//! Finds the state that reads data which an earlier state dropped.

use super::StateAt;
use super::facts::{Facts, Read};
use super::flow::FAR;
use super::hashed::HashSet;
use super::shape::{Maker, Part, Shape};
use super::shapes::{Known, after, names};
use crate::definition::inputs::tested_for_presence;
use crate::definition::{Definition, StateId};
use crate::json::Text;
use crate::source::Span;
use std::collections::VecDeque;

/// A path that selects nothing, because an earlier state dropped the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRead {
    /// The state that contains the path.
    pub state: StateId,
    /// The path as written.
    pub path: Text,
    /// Span of the path.
    pub span: Span,
}

impl Definition {
    /// Returns the nearest state, starting with `next`, that reads one of the members `dropped` from its input, if
    /// `next` is entered without them.
    #[must_use]
    pub fn read_of_dropped(&self, next: StateId, dropped: Vec<Text>) -> Option<DroppedRead> {
        let by = Maker {
            state: next,
            part: Part::Envelope,
        };
        let facts = Facts::of(self);
        let object = Shape::without(dropped, by);
        let (state, read) = read_behind((self, &facts), next, object, by, &|_, _| false)?;
        Some(DroppedRead {
            state,
            path: read.path.as_str().into(),
            span: read.span,
        })
    }
}

/// The nearest state that reads a member which an object lacks, and the read. `by` created the object, and `next` is
/// entered with it. Members for which `may` is true count as present.
pub(super) fn read_behind<'d>(
    (definition, facts): (&'d Definition, &'d Facts<'d>),
    next: StateId,
    object: Shape,
    by: Maker,
    may: &dyn Fn(StateId, &Text) -> bool,
) -> Option<(StateId, &'d Read<'d>)> {
    let mut seen = HashSet::from_iter([next]);
    let mut waiting = VecDeque::from([(next, Known::of(object))]);
    while let Some((id, known)) = waiting.pop_front() {
        let Some(at) = StateAt::of(definition, facts, id) else {
            continue;
        };
        let is_lost = matches!(&known.input, Shape::Object { makers, .. } if makers.contains(&by));
        if at.is_jsonata() || seen.len() > FAR || !is_lost {
            continue;
        }
        let asked = tested_for_presence(at.state).into_iter().filter_map(names);
        let input = asked.fold(known.input.clone(), |input, names| input.asked(&names));
        let lacks = |name: &Text| {
            let lack = input.lack(std::slice::from_ref(name));
            lack.is_some_and(|lack| lack.makers.contains(&by)) && !may(id, name)
        };
        let mut reads = at.reads().iter();
        if let Some(read) = reads.find(|read| read.needs().is_some_and(lacks)) {
            return Some((id, read));
        }
        for (next, known) in after(at, &known) {
            if seen.insert(next) {
                waiting.push_back((next, known));
            }
        }
    }
    None
}
