//! Strands of a recorded execution: what each frame did, visit by visit and attempt by attempt, and its events as rows.
//! Also the scopes of the execution's states: from a definition, otherwise from the events.

use super::event::{Payload, RecordedEvent};
use crate::definition::{Definition, ScopeId, StateId, StatePath};
use crate::interpreter::{AskKey, EventKind, Millis};
use crate::json::{NOT_RECORDED, Text};
use crate::query::abridged;
use std::collections::HashMap;

/// A recorded execution, by frame.
#[derive(Clone, Debug, Default)]
pub struct RecordedRun {
    /// All events, sorted by id.
    pub events: Vec<RecordedEvent>,
    /// Strands of the frames; the first is that of the outermost frame.
    pub strands: Vec<Strand>,
    /// Strand of each event.
    pub strand_of: Vec<usize>,
    /// Strands by their keys.
    pub by_key: HashMap<AskKey, usize>,
    /// Start time in milliseconds since 1970.
    pub start: i64,
    /// True if times were recorded.
    pub has_times: bool,
    /// True if errors and causes of Fail states can be computed again.
    pub repeats_failures: bool,
    /// True if every event up to the end was recorded.
    pub is_whole: bool,
    /// DISTRIBUTED Maps whose child executions were recorded, each in its own history.
    pub item_runs: Vec<StateId>,
    /// Id of the first event that may belong to any of several active branches or items.
    pub guessed_from: Option<u32>,
}

/// The events and visits of one frame.
#[derive(Clone, Debug, Default)]
pub struct Strand {
    /// The visit that started this strand: index of its strand, and of the visit in it.
    pub parent: Option<(usize, usize)>,
    /// Identifies what started the strand: name of the Parallel or Map, empty for the outermost frame; indices and
    /// rounds from the outermost frame inwards.
    pub key: AskKey,
    /// Scope that the frame ran, if the definition has it.
    pub scope: Option<ScopeId>,
    /// Indices of the strand's events that count; after a redrive, events of earlier failed attempts do not.
    pub events: Vec<usize>,
    /// Visits of states, in order.
    pub visits: Vec<Visit>,
    /// True if nothing more can happen in the strand.
    pub ended: bool,
    /// True if the strand was aborted together with its siblings.
    pub aborted: bool,
}

/// A visit of a state.
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// Name of the state.
    pub name: Text,
    /// AWS's name of the state's type.
    pub type_name: Text,
    /// Number of the visit within the frame, starting at 1.
    pub nth: u32,
    /// The state in the definition.
    pub state: Option<StateId>,
    /// Path of the state.
    pub path: Option<StatePath>,
    /// Index of the visit's StateEntered event.
    pub entered: Option<usize>,
    /// Index of the visit's StateExited event.
    pub exited: Option<usize>,
    /// Attempts of the visit.
    pub attempts: Vec<Attempt>,
    /// True if the visit was in progress when the execution was redriven.
    pub redriven: bool,
    /// Index of the event that started the last attempt before the redrive.
    pub begun_before: Option<usize>,
    /// True if the work of a Parallel or Map has ended.
    pub finished: bool,
    /// Index of the event that ended this work.
    pub worked: Option<usize>,
    /// True if the work of a Parallel or Map failed or ended early.
    pub failed: bool,
    /// Indices of MapRunStarted, and of MapRunSucceeded or MapRunFailed.
    pub map_run: (Option<usize>, Option<usize>),
    /// Number of strands that the current attempt has started.
    pub started: u32,
}

/// An attempt.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// Index of the event that started the attempt: TaskScheduled, MapStateStarted, ...
    pub begun: Option<usize>,
    /// Index of the event that ended a task's attempt.
    pub ended: Option<usize>,
}

impl Visit {
    /// True if the state is a Parallel or Map.
    pub(super) fn is_group(&self) -> bool {
        matches!(&*self.type_name, "Map" | "Parallel")
    }

    /// Key of a request of the visit, which is in a strand; `None` if the definition does not have the state.
    #[must_use]
    pub fn key(&self, strand: &Strand, attempt: u32) -> Option<AskKey> {
        Some(AskKey {
            path: self.path.as_ref()?.0.clone(),
            visit: self.nth,
            attempt,
            ..strand.key.clone()
        })
    }
}

impl RecordedRun {
    /// The event at an index.
    #[must_use]
    pub fn event(&self, place: usize) -> Option<&RecordedEvent> {
        self.events.get(place)
    }

    /// The events that were recorded, with their indices.
    pub fn recorded(&self) -> impl DoubleEndedIterator<Item = (usize, &RecordedEvent)> {
        let events = self.events.iter().enumerate();
        events.filter(|(_, event)| !event.is_made)
    }

    /// True if the first events are missing.
    #[must_use]
    pub fn begins_late(&self) -> bool {
        let first = self.recorded().next();
        first.is_some_and(|(_, first)| &*first.type_name != "ExecutionStarted")
    }

    /// True if the events before the first recorded one were generated.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        self.events.first().is_some_and(|first| first.is_made)
    }

    /// The log level that records only these events: `ERROR` for failures, `FATAL` for failures of executions.
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

    /// The final event, if it was recorded; for a redriven execution, the last one.
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

    /// Number of redrives.
    #[must_use]
    pub fn redrives(&self) -> usize {
        let redriven = |event: &&RecordedEvent| &*event.type_name == "ExecutionRedriven";
        self.events.iter().filter(redriven).count()
    }

    /// True if events directly before a recorded one are missing, as in a log of errors or a part of a history.
    #[must_use]
    pub fn is_gap_before(&self, place: usize) -> bool {
        let Some(event) = self.events.get(place).filter(|event| !event.is_made) else {
            return false;
        };
        let before = place
            .checked_sub(1)
            .and_then(|before| self.events.get(before));
        match before {
            // Without recorded ids, the first recorded event has id 1.
            Some(before) if before.is_made => event.id != 1 && event.id as usize != place + 1,
            before => event.id > before.map_or(0, |before| before.id).saturating_add(1),
        }
    }

    /// Short remarks about the execution, such as what is unknown about it.
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
        let has_holes = pairs.any(|((_, one), (_, other))| other.id > one.id.saturating_add(1));
        if has_holes {
            marks.push("events missing".to_string());
        } else if let Some(first) = first.filter(|first| first.id > 1) {
            marks.push(format!("begins at #{}", first.id));
        }
        if self.end().is_none()
            && let Some(last) = last
        {
            marks.push(format!("nothing after #{}", last.id));
        }
        if self
            .recorded()
            .any(|(_, event)| event.data == Payload::Unknown)
        {
            marks.push("data missing".to_string());
        }
        marks
    }

    /// True if no event is missing between two recorded ones.
    #[must_use]
    pub fn is_unbroken(&self, from: usize, to: usize) -> bool {
        let id = |place: usize| self.events.get(place).map(|event| event.id as usize);
        let ids = id(to).zip(id(from));
        ids.is_some_and(|(to_id, from_id)| to_id.abs_diff(from_id) == to.abs_diff(from))
    }

    /// Ids of redrives after which the execution ended before anything was tried.
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

    /// Milliseconds between the start and an event.
    #[must_use]
    pub fn time(&self, place: usize) -> Option<u64> {
        let event = self.events.get(place)?;
        if !self.has_times {
            return Some(place as u64);
        }
        let after = event.time?.saturating_sub(self.start);
        Some(u64::try_from(after).unwrap_or(0))
    }

    /// True if an attempt without an end was aborted with its siblings or by the end of the execution, so that it
    /// never gets an answer.
    #[must_use]
    pub fn was_cut_short(&self, strand: &Strand) -> bool {
        strand.aborted || self.end().is_some()
    }

    /// Name of an event's state.
    #[must_use]
    pub fn state_at(&self, place: usize) -> Option<&Text> {
        if let Some(name) = self.events.get(place)?.name.as_ref() {
            return Some(name);
        }
        let strand = self.strands.get(*self.strand_of.get(place)?)?;
        let visits = strand.visits.iter().rev();
        let mut before =
            visits.filter(|visit| visit.entered.is_some_and(|entered| entered <= place));
        before.next().map(|visit| &visit.name)
    }
}

/// Maximum number of events to list.
const MOST: usize = 2000;
/// Maximum length of data, in bytes.
const DATA: usize = 160;

/// A row for one of AWS's events.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRow {
    /// AWS's id.
    pub id: u32,
    /// Time since the start; `None` if no times were recorded.
    pub time: Option<Millis>,
    /// AWS's name of the type.
    pub type_name: Text,
    /// Name of the event's state.
    pub state: Text,
    /// The event's error, or its data in short.
    pub data: String,
}

impl RecordedRun {
    /// Events in the order of their ids, without those that the run has matched.
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
            (one, other) => one
                .as_ref()
                .or(other.as_ref())
                .map_or("", |text| text)
                .to_string(),
        },
        Payload::Unknown => NOT_RECORDED.to_string(),
        data => data
            .value()
            .map_or_else(String::new, |value| abridged(&value, DATA)),
    }
}

/// Type and name of the state that encloses a scope; the name is `None` if no event gives it.
pub(super) type Owner = (Text, Option<Text>);

/// Scopes of a state machine.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// States of the definition.
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

    /// A name is used only once per state machine, so states that follow one another are in the same scope.
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
            let own = outline.alone(name, &mut members);
            let before = match event.kind {
                Some(EventKind::StateEntered) => event.previous.and_then(|id| exits.get(&id)),
                _ => None,
            };
            let other = before.map(|before| outline.alone(before, &mut members));
            if let Some(other) = other.filter(|other| *other != own) {
                let moved = members.remove(&other).unwrap_or_default();
                for name in &moved {
                    outline.scopes.insert(name.clone(), vec![own]);
                }
                members.entry(own).or_default().extend(moved);
            }
        }
        outline
    }

    /// The scope known for a state, otherwise a new one.
    fn alone(&mut self, name: &Text, members: &mut HashMap<ScopeId, Vec<Text>>) -> ScopeId {
        let next = u32::try_from(self.scopes.len() + 1).unwrap_or(u32::MAX);
        let scopes = self.scopes.entry(name.clone()).or_insert_with(|| {
            members.insert(ScopeId(next), vec![name.clone()]);
            vec![ScopeId(next)]
        });
        scopes.first().copied().unwrap_or(ScopeId(next))
    }

    /// The state of a scope with this name, if the definition has it.
    pub(super) fn state(&self, scope: ScopeId, name: &Text) -> Option<StateId> {
        self.states.get(&(scope, name.clone())).copied()
    }

    /// The scope that contains all these states.
    pub(super) fn scope_of(&self, names: &[Text]) -> Option<ScopeId> {
        let has = |scope: &ScopeId, name: &Text| {
            let scopes = self.scopes.get(name);
            scopes.is_some_and(|scopes| scopes.contains(scope))
        };
        let mut scopes = self.scopes.get(names.first()?)?.iter().copied();
        scopes.find(|scope| names.iter().all(|name| has(scope, name)))
    }

    /// The state that encloses a scope.
    pub(super) fn owner(&self, scope: ScopeId) -> Option<&Owner> {
        self.owners.get(&scope)
    }

    /// Records the state that encloses a scope.
    pub(super) fn learn(&mut self, scope: ScopeId, owner: Owner) {
        let known = self.owners.entry(scope).or_insert_with(|| owner.clone());
        if known.1.is_none() {
            *known = owner;
        }
    }
}
