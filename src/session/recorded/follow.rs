//! Compares a run with the recorded execution that it repeats, frame by frame, up to the first difference.

use super::event::{RecordedEvent, is_optional};
use super::explain;
use super::other_path::FirstDifference;
use super::pair::{Met, Mismatch, visit_at};
use super::strand::{RecordedRow, RecordedRun};
use crate::interpreter::{AskKey, Event, EventKind, FrameId, Machine};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Compares a run with a recorded execution.
#[derive(Clone, Debug)]
pub struct Follower {
    run: Arc<RecordedRun>,
    /// Number of events of each strand that were matched.
    met: Vec<usize>,
    /// Strands of the frames.
    frames: HashMap<FrameId, Option<usize>>,
    /// Numbers of the run's events with the indices of the matching recorded events, in order.
    pairs: Vec<(u64, usize)>,
    /// Indices of matched events about aborted work.
    aborts: HashSet<usize>,
    first: Option<Arc<FirstDifference>>,
    /// True if the run continued beyond the recorded events.
    is_left: bool,
    /// Recorded events from the first difference on.
    rest: Arc<[RecordedRow]>,
    /// Short remarks about the execution, such as what is unknown about it.
    marks: Arc<[String]>,
    /// The run's first event whose recorded data is not known, with AWS's id of the event before it.
    unseen: Option<(u64, u32)>,
}

impl Follower {
    /// Starts before the first event.
    #[must_use]
    pub fn new(run: Arc<RecordedRun>) -> Self {
        Self {
            met: vec![0; run.strands.len()],
            frames: HashMap::from([(FrameId(0), Some(0))]),
            pairs: Vec::new(),
            aborts: HashSet::new(),
            first: None,
            is_left: false,
            rest: Arc::default(),
            marks: run.marks().into(),
            unseen: None,
            run,
        }
    }

    /// The recorded execution.
    #[must_use]
    pub fn run(&self) -> &Arc<RecordedRun> {
        &self.run
    }

    /// The first difference, if there has been one.
    #[must_use]
    pub fn difference(&self) -> Option<&Arc<FirstDifference>> {
        self.first.as_ref()
    }

    /// AWS's id of the last event before the first one whose data was not recorded and could not be compared.
    #[must_use]
    pub fn unseen_after(&self) -> Option<u32> {
        self.unseen.map(|(_, id)| id)
    }

    /// Index of the recorded event that matches an event of the run.
    #[must_use]
    pub fn place_of(&self, number: u64) -> Option<usize> {
        let at = self
            .pairs
            .binary_search_by_key(&number, |(own, _)| *own)
            .ok()?;
        let place = self.pairs.get(at).map(|(_, place)| *place);
        let is_recorded = |place: &usize| self.run.event(*place).is_some_and(|own| !own.is_made);
        place.filter(is_recorded)
    }

    /// AWS's id of an event of the run.
    #[must_use]
    pub fn id_of(&self, number: u64) -> Option<u32> {
        self.run.event(self.place_of(number)?).map(|event| event.id)
    }

    /// The run's event that matches AWS's event with this id, otherwise the next one that matches any.
    #[must_use]
    pub fn number_of(&self, id: u32) -> Option<u64> {
        let later = self.recorded_pairs().filter(|(_, own)| *own >= id);
        later.min_by_key(|(_, own)| *own).map(|(number, _)| number)
    }

    /// Numbers of the run's events with the ids of the recorded events that they match.
    fn recorded_pairs(&self) -> impl DoubleEndedIterator<Item = (u64, u32)> {
        self.pairs.iter().filter_map(|(number, place)| {
            let event = self.run.event(*place).filter(|event| !event.is_made)?;
            Some((*number, event.id))
        })
    }

    /// Number of recorded events that were matched.
    #[must_use]
    pub fn count(&self) -> usize {
        self.recorded_pairs().count()
    }

    /// AWS's id of the last recorded event that was matched.
    #[must_use]
    pub fn last_id(&self) -> u32 {
        self.recorded_pairs().next_back().map_or(0, |(_, id)| id)
    }

    /// True while the run is within the recorded events. If the end of the execution was not recorded, the run leaves
    /// them at the last recorded event.
    #[must_use]
    pub fn is_within(&self) -> bool {
        !self.is_left
    }

    /// Goes back to the time when the run had had `number` events.
    pub fn rewind(&mut self, number: u64) {
        let keep = self.pairs.partition_point(|(own, _)| *own <= number);
        for (_, place) in self.pairs.drain(keep..) {
            self.aborts.remove(&place);
        }
        let first = self.first.take_if(|first| first.number > number);
        if first.is_some() {
            self.rest = Arc::default();
        }
        self.is_left = false;
        self.unseen = self.unseen.filter(|(own, _)| *own <= number);
        self.met.iter_mut().for_each(|met| *met = 0);
        for (_, place) in &self.pairs {
            let Some(strand) = self.run.strand_of.get(*place).copied() else {
                continue;
            };
            let events = self.run.strands.get(strand).map(|strand| &strand.events);
            let at = events.and_then(|events| events.binary_search(place).ok());
            if let (Some(at), Some(met)) = (at, self.met.get_mut(strand)) {
                *met = at + 1;
            }
        }
    }

    /// Compares a new event of the run, directly after the step that returned it; returns whether it is the first
    /// difference.
    pub fn follow(&mut self, number: u64, machine: &Machine, event: &Event) -> bool {
        if event.kind.begins_frame() {
            self.note_frame(event.frame, machine);
        }
        if self.first.is_some() || event.history_id == 0 {
            return false;
        }
        let first = self.run.events.first();
        let begins_late = first.is_some_and(|first| first.id > 1 && !first.is_made);
        if event.kind == EventKind::ExecutionStarted && begins_late {
            return false;
        }
        if event.kind.is_abort() {
            self.note_abort(number, event);
            return false;
        }
        let run = Arc::clone(&self.run);
        let met = Met {
            run: &run,
            machine,
            event,
        };
        let Some(strand) = self.frames.get(&event.frame).copied().flatten() else {
            let is_aborted = self.is_cut_short(event.frame, machine);
            if is_aborted
                || event.kind != EventKind::IterationStarted
                    && event.kind != EventKind::StateEntered
            {
                return false;
            }
            self.differ(met.unexpected(number, 0));
            return true;
        };
        let Some(next) = self.next(strand, event.kind) else {
            return self.goes_on(strand, number, met);
        };
        let (place, is_passed) = self.past_made(strand, next, event.kind);
        let Some(own) = run.strands.get(strand) else {
            return false;
        };
        let there = run.event(place);
        if is_optional(event.kind) && there.is_some_and(|there| there.kind != Some(event.kind)) {
            return false;
        }
        if let Some(found) = met.mismatch(own, place) {
            let is_gap = is_passed || run.is_gap_before(place);
            if matches!(found, Mismatch::Kind | Mismatch::State) && is_gap {
                // The gap in the recorded events is reported instead of a difference.
                return false;
            }
            self.differ(met.difference(number, place, &found));
            return true;
        }
        let is_unseen = |there: &RecordedEvent| there.lacks_data() && !there.is_made;
        if self.unseen.is_none() && there.is_some_and(is_unseen) {
            let id = there.map_or(0, |there| there.id);
            self.unseen = Some((number, id.saturating_sub(1)));
        }
        // The events of a strand are sorted by index.
        let at = own.events.binary_search(&place).ok();
        if let (Some(at), Some(met)) = (at, self.met.get_mut(strand)) {
            *met = at + 1;
        }
        self.pairs.push((number, place));
        false
    }

    /// Handles the end of the run; returns whether more events were recorded.
    pub fn finish(&mut self, number: u64) -> bool {
        if self.first.is_some() {
            return false;
        }
        let mut strands = (0..).zip(&self.run.strands).filter(|(_, own)| !own.aborted);
        let left = strands.find_map(|(strand, _)| self.next(strand, EventKind::ExecutionSucceeded));
        if let Some(place) = left {
            self.differ(explain::missing(&self.run, number, place));
        }
        left.is_some()
    }

    /// True if everything recorded was matched, and the execution was ended from outside.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let mut strands = 0..self.run.strands.len();
        self.was_stopped()
            && self.run.is_whole
            && strands.all(|strand| {
                let left = self.next(strand, EventKind::ExecutionTimedOut);
                left.and_then(|place| self.run.event(place))
                    .is_none_or(|event| event.is_end())
            })
    }

    /// Short remarks about the execution, such as what is unknown about it.
    #[must_use]
    pub fn marks(&self) -> &Arc<[String]> {
        &self.marks
    }

    /// Recorded events from the first difference on.
    #[must_use]
    pub fn rest(&self) -> &Arc<[RecordedRow]> {
        &self.rest
    }

    /// True if the execution was ended from outside.
    fn was_stopped(&self) -> bool {
        let end = self.run.end();
        end.is_some_and(|end| matches!(&*end.type_name, "ExecutionAborted" | "ExecutionTimedOut"))
    }

    fn is_all_met(&self) -> bool {
        (0..self.run.strands.len())
            .all(|strand| self.next(strand, EventKind::TaskStarted).is_none())
    }

    fn differ(&mut self, difference: FirstDifference) {
        let met: HashSet<usize> = self.pairs.iter().map(|(_, place)| *place).collect();
        let from = difference.event.unwrap_or(0);
        self.rest = self.run.rest(from, |place| met.contains(&place)).into();
        self.first = Some(Arc::new(difference));
    }

    /// Handles a frame that continues although no more events were recorded for it; returns whether that is a
    /// difference.
    fn goes_on(&mut self, strand: usize, number: u64, met: Met<'_>) -> bool {
        let is_optional = is_optional(met.event.kind);
        let own = self.run.strands.get(strand);
        let stopped = own.is_some_and(|own| own.aborted) || !self.run.is_whole;
        let ends = met.event.kind == EventKind::ExecutionTimedOut;
        if !self.is_left && self.run.end().is_none() && self.is_all_met() && !is_optional {
            self.is_left = true;
        }
        if stopped || self.was_stopped() || ends || is_optional {
            return false;
        }
        self.differ(met.unexpected(number, strand));
        true
    }

    fn is_cut_short(&self, frame: FrameId, machine: &Machine) -> bool {
        let mut at = machine.frame(frame).and_then(|frame| frame.parent);
        while let Some(id) = at {
            if let Some(strand) = self.frames.get(&id).copied().flatten() {
                let own = self.run.strands.get(strand);
                let met = self.met.get(strand).copied().unwrap_or(0);
                let last = own.and_then(|own| own.events.get(met.checked_sub(1)?).copied());
                let visit = own.zip(last).and_then(|(own, last)| visit_at(own, last));
                return own.is_none_or(|own| own.aborted)
                    || visit.is_some_and(|visit| visit.failed)
                    || !self.run.is_whole;
            }
            at = machine.frame(id).and_then(|frame| frame.parent);
        }
        true
    }

    /// Matches an event about aborted work, in any order.
    fn note_abort(&mut self, number: u64, event: &Event) {
        let Some(strand) = self.frames.get(&event.frame).copied().flatten() else {
            return;
        };
        let own = self.run.strands.get(strand).map(|strand| &strand.events);
        let index = (event.kind == EventKind::IterationAborted).then_some(event.arg);
        let same = |place: &usize| {
            let there = self.run.event(*place);
            !self.aborts.contains(place)
                && there.is_some_and(|there| {
                    there.kind == Some(event.kind) && (index.is_none() || there.index == index)
                })
        };
        let found = own.and_then(|own| own.iter().copied().find(same));
        let found = found.or_else(|| (0..self.run.events.len()).find(same));
        if let Some(place) = found {
            self.aborts.insert(place);
            self.pairs.push((number, place));
        }
    }

    fn note_frame(&mut self, id: FrameId, machine: &Machine) {
        let Some(frame) = machine.frame(id) else {
            return;
        };
        let around = frame.parent.and_then(|parent| machine.frame(parent));
        let owner = around.and_then(|around| machine.definition().state(around.visit.state));
        let key = AskKey {
            path: owner.map(|owner| owner.name.clone()).unwrap_or_default(),
            visit: 0,
            attempt: 0,
            ..machine.key(frame)
        };
        let strand = self.run.by_key.get(&key).copied();
        self.frames.insert(id, strand);
    }

    /// The first event of a strand, at or after an index, that was recorded or has this kind; and whether other events
    /// were skipped.
    fn past_made(&self, strand: usize, place: usize, kind: EventKind) -> (usize, bool) {
        // Optional events belong to the current position; do not look for one at a later state.
        if is_optional(kind) {
            return (place, false);
        }
        let own = self.run.strands.get(strand).map(|own| &own.events);
        let at = own.and_then(|own| own.binary_search(&place).ok());
        let left = own.zip(at).and_then(|(own, at)| own.get(at..));
        let fits = |place: &&usize| {
            let there = self.run.event(**place);
            there.is_some_and(|there| !there.is_made || there.kind == Some(kind))
        };
        let found = left.unwrap_or_default().iter().find(fits).copied();
        (found.unwrap_or(place), found != Some(place))
    }

    /// Index of the next event of a strand that an event of this kind may match.
    fn next(&self, strand: usize, kind: EventKind) -> Option<usize> {
        let own = self.run.strands.get(strand)?;
        let met = self.met.get(strand).copied().unwrap_or(0);
        let left = own.events.get(met..).unwrap_or_default();
        left.iter().copied().find(|place| {
            self.run.event(*place).is_some_and(|event| {
                let passed = event.is_optional() && event.kind != Some(kind);
                !event.is_abort()
                    && !passed
                    && &*event.type_name != "ExecutionRedriven"
                    && &*event.type_name != "ExecutionAborted"
            })
        })
    }
}
