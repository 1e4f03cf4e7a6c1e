//! Which data a state drops, and which later state reads it all the same, as far as the text tells.
//!
//! It must not know what the data is.

use super::inputs::{reads, tested_for_presence};
use super::{
    Catcher, Definition, PathField, QueryLanguage, ResultPath, State, StateId, StateKind,
    Transition,
};
use crate::json::{Step, Text};
use crate::query::Path;
use crate::source::{Node, Span};
use std::collections::{HashSet, VecDeque};

/// Top-level members of the data between states that an earlier state has removed.
#[derive(Clone, Debug)]
pub enum Dropped {
    /// These members.
    These(Vec<Text>),
    /// Every member but these.
    AllBut(Vec<Text>),
    /// Every member but these and those whose names begin with a capital, as those of a service's answer do.
    AllButAnswer(Vec<Text>),
}

impl Dropped {
    fn has(&self, name: &Text) -> bool {
        match self {
            Self::These(names) => names.contains(name),
            Self::AllBut(names) => !names.contains(name),
            Self::AllButAnswer(names) => {
                !names.contains(name) && !name.starts_with(|first: char| first.is_uppercase())
            }
        }
    }

    /// Takes a member out: a state puts it back, or asks first whether it is there.
    fn restore(&mut self, name: Text) {
        match self {
            Self::These(names) => names.retain(|known| *known != name),
            Self::AllBut(names) | Self::AllButAnswer(names) => names.push(name),
        }
    }

    /// Whether nothing is dropped any more.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::These(names) if names.is_empty())
    }
}

/// So many states are searched for one that reads what was dropped, and for one that had it: farther ones nobody has
/// in mind, and a search for each of many thousand states has an end.
const FAR: usize = 200;

/// A path that selects nothing, because an earlier state has dropped what it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRead {
    /// The state that reads it.
    pub state: StateId,
    /// The path as written.
    pub path: Text,
    /// Where that stands; the state, where it is not found in its text.
    pub span: Span,
}

impl Definition {
    /// The nearest state, beginning with `next`, that reads a member which is dropped when `next` is entered.
    ///
    /// Where a state replaces the whole document, the search ends: what is missing after it, it took away itself.
    #[must_use]
    pub fn read_of_dropped(&self, next: StateId, dropped: Dropped) -> Option<DroppedRead> {
        let mut seen = HashSet::from([next]);
        let mut waiting = VecDeque::from([(next, dropped)]);
        while let Some((id, mut dropped)) = waiting.pop_front() {
            let Some(state) = self.state(id) else {
                continue;
            };
            let is_far = seen.len() > FAR;
            if dropped.is_nothing() || is_far || state.language == QueryLanguage::Jsonata {
                continue;
            }
            for path in tested_for_presence(state) {
                if let Some(name) = first_name(path) {
                    dropped.restore(name);
                }
            }
            let read = reads(state)
                .into_iter()
                .find(|path| first_name(path).is_some_and(|name| dropped.has(&name)));
            if let Some(path) = read {
                let node = self.node.at(state.span);
                let written = node.and_then(|node| written(node, path.text()));
                return Some(DroppedRead {
                    state: id,
                    path: path.text().into(),
                    span: written.unwrap_or(state.name_span),
                });
            }
            for (next, dropped) in self.ways(state, &dropped) {
                if seen.insert(next) {
                    waiting.push_back((next, dropped));
                }
            }
        }
        None
    }

    /// The top-level members that the input of a state surely or probably has: those that the states before it read,
    /// wrote or made, as long as what they had goes on to here, and those that it reads itself. What a state behind it
    /// reads comes from its own result, and does not count.
    #[must_use]
    pub fn known_in_input(
        &self,
        state: &State,
        id: StateId,
        before: &dyn Fn(StateId) -> Vec<StateId>,
    ) -> Vec<Text> {
        let behind = self.behind(state);
        let mut known = read_names(state);
        let mut seen = HashSet::from([id]);
        let mut waiting = vec![id];
        while let Some(current) = waiting.pop() {
            for earlier in before(current) {
                if seen.len() > FAR || behind.contains(&earlier) || !seen.insert(earlier) {
                    continue;
                }
                let Some(one) = self.state(earlier) else {
                    continue;
                };
                known.extend(self.output_names(one).into_iter().flatten());
                if let ResultPath::Insert(path) = &one.result_path
                    && let Some(Step::Member(name)) = path.steps().first()
                {
                    known.push(name.clone());
                }
                let mut ways = self.ways(one, &Dropped::These(Vec::new())).into_iter();
                if ways.any(|(next, _)| next == current) {
                    known.extend(read_names(one));
                    waiting.push(earlier);
                }
            }
        }
        known
    }

    /// The states that a state's own result reaches.
    fn behind(&self, state: &State) -> HashSet<StateId> {
        let first = match &state.transition {
            Transition::Next(target) => target.state,
            _ => None,
        };
        let mut behind: HashSet<StateId> = first.into_iter().collect();
        let mut waiting: Vec<StateId> = first.into_iter().collect();
        while let Some(id) = waiting.pop() {
            let Some(state) = self.state(id).filter(|_| behind.len() <= FAR) else {
                continue;
            };
            for (next, _) in self.ways(state, &Dropped::These(Vec::new())) {
                if behind.insert(next) {
                    waiting.push(next);
                }
            }
        }
        behind
    }

    /// The states that follow with the input's members in their places, each with what is dropped by then.
    pub(super) fn ways(&self, state: &State, dropped: &Dropped) -> Vec<(StateId, Dropped)> {
        let mut ways = Vec::new();
        if passes_on(state) {
            let dropped = with_result(&state.result_path, dropped);
            let targets = match (&state.transition, &state.kind) {
                (_, StateKind::Choice(choice)) => {
                    let rules = choice.rules.iter().filter_map(|rule| rule.next.as_ref());
                    rules.chain(&choice.default).collect()
                }
                (Transition::Next(target), _) => vec![target],
                _ => Vec::new(),
            };
            let targets = targets.into_iter().filter_map(|target| target.state);
            ways.extend(targets.map(|next| (next, dropped.clone())));
        }
        let kept = state
            .catch
            .iter()
            .filter(|one| !matches!(one.result_path, ResultPath::Replace));
        ways.extend(kept.filter_map(|one| {
            Some((
                one.next.as_ref()?.state?,
                with_result(&one.result_path, dropped),
            ))
        }));
        ways
    }

    /// The members that a state's output has whatever its input, where the text tells them.
    #[must_use]
    pub fn output_names(&self, state: &State) -> Option<Vec<Text>> {
        let plain = matches!(state.output_path, PathField::Whole)
            && matches!(state.result_path, ResultPath::Replace)
            && state.language == QueryLanguage::JsonPath;
        if !plain {
            return None;
        }
        match &state.kind {
            StateKind::Pass {
                result: Some(result),
            } => {
                let members = result.as_object()?.members().iter();
                Some(members.map(|(name, _)| name.clone()).collect())
            }
            StateKind::Pass { result: None } => state.template("Parameters")?.names(),
            StateKind::Task(_) | StateKind::Parallel { .. } | StateKind::Map(_) => {
                state.template("ResultSelector")?.names()
            }
            _ => None,
        }
    }
}

impl Catcher {
    /// The members of what it makes, where that is the error alone.
    #[must_use]
    pub fn output_names(&self) -> Option<Vec<Text>> {
        matches!(self.result_path, ResultPath::Replace)
            .then(|| vec!["Error".into(), "Cause".into()])
    }
}

/// The top-level members of its raw input that a state reads.
fn read_names(state: &State) -> Vec<Text> {
    reads(state).into_iter().filter_map(first_name).collect()
}

/// Whether what a state leaves behind has its input's members in their places.
fn passes_on(state: &State) -> bool {
    let whole = matches!(state.output_path, PathField::Whole);
    let untouched =
        matches!(state.input_path, PathField::Whole) && state.template("Parameters").is_none();
    whole
        && match (&state.kind, &state.result_path) {
            (StateKind::Choice(_) | StateKind::Wait(_), _) => untouched,
            (StateKind::Succeed | StateKind::Fail(_), _) => false,
            (_, ResultPath::Discard | ResultPath::Insert(_)) => true,
            (StateKind::Pass { result: None }, ResultPath::Replace) => untouched,
            (_, ResultPath::Replace) => false,
        }
}

fn with_result(path: &ResultPath, dropped: &Dropped) -> Dropped {
    let mut dropped = dropped.clone();
    if let ResultPath::Insert(path) = path
        && let Some(Step::Member(name)) = path.steps().first()
    {
        dropped.restore(name.clone());
    }
    dropped
}

/// Where a path stands in a state's own text, alone or in a call.
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

fn first_name(path: &Path) -> Option<Text> {
    match path.names()?.into_iter().next()? {
        Step::Member(name) => Some(name),
        Step::Item(_) => None,
    }
}
