//! The events of a recorded execution, split by frame. A recorded frame has its visits of states and the attempts
//! of each visit. Also rows to show recorded events, and the scopes of the states, from a definition or from the
//! events.

use super::event::{Payload, RecordedEvent};
use crate::definition::{Definition, ScopeId, StateId, StatePath};
use crate::interpreter::{AskKey, EventKind, Millis};
use crate::json::{NOT_RECORDED, Text};
use crate::query::abridged;
use std::collections::HashMap;

/// A recorded execution, with its events split by frame.
#[derive(Clone, Debug, Default)]
pub struct RecordedRun {
    /// All events, sorted by id.
    pub events: Vec<RecordedEvent>,
    /// The recorded frames. The first is the outermost frame.
    pub frames: Vec<RecordedFrame>,
    /// For each event, the index of its frame in `frames`.
    pub frame_of: Vec<usize>,
    /// Index of each frame in `frames`, by the key of the frame.
    pub by_key: HashMap<AskKey, usize>,
    /// Start time in milliseconds since 1970.
    pub start: i64,
    /// True if the times of the events were recorded.
    pub has_times: bool,
    /// True if a local run raises the same errors and causes in Fail states as the execution. False if, for example,
    /// they contain random values.
    pub repeats_failures: bool,
    /// True if every event up to the end was recorded.
    pub is_whole: bool,
    /// DISTRIBUTED Maps whose child executions were recorded in separate histories.
    pub item_runs: Vec<StateId>,
    /// AWS's id of the first event that had to be assigned to one of several possible branches or items; `None` if
    /// there is none.
    pub guessed_from: Option<u32>,
}

/// The recorded events of one frame, and the visits of states that they show.
#[derive(Clone, Debug, Default)]
pub struct RecordedFrame {
    /// The visit of the Parallel or Map that started the frame: index of the outer recorded frame, and index of the
    /// visit in the outer frame. `None` for the outermost frame.
    pub parent: Option<(usize, usize)>,
    /// Identifies the frame. `path` is the name of the Parallel or Map that started the frame (empty for the outermost
    /// frame); `indices` and `rounds` are as in the key of a request; `visit` and `attempt` are not used.
    pub key: AskKey,
    /// The scope (list of states) that the frame ran, if the definition has it.
    pub scope: Option<ScopeId>,
    /// Indices of the frame's events, without events of failed work that was repeated after a redrive.
    pub events: Vec<usize>,
    /// Visits of states, in order.
    pub visits: Vec<Visit>,
    /// True if the frame has ended.
    pub ended: bool,
    /// True if the frame was aborted because another branch or item failed, or because the execution failed.
    pub aborted: bool,
}

/// A visit of a state.
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// Name of the state.
    pub name: Text,
    /// Type of the state: `Task`, `Pass`, ...
    pub type_name: Text,
    /// Number of the visit within the frame, starting at 1.
    pub nth: u32,
    /// The state in the definition, if the definition has it.
    pub state: Option<StateId>,
    /// Path of the state, if the definition has it.
    pub path: Option<StatePath>,
    /// Index of the visit's StateEntered event.
    pub entered: Option<usize>,
    /// Index of the visit's StateExited event.
    pub exited: Option<usize>,
    /// Attempts of the visit: the first one, and one for each retry.
    pub attempts: Vec<Attempt>,
    /// True if the visit had not ended when the execution was redriven.
    pub redriven: bool,
    /// Index of the event that started the last attempt before the redrive.
    pub begun_before: Option<usize>,
    /// For a Parallel or Map: true if its work has ended.
    pub finished: bool,
    /// For a Parallel or Map: index of the event that ended its work.
    pub worked: Option<usize>,
    /// For a Parallel or Map: true if its work failed, or if the execution failed during the visit.
    pub failed: bool,
    /// Index of the event that started the Map Run (MapRunStarted), and index of the event that ended the Map Run
    /// (MapRunSucceeded, MapRunFailed or MapRunAborted).
    pub map_run: (Option<usize>, Option<usize>),
    /// For a Parallel or Map: number of branches or items that the current attempt has started.
    pub started: u32,
}

/// An attempt of a visit.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// Index of the event that started the attempt: TaskScheduled, MapStateStarted, ...
    pub begun: Option<usize>,
    /// For a task: index of the event that ended the attempt.
    pub ended: Option<usize>,
}

impl Visit {
    /// True if the state is a Parallel or Map.
    pub(super) fn is_group(&self) -> bool {
        matches!(&*self.type_name, "Map" | "Parallel")
    }

    /// Key of the request that a visit in `frame` makes in this attempt; `None` if the definition does not have the
    /// visited state.
    #[must_use]
    pub fn key(&self, frame: &RecordedFrame, attempt: u32) -> Option<AskKey> {
        Some(AskKey {
            path: self.path.as_ref()?.0.clone(),
            visit: self.nth,
            attempt,
            ..frame.key.clone()
        })
    }
}

impl RecordedRun {
    /// Indices of the events of a frame, in order; empty if there is no frame with this index.
    #[must_use]
    pub fn events_of(&self, frame: usize) -> &[usize] {
        self.frames.get(frame).map_or(&[], |frame| &frame.events)
    }

    /// The frame that contains the event with this index.
    #[must_use]
    pub fn frame_with(&self, place: usize) -> Option<&RecordedFrame> {
        self.frames.get(*self.frame_of.get(place)?)
    }

    /// The event with this index.
    #[must_use]
    pub fn event(&self, place: usize) -> Option<&RecordedEvent> {
        self.events.get(place)
    }

    /// The events that were really recorded, with their indices; leaves out generated events.
    pub fn recorded(&self) -> impl DoubleEndedIterator<Item = (usize, &RecordedEvent)> {
        let events = self.events.iter().enumerate();
        events.filter(|(_, event)| !event.is_made)
    }

    /// True if the first events of the execution were not recorded.
    #[must_use]
    pub fn begins_late(&self) -> bool {
        let first = self.recorded().next();
        first.is_some_and(|(_, first)| &*first.type_name != "ExecutionStarted")
    }

    /// True if the first events of the execution were not recorded and have been generated.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        self.events.first().is_some_and(|first| first.is_made)
    }

    /// If only failures were recorded: the log level of the execution, which is `ERROR` (all failures) or `FATAL` (only
    /// failures of executions).
    #[must_use]
    pub fn log_level(&self) -> Option<&'static str> {
        let endings = ["Failed", "TimedOut", "Aborted"];
        let is_failure = |name: &str| endings.iter().any(|ending| name.ends_with(ending));
        let names = || self.recorded().map(|(_, event)| &*event.type_name);
        if names().next().is_none() || !names().all(is_failure) {
            return None;
        }
        let is_fatal = names().all(|name| name.starts_with("Execution"));
        Some(if is_fatal { "FATAL" } else { "ERROR" })
    }

    /// The event that ended the execution, if it was recorded. For a redriven execution, the end of the last redrive.
    #[must_use]
    pub fn end(&self) -> Option<&RecordedEvent> {
        let last = self
            .events
            .iter()
            .rev()
            .find(|event| event.is_end() || &*event.type_name == "ExecutionRedriven");
        last.filter(|event| event.is_end())
    }

    /// True if the input of the execution was recorded.
    #[must_use]
    pub fn has_input(&self) -> bool {
        let begun = |event: &&RecordedEvent| &*event.type_name == "ExecutionStarted";
        let begun = self.events.iter().find(begun);
        begun.is_some_and(|event| event.data.value().is_some())
    }

    /// Number of times that the execution was redriven.
    #[must_use]
    pub fn redrives(&self) -> usize {
        let redriven = |event: &&RecordedEvent| &*event.type_name == "ExecutionRedriven";
        self.events.iter().filter(redriven).count()
    }

    /// True if the events directly before a recorded event are missing, as in a log of errors or in a part of a
    /// history.
    #[must_use]
    pub fn is_gap_before(&self, place: usize) -> bool {
        let Some(event) = self.events.get(place).filter(|event| !event.is_made) else {
            return false;
        };
        let before = place
            .checked_sub(1)
            .and_then(|before| self.events.get(before));
        match before {
            // If no ids were recorded, the first recorded event has the id 1, which is no sign of a gap.
            Some(before) if before.is_made => event.id != 1 && event.id as usize != place + 1,
            before => event.id > before.map_or(0, |before| before.id).saturating_add(1),
        }
    }

    /// Short remarks about the execution, such as `redriven` or `some data missing`.
    #[must_use]
    pub fn marks(&self) -> Vec<String> {
        let mut marks = Vec::new();
        match self.redrives() {
            0 => {}
            1 => marks.push("redriven".to_string()),
            times => marks.push(format!("redriven {times} times")),
        }
        let first = self.recorded().next().map(|(_, event)| event);
        let last = self.events.last();
        let mut pairs = self.recorded().zip(self.recorded().skip(1));
        let has_holes = pairs.any(|((_, event), (_, next))| next.id > event.id.saturating_add(1));
        if has_holes {
            marks.push("some events are missing".to_string());
        } else if let Some(first) = first.filter(|first| first.id > 1) {
            marks.push(format!("begins at event #{id}", id = first.id));
        }
        if self.end().is_none()
            && let Some(last) = last
        {
            let id = last.id;
            marks.push(format!("no events after #{id}"));
        }
        if self
            .recorded()
            .any(|(_, event)| event.data == Payload::Unknown)
        {
            marks.push("some data missing".to_string());
        }
        marks
    }

    /// True if all events between two recorded events were recorded.
    #[must_use]
    pub fn is_unbroken(&self, from: usize, to: usize) -> bool {
        let id = |place: usize| self.events.get(place).map(|event| event.id as usize);
        let ids = id(to).zip(id(from));
        ids.is_some_and(|(to_id, from_id)| to_id.abs_diff(from_id) == to.abs_diff(from))
    }

    /// AWS's ids of the redrives after which the execution ended at once.
    #[must_use]
    pub fn idle_redrives(&self) -> Vec<u32> {
        let pairs = self.events.windows(2);
        let idle = pairs.filter_map(|pair| match pair {
            [redriven, next] if &*redriven.type_name == "ExecutionRedriven" && next.is_end() => {
                Some(redriven.id)
            }
            _ => None,
        });
        idle.collect()
    }

    /// Milliseconds from the start of the execution to an event. If no times were recorded, the index of the event.
    #[must_use]
    pub fn time(&self, place: usize) -> Option<u64> {
        let event = self.events.get(place)?;
        if !self.has_times {
            return Some(place as u64);
        }
        let after = event.time?.saturating_sub(self.start);
        Some(u64::try_from(after).unwrap_or(0))
    }

    /// True if an attempt without a recorded end was aborted: because its branch or item was aborted, or because the
    /// execution ended. Such an attempt never gets an answer.
    #[must_use]
    pub fn was_cut_short(&self, frame: &RecordedFrame) -> bool {
        frame.aborted || self.end().is_some()
    }

    /// Name of the state that an event belongs to.
    #[must_use]
    pub fn state_at(&self, place: usize) -> Option<&Text> {
        if let Some(name) = self.events.get(place)?.name.as_ref() {
            return Some(name);
        }
        let frame = self.frame_with(place)?;
        let visits = frame.visits.iter().rev();
        let mut before =
            visits.filter(|visit| visit.entered.is_some_and(|entered| entered <= place));
        before.next().map(|visit| &visit.name)
    }
}

/// Maximum number of rows to list.
const MOST: usize = 2000;
/// Maximum length in bytes of the data in a row.
const DATA: usize = 160;

/// A row that shows a recorded event.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRow {
    /// AWS's id of the event.
    pub id: u32,
    /// Milliseconds since the start of the execution; `None` if no times were recorded.
    pub time: Option<Millis>,
    /// Type of the event in AWS's history, such as `TaskStateEntered`.
    pub type_name: Text,
    /// Name of the state that the event belongs to.
    pub state: Text,
    /// The event's error, or its data in short.
    pub data: String,
}

impl RecordedRun {
    /// Rows of the recorded events whose id is at least `from`. Leaves out events for which `is_met` returns true
    /// because the run has matched them.
    pub(super) fn rest(&self, from: u32, is_met: impl Fn(usize) -> bool) -> Vec<RecordedRow> {
        let left = self
            .recorded()
            .filter(|(place, event)| event.id >= from && !is_met(*place));
        left.take(MOST)
            .map(|(place, event)| RecordedRow {
                id: event.id,
                time: self.time(place).filter(|_| self.has_times),
                type_name: event.type_name.clone(),
                state: self.state_at(place).cloned().unwrap_or_default(),
                data: data(event),
            })
            .collect()
    }
}

fn data(event: &RecordedEvent) -> String {
    match &event.data {
        Payload::Absent => match (&event.error, &event.cause) {
            (Some(error), Some(cause)) => format!("{error}: {cause}").chars().take(DATA).collect(),
            (error, cause) => error
                .as_ref()
                .or(cause.as_ref())
                .map_or("", |text| text)
                .to_string(),
        },
        Payload::Unknown => NOT_RECORDED.to_string(),
        data => data
            .value()
            .map_or_else(String::new, |value| abridged(&value, DATA)),
    }
}

/// Type and name of the Parallel or Map that contains a scope; the name is `None` if no event shows it.
pub(super) type Owner = (Text, Option<Text>);

/// The scopes (lists of states) of a state machine: one for the machine, and one for each branch and ItemProcessor.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// States of the definition, by scope and name.
    states: HashMap<(ScopeId, Text), StateId>,
    scopes: HashMap<Text, Vec<ScopeId>>,
    owners: HashMap<ScopeId, Owner>,
}

impl Outline {
    pub(super) fn new(events: &[RecordedEvent], definition: Option<&Definition>) -> Self {
        match definition {
            Some(definition) => Self::of_definition(definition),
            None => Self::of_events(events),
        }
    }

    fn of_definition(definition: &Definition) -> Self {
        let mut outline = Self::default();
        for (id, state) in definition.state_ids().zip(&definition.states) {
            let key = (state.scope, state.name.clone());
            outline.states.insert(key, id);
            let scopes = outline.scopes.entry(state.name.clone()).or_default();
            scopes.push(state.scope);
            for scope in state.inner() {
                let owner = (state.type_name().into(), Some(state.name.clone()));
                outline.owners.insert(*scope, owner);
            }
        }
        outline
    }

    /// Derives the scopes from events alone: states that follow one another are in the same scope. This works because
    /// the names in a state machine are unique.
    fn of_events(events: &[RecordedEvent]) -> Self {
        let exits = events
            .iter()
            .filter(|event| event.kind == Some(EventKind::StateExited));
        let exits: HashMap<u32, &Text> = exits
            .filter_map(|event| Some((event.id, event.name.as_ref()?)))
            .collect();
        let mut outline = Self::default();
        let mut members: HashMap<ScopeId, Vec<Text>> = HashMap::new();
        for event in events {
            let Some(name) = event.name.as_ref().filter(|_| event.state_type().is_some()) else {
                continue;
            };
            let scope = outline.alone(name, &mut members);
            let before = match event.kind {
                Some(EventKind::StateEntered) => event.previous.and_then(|id| exits.get(&id)),
                _ => None,
            };
            let previous = before.map(|before| outline.alone(before, &mut members));
            if let Some(previous) = previous.filter(|previous| *previous != scope) {
                let moved = members.remove(&previous).unwrap_or_default();
                for name in &moved {
                    outline.scopes.insert(name.clone(), vec![scope]);
                }
                members.entry(scope).or_default().extend(moved);
            }
        }
        outline
    }

    /// The scope of the state with this name; if no scope is known, a new scope with only this state.
    fn alone(&mut self, name: &Text, members: &mut HashMap<ScopeId, Vec<Text>>) -> ScopeId {
        let next = u32::try_from(self.scopes.len() + 1).unwrap_or(u32::MAX);
        let scopes = self.scopes.entry(name.clone()).or_insert_with(|| {
            members.insert(ScopeId(next), vec![name.clone()]);
            vec![ScopeId(next)]
        });
        scopes.first().copied().unwrap_or(ScopeId(next))
    }

    /// The state with this name in a scope, if the definition has it.
    pub(super) fn state(&self, scope: ScopeId, name: &Text) -> Option<StateId> {
        self.states.get(&(scope, name.clone())).copied()
    }

    /// A scope that contains states with all these names.
    pub(super) fn scope_of(&self, names: &[Text]) -> Option<ScopeId> {
        let has = |scope: &ScopeId, name: &Text| {
            let scopes = self.scopes.get(name);
            scopes.is_some_and(|scopes| scopes.contains(scope))
        };
        let mut scopes = self.scopes.get(names.first()?)?.iter().copied();
        scopes.find(|scope| names.iter().all(|name| has(scope, name)))
    }

    /// The Parallel or Map that contains a scope.
    pub(super) fn owner(&self, scope: ScopeId) -> Option<&Owner> {
        self.owners.get(&scope)
    }

    /// Records which Parallel or Map contains a scope.
    pub(super) fn learn(&mut self, scope: ScopeId, owner: Owner) {
        let known = self.owners.entry(scope).or_insert_with(|| owner.clone());
        if known.1.is_none() {
            *known = owner;
        }
    }
}
