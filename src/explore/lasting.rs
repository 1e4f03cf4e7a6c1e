//! Findings about time: executions that never end, timeouts, and loops that only one particular answer ends.

use super::constant::{MADE, OTHER};
use super::finding::FindingKind::{Endless, RetryTimeout, Timeout};
use super::finding::Judge;
use super::finding::Level::{Error, Warning};
use super::moment::Course;
use super::walk::{End, Ended, Queue};
use super::world::World;
use crate::coverage::Kind;
use crate::definition::{
    Ask, Asked, Choice, Definition, Family, Owner, Rule, State, StateId, StateKind, Target, Term,
};
use crate::interpreter::{Answer, Edge, Origin, Outcome};
use crate::json::{Text, Value, one_line};
use crate::query::jsonata::Operator;
use crate::wording;
use std::collections::{BTreeMap, HashSet, VecDeque};

impl Judge<'_> {
    /// Reports that the run with the usual answers ends with a timeout or never ends, if the user provided all of these
    /// answers.
    pub(super) fn usual_end(&mut self) {
        let mut ends = self.seen.ends.iter();
        let usual = ends.find(|end| end.course.is_usual());
        let Some(end) = usual.filter(|end| self.is_given(&end.course)) else {
            return;
        };
        let Some(state) = end.last else { return };
        let (kind, text) = match &end.end {
            End::TimedOut(queue) => {
                let limit = self.definition.timeout_seconds.unwrap_or_default();
                let queue = queue.map_or_else(String::new, |queue| self.queued(queue));
                let state = self.path(state);
                let text = format!(
                    "with the given answers, the machine's TimeoutSeconds ({limit}) passes in {state}{queue}"
                );
                (Timeout, text)
            }
            End::Failed(fault) if matches!(fault.origin, Origin::Timeout | Origin::Heartbeat) => {
                let at = end.raised.unwrap_or(state);
                let limit = match fault.origin {
                    Origin::Heartbeat => "HeartbeatSeconds",
                    _ => "TimeoutSeconds",
                };
                let text = format!(
                    "with the given answers, {task} takes longer than its {limit}, and nothing catches the timeout",
                    task = self.path(at)
                );
                (Timeout, text)
            }
            End::TooLong => {
                let text = format!(
                    "with the given answers, the execution does not end, because {state} is reached again and again",
                    state = self.path(state)
                );
                (Endless, text)
            }
            _ => return,
        };
        let way = Some(&end.course);
        let at = end.raised.unwrap_or(state);
        self.tell(kind, Error, at, text, way);
    }

    /// Explains a timeout: `, because RenderFilms runs only 2 of its 8 items at once (MaxConcurrency 2, line 19)`.
    fn queued(&self, queue: Queue) -> String {
        let Queue {
            map,
            items,
            at_once,
        } = queue;
        let state = self.state(map);
        let field = state.and_then(|state| state.concurrency_field(at_once));
        let reason = field.map_or_else(String::new, |field| {
            let line = self.definition.sources.line(field.key);
            format!(
                " ({})",
                wording::concurrency(Some(&*field.name), at_once, line)
            )
        });
        let items = self.definition.unit(map).counted(items);
        format!(
            ", because {map} runs only {at_once} of its {items} at once{reason}",
            map = self.path(map)
        )
    }

    /// Reports each task that times out although its usual answer is a success. Leaves out tasks that already have a
    /// finding.
    pub(super) fn overdue(&mut self) {
        let reported: Vec<StateId> = self.findings.iter().map(|finding| finding.state).collect();
        for overdue in &self.seen.overdue {
            if reported.contains(&overdue.state) {
                continue;
            }
            let limit = match overdue.heartbeat {
                true => "HeartbeatSeconds",
                false => "TimeoutSeconds",
            };
            let text = format!(
                "the given answer of {task} arrives after {limit} has passed, so the task times out, although the answer is a success",
                task = self.path(overdue.state)
            );
            let way = Some(&overdue.course);
            self.tell(Timeout, Warning, overdue.state, text, way);
        }
    }

    /// Reports loops that repeat a task until it returns one particular value, or until it no longer fails.
    pub(super) fn polls(&mut self) {
        if self.definition.timeout_seconds.is_some() {
            return;
        }
        for (state, place) in self.returns() {
            let kind = Kind::Left(Edge::Catch(u32::try_from(place).unwrap_or(u32::MAX)));
            let catcher = self.state(state).and_then(|state| state.catch.get(place));
            // Only catchers for all errors count: a loop that repeats a task after one particular error may be
            // intended.
            let mut names = catcher
                .into_iter()
                .flat_map(|catcher| &catcher.error_equals);
            let any = names.any(|name| matches!(&**name, "States.ALL" | "States.TaskFailed"));
            let Some(before) = self.seen.asked.get(&state).filter(|_| any) else {
                continue;
            };
            let failure = Answer::failure(self.world.unnamed(state), MADE);
            let course = before.then(state, failure);
            let text = format!(
                "as long as {task} fails, the run repeats {task} without an end: Catch[{place}] leads only back to {task}, and the machine has no TimeoutSeconds",
                task = self.path(state)
            );
            self.tell(Endless, Warning, state, text, Some(&course));
            self.at_point(state, kind);
        }
        let polls = self.ids_in_time();
        let polls: Vec<Poll> = polls.filter_map(|id| poll(self.definition, id)).collect();
        for poll in polls {
            let Some(before) = self.seen.asked.get(&poll.task) else {
                continue;
            };
            let (task, variable, wanted) = (self.path(poll.task), &poll.variable, &poll.wanted);
            let text = format!(
                "{task} is polled until {variable} is {wanted}: with any other answer, even a failure, the polling never ends, because the machine has no TimeoutSeconds"
            );
            let other = Answer::success(poll.other(self.world));
            let course = before.then(poll.task, other);
            self.tell(Endless, Warning, poll.choice, text, Some(&course));
        }
    }

    /// Iterates over all states; stops early if the deadline passes.
    fn ids_in_time(&self) -> impl Iterator<Item = StateId> {
        let ids = self.definition.state_ids();
        ids.take_while(|_| !self.world.deadline.is_over())
    }

    /// Returns the catchers that only lead back to the task that failed: every path from them to an end passes this
    /// task. Each is returned as (task, index of the catcher). Stops early if the deadline passes.
    fn returns(&self) -> Vec<(StateId, usize)> {
        let mut returning = Vec::new();
        for id in self.ids_in_time() {
            let catchers = self.state(id).map(|state| &state.catch);
            for (place, catcher) in catchers.into_iter().flatten().enumerate() {
                let target = catcher.next.as_ref().and_then(|target| target.state);
                if target.is_some_and(|target| !leaves(self.definition, target, id)) {
                    returning.push((id, place));
                }
            }
        }
        returning
    }

    pub(super) fn endless(&mut self) {
        let runs = self.seen.ends.iter();
        let long = runs.filter(|end| matches!(end.end, End::TooLong));
        let long = long.filter_map(|end| Some((end.last?, &end.course)));
        let loops = self.seen.endless.iter().map(|(state, way)| (*state, way));
        let candidates: Vec<(StateId, &Course)> = long.chain(loops).collect();
        for (state, way) in candidates {
            let mut known = self.findings.iter();
            let is_known = known.any(|finding| finding.kind == Endless && finding.state == state);
            if is_known || leads_out(self.definition, state) {
                continue;
            }
            let text = format!(
                "no path leads from {state} to an end, so the execution never ends",
                state = self.path(state)
            );
            self.tell(Endless, Error, state, text, Some(way));
        }
    }

    /// Reports tasks whose retries take so long that the machine's TimeoutSeconds passes before they end.
    pub(super) fn timeouts(&mut self) {
        let Some(limit) = self.definition.timeout_seconds else {
            return;
        };
        let runs = self.seen.ends.iter();
        let timed_out = runs.filter(|end| matches!(end.end, End::TimedOut(_)));
        let mut first: BTreeMap<StateId, &Ended> = BTreeMap::new();
        for end in timed_out {
            let way = end.course.steps();
            let Some(last) = way.last().filter(|step| step.error().is_some()) else {
                continue;
            };
            let state = self.state(last.state);
            if state.is_none_or(|state| state.retry.is_empty()) {
                continue;
            }
            let known = first.entry(last.state).or_insert(end);
            if end.key() < known.key() {
                *known = end;
            }
        }
        for (state, end) in first {
            let text = format!(
                "the retries of {state} take longer than the machine's TimeoutSeconds ({limit}), so no catcher of {state} is used",
                state = self.path(state)
            );
            let way = Some(&end.course);
            self.tell(RetryTimeout, Warning, state, text, way);
        }
    }
}

/// A loop that contains a Choice and that ends only after one particular answer of a task.
#[derive(Clone, Debug)]
pub struct Poll {
    /// The Choice whose rule leaves the loop.
    pub choice: StateId,
    /// The task that is repeated.
    pub task: StateId,
    /// The path whose value the Choice compares, such as `$.status`.
    pub variable: Text,
    /// The value with which the loop ends, as JSON.
    pub wanted: String,
}

impl Poll {
    /// Returns an answer to the task after which the loop continues.
    #[must_use]
    pub fn other(&self, world: &World) -> Value {
        let returns = world.returns(self.task);
        let usual = match returns.last().map(|answer| &answer.outcome) {
            Some(Outcome::Success(value)) => value.clone(),
            _ => world.made_for(self.task),
        };
        let name = world.result_name(self.task);
        let variants = world.constants.variants(&usual, name.as_ref(), true);
        let mut variants = variants.into_iter();
        let other = variants.find(|value| one_line(value).contains(OTHER));
        other.unwrap_or(usual)
    }
}

fn poll(definition: &Definition, id: StateId) -> Option<Poll> {
    let StateKind::Choice(choice) = &definition.state(id)?.kind else {
        return None;
    };
    // Default must lead back into the loop, because a loop that waits for one value repeats after every other value.
    let default = choice.default.as_ref()?.state?;
    let stays = |target: StateId| !leaves(definition, target, id);
    if !stays(default) {
        return None;
    }
    let leads_out = |target: &Target| target.state.is_some_and(|state| !stays(state));
    let (variable, wanted) = only_exit(choice, &leads_out)?;
    let inside: Vec<StateId> = reached(definition, default, Some(id), false).collect();
    // A loop without a Wait is not polling: it processes items one by one, and ends after the last item.
    let waits = |id: &StateId| {
        let state = definition.state(*id);
        state.is_some_and(|state| matches!(state.kind, StateKind::Wait(_)))
    };
    if !inside.iter().any(waits) {
        return None;
    }
    let mut tasks = inside.iter().rev();
    let task = tasks.find(|id| super::world::task(definition, **id).is_some())?;
    Some(Poll {
        choice: id,
        task: *task,
        variable,
        wanted,
    })
}

/// Returns a path and a constant, if every rule that leaves the loop tests that the value at this path equals this
/// constant. `None` otherwise.
fn only_exit(choice: &Choice, leads_out: &dyn Fn(&Target) -> bool) -> Option<(Text, String)> {
    let leads = |rule: &&Rule| rule.next.as_ref().is_some_and(leads_out);
    let exits = choice.rules.iter().filter(leads);
    let mut exits = exits.map(|rule| equality(&Asked::of(&rule.test).ask));
    let first = exits.next()??;
    exits
        .all(|exit| exit.as_ref() == Some(&first))
        .then_some(first)
}

/// If the test only asks whether a path equals a constant text: returns the path and the text.
fn equality(ask: &Ask<Term<'_>>) -> Option<(Text, String)> {
    let Ask::Compare {
        left,
        relation: Operator::Equal,
        right,
        family: Family::Text | Family::Any,
    } = ask
    else {
        return None;
    };
    let wanted = right.literal().filter(|value| value.as_str().is_some())?;
    let is_path = matches!(left, Term::Path(_)) || left.is_path();
    is_path.then(|| (left.text().into(), one_line(&wanted)))
}

/// The states that can be reached from `from` without passing `without`; `from` is the first of them. If `caught` is
/// true, the transitions of catchers count, too.
fn reached(
    definition: &Definition,
    from: StateId,
    without: Option<StateId>,
    caught: bool,
) -> impl Iterator<Item = StateId> {
    let mut seen: HashSet<StateId> = without.into_iter().chain([from]).collect();
    let (mut open, mut next) = (vec![from], VecDeque::from([from]));
    std::iter::from_fn(move || {
        while next.is_empty() {
            let state = definition.state(open.pop()?)?;
            let all = state
                .ways()
                .filter(|(way, _)| caught || !matches!(way, Owner::Catcher(_)));
            let all = all.filter_map(|(_, target)| target.state);
            next.extend(all.filter(|id| seen.insert(*id)));
            open.extend(&next);
        }
        next.pop_front()
    })
}

fn has_end(definition: &Definition, states: impl Iterator<Item = StateId>) -> bool {
    let mut states = states.filter_map(|id| definition.state(id));
    states.any(State::is_terminal)
}

/// True if any path from a state leads to an end.
fn leads_out(definition: &Definition, from: StateId) -> bool {
    has_end(definition, reached(definition, from, None, true))
}

/// True if an end can be reached from a state without errors and without passing the state `without`.
fn leaves(definition: &Definition, from: StateId, without: StateId) -> bool {
    from != without && has_end(definition, reached(definition, from, Some(without), false))
}
