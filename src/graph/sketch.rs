//! The part of a definition that a drawing shows: states, transitions (links), and scopes (lists of states). Also lists
//! the states in reading order.

use super::clause::{Clause, rule_labels};
use super::model::{BoxType, EdgeKind};
use crate::definition::{
    CallPattern, Definition, Integration, MapMode, State, StateId, StateKind, Target, Transition,
};
use std::collections::BTreeSet;

/// A machine, reduced to the facts that a drawing needs. State ids are indices of `states`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Every scope (list of states), outer scopes before inner scopes. The first scope is the top level of the machine.
    pub scopes: Vec<SketchScope>,
    /// Every state of every scope.
    pub states: Vec<SketchState>,
}

/// The states of one scope: of the machine itself, of a branch, or of an item processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SketchScope {
    /// The state where the scope starts, if it exists.
    pub start: Option<StateId>,
    /// All states of the scope.
    pub states: Vec<StateId>,
}

/// The data of one state in a drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SketchState {
    /// Name of the state as written. If the DSL compiler generated the state, a description instead.
    pub name: String,
    /// Type of the state.
    pub kind: BoxType,
    /// Total number of retries that the state's retriers allow; `None` without `Retry`.
    pub retries: Option<u64>,
    /// The service and action that a Task calls, or else the type of the state, in a few words.
    pub detail: Option<String>,
    /// Tag for an unusual mode: `.sync`, `callback`, `DISTRIBUTED`.
    pub tag: Option<&'static str>,
    /// The transitions to the state's successors, the usual one first.
    pub links: Vec<Link>,
    /// The branches or the item processor of the state, as indices of [`Sketch::scopes`].
    pub scopes: Vec<usize>,
}

/// One transition from a state to a successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The next state; `None` if the execution of the scope ends.
    pub to: Option<StateId>,
    /// The kind of the transition.
    pub kind: EdgeKind,
    /// The content of the label that the drawing shows for the transition.
    pub label: Option<Clause>,
    /// Source line of the rule or catcher; `None` if two rules or catchers of the state begin in the same line.
    pub line: Option<u32>,
}

impl Sketch {
    /// Builds the sketch of `definition`.
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
            links: links(state, definition),
            scopes: state.inner().iter().map(|id| id.0 as usize).collect(),
        });
        Self {
            scopes: scopes.collect(),
            states: states.collect(),
        }
    }

    /// Returns the state with this id.
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

/// Tag that shows the call pattern of a Task, or the mode of a Map, if it is unusual.
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

/// The service and action that a Task calls, or else the type of the state, in a few words.
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

fn links(state: &State, definition: &Definition) -> Vec<Link> {
    let mut out = Vec::new();
    let mut to = |target: Option<&Target>, kind, label: Option<Clause>, line: Option<u32>| {
        if let Some(id) = target.and_then(|target| target.state) {
            out.push(Link {
                to: Some(id),
                kind,
                label,
                line,
            });
        }
    };
    match &state.transition {
        Transition::Next(target) => to(Some(target), EdgeKind::Next, None, None),
        Transition::End | Transition::None => {}
    }
    if let StateKind::Choice(choice) = &state.kind {
        let lines = lines(
            choice
                .rules
                .iter()
                .map(|rule| definition.sources.line(rule.span)?.try_into().ok()),
        );
        for (((index, rule), line), label) in (0u32..)
            .zip(&choice.rules)
            .zip(lines)
            .zip(rule_labels(choice, definition))
        {
            to(rule.next.as_ref(), EdgeKind::Rule(index), Some(label), line);
        }
        let label = Some(Clause::Text("default".to_owned()));
        to(choice.default.as_ref(), EdgeKind::Default, label, None);
    }
    let lines = lines(
        state
            .catch
            .iter()
            .map(|catcher| definition.sources.line(catcher.span)?.try_into().ok()),
    );
    for ((index, catcher), line) in (0u32..).zip(&state.catch).zip(lines) {
        let names = (catcher.error_equals.iter())
            .map(|name| name.strip_prefix("States.").unwrap_or(name).to_owned());
        let label = Some(Clause::Names(names.collect()));
        to(catcher.next.as_ref(), EdgeKind::Catch(index), label, line);
    }
    // Succeed and Fail get no link to the end mark, because the drawing already shows that they end the scope.
    if matches!(state.transition, Transition::End) {
        out.insert(
            0,
            Link {
                to: None,
                kind: EdgeKind::End,
                label: None,
                line: None,
            },
        );
    }
    out
}

/// Source lines of a state's rules or catchers. If two of them begin in the same line, `None` for every rule or
/// catcher.
fn lines(lines: impl Iterator<Item = Option<u32>>) -> Vec<Option<u32>> {
    let lines: Vec<Option<u32>> = lines.collect();
    let distinct: BTreeSet<_> = lines.iter().collect();
    match distinct.len() == lines.len() {
        true => lines,
        false => vec![None; lines.len()],
    }
}

/// One row of the outline, which lists all states in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlineRow {
    /// The state that the row shows.
    pub state: StateId,
    /// Nesting depth: the number of states that enclose the state.
    pub depth: usize,
    /// Index of the branch, from 0, if the enclosing Parallel has several branches.
    pub branch: Option<u32>,
    /// True for the first row of a branch or item processor.
    pub first: bool,
    /// True if no path of transitions leads to the state from the first state of its scope.
    pub unreachable: bool,
}

/// All states in reading order: along `Next` first, then rules, defaults and catchers. Unreachable states come last.
#[must_use]
pub fn outline(definition: &Definition) -> Vec<OutlineRow> {
    outline_of(&Sketch::of(definition))
}

/// A scope whose states are being listed.
struct Level {
    rows: std::vec::IntoIter<(StateId, bool)>,
    branch: Option<u32>,
    first: bool,
}

fn outline_of(sketch: &Sketch) -> Vec<OutlineRow> {
    let mut out = Vec::new();
    let mut listed = vec![false; sketch.scopes.len()];
    // For each nesting depth, the scopes whose states are not all listed yet. The last of them is listed first.
    let mut depths: Vec<Vec<Level>> = Vec::new();
    depths.push(level(sketch, 0, None, &mut listed).into_iter().collect());
    while let Some(levels) = depths.last_mut() {
        let Some(current) = levels.last_mut() else {
            depths.pop();
            continue;
        };
        let Some((state, unreachable)) = current.rows.next() else {
            levels.pop();
            continue;
        };
        let (branch, first) = (current.branch, current.first);
        current.first = false;
        out.push(OutlineRow {
            state,
            depth: depths.len() - 1,
            branch,
            first,
            unreachable,
        });
        let scopes = sketch.state(state).map_or(&[][..], |state| &state.scopes);
        let mut inner = Vec::new();
        for (index, scope) in (0u32..).zip(scopes) {
            let branch = (scopes.len() > 1).then_some(index);
            inner.extend(level(sketch, *scope, branch, &mut listed));
        }
        inner.reverse();
        if !inner.is_empty() {
            depths.push(inner);
        }
    }
    out
}

fn level(sketch: &Sketch, scope: usize, branch: Option<u32>, listed: &mut [bool]) -> Option<Level> {
    let flag = listed.get_mut(scope)?;
    if std::mem::replace(flag, true) {
        return None;
    }
    let rows = reading_order(sketch, scope);
    Some(Level {
        rows: rows.into_iter(),
        branch,
        first: true,
    })
}

/// The states of one scope in reading order, each with a flag: true if the state is unreachable.
fn reading_order(sketch: &Sketch, scope: usize) -> Vec<(StateId, bool)> {
    let Some(scope) = sketch.scopes.get(scope) else {
        return Vec::new();
    };
    let states: std::collections::BTreeSet<StateId> = scope.states.iter().copied().collect();
    let mut seen = std::collections::BTreeSet::new();
    let mut out = Vec::new();
    let roots = scope.start.map(|start| (start, false)).into_iter();
    for (root, unreachable) in roots.chain(scope.states.iter().map(|id| (*id, true))) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !states.contains(&id) || !seen.insert(id) {
                continue;
            }
            out.push((id, unreachable));
            let links = sketch.state(id).map_or(&[][..], |state| &state.links);
            stack.extend(links.iter().rev().filter_map(|link| link.to));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::model::EdgeKind;
    use super::super::sketch::{Link, SketchScope, SketchState};
    use super::*;

    #[test]
    fn reads_along_the_usual_way() {
        let mut sketch = Sketch::default();
        // State 0 has two branches: one with state 1, one with state 2. Its links lead to 3 and 4. Nothing leads to 5.
        let ways: [&[u32]; 6] = [&[3, 4], &[], &[], &[], &[3], &[3]];
        for (index, ways) in ways.iter().enumerate() {
            sketch.states.push(SketchState {
                links: (ways.iter())
                    .map(|to| Link {
                        to: Some(StateId(*to)),
                        kind: EdgeKind::Next,
                        label: None,
                        line: None,
                    })
                    .collect(),
                scopes: if index == 0 { vec![1, 2] } else { Vec::new() },
                ..SketchState::default()
            });
        }
        for states in [&[5u32, 4, 3, 0][..], &[1], &[2]] {
            sketch.scopes.push(SketchScope {
                start: states.last().map(|id| StateId(*id)),
                states: states.iter().map(|id| StateId(*id)).collect(),
            });
        }
        let rows: Vec<_> = (outline_of(&sketch).iter())
            .map(|row| (row.state.0, row.depth, row.branch, row.unreachable))
            .collect();
        let expected = [
            (0, 0, None, false),
            (1, 1, Some(0), false),
            (2, 1, Some(1), false),
            (3, 0, None, false),
            (4, 0, None, false),
            (5, 0, None, true),
        ];
        assert_eq!(rows, expected);
    }
}
