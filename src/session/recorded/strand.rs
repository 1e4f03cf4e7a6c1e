//! The strands of a recorded execution: what each frame went through, visit by visit and attempt by attempt.

use super::event::{Payload, RecordedEvent};
use crate::definition::{ScopeId, StateId, StatePath};
use crate::json::Text;
use std::collections::HashMap;

/// A recorded execution, by frame.
#[derive(Clone, Debug, Default)]
pub struct RecordedRun {
    /// All events by their ids.
    pub events: Vec<RecordedEvent>,
    /// What each frame went through; the first is the machine's own.
    pub strands: Vec<Strand>,
    /// The strand of each event.
    pub strand_of: Vec<usize>,
    /// Strands by what started them.
    pub by_key: HashMap<StrandKey, usize>,
    /// Milliseconds since 1970 at which it began.
    pub start: i64,
    /// Whether its times were written down.
    pub has_times: bool,
    /// Whether what a Fail state says can be computed again.
    pub repeats_failures: bool,
    /// Whether every event up to its end was written down.
    pub is_whole: bool,
    /// The DISTRIBUTED Maps whose child executions were recorded, each in a history of its own.
    pub item_runs: Vec<StateId>,
    /// The id of the first event of which no other says which branch or item it is of, where several were at work.
    pub guessed_from: Option<u32>,
}

/// What started a strand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StrandKey {
    /// The name of the Parallel or Map; empty for the machine's own.
    pub owner: Text,
    /// Branch and item indexes from the outermost frame inwards.
    pub indices: Vec<u32>,
    /// Visit and attempt of the Parallel or Map that each index is of.
    pub rounds: Vec<(u32, u32)>,
}

/// What one frame went through.
#[derive(Clone, Debug, Default)]
pub struct Strand {
    /// The strand and the visit of it that started this one.
    pub parent: Option<(usize, usize)>,
    /// Branch and item indexes from the outermost frame inwards.
    pub indices: Vec<u32>,
    /// Visit and attempt of the Parallel or Map that each index is of.
    pub rounds: Vec<(u32, u32)>,
    /// The scope that it ran, where the definition has it.
    pub scope: Option<ScopeId>,
    /// Its events, as far as they count: of an execution that was redriven, those of failed attempts before do not.
    pub events: Vec<usize>,
    /// Its visits of states, in order.
    pub visits: Vec<Visit>,
    /// Whether nothing can happen in it any more.
    pub ended: bool,
    /// Whether it was stopped with its siblings.
    pub aborted: bool,
}

/// One visit of a state.
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// The state's name.
    pub name: Text,
    /// Its type as AWS names it.
    pub type_name: Text,
    /// How often the frame had entered it, from 1.
    pub nth: u32,
    /// The state of the definition.
    pub state: Option<StateId>,
    /// Its path.
    pub path: Option<StatePath>,
    /// Its StateEntered.
    pub entered: Option<usize>,
    /// Its StateExited.
    pub exited: Option<usize>,
    /// Its attempts.
    pub attempts: Vec<Attempt>,
    /// How many attempts there were before an execution was redriven.
    pub before_redrive: usize,
    /// Whether it was under way when the execution was redriven.
    pub redriven: bool,
    /// The event with which the last attempt before the execution was redriven began.
    pub begun_before: Option<usize>,
    /// Whether the work of a Parallel or Map is over.
    pub finished: bool,
    /// The event that says so.
    pub worked: Option<usize>,
    /// Whether the work of a Parallel or Map failed, or was over before it was done.
    pub failed: bool,
    /// The MapRunStarted and the MapRunSucceeded or MapRunFailed.
    pub map_run: (Option<usize>, Option<usize>),
    /// How many strands it started in the attempt under way.
    pub started: u32,
}

/// One attempt.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// The event with which it began: TaskScheduled, MapStateStarted, ...
    pub begun: Option<usize>,
    /// The event with which a task's ended.
    pub ended: Option<usize>,
}

impl RecordedRun {
    /// The event at a place.
    #[must_use]
    pub fn event(&self, place: usize) -> Option<&RecordedEvent> {
        self.events.get(place)
    }

    /// The events that were recorded, with their places.
    pub fn recorded(&self) -> impl DoubleEndedIterator<Item = (usize, &RecordedEvent)> {
        let events = self.events.iter().enumerate();
        events.filter(|(_, event)| !event.is_made)
    }

    /// Whether the first events are missing.
    #[must_use]
    pub fn begins_late(&self) -> bool {
        let first = self.recorded().next();
        first.is_some_and(|(_, first)| &*first.type_name != "ExecutionStarted")
    }

    /// Whether what came before the first recorded event was made.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        self.events.first().is_some_and(|first| first.is_made)
    }

    /// The log level that records no more than this: `ERROR` for failures alone, `FATAL` for that of the execution alone.
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

    /// The event of an id.
    #[must_use]
    pub fn by_id(&self, id: u32) -> Option<&RecordedEvent> {
        let place = self
            .events
            .binary_search_by_key(&id, |event| event.id)
            .ok()?;
        self.events.get(place)
    }

    /// Its end, where that was written down: the last one, of an execution that was redriven.
    #[must_use]
    pub fn end(&self) -> Option<&RecordedEvent> {
        let last = self
            .events
            .iter()
            .rev()
            .find(|event| event.is_end() || &*event.type_name == "ExecutionRedriven");
        last.filter(|event| event.is_end())
    }

    /// Whether the input of the execution was recorded.
    #[must_use]
    pub fn has_input(&self) -> bool {
        let begun = |event: &&RecordedEvent| &*event.type_name == "ExecutionStarted";
        let begun = self.events.iter().find(begun);
        begun.is_some_and(|event| event.data.value().is_some())
    }

    /// How often it was redriven.
    #[must_use]
    pub fn redrives(&self) -> usize {
        let redriven = |event: &&RecordedEvent| &*event.type_name == "ExecutionRedriven";
        self.events.iter().filter(redriven).count()
    }

    /// Whether events are missing right before a recorded one: of a log of errors alone, of a part of a history.
    #[must_use]
    pub fn is_gap_before(&self, place: usize) -> bool {
        let id = self.events.get(place).map_or(0, |event| event.id);
        let before = place
            .checked_sub(1)
            .and_then(|before| self.events.get(before));
        id > before.map_or(0, |before| before.id).saturating_add(1)
    }

    /// In a few words, what of the execution is not known, and what else marks it.
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

    /// Whether no event is missing between two recorded ones.
    #[must_use]
    pub fn is_unbroken(&self, from: usize, to: usize) -> bool {
        let id = |place: usize| self.events.get(place).map(|event| event.id as usize);
        let ids = id(to).zip(id(from));
        ids.is_some_and(|(to_id, from_id)| to_id.abs_diff(from_id) == to.abs_diff(from))
    }

    /// The ids of redrives after which it ended before anything was tried.
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

    /// Milliseconds after the beginning at which an event happened.
    #[must_use]
    pub fn time(&self, place: usize) -> Option<u64> {
        let event = self.events.get(place)?;
        if !self.has_times {
            return Some(place as u64);
        }
        let after = event.time?.saturating_sub(self.start);
        Some(u64::try_from(after).unwrap_or(0))
    }

    /// Whether an attempt was still under way when its sibling or the execution ended, so that it never gets an answer.
    #[must_use]
    pub fn was_cut_short(&self, strand: &Strand) -> bool {
        strand.aborted || self.end().is_some()
    }

    /// The state that an event is of, by name.
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
