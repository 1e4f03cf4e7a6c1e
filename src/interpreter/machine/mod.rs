//! The machine: a plain value that `step` advances by the smallest observable step of a run.

mod answer;
mod course;
mod emit;

pub use super::context::FrameBindings;

use super::ask::{Ask, AskId, AskKey, Want};
use super::children::Group;
use super::evaluate::Looks;
use super::event::{Event, EventKind, FrameId, Millis};
use super::fault::{Difference, Fault};
use super::frame::{Frame, Timer, Variables};
use super::reason::Reason;
use super::run::{Run, random_bits, uuid_of};
use super::visit::{Call, Phase, StateVisit};
use crate::definition::{Definition, ScopeId, State, StateId, StateKind};
use crate::json::Value;
use crate::query::Profile;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A state machine that is being run. A clone is a checkpoint; its cost depends on the number of live frames.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) run: Arc<Run>,
    /// Live frames, in ascending order of id.
    frames: VecDeque<(FrameId, Arc<Frame>)>,
    /// Position in `frames` of the frame that was looked up last: the same frame is often looked up again.
    recent: Cell<usize>,
    /// Frames that can continue immediately, in ascending order of id.
    ready: VecDeque<FrameId>,
    /// Frames whose request has been answered, in ascending order of id. The frames in `ready` continue before them,
    /// because answers take real time.
    answered: VecDeque<FrameId>,
    deadlines: BTreeSet<(Millis, FrameId, Timer)>,
    pending: VecDeque<Event>,
    asked: VecDeque<AskId>,
    open: BTreeMap<AskId, FrameId>,
    status: Status,
    now: Millis,
    frame_count: u32,
    ask_count: u32,
    history_count: u32,
    pub(super) draws: Cell<u64>,
    /// Difference from AWS that the next event will report.
    pub(super) divergence: Cell<Option<Difference>>,
    /// True if a value was refused because the run's memory limit is lower than the default.
    has_outgrown: Cell<bool>,
    /// The recording of one frame's evaluations, while it is being made.
    pub(super) look: RefCell<Option<Box<Looks>>>,
    pub(super) transitions: u64,
    /// Total size of the values of all stages, in bytes of compact JSON. A value that is passed on unchanged counts
    /// once.
    pub(super) made: u64,
}

/// Status of the execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// The execution is running.
    Running,
    /// The execution succeeded with this output.
    Succeeded(Value),
    /// The execution failed with this error.
    Failed(Fault),
    /// The execution exceeded its TimeoutSeconds.
    TimedOut,
}

/// Outcome of one call of [`Machine::step`].
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An event occurred.
    Event(Event),
    /// A request to the outside. The machine continues with everything that does not depend on the answer.
    Ask(Ask),
    /// Nothing can continue until an open request is answered.
    Waiting,
    /// Nothing is due before this time on the virtual clock.
    Idle(Millis),
    /// Nothing more can happen, because a task never answers and has no timeout.
    Stuck,
    /// The execution is over.
    Done,
}

impl Machine {
    /// A machine before its first event.
    #[must_use]
    pub fn start(run: Arc<Run>) -> Self {
        let mut machine = Self {
            run,
            frames: VecDeque::new(),
            recent: Cell::new(0),
            ready: VecDeque::new(),
            answered: VecDeque::new(),
            deadlines: BTreeSet::new(),
            pending: VecDeque::new(),
            asked: VecDeque::new(),
            open: BTreeMap::new(),
            status: Status::Running,
            now: 0,
            frame_count: 0,
            ask_count: 0,
            history_count: 0,
            draws: Cell::new(0),
            look: RefCell::new(None),
            divergence: Cell::new(None),
            has_outgrown: Cell::new(false),
            transitions: 0,
            made: 0,
        };
        machine.begin();
        machine
    }

    fn begin(&mut self) {
        let run = Arc::clone(&self.run);
        let start = run.definition.scopes.first();
        let start = start.and_then(|scope| scope.start_at.as_ref()?.state);
        let root = Event {
            kind: EventKind::ExecutionStarted,
            written: true,
            diverges: false,
            state: None,
            frame: FrameId(0),
            arg: 0,
            history_id: self.next_history_id(),
            previous_id: 0,
            time: 0,
        };
        self.pending.push_back(root);
        let Some(state) = run.header.start_at.or(start) else {
            let reason = Reason::Broken("StartAt of the state machine names no state".into());
            let fault = Fault::raised(run.header.profile, reason, None);
            self.end(Status::Failed(fault), 0);
            return;
        };
        let scope = run.definition.state(state);
        let scope = scope.map_or(ScopeId(0), |state| state.scope);
        let variables = Arc::new(Variables::new(run.header.variables.clone()));
        let input = run.header.input.clone();
        self.add_frame(None, 0, scope, state, input, variables, 0);
        self.arm_execution();
    }

    /// Performs the next step that is due by the time `until`, in virtual milliseconds.
    pub fn step(&mut self, until: Millis) -> Step {
        let mut run = None;
        loop {
            if let Some(event) = self.pending.pop_front() {
                return Step::Event(event);
            }
            if let Some(ask) = self.asked.pop_front() {
                if let Some(ask) = self.ask(ask) {
                    return Step::Ask(ask.clone());
                }
                continue;
            }
            if self.status != Status::Running {
                return Step::Done;
            }
            if let Some(id) = self.ready.front().copied() {
                let run = run.get_or_insert_with(|| Arc::clone(&self.run));
                self.advance(run, id);
                continue;
            }
            if let Some(id) = self.answered.pop_front() {
                self.ready.push_back(id);
                continue;
            }
            if !self.open.is_empty() {
                return Step::Waiting;
            }
            match self.deadlines.first().copied() {
                None => return Step::Stuck,
                Some((due, ..)) if due > until => return Step::Idle(due),
                Some((due, id, timer)) => {
                    self.deadlines.pop_first();
                    self.now = self.now.max(due);
                    self.fire(id, timer, due);
                }
            }
        }
    }

    /// The run that the machine executes: its header (initial conditions) and definition.
    #[must_use]
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// The definition.
    #[must_use]
    pub fn definition(&self) -> &Definition {
        &self.run.definition
    }

    /// The behaviour that the run follows: the specification's or AWS's.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.run.header.profile
    }

    /// Status of the execution.
    #[must_use]
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// The virtual clock: milliseconds since the run began.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Number of states entered so far.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Total size of all values that stages have produced so far, in bytes of compact JSON, including values that no
    /// longer exist.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.made
    }

    /// True if a value was refused because the run's memory limit is lower than the default.
    #[must_use]
    pub fn has_outgrown(&self) -> bool {
        self.has_outgrown.get()
    }

    /// Number of live frames.
    #[must_use]
    pub fn live_frames(&self) -> u64 {
        self.frames.len() as u64
    }

    /// The live frames, in ascending order of id.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter().map(|(_, frame)| &**frame)
    }

    /// The live frame with this id; `None` if there is none.
    #[must_use]
    #[inline]
    pub fn frame(&self, id: FrameId) -> Option<&Frame> {
        self.place(id)
            .and_then(|place| self.frames.get(place))
            .map(|(_, frame)| &**frame)
    }

    /// Open requests, oldest first.
    pub fn open_asks(&self) -> impl Iterator<Item = &Ask> {
        self.open.keys().filter_map(|id| self.ask(*id))
    }

    /// Returns an open request.
    #[must_use]
    pub fn ask(&self, id: AskId) -> Option<&Ask> {
        let frame = self.frame(*self.open.get(&id)?)?;
        let called = frame.visit.call.as_ref().map(|call| &call.ask);
        let evaluated = frame.visit.evaluation.as_ref().map(|open| &open.ask);
        called.into_iter().chain(evaluated).find(|ask| ask.id == id)
    }

    /// Task requests whose answer is known but arrives later on the virtual clock, or never.
    pub fn held_asks(&self) -> impl Iterator<Item = &Ask> {
        self.frames().filter_map(|frame| {
            let call = frame.visit.call.as_ref()?;
            let is_called = matches!(call.ask.want, Want::Call { .. });
            let last = frame.visit.attempts.last();
            let is_over = last.is_none_or(|last| last.ended.is_some());
            let held = frame.visit.phase == Phase::Parked && call.answer.is_some();
            let held = held && is_called && !is_over;
            held.then_some(&call.ask)
        })
    }

    /// The earliest time on the virtual clock at which a deadline is due.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Millis> {
        self.deadlines.first().map(|(due, ..)| *due)
    }

    /// The deadlines of a frame, each with its time on the virtual clock.
    #[must_use]
    pub fn timers(&self, id: FrameId) -> &[(Millis, Timer)] {
        self.frame(id).map_or(&[], |frame| &frame.timers)
    }

    /// The time, on the virtual clock, of the frame's deadline of this kind.
    #[must_use]
    pub fn due(&self, id: FrameId, wanted: Timer) -> Option<Millis> {
        let mut timers = self.timers(id).iter();
        timers
            .find(|(_, timer)| *timer == wanted)
            .map(|(due, _)| *due)
    }

    /// Branch and item indexes of a frame, from the outermost frame inwards.
    #[must_use]
    pub fn indices(&self, id: FrameId) -> Vec<u32> {
        let mut indices = Vec::new();
        let mut at = self.frame(id);
        while let Some(frame) = at {
            let Some(parent) = frame.parent else { break };
            indices.push(frame.index);
            at = self.frame(parent);
        }
        indices.reverse();
        indices
    }

    /// The key of the request that the frame's current state makes. It stays the same if the run is repeated.
    #[must_use]
    pub fn key(&self, frame: &Frame) -> AskKey {
        let mut rounds = Vec::new();
        let mut at = frame.parent.and_then(|parent| self.frame(parent));
        while let Some(around) = at {
            rounds.push((self.visit_number(around), around.visit.attempt));
            at = around.parent.and_then(|parent| self.frame(parent));
        }
        rounds.reverse();
        let state = self.state_of(frame);
        AskKey {
            path: state.map_or_else(|| "".into(), |state| state.path.0.clone()),
            indices: self.indices(frame.id),
            rounds,
            visit: self.visit_number(frame),
            attempt: frame.visit.attempt,
        }
    }

    /// Number of the frame's current visit among its visits to the same state, from 1.
    #[must_use]
    pub fn visit_number(&self, frame: &Frame) -> u32 {
        let place = self.run.position(frame.visit.state);
        frame.visit_counts.get(place as usize).copied().unwrap_or(1)
    }

    /// True if [`Machine::step`] has returned every event that has happened, so that the next step computes something
    /// new.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.pending.is_empty()
    }

    #[inline]
    fn place(&self, id: FrameId) -> Option<usize> {
        // Most lookups are for the frame of the previous lookup or for the top-level one.
        let recent = self.recent.get();
        let is_at = |place: usize| self.frames.get(place).is_some_and(|(key, _)| *key == id);
        if is_at(recent) {
            return Some(recent);
        }
        if is_at(0) {
            return Some(0);
        }
        self.search(id)
    }

    fn search(&self, id: FrameId) -> Option<usize> {
        let place = self.frames.binary_search_by_key(&id, |(key, _)| *key);
        self.recent.set(place.ok()?);
        place.ok()
    }

    pub(super) fn with<R>(
        &mut self,
        id: FrameId,
        change: impl FnOnce(&mut Frame) -> R,
    ) -> Option<R> {
        let place = self.place(id);
        debug_assert!(place.is_some(), "frame {id:?} is changed but has ended");
        self.frames
            .get_mut(place?)
            .map(|(_, frame)| change(Arc::make_mut(frame)))
    }

    pub(super) fn set_phase(&mut self, id: FrameId, phase: Phase) {
        self.with(id, |frame| frame.visit.phase = phase);
    }

    /// Makes a frame ready to perform `phase`.
    pub(super) fn wake(&mut self, id: FrameId, phase: Phase) {
        self.set_phase(id, phase);
        self.unready(id);
        let frames = if phase == Phase::Complete {
            &mut self.answered
        } else {
            &mut self.ready
        };
        if let Err(place) = frames.binary_search(&id) {
            frames.insert(place, id);
        }
    }

    /// Removes a frame from the ready frames, so that it waits.
    pub(super) fn park(&mut self, id: FrameId) {
        self.set_phase(id, Phase::Parked);
        self.unready(id);
    }

    pub(super) fn unready(&mut self, id: FrameId) {
        for frames in [&mut self.ready, &mut self.answered] {
            if frames.front() == Some(&id) {
                frames.pop_front();
            } else if let Ok(place) = frames.binary_search(&id) {
                frames.remove(place);
            }
        }
    }

    pub(super) fn open_ask(&mut self, id: AskId, frame: FrameId) {
        if self.status != Status::Running {
            return;
        }
        self.open.insert(id, frame);
        self.asked.push_back(id);
    }

    /// Asserts that the frame's visit has no open request. If a visit with an open request were replaced, the machine
    /// would wait forever.
    pub(super) fn debug_assert_nothing_open(&self, id: FrameId) {
        debug_assert!(
            !self.open.values().any(|frame| *frame == id),
            "frame {id:?} still has an open request"
        );
    }

    pub(super) fn next_ask_id(&mut self) -> AskId {
        self.ask_count += 1;
        AskId(self.ask_count)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments are the parts of a frame"
    )]
    pub(super) fn add_frame(
        &mut self,
        parent: Option<FrameId>,
        index: u32,
        scope: ScopeId,
        state: StateId,
        input: Value,
        variables: Arc<Variables>,
        last_id: u32,
    ) -> FrameId {
        let id = FrameId(self.frame_count);
        self.frame_count = self.frame_count.saturating_add(1);
        let frame = Frame {
            id,
            parent,
            index,
            scope,
            item: None,
            execution: None,
            // The items of a DISTRIBUTED Map run as child executions.
            in_child_execution: parent.is_some_and(|parent| {
                self.runs_executions(parent)
                    || self
                        .frame(parent)
                        .is_some_and(|frame| frame.in_child_execution)
            }),
            variables,
            visit_counts: Vec::new(),
            last_id,
            difference: None,
            caught: None,
            timers: Vec::new(),
            visit: StateVisit::new(state, input, self.now),
        };
        self.frames.push_back((id, Arc::new(frame)));
        self.ready.push_back(id);
        id
    }

    pub(super) fn remove_frame(&mut self, id: FrameId) {
        self.stop_work(id);
        self.unready(id);
        if let Some(place) = self.place(id) {
            self.frames.remove(place);
        }
    }

    pub(super) fn state_of(&self, frame: &Frame) -> Option<&State> {
        self.run.definition.state(frame.visit.state)
    }

    /// The current request of a frame.
    pub(super) fn call_of(&self, id: FrameId) -> Option<&Call> {
        self.frame(id)?.visit.call.as_deref()
    }

    /// The branches or items of the Parallel or Map that is the frame's current state.
    pub(super) fn group(&self, id: FrameId) -> Option<&Group> {
        self.frame(id)?.visit.group.as_deref()
    }

    pub(super) fn change_group(&mut self, id: FrameId, change: impl FnOnce(&mut Group)) {
        self.with(id, |frame| frame.visit.group.as_deref_mut().map(change));
    }

    /// History id of a frame's last event; 0 if there is none.
    #[inline]
    pub(super) fn last_id(&self, id: FrameId) -> u32 {
        self.frame(id).map_or(0, |frame| frame.last_id)
    }

    /// The type-specific fields of a frame's current state.
    pub(super) fn kind_of(&self, id: FrameId) -> Option<&StateKind> {
        let state = self.frame(id).and_then(|frame| self.state_of(frame));
        state.map(|state| &state.kind)
    }

    /// Ends the execution. The top-level frame is kept for inspection.
    pub(super) fn end(&mut self, status: Status, previous: u32) {
        if self.status != Status::Running {
            return;
        }
        let kind = match status {
            Status::Succeeded(_) => EventKind::ExecutionSucceeded,
            Status::TimedOut => EventKind::ExecutionTimedOut,
            _ => EventKind::ExecutionFailed,
        };
        self.status = status;
        self.ready.clear();
        self.answered.clear();
        self.deadlines.clear();
        self.open.clear();
        self.asked.clear();
        self.push_detached(FrameId(0), None, kind, 0, previous);
    }

    pub(super) fn random(&self) -> u64 {
        let draw = self.draws.get();
        self.draws.set(draw.wrapping_add(1));
        random_bits(self.run.header.seed, draw)
    }

    /// A random seed if `is_drawn_from` is true. Otherwise, only one random number is skipped, so that later random
    /// numbers are the same in both cases.
    pub(super) fn seed(&self, is_drawn_from: bool) -> u64 {
        if is_drawn_from {
            return self.random();
        }
        self.draws.set(self.draws.get().wrapping_add(1));
        0
    }

    pub(super) fn uuid(&self) -> String {
        let draw = self.draws.get();
        self.draws.set(draw.wrapping_add(1));
        uuid_of(self.run.header.seed, draw)
    }
}
