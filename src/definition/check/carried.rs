//! Where in the input of each state the envelope of an earlier `lambda:invoke` surely stands, by whatever way the state
//! is come to.
//!
//! It must not know what is read of it.

use super::StateAt;
use super::envelope::is_invocation;
use crate::definition::inputs::tested_for_presence;
use crate::definition::{
    Definition, PathField, ResultPath, State, StateId, StateKind, Target, Transition,
};
use crate::json::{Pointer, Step, Text};
use crate::query::{Expression, Path, Root, Template};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// At most so many are followed in one state.
const MOST: usize = 50;

/// An envelope in the data of a state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Carried {
    /// Where it stands.
    pub(super) at: Vec<Step>,
    /// The state that got it.
    pub(super) by: StateId,
    /// Members that it may have besides its own: what was written into it, or asked for.
    pub(super) more: BTreeSet<Text>,
}

/// The envelopes in the raw input of each state; of a state in `but` none.
pub(super) fn carried(
    definition: &Definition,
    states: &[StateAt<'_>],
    but: &HashSet<StateId>,
) -> HashMap<StateId, Vec<Carried>> {
    let mut inputs: HashMap<StateId, Vec<Carried>> = HashMap::new();
    let mut waiting: VecDeque<StateId> = VecDeque::new();
    // A branch begins with what its Parallel has, everything else with what nothing is known of.
    for scope in &definition.scopes {
        let owner = scope.owner.and_then(|owner| definition.state(owner));
        let is_branch = owner.is_some_and(|owner| matches!(owner.kind, StateKind::Parallel { .. }));
        let start = scope.start_at.as_ref().and_then(|start| start.state);
        if let Some(start) = start.filter(|_| !is_branch) {
            inputs.insert(start, Vec::new());
            waiting.push_back(start);
        }
    }
    let known: HashMap<StateId, StateAt<'_>> = states.iter().map(|at| (at.id, *at)).collect();
    while let Some(id) = waiting.pop_front() {
        let (Some(at), Some(input)) = (known.get(&id), inputs.get(&id)) else {
            continue;
        };
        for (next, mut out) in onwards(definition, *at, input, but) {
            out.truncate(MOST);
            let merged = match inputs.get(&next) {
                None => out,
                Some(before) => met(before, &out),
            };
            if inputs.get(&next) != Some(&merged) {
                inputs.insert(next, merged);
                waiting.push_back(next);
            }
        }
    }
    inputs
}

/// What is in both.
fn met(one: &[Carried], other: &[Carried]) -> Vec<Carried> {
    let in_both = one.iter().filter_map(|one| {
        let same = other.iter().find(|other| other.at == one.at)?;
        Some(Carried {
            at: one.at.clone(),
            by: one.by.min(same.by),
            more: one.more.union(&same.more).cloned().collect(),
        })
    });
    in_both.collect()
}

/// The states that a state leads to, each with the envelopes in what it gets.
fn onwards(
    definition: &Definition,
    at: StateAt<'_>,
    input: &[Carried],
    but: &HashSet<StateId>,
) -> Vec<(StateId, Vec<Carried>)> {
    let state = at.state;
    let mut found: Vec<(StateId, Vec<Carried>)> = Vec::new();
    let mut lead = |target: Option<&Target>, data: Vec<Carried>| {
        found.extend(target.and_then(|target| target.state).map(|id| (id, data)));
    };
    let output = match at.is_jsonata() {
        true => passed_by_jsonata(state, input),
        false => output(at, input, but),
    };
    if let Transition::Next(next) = &state.transition {
        lead(Some(next), output.clone());
    }
    if let StateKind::Choice(choice) = &state.kind {
        for rule in &choice.rules {
            let own = match rule.jsonata.output {
                Some(_) => Vec::new(),
                None => output.clone(),
            };
            lead(rule.next.as_ref(), own);
        }
        lead(choice.default.as_ref(), output);
    }
    for catcher in &state.catch {
        let data = match (&catcher.result_path, at.is_jsonata()) {
            (_, true) | (ResultPath::Replace, _) => Vec::new(),
            (ResultPath::Discard, _) => input.to_vec(),
            (ResultPath::Insert(path), _) => without(input, path.steps()),
        };
        lead(catcher.next.as_ref(), data);
    }
    if let StateKind::Parallel { branches } = &state.kind {
        let given = match (at.is_jsonata(), &state.jsonata.arguments) {
            (true, Some(_)) => Vec::new(),
            (true, None) => input.to_vec(),
            (false, _) => effective(state, input),
        };
        for scope in branches.iter().filter_map(|id| definition.scope(*id)) {
            lead(scope.start_at.as_ref(), given.clone());
        }
    }
    found
}

fn passed_by_jsonata(state: &State, input: &[Carried]) -> Vec<Carried> {
    match state.kind.passes_input() && state.jsonata.output.is_none() {
        true => input.to_vec(),
        false => Vec::new(),
    }
}

fn output(at: StateAt<'_>, input: &[Carried], but: &HashSet<StateId>) -> Vec<Carried> {
    let state = at.state;
    let result = match &state.kind {
        StateKind::Choice(_) | StateKind::Wait(_) | StateKind::Succeed => {
            let mut passed = selected(input, &state.input_path);
            for path in tested_for_presence(state) {
                ask(&mut passed, path);
            }
            return selected(&passed, &state.output_path);
        }
        StateKind::Pass { result: None } => effective(state, input),
        StateKind::Task(_) if is_invocation(state) && !but.contains(&at.id) => {
            let own = [Carried {
                at: Vec::new(),
                by: at.id,
                more: BTreeSet::new(),
            }];
            match &state.result_selector {
                Some(template) => copied(template, &own),
                None => own.to_vec(),
            }
        }
        _ => Vec::new(),
    };
    // Behind an InputPath it is not sure what a result is put beside.
    let beside = match state.input_path {
        PathField::Whole => input,
        _ => &[],
    };
    let merged = match &state.result_path {
        ResultPath::Replace => result,
        ResultPath::Discard => beside.to_vec(),
        ResultPath::Insert(path) => {
            let mut all = without(beside, path.steps());
            all.extend(result.into_iter().map(|one| Carried {
                at: [path.steps(), &one.at].concat(),
                ..one
            }));
            all
        }
    };
    selected(&merged, &state.output_path)
}

/// What a state's work is given.
fn effective(state: &State, input: &[Carried]) -> Vec<Carried> {
    let given = selected(input, &state.input_path);
    match &state.parameters {
        Some(template) => copied(template, &given),
        None => given,
    }
}

/// What is left where a path selects from the data.
pub(super) fn selected(data: &[Carried], path: &PathField) -> Vec<Carried> {
    let names = match path {
        PathField::Whole => return data.to_vec(),
        PathField::Null => return Vec::new(),
        PathField::Path(path) => path.names().filter(|_| *path.root() == Root::Data),
    };
    let Some(names) = names else {
        return Vec::new();
    };
    moved(data, &names, &[]).collect()
}

/// What stands below a place, as it stands below another.
fn moved<'c>(
    data: &'c [Carried],
    from: &'c [Step],
    to: &'c [Step],
) -> impl Iterator<Item = Carried> + 'c {
    data.iter().filter_map(move |one| {
        let rest = one.at.strip_prefix(from)?;
        Some(Carried {
            at: [to, rest].concat(),
            ..one.clone()
        })
    })
}

/// What a template copies as it is.
fn copied(template: &Template, data: &[Carried]) -> Vec<Carried> {
    let mut found = Vec::new();
    for (Pointer(mut place), expression) in template.expressions() {
        let Expression::Path(path) = expression else {
            continue;
        };
        let names = path.names().filter(|_| *path.root() == Root::Data);
        let Some(names) = names else { continue };
        if let Some(Step::Member(name)) = place.last_mut() {
            *name = name.strip_suffix(".$").unwrap_or(name).into();
        }
        found.extend(moved(data, &names, &place));
    }
    found
}

/// What is left where something is put at a place.
fn without(data: &[Carried], place: &[Step]) -> Vec<Carried> {
    let left = data.iter().filter(|one| !one.at.starts_with(place));
    let left = left.cloned().map(|mut one| {
        if let Some([Step::Member(name), ..]) = place.strip_prefix(&*one.at) {
            one.more.insert(name.clone());
        }
        one
    });
    left.collect()
}

/// A path of which it is asked whether it is there: behind that nothing is sure.
fn ask(data: &mut [Carried], path: &Path) {
    let names = path.leading_names();
    for one in data {
        if let Some([Step::Member(name), ..]) = names.strip_prefix(&*one.at) {
            one.more.insert(name.clone());
        }
    }
}
