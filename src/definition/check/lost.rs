//! Finds the state that reads data which an earlier state dropped.

use super::StateAt;
use super::facts::Facts;
use super::flow::FAR;
use super::hashed::HashSet;
use super::shape::{Maker, Part, Shape};
use super::shapes::{Known, after, first_name, names};
use crate::definition::inputs::{reads, tested_for_presence};
use crate::definition::{Definition, StateId};
use crate::json::Text;
use crate::source::{Node, Span};
use std::collections::VecDeque;

/// A path that selects nothing, because an earlier state dropped the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRead {
    /// The state that contains the path.
    pub state: StateId,
    /// The path as written.
    pub path: Text,
    /// Span of the path; if the path is not found in the state's text, the span of the state's name.
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
        read_behind(
            (self, &facts),
            next,
            Shape::without(dropped, by),
            by,
            &|_| false,
        )
    }
}

/// The nearest state, beginning with `next`, that reads a member which the object that `by` makes lacks, where `next` gets
/// that object; members that `may` be in it all the same do not count.
pub(super) fn read_behind<'d>(
    (definition, facts): (&'d Definition, &'d Facts<'d>),
    next: StateId,
    object: Shape,
    by: Maker,
    may: &dyn Fn(&Text) -> bool,
) -> Option<DroppedRead> {
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
            lack.is_some_and(|lack| lack.makers.contains(&by)) && !may(name)
        };
        let mut paths = reads(at.state).into_iter();
        if let Some(path) = paths.find(|path| first_name(path).is_some_and(|name| lacks(&name))) {
            return Some(DroppedRead {
                state: id,
                path: path.text().into(),
                span: written(at.node, path.text()).unwrap_or(at.state.name_span),
            });
        }
        for (next, known) in after(at, &known) {
            if seen.insert(next) {
                waiting.push_back((next, known));
            }
        }
    }
    None
}

/// Span of a path in a state's own text, alone or as an argument of a call.
fn written(node: &Node, path: &str) -> Option<Span> {
    if let Some(string) = node.string() {
        let is_longer = |end: usize| {
            let after = string.text.get(end..).and_then(|text| text.chars().next());
            after.is_some_and(|letter| letter.is_alphanumeric() || "_-.[".contains(letter))
        };
        let mut found = string.text.match_indices(path).map(|(start, _)| start);
        let start = found.find(|start| !is_longer(start + path.len()))?;
        return Some(node.inner_span(start..start + path.len()));
    }
    let items = node.items().into_iter().flatten();
    let members = node.members().into_iter().flatten();
    let own = members.filter(|member| !matches!(&*member.key.text, "Branches" | "States"));
    let mut parts = items.chain(own.map(|member| &member.value));
    parts.find_map(|part| written(part, path))
}
