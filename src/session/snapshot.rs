//! The recorded run and its cursor, which is the event that the user sees. A snapshot is the run directly after one
//! event. Checkpoints are snapshots that are kept, because the run can be repeated from them.

use super::log::{Entry, EntryKind, Log};
use super::tally::Tally;
use super::timeline::Timeline;
use crate::interpreter::{
    Ask, Event, Frame, FrameId, Machine, MemoryWatch, Millis, Run, Serve, Served, Stage, Step,
};
use std::collections::VecDeque;
use std::sync::Arc;

/// A run directly after one event. Cloning a snapshot takes as long as cloning the live frames.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The machine directly after the event.
    pub machine: Machine,
    /// Summary of all events up to this one.
    pub tally: Tally,
    /// Number of events so far.
    pub events: u64,
    /// Number of log entries that have been applied.
    pub applied: usize,
    /// A request whose answer is being computed; the machine waits for the answer.
    pub pending: Option<Ask>,
    /// Requests of tasks that were sent to real targets, while other branches and items continue.
    pub calling: VecDeque<Ask>,
}

/// Result of repeating the next event of a recorded run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repeated {
    /// The next event.
    Event(Event),
    /// An answer is being computed, so the caller has to try again later.
    Pending,
    /// The end of the recorded run: there is no next event.
    End,
}

impl Snapshot {
    /// The snapshot before the first event of a run.
    #[must_use]
    pub fn start(run: Arc<Run>) -> Self {
        let tally = Tally::new(run.definition.states.len());
        Self {
            machine: Machine::start(run),
            tally,
            events: 0,
            applied: 0,
            pending: None,
            calling: VecDeque::new(),
        }
    }

    /// Performs a step of the machine; the virtual clock advances at most to `until`. Counts the event, if the step
    /// produces one. If the answer to a request is still being computed, returns that request again.
    pub fn step(&mut self, until: Millis) -> Step {
        // This code runs for every event, so the step is stored where the caller reads it and is not copied.
        let mut step = match self.take_pending() {
            Some(ask) => Step::Ask(ask),
            None => self.machine.step(until),
        };
        match &step {
            Step::Event(event) => {
                self.events += 1;
                self.tally.apply(event);
            }
            Step::Waiting => {
                if let Some(ask) = self.next_call() {
                    step = Step::Ask(ask);
                }
            }
            _ => {}
        }
        step
    }

    /// Takes the request whose answer is being computed, if the request is still open.
    fn take_pending(&mut self) -> Option<Ask> {
        let machine = &self.machine;
        let open = self.pending.take_if(|ask| machine.ask(ask.id).is_some());
        self.pending = None;
        open
    }

    /// Takes the next open request that was sent to a real target; used if nothing else can continue.
    fn next_call(&mut self) -> Option<Ask> {
        while let Some(ask) = self.calling.pop_front() {
            if self.machine.ask(ask.id).is_some() {
                return Some(ask);
            }
        }
        None
    }

    /// Repeats the next event of a recorded run.
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
                    // Requests without a log entry are answered by the server, which gives the same answer as before.
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

    /// Applies the log entries that were applied at the current event in the recorded run.
    pub fn apply_due(&mut self, log: &Log) {
        while let Some(entry) = self.due(log)
            && self.apply(&entry.kind)
        {
            self.applied += 1;
        }
    }

    /// Applies the user's edits at the current event, up to the next answer in the log, so that the view shows the
    /// edited values.
    pub fn apply_changes(&mut self, log: &Log) {
        while let Some(entry) = self.due(log)
            && !entry.kind.is_answer()
            && self.apply(&entry.kind)
        {
            self.applied += 1;
        }
    }

    /// The next log entry, if it was applied at the current event.
    fn due<'a>(&self, log: &'a Log) -> Option<&'a Entry> {
        log.get(self.applied)
            .filter(|entry| entry.after == self.events)
    }

    /// Applies a log entry. Returns false if an answer has to wait, because the machine has not made the request yet.
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

    /// Approximate number of bytes that stay in memory because of a copy of this snapshot.
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

/// Replaces the value at a position in a stage of a frame; returns `false` if the stage has no such position.
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

/// Snapshots from which the run is repeated. The number of events between two of them grows, so that all together stay
/// within a memory limit.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    snapshots: Vec<(Snapshot, u64)>,
    spacing: u64,
    weight: u64,
    budget: u64,
}

/// Initial number of events between two checkpoints.
const SPACING: u64 = 256;
/// Maximum number of checkpoints.
const MOST: usize = 1024;

impl Checkpoints {
    /// Creates an empty list of checkpoints that may use `budget` bytes.
    #[must_use]
    pub fn new(budget: u64) -> Self {
        Self {
            snapshots: Vec::new(),
            spacing: SPACING,
            weight: 0,
            budget,
        }
    }

    /// Approximate number of bytes that stay in memory because of the checkpoints.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.weight
    }

    /// Keeps a copy of a snapshot if enough events have happened since the last checkpoint.
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

    /// Drops every second checkpoint except the first, and doubles the spacing.
    fn thin(&mut self) {
        let mut place = 0_usize;
        self.snapshots.retain(|_| {
            place += 1;
            place % 2 == 1
        });
        self.weight = self.snapshots.iter().map(|(_, weight)| *weight).sum();
        self.spacing = self.spacing.saturating_mul(2);
    }

    /// Number of checkpoints at or before an event.
    fn up_to(&self, events: u64) -> usize {
        let is_before = |(snapshot, _): &(Snapshot, u64)| snapshot.events <= events;
        self.snapshots.partition_point(is_before)
    }

    /// The last checkpoint at or before an event.
    #[must_use]
    pub fn before(&self, events: u64) -> Option<&Snapshot> {
        let last = self.snapshots.get(self.up_to(events).checked_sub(1)?);
        last.map(|(snapshot, _)| snapshot)
    }

    /// Removes the checkpoints after an event. Returns the removed checkpoints, so that the caller can choose when to
    /// drop them: dropping may take a while.
    pub fn truncate(&mut self, events: u64) -> impl Send + use<> {
        let rest = self.snapshots.split_off(self.up_to(events));
        self.weight = self.snapshots.iter().map(|(_, weight)| *weight).sum();
        rest
    }
}

/// A recorded run and its cursor.
#[derive(Debug)]
pub(super) struct Recording {
    pub run: Arc<Run>,
    /// The snapshot at the end of the recorded run.
    pub head: Snapshot,
    /// The snapshot at the cursor, if the cursor is before the end.
    pub past: Option<Snapshot>,
    pub timeline: Timeline,
    pub checkpoints: Checkpoints,
    pub log: Log,
    /// Watches the memory use of the run and of everything recorded about it.
    pub memory: MemoryWatch,
    /// Number of the run: starts at 1; increases with each new run and each fork.
    pub number: u32,
}

impl Recording {
    /// Creates a recorded run without events; its checkpoints may use `budget` bytes.
    pub fn new(run: Run, number: u32, budget: u64, memory: MemoryWatch) -> Self {
        let run = Arc::new(run);
        Self {
            head: Snapshot::start(Arc::clone(&run)),
            run,
            past: None,
            timeline: Timeline::default(),
            checkpoints: Checkpoints::new(budget),
            log: Log::default(),
            memory,
            number,
        }
    }

    /// The snapshot at the cursor.
    pub fn at_cursor(&self) -> &Snapshot {
        self.past.as_ref().unwrap_or(&self.head)
    }

    /// The nearest frame to `id` that is live at the cursor: that frame, one of its ancestors, or the outermost frame.
    pub fn nearest_frame(&self, id: FrameId) -> Option<&Frame> {
        let machine = &self.at_cursor().machine;
        let mut at = Some(id);
        while let Some(id) = at {
            if let Some(frame) = machine.frame(id) {
                return Some(frame);
            }
            at = self.timeline.parent(id);
        }
        machine.frames().next()
    }

    /// True if the run and everything recorded about it have reached their memory limit.
    pub fn is_full(&mut self) -> bool {
        let bytes = self.bytes();
        self.memory.is_over(&self.head.machine, bytes)
    }

    /// Approximate memory use of the timeline, the checkpoints and the log, in bytes.
    pub fn bytes(&self) -> u64 {
        let parts = [
            self.timeline.bytes(),
            self.checkpoints.bytes(),
            self.log.bytes(),
        ];
        parts.iter().sum()
    }

    /// Adds a log entry that has just been applied after the last recorded event.
    pub fn note(&mut self, kind: EntryKind) {
        self.log.push(Entry {
            after: self.head.events,
            kind,
        });
        self.head.applied = self.log.len();
    }

    /// The latest snapshot from which the run can be repeated up to event `number`: a checkpoint at or before the
    /// event, or `near`.
    pub fn kept_before(&self, number: u64, near: Option<&Snapshot>) -> Snapshot {
        let kept = self.checkpoints.before(number).into_iter().chain(near);
        let last = kept.max_by_key(|kept| kept.events).cloned();
        last.unwrap_or_else(|| Snapshot::start(Arc::clone(&self.run)))
    }

    /// Moves the cursor one recorded event forwards.
    pub fn repeat(&mut self, server: &dyn Serve) -> Repeated {
        let Some(past) = &mut self.past else {
            return Repeated::End;
        };
        let repeated = past.repeat(&self.log, server);
        past.apply_changes(&self.log);
        if repeated == Repeated::End || past.events >= self.timeline.len() {
            self.past = None;
        }
        repeated
    }

    /// Moves the cursor one event closer to a recorded event, and returns how far it got.
    pub fn approach(&mut self, to: u64, server: &dyn Serve) -> Approach {
        if to == self.timeline.len() {
            self.past = None;
            return Approach::There;
        }
        let near = self.past.as_ref().map(|past| past.events);
        let near = near.filter(|events| *events <= to);
        let kept = self.checkpoints.before(to);
        if kept.is_some_and(|kept| near.is_none_or(|near| kept.events > near)) {
            self.past = kept.cloned();
        }
        match &mut self.past {
            None => Approach::Lost,
            Some(past) if past.events == to => {
                past.apply_changes(&self.log);
                Approach::There
            }
            Some(past) => match past.repeat(&self.log, server) {
                Repeated::Event(_) | Repeated::Pending => Approach::Nearer,
                Repeated::End => Approach::Lost,
            },
        }
    }

    /// Discards everything recorded after the cursor. Returns the number of events that are left, and the discarded
    /// data, so that the caller can choose when to drop that data: dropping may take a while. `None` if the cursor is
    /// at the end already.
    pub fn fork(&mut self) -> Option<(u64, impl Send + use<>)> {
        let past = self.past.take()?;
        let events = past.events;
        let recorded = self.timeline.truncate(events);
        let kept = self.checkpoints.truncate(events);
        let logged = self.log.truncate(past.applied);
        let head = std::mem::replace(&mut self.head, past);
        self.number += 1;
        Some((events, (recorded, kept, logged, head)))
    }
}

/// The progress of the cursor towards an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Approach {
    /// The cursor is at the event.
    There,
    /// The cursor has moved closer to the event but is not there yet.
    Nearer,
    /// The run cannot be repeated up to the event.
    Lost,
}
