//! A run at one event: the machine, the tally, and how much of the log is used up; and snapshots kept to come back to.

use super::log::{Entry, EntryKind, Log};
use super::tally::Tally;
use crate::interpreter::{Ask, Event, Machine, Millis, Run, Serve, Served, Stage, Step};
use std::sync::Arc;

/// A run at one event. A clone costs the live frames.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The machine right after the event.
    pub machine: Machine,
    /// The summary of all events so far.
    pub tally: Tally,
    /// How many events have happened.
    pub events: u64,
    /// How many entries of the log are applied.
    pub applied: usize,
    /// A question that is being worked at: the machine stands until it is answered.
    pub pending: Option<Ask>,
}

/// What came of repeating a recorded run by one event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repeated {
    /// The next event.
    Event(Event),
    /// What it depends on is being worked at: repeat again.
    Pending,
    /// The record ends.
    End,
}

impl Snapshot {
    /// Before the first event.
    #[must_use]
    pub fn start(run: Arc<Run>) -> Self {
        let tally = Tally::new(run.definition.states.len());
        Self {
            machine: Machine::start(run),
            tally,
            events: 0,
            applied: 0,
            pending: None,
        }
    }

    /// One step of the machine, the clock going no further than `until`; an event is counted. A question that was being
    /// worked at is asked once more.
    pub fn step(&mut self, until: Millis) -> Step {
        let pending = self.pending.take();
        if let Some(ask) = pending.filter(|ask| self.machine.ask(ask.id).is_some()) {
            return Step::Ask(ask);
        }
        let step = self.machine.step(until);
        if let Step::Event(event) = &step {
            self.events += 1;
            self.tally.apply(event);
        }
        step
    }

    /// The next event of a run that is recorded.
    pub fn repeat(&mut self, log: &Log, server: &dyn Serve) -> Repeated {
        loop {
            self.apply_due(log);
            match self.step(Millis::MAX) {
                Step::Event(event) => return Repeated::Event(event),
                Step::Ask(ask) => {
                    self.apply_due(log);
                    if self.machine.ask(ask.id).is_none() {
                        continue;
                    }
                    // What is not in the log is answered as it was the first time.
                    match server.serve_soon(&ask) {
                        Served::Now(answer) => {
                            self.machine.answer(ask.id, answer);
                        }
                        Served::Later => {
                            self.pending = Some(ask);
                            return Repeated::Pending;
                        }
                        Served::Not => {}
                    }
                }
                Step::Waiting | Step::Idle(_) | Step::Stuck | Step::Done => return Repeated::End,
            }
        }
    }

    /// Applies the entries of the log that were applied at this event.
    pub fn apply_due(&mut self, log: &Log) {
        while let Some(entry) = self.due(log)
            && self.apply(&entry.kind)
        {
            self.applied += 1;
        }
    }

    /// Applies what was changed by hand at this event before anything else came: whoever is here sees what the run goes on
    /// with.
    pub fn apply_changes(&mut self, log: &Log) {
        while let Some(entry) = self.due(log)
            && !entry.kind.is_answer()
            && self.apply(&entry.kind)
        {
            self.applied += 1;
        }
    }

    /// The next entry, if it was applied at this event.
    fn due<'a>(&self, log: &'a Log) -> Option<&'a Entry> {
        log.get(self.applied)
            .filter(|entry| entry.after == self.events)
    }

    /// Whether it could be applied: an answer waits for its question.
    fn apply(&mut self, kind: &EntryKind) -> bool {
        match kind {
            EntryKind::Answer { ask, answer, .. } | EntryKind::Served { ask, answer, .. } => {
                let is_asked =
                    self.machine.ask(*ask).is_some() || self.machine.held(*ask).is_some();
                if is_asked {
                    self.machine.answer(*ask, answer.clone());
                }
                is_asked
            }
            EntryKind::IgnoreFailures { frame } => {
                self.machine.ignore_failures(*frame);
                true
            }
            EntryKind::Edit {
                frame,
                stage,
                at,
                value,
                ..
            } => {
                edit(&mut self.machine, *frame, *stage, at, value);
                true
            }
        }
    }

    /// About how many bytes a copy keeps alive.
    fn weight(&self) -> u64 {
        let frame_weight = |frame: &crate::interpreter::Frame| {
            let values = Stage::ALL
                .iter()
                .filter_map(|stage| frame.visit.data.get(*stage));
            1024 + values.map(|value| value.size().min(1 << 24)).sum::<u64>()
        };
        let states = self.machine.definition().states.len() as u64;
        4096 + 88 * states + self.machine.frames().map(frame_weight).sum::<u64>()
    }
}

/// Puts a value into a stage of a frame; `false` where there is no such place.
pub(super) fn edit(
    machine: &mut Machine,
    frame: crate::interpreter::FrameId,
    stage: Stage,
    at: &crate::json::Pointer,
    value: &crate::json::Value,
) -> bool {
    let whole = machine
        .frame(frame)
        .and_then(|frame| frame.visit.data.get(stage))
        .and_then(|old| at.set(old, value.clone()));
    whole.is_some_and(|whole| machine.edit(frame, stage, whole))
}

/// Snapshots to come back to, spaced so that they stay within a budget.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    snapshots: Vec<(Snapshot, u64)>,
    spacing: u64,
    weight: u64,
    budget: u64,
}

/// Events between two checkpoints at first.
const SPACING: u64 = 256;
/// At most so many checkpoints.
const MOST: usize = 1024;

impl Checkpoints {
    /// None yet, to stay within `budget` bytes.
    #[must_use]
    pub fn new(budget: u64) -> Self {
        Self {
            snapshots: Vec::new(),
            spacing: SPACING,
            weight: 0,
            budget,
        }
    }

    /// About how many bytes of memory they keep alive.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.weight
    }

    /// Keeps a copy of a snapshot if the last one is far enough back.
    pub fn offer(&mut self, snapshot: &Snapshot) {
        let far = self
            .snapshots
            .last()
            .is_none_or(|(last, _)| snapshot.events >= last.events + self.spacing);
        if !far {
            return;
        }
        let weight = snapshot.weight();
        self.weight = self.weight.saturating_add(weight);
        self.snapshots.push((snapshot.clone(), weight));
        while self.snapshots.len() > 2 && (self.snapshots.len() > MOST || self.weight > self.budget)
        {
            self.thin();
        }
    }

    /// Drops every second one and doubles the spacing; the first stays.
    fn thin(&mut self) {
        let mut place = 0_usize;
        self.snapshots.retain(|_| {
            place += 1;
            place % 2 == 1
        });
        self.weight = self.snapshots.iter().map(|(_, weight)| *weight).sum();
        self.spacing = self.spacing.saturating_mul(2);
    }

    /// The last one at or before an event.
    #[must_use]
    pub fn before(&self, events: u64) -> Option<&Snapshot> {
        let place = self
            .snapshots
            .partition_point(|(snapshot, _)| snapshot.events <= events);
        self.snapshots
            .get(place.checked_sub(1)?)
            .map(|(snapshot, _)| snapshot)
    }

    /// Takes those after an event out, and hands them over: dropping them may take a while.
    pub fn truncate(&mut self, events: u64) -> impl Send + use<> {
        let place = self
            .snapshots
            .partition_point(|(snapshot, _)| snapshot.events <= events);
        let rest = self.snapshots.split_off(place);
        self.weight = self.snapshots.iter().map(|(_, weight)| *weight).sum();
        rest
    }
}
