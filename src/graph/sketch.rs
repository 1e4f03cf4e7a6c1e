//! What a drawing shows of a definition: states, links and scopes.
//!
//! It must not know positions on the screen.

use super::clause::Clause;
use super::condition::rule_labels;
use super::model::{BoxType, EdgeKind};
use crate::definition::{
    CallPattern, Definition, Integration, MapMode, State, StateId, StateKind, Target, Transition,
};

/// A machine, reduced to what a drawing needs. State ids are indices of `states`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Every scope, an outer one before its inner ones; the first is the machine's own.
    pub scopes: Vec<SketchScope>,
    /// Every state.
    pub states: Vec<SketchState>,
}

/// The states of one scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SketchScope {
    /// The first state.
    pub start: Option<StateId>,
    /// Its states.
    pub states: Vec<StateId>,
}

/// One state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SketchState {
    /// Name as written, or a description of a generated state of a compiled program.
    pub name: String,
    /// Its type.
    pub kind: BoxType,
    /// Total number of retries its retriers allow; `None` without `Retry`.
    pub retries: Option<u64>,
    /// What it is and calls, in a few words.
    pub detail: Option<String>,
    /// How its end is known or its items run, where that is not as usual: `.sync`, `callback`, `DISTRIBUTED`.
    pub tag: Option<&'static str>,
    /// Its successors, the usual one first.
    pub links: Vec<Link>,
    /// The scopes inside, as indices of [`Sketch::scopes`].
    pub scopes: Vec<usize>,
}

/// One transition from a state to a successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The next state; `None` for the end.
    pub to: Option<StateId>,
    /// Why it is taken.
    pub kind: EdgeKind,
    /// What its label says.
    pub label: Option<Clause>,
}

impl Sketch {
    /// What is drawn of `definition`.
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        let scopes = definition.scopes.iter().map(|scope| SketchScope {
            start: scope.start_at.as_ref().and_then(|target| target.state),
            states: scope.states.clone(),
        });
        let states = definition.states.iter().map(|state| SketchState {
            name: state.label().into_owned(),
            kind: kind(state),
            retries: (!state.retry.is_empty()).then(|| {
                let sum = |sum: u64, attempts: u64| sum.saturating_add(attempts);
                state.retry.iter().map(|r| r.max_attempts).fold(0, sum)
            }),
            detail: Some(detail(state)),
            tag: tag(state),
            links: links(state),
            scopes: state.inner().iter().map(|id| id.0 as usize).collect(),
        });
        Self {
            scopes: scopes.collect(),
            states: states.collect(),
        }
    }

    /// A state.
    #[must_use]
    pub fn state(&self, id: StateId) -> Option<&SketchState> {
        self.states.get(id.0 as usize)
    }
}

fn kind(state: &State) -> BoxType {
    match state.kind {
        StateKind::Pass { .. } => BoxType::Pass,
        StateKind::Task(_) => BoxType::Task,
        StateKind::Choice(_) => BoxType::Choice,
        StateKind::Wait(_) => BoxType::Wait,
        StateKind::Succeed => BoxType::Succeed,
        StateKind::Fail(_) => BoxType::Fail,
        StateKind::Parallel { .. } => BoxType::Parallel,
        StateKind::Map(_) => BoxType::Map,
    }
}

/// How the end of a Task is known or the items of a Map run, where that is not as usual.
fn tag(state: &State) -> Option<&'static str> {
    match &state.kind {
        StateKind::Task(task) => match task.integration {
            Integration::Service { pattern, .. } => match pattern {
                CallPattern::RequestResponse => None,
                CallPattern::RunJob => Some(".sync"),
                CallPattern::Callback => Some("callback"),
            },
            Integration::Activity => Some("activity"),
            Integration::Lambda | Integration::Other => None,
        },
        StateKind::Map(map) if map.mode == MapMode::Distributed => Some(match map.is_express {
            true => "DISTRIBUTED EXPRESS",
            false => "DISTRIBUTED",
        }),
        _ => None,
    }
}

/// What a state is and calls, in a few words.
fn detail(state: &State) -> String {
    match &state.kind {
        StateKind::Task(task) => match &task.integration {
            Integration::Service { service, api, .. } => {
                let service = service.strip_prefix("aws-sdk:").unwrap_or(service);
                let api = api.split_once('.').map_or(&**api, |(api, _)| api);
                format!("{service}:{api}")
            }
            Integration::Lambda => "lambda".to_owned(),
            Integration::Activity => "activity".to_owned(),
            Integration::Other => "Task".to_owned(),
        },
        StateKind::Pass { .. } => "Pass".to_owned(),
        StateKind::Wait(_) => "Wait".to_owned(),
        StateKind::Choice(choice) => match choice.rules.len() {
            1 => "Choice, 1 rule".to_owned(),
            count => format!("Choice, {count} rules"),
        },
        StateKind::Succeed => "Succeed".to_owned(),
        StateKind::Fail(_) => "Fail".to_owned(),
        StateKind::Parallel { branches } => match branches.len() {
            1 => "Parallel, 1 branch".to_owned(),
            count => format!("Parallel, {count} branches"),
        },
        StateKind::Map(_) => "Map".to_owned(),
    }
}

fn links(state: &State) -> Vec<Link> {
    let mut out = Vec::new();
    let mut to = |target: Option<&Target>, kind, label: Option<Clause>| {
        if let Some(id) = target.and_then(|target| target.state) {
            out.push(Link {
                to: Some(id),
                kind,
                label,
            });
        }
    };
    match &state.transition {
        Transition::Next(target) => to(Some(target), EdgeKind::Next, None),
        Transition::End | Transition::None => {}
    }
    if let StateKind::Choice(choice) = &state.kind {
        for ((index, rule), label) in (0u32..).zip(&choice.rules).zip(rule_labels(choice)) {
            to(rule.next.as_ref(), EdgeKind::Rule(index), Some(label));
        }
        let label = Some(Clause::Text("default".to_owned()));
        to(choice.default.as_ref(), EdgeKind::Default, label);
    }
    for (index, catcher) in (0u32..).zip(&state.catch) {
        let names = (catcher.error_equals.iter())
            .map(|name| name.strip_prefix("States.").unwrap_or(name).to_owned());
        let label = Some(Clause::Names(names.collect()));
        to(catcher.next.as_ref(), EdgeKind::Catch(index), label);
    }
    // The drawing shows Succeed and Fail as ends already.
    if matches!(state.transition, Transition::End) {
        out.insert(
            0,
            Link {
                to: None,
                kind: EdgeKind::End,
                label: None,
            },
        );
    }
    out
}
