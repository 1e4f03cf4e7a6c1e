//! Compares the events of a run with the events of the recorded execution that the run repeats, frame by frame, up to
//! the first difference.

use super::event::{RecordedEvent, is_optional};
use super::explain;
use super::frame::{RecordedRow, RecordedRun};
use super::other_path::FirstDifference;
use super::pair::{Met, Mismatch, visit_at};
use crate::interpreter::{AskKey, Event, EventKind, FrameId, Machine};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Compares a run with the recorded execution that it repeats. For each frame, the events of the run are matched in
/// order with the events of its recorded frame.
#[derive(Clone, Debug)]
pub struct Follower {
    run: Arc<RecordedRun>,
    /// For each recorded frame, the number of its events that the comparison has passed so far.
    met: Vec<usize>,
    /// The recorded frame that each frame of the run repeats; `None` if nothing was recorded for the frame.
    frames: HashMap<FrameId, Option<usize>>,
    /// The pairs of matching events so far, in order: the number of an event of the run and the index of the recorded
    /// event.
    pairs: Vec<(u64, usize)>,
    /// Indices of the matched recorded events that report aborted work.
    aborts: HashSet<usize>,
    first: Option<Arc<FirstDifference>>,
    /// True if the run continued after the last recorded event.
    is_left: bool,
    /// The recorded events that the run has not matched, starting at the first difference.
    rest: Arc<[RecordedRow]>,
    /// Short remarks about the recorded execution, such as `redriven`.
    marks: Arc<[String]>,
    /// The run's first event that could not be compared because its data was not recorded, and AWS's id of the event
    /// before that event.
    unseen: Option<(u64, u32)>,
}

impl Follower {
    /// Creates a follower for a run that has no events yet.
    #[must_use]
    pub fn new(run: Arc<RecordedRun>) -> Self {
        Self {
            met: vec![0; run.frames.len()],
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

    /// The first difference between the run and the recorded execution, if there is one so far.
    #[must_use]
    pub fn difference(&self) -> Option<&Arc<FirstDifference>> {
        self.first.as_ref()
    }

    /// If an event of the run could not be compared because its data was not recorded: AWS's id of the event before the
    /// first such event.
    #[must_use]
    pub fn unseen_after(&self) -> Option<u32> {
        self.unseen.map(|(_, id)| id)
    }

    /// Index of the recorded event that matches the run's event with this number.
    #[must_use]
    pub fn place_of(&self, number: u64) -> Option<usize> {
        let at = self
            .pairs
            .binary_search_by_key(&number, |(paired, _)| *paired)
            .ok()?;
        let place = self.pairs.get(at).map(|(_, place)| *place);
        let is_recorded =
            |place: &usize| self.run.event(*place).is_some_and(|event| !event.is_made);
        place.filter(is_recorded)
    }

    /// AWS's id of the recorded event that matches the run's event with this number.
    #[must_use]
    pub fn id_of(&self, number: u64) -> Option<u32> {
        self.run.event(self.place_of(number)?).map(|event| event.id)
    }

    /// Number of the run's event that matches the recorded event with this id of AWS. If no event of the run matches
    /// it, number of the run's event that matches the next higher id.
    #[must_use]
    pub fn number_of(&self, id: u32) -> Option<u64> {
        let later = self
            .recorded_pairs()
            .filter(|(_, recorded)| *recorded >= id);
        later
            .min_by_key(|(_, recorded)| *recorded)
            .map(|(number, _)| number)
    }

    /// The pairs of matching events so far: the number of an event of the run and AWS's id of the recorded event.
    /// Generated events are left out.
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

    /// True unless the run has continued after the last recorded event. A run can only continue after it if the end of
    /// the execution was not recorded.
    #[must_use]
    pub fn is_within(&self) -> bool {
        !self.is_left
    }

    /// Resets the comparison to its state after the run's first `number` events.
    pub fn rewind(&mut self, number: u64) {
        let keep = self.pairs.partition_point(|(paired, _)| *paired <= number);
        for (_, place) in self.pairs.drain(keep..) {
            self.aborts.remove(&place);
        }
        let first = self.first.take_if(|first| first.number > number);
        if first.is_some() {
            self.rest = Arc::default();
        }
        self.is_left = false;
        self.unseen = self.unseen.filter(|(paired, _)| *paired <= number);
        self.met.iter_mut().for_each(|met| *met = 0);
        for (_, place) in &self.pairs {
            let Some(recorded_frame) = self.run.frame_of.get(*place).copied() else {
                continue;
            };
            let events = self.run.events_of(recorded_frame);
            let at = events.binary_search(place).ok();
            if let (Some(at), Some(met)) = (at, self.met.get_mut(recorded_frame)) {
                *met = at + 1;
            }
        }
    }

    /// Compares a new event of the run, directly after the machine has produced it. Returns true if the event is the
    /// first difference.
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
        let Some(recorded_frame) = self.frames.get(&event.frame).copied().flatten() else {
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
        let Some(next) = self.next(recorded_frame, event.kind) else {
            return self.goes_on(recorded_frame, number, met);
        };
        let (place, is_passed) = self.past_made(recorded_frame, next, event.kind);
        let Some(recorded) = run.frames.get(recorded_frame) else {
            return false;
        };
        let aws_event = run.event(place);
        if is_optional(event.kind)
            && aws_event.is_some_and(|aws_event| aws_event.kind != Some(event.kind))
        {
            return false;
        }
        if let Some(mismatch) = met.mismatch(recorded, place) {
            let is_gap = is_passed || run.is_gap_before(place);
            if matches!(mismatch, Mismatch::Kind | Mismatch::State) && is_gap {
                // Events are missing in the recording. This is reported elsewhere and does not count as a difference.
                return false;
            }
            self.differ(met.difference(number, place, &mismatch));
            return true;
        }
        let is_unseen = |aws_event: &RecordedEvent| aws_event.lacks_data() && !aws_event.is_made;
        if self.unseen.is_none() && aws_event.is_some_and(is_unseen) {
            let id = aws_event.map_or(0, |aws_event| aws_event.id);
            self.unseen = Some((number, id.saturating_sub(1)));
        }
        // The events of a recorded frame are sorted by index.
        let at = recorded.events.binary_search(&place).ok();
        if let (Some(at), Some(met)) = (at, self.met.get_mut(recorded_frame)) {
            *met = at + 1;
        }
        self.pairs.push((number, place));
        false
    }

    /// Handles the end of the run. Returns true if more events were recorded; this is then the first difference.
    pub fn finish(&mut self, number: u64) -> bool {
        if self.first.is_some() {
            return false;
        }
        let mut frames = (0..)
            .zip(&self.run.frames)
            .filter(|(_, frame)| !frame.aborted);
        let left = frames.find_map(|(recorded_frame, _)| {
            self.next(recorded_frame, EventKind::ExecutionSucceeded)
        });
        if let Some(place) = left {
            self.differ(explain::missing(&self.run, number, place));
        }
        left.is_some()
    }

    /// True if the run has matched everything that was recorded, and the recorded execution was then ended from
    /// outside.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let mut frames = 0..self.run.frames.len();
        self.was_stopped()
            && self.run.is_whole
            && frames.all(|recorded_frame| {
                let left = self.next(recorded_frame, EventKind::ExecutionTimedOut);
                left.and_then(|place| self.run.event(place))
                    .is_none_or(|event| event.is_end())
            })
    }

    /// Short remarks about the recorded execution, such as `redriven`.
    #[must_use]
    pub fn marks(&self) -> &Arc<[String]> {
        &self.marks
    }

    /// The recorded events that the run has not matched, starting at the first difference.
    #[must_use]
    pub fn rest(&self) -> &Arc<[RecordedRow]> {
        &self.rest
    }

    /// True if the recorded execution was ended from outside: aborted by somebody, or by its time limit.
    fn was_stopped(&self) -> bool {
        let end = self.run.end();
        end.is_some_and(|end| matches!(&*end.type_name, "ExecutionAborted" | "ExecutionTimedOut"))
    }

    fn is_all_met(&self) -> bool {
        (0..self.run.frames.len())
            .all(|recorded_frame| self.next(recorded_frame, EventKind::TaskStarted).is_none())
    }

    fn differ(&mut self, difference: FirstDifference) {
        let met: HashSet<usize> = self.pairs.iter().map(|(_, place)| *place).collect();
        let from = difference.event.unwrap_or(0);
        self.rest = self.run.rest(from, |place| met.contains(&place)).into();
        self.first = Some(Arc::new(difference));
    }

    /// Handles an event of a frame for which no more events were recorded. Returns true if the run's event is the first
    /// difference.
    fn goes_on(&mut self, recorded_frame: usize, number: u64, met: Met<'_>) -> bool {
        let is_optional = is_optional(met.event.kind);
        let recorded = self.run.frames.get(recorded_frame);
        let stopped = recorded.is_some_and(|frame| frame.aborted) || !self.run.is_whole;
        let ends = met.event.kind == EventKind::ExecutionTimedOut;
        if !self.is_left && self.run.end().is_none() && self.is_all_met() && !is_optional {
            self.is_left = true;
        }
        if stopped || self.was_stopped() || ends || is_optional {
            return false;
        }
        self.differ(met.unexpected(number, recorded_frame));
        true
    }

    fn is_cut_short(&self, frame: FrameId, machine: &Machine) -> bool {
        let mut at = machine.frame(frame).and_then(|frame| frame.parent);
        while let Some(id) = at {
            if let Some(recorded_frame) = self.frames.get(&id).copied().flatten() {
                let recorded = self.run.frames.get(recorded_frame);
                let met = self.met.get(recorded_frame).copied().unwrap_or(0);
                let last =
                    recorded.and_then(|frame| frame.events.get(met.checked_sub(1)?).copied());
                let visit = recorded
                    .zip(last)
                    .and_then(|(recorded_frame, last)| visit_at(recorded_frame, last));
                return recorded.is_none_or(|frame| frame.aborted)
                    || visit.is_some_and(|visit| visit.failed)
                    || !self.run.is_whole;
            }
            at = machine.frame(id).and_then(|frame| frame.parent);
        }
        true
    }

    /// Matches an event that reports aborted work with a recorded event. The order of such events does not matter.
    fn note_abort(&mut self, number: u64, event: &Event) {
        let Some(recorded_frame) = self.frames.get(&event.frame).copied().flatten() else {
            return;
        };
        let events = self.run.events_of(recorded_frame);
        let index = (event.kind == EventKind::IterationAborted).then_some(event.arg);
        let same = |place: &usize| {
            let aws_event = self.run.event(*place);
            !self.aborts.contains(place)
                && aws_event.is_some_and(|aws_event| {
                    aws_event.kind == Some(event.kind)
                        && (index.is_none() || aws_event.index == index)
                })
        };
        let place = events.iter().copied().find(same);
        let place = place.or_else(|| (0..self.run.events.len()).find(same));
        if let Some(place) = place {
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
        let recorded_frame = self.run.by_key.get(&key).copied();
        self.frames.insert(id, recorded_frame);
    }

    /// Skips generated events of another kind in a recorded frame, from the index `place` on. Returns the index of the
    /// next event, and true if events were skipped.
    fn past_made(&self, recorded_frame: usize, place: usize, kind: EventKind) -> (usize, bool) {
        // Skips nothing before an optional event (an event that may be missing in the recording), because this event
        // belongs to the current state.
        if is_optional(kind) {
            return (place, false);
        }
        let events = self.run.events_of(recorded_frame);
        let at = events.binary_search(&place).ok();
        let left = at.and_then(|at| events.get(at..));
        let fits = |place: &&usize| {
            let aws_event = self.run.event(**place);
            aws_event.is_some_and(|aws_event| !aws_event.is_made || aws_event.kind == Some(kind))
        };
        let next = left.unwrap_or_default().iter().find(fits).copied();
        (next.unwrap_or(place), next != Some(place))
    }

    /// Index of the next event of a recorded frame that an event of this kind in the run has to match. Skips events of
    /// other kinds that may be missing in the run, and events that are compared elsewhere.
    fn next(&self, recorded_frame: usize, kind: EventKind) -> Option<usize> {
        let recorded = self.run.frames.get(recorded_frame)?;
        let met = self.met.get(recorded_frame).copied().unwrap_or(0);
        let left = recorded.events.get(met..).unwrap_or_default();
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
