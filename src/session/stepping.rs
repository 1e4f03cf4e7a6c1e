//! How far a run goes: the rule of each kind of step, forwards and backwards, in slices.
//!
//! It must not know what an answer is or how a value is found again.

use super::answering::Asked;
use super::argument::Direction;
use super::recording::Approach;
use super::reply::{Output, Refused, Reply};
use super::session::Session;
use super::snapshot::Repeated;
use super::stop::Stop;
use crate::definition::StateId;
use crate::interpreter::{Ask, Event, EventKind, FrameId, Status, Step};

/// What [`Session::advance`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The budget is used up; call again.
    Running,
    /// Nothing is under way.
    Idle,
}

/// What is under way.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// Until an event of the frame fits the rule; when the frame ends, its parent takes its place.
    Frame { frame: FrameId, rule: Rule },
    /// Until a stop.
    Continue,
    /// Until a state is entered.
    Enter(StateId),
    /// To a recorded event.
    Travel(u64, Stop),
    /// To a recorded event, then give up what comes after it.
    Redo(u64),
    /// To a recorded event, then run all items of the Map of this frame, whatever fails.
    IgnoreFailures(u64, FrameId),
    /// Backwards to the latest event before this one that fits.
    Back { before: u64, rule: BackRule },
    /// Backwards over a stretch of the record that is walked again.
    Sweep,
    /// To who wrote a value.
    Writer,
    /// Repeat a run after a reload up to this event.
    Repeat(u64),
}

/// Which events of the focus frame stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Each that is worth a stop of its own.
    Stage,
    /// The entry of a state.
    State,
    /// The end of the frame.
    End,
    /// The exit of the state, at the top level.
    Exit,
    /// The end of an attempt or an item.
    Attempt,
}

/// What going back looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackRule {
    /// An event of this frame, or of one around it.
    Frame(FrameId, Rule),
    /// An event at which running would have stopped.
    Stops,
}

impl Goal {
    pub(super) fn step(frame: FrameId) -> Self {
        Self::Frame {
            frame,
            rule: Rule::Stage,
        }
    }

    pub(super) fn next(frame: FrameId) -> Self {
        Self::Frame {
            frame,
            rule: Rule::State,
        }
    }

    pub(super) fn finish(frame: FrameId, top: bool) -> Self {
        Self::Frame {
            frame,
            rule: if top { Rule::Exit } else { Rule::End },
        }
    }

    /// Whether the run goes on at its end.
    fn is_onwards(&self) -> bool {
        matches!(
            self,
            Self::Frame { .. } | Self::Continue | Self::Enter(_) | Self::Repeat(_)
        )
    }

    pub(super) fn attempt(frame: FrameId) -> Self {
        Self::Frame {
            frame,
            rule: Rule::Attempt,
        }
    }
}

impl Session {
    /// Begins to go somewhere.
    pub(super) fn aim(&mut self, goal: Goal, direction: Direction) -> Result<Reply, Refused> {
        // The focus may have ended; then the frame around it is meant.
        let focus = self.focus_frame().map_or(FrameId(0), |frame| frame.id);
        self.stepper.focus = focus;
        let goal = match goal {
            Goal::Frame { rule, .. } => Goal::Frame { frame: focus, rule },
            other => other,
        };
        let before = self.snapshot().events;
        self.set_clock();
        self.stepper.goal = Some(match (direction, goal) {
            (Direction::Forward, goal) => goal,
            (Direction::Backward, Goal::Frame { frame, rule }) => Goal::Back {
                before,
                rule: BackRule::Frame(frame, rule),
            },
            (Direction::Backward, _) => Goal::Back {
                before,
                rule: BackRule::Stops,
            },
        });
        if direction == Direction::Forward
            && self.recording.past.is_none()
            && self.recording.head.machine.status() != &Status::Running
        {
            self.stepper.goal = None;
            return Err(Refused::Over);
        }
        Ok(Reply::Begun)
    }

    /// Begins to travel to a recorded event.
    pub(super) fn travel(&mut self, event: u64, stop: Stop) -> Reply {
        let event = event.min(self.recording.timeline.len());
        self.stepper.goal = Some(Goal::Travel(event, stop));
        Reply::Travels(event)
    }

    /// Whether [`Session::advance`] has something to do.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.stepper.goal.is_some() && self.rests().is_none()
    }

    /// Whether a run that is under way only repeats what was recorded before.
    pub(super) fn is_repeating(&self) -> bool {
        matches!(self.stepper.goal, Some(Goal::Repeat(_)))
    }

    /// Runs or travels for at most `events` events; a front end calls it between frames while it answers `Running`.
    pub fn advance(&mut self, events: u64) -> Progress {
        let mut left = events.max(1);
        self.advance_while(|| {
            left -= 1;
            left > 0
        })
    }

    /// Runs or travels while `keep_on` says so, which is asked after each event; one event is always done. No event takes
    /// longer than what is evaluated at it for breakpoints and watches: what a run evaluates is waited for between calls.
    pub fn advance_while(&mut self, mut keep_on: impl FnMut() -> bool) -> Progress {
        loop {
            if self.stepper.goal.is_none() || self.rests().is_some() {
                return Progress::Idle;
            }
            self.advance_one();
            if !keep_on() {
                break;
            }
        }
        if self.stepper.goal.is_some() {
            Progress::Running
        } else {
            Progress::Idle
        }
    }

    /// The smallest part of what is under way.
    fn advance_one(&mut self) {
        let Some(goal) = self.stepper.goal.clone() else {
            return;
        };
        let by_child = self.answering.child.is_some() && self.recording.past.is_none();
        match goal {
            goal if by_child && goal.is_onwards() => self.step_child(),
            Goal::Travel(to, stop) => self.travel_on(to, |session| session.arrive(stop)),
            Goal::Redo(to) => self.travel_on(to, |session| {
                session.fork();
                session.arrive(Stop::Travel);
            }),
            Goal::IgnoreFailures(to, map) => {
                self.travel_on(to, |session| session.fork_ignoring_failures(map));
            }
            Goal::Back { before, rule } => self.look_back(before, rule),
            Goal::Sweep => self.sweep_on(),
            Goal::Writer => self.seek_writer_on(),
            Goal::Repeat(until) => self.repeat_on(until),
            goal => self.run_on(&goal),
        }
    }

    /// Runs or travels until nothing is under way; for front ends without frames, and tests.
    pub fn settle(&mut self) {
        while self.advance(4096) == Progress::Running {}
    }

    /// Ends what is under way.
    pub(super) fn stop_at(&mut self, stop: Stop) {
        let left = std::mem::take(&mut self.answering.left_open);
        // A stop for an answer says itself what waits.
        if !left.is_empty() && !matches!(stop, Stop::Ask(_)) {
            self.put(Output::LeftOpen(left));
        }
        self.stepper.goal = None;
        self.stepper.sweep = None;
        self.stepper.writer = None;
        self.stepper.stop = stop;
        self.sample_watches();
        self.sample_data_breakpoints();
    }

    /// One event onwards: recorded if the cursor is in the past, else new; `None` where there is none, or none yet.
    fn onwards(&mut self) -> Option<(u64, Event)> {
        if self.recording.past.is_none() {
            return self.extend();
        }
        match self.recording.repeat(&*self.setup.server) {
            Repeated::Event(event) => Some((self.snapshot().events, event)),
            Repeated::Pending | Repeated::End => None,
        }
    }

    /// One new event at the end of the record; `None` where the run cannot go on, the reason being the stop, or where an
    /// answer is being worked at.
    pub(super) fn extend(&mut self) -> Option<(u64, Event)> {
        if self.recording.is_full() {
            self.stop_at(Stop::Memory(self.recording.memory.limit()));
            return None;
        }
        loop {
            self.recording.checkpoints.offer(&self.recording.head);
            match self.recording.head.step(self.horizon()) {
                Step::Event(event) => {
                    self.recording
                        .timeline
                        .push(event, &self.recording.head.machine);
                    self.apply_edits(&event);
                    return Some((self.recording.head.events, event));
                }
                Step::Ask(ask) => match self.answer_by_itself(&ask) {
                    Asked::Answered => {}
                    Asked::Begun => return None,
                    Asked::Open if self.leave_open(&ask) => return None,
                    Asked::Open => {}
                },
                Step::Idle(due) if self.rest(due) => return None,
                Step::Waiting | Step::Idle(_) => {
                    let first = self
                        .recording
                        .head
                        .machine
                        .open_asks()
                        .next()
                        .map(|ask| (ask.id, ask.frame));
                    if let Some((id, frame)) = first {
                        // Nothing else can move, which the stop says; no other frame was more wanted.
                        self.stepper.focus = frame;
                        self.stop_at(Stop::Ask(id));
                    }
                    return None;
                }
                Step::Stuck => {
                    self.stop_at(Stop::Stuck);
                    return None;
                }
                Step::Done => {
                    self.stepper.focus = FrameId(0);
                    self.stop_at(Stop::End);
                    return None;
                }
            }
        }
    }

    /// A question waits for a person; whether that is a stop: where the focus is, and not while others can go on.
    pub(super) fn leave_open(&mut self, ask: &Ask) -> bool {
        if self.stepper.goal.is_none() || ask.frame != self.stepper.focus {
            self.answering.left_open.push(self.state_name(ask.state));
            return false;
        }
        self.stop_at(Stop::Ask(ask.id));
        true
    }

    fn run_on(&mut self, goal: &Goal) {
        let was_past = self.recording.past.is_some();
        let Some((number, event)) = self.onwards() else {
            let ended = was_past && self.recording.past.is_none();
            if ended && self.stepper.goal.is_some() {
                self.arrive(Stop::Travel);
            }
            return;
        };
        if let Some(stop) = self.stop_for(&event) {
            if event.frame != self.stepper.focus
                && self.snapshot().machine.frame(event.frame).is_some()
            {
                self.switch_focus(event.frame);
            }
            return self.stop_at(stop);
        }
        let reached = match goal {
            Goal::Frame { frame, rule } => self.reached(*frame, *rule, &event),
            Goal::Enter(state) => {
                event.kind == EventKind::StateEntered && event.state == Some(*state)
            }
            _ => false,
        };
        if reached {
            let over = self.recording.past.is_none()
                && self.recording.head.machine.status() != &Status::Running;
            let stop = match goal {
                _ if over => Stop::End,
                Goal::Enter(_) => Stop::Target,
                _ => Stop::Step,
            };
            if matches!(goal, Goal::Enter(_)) {
                self.stepper.focus = event.frame;
            }
            return self.stop_at(stop);
        }
        if was_past
            && self.recording.past.is_none()
            && number == self.recording.timeline.len()
            && *goal == Goal::Continue
        {
            // Continuing from the past halts once where the record ends.
            self.arrive(Stop::Travel);
        }
    }

    fn switch_focus(&mut self, frame: FrameId) {
        if frame != self.stepper.focus {
            self.stepper.focus = frame;
            let name = self.frame_name(frame);
            self.put(Output::FocusMoved { frame, name });
        }
    }

    /// Whether an event ends a step of a frame; follows the frame to its parent or first child.
    fn reached(&mut self, frame: FrameId, rule: Rule, event: &Event) -> bool {
        if matches!(
            event.kind,
            EventKind::ExecutionSucceeded
                | EventKind::ExecutionFailed
                | EventKind::ExecutionTimedOut
        ) {
            self.stepper.focus = FrameId(0);
            return true;
        }
        if self.was_stopped(frame, event) {
            // With its siblings: the frame around it takes its place.
            self.stepper.focus = event.frame;
            self.stepper.goal = Some(Goal::Frame {
                frame: event.frame,
                rule,
            });
            return matches!(rule, Rule::End | Rule::Attempt) || fits(rule, event);
        }
        let parent = self
            .recording
            .timeline
            .lineage(event.frame)
            .and_then(|lineage| lineage.parent);
        if rule == Rule::Stage && is_start_of_child(event.kind) && parent == Some(frame) {
            // Into the first child.
            self.stepper.focus = event.frame;
            self.stepper.goal = Some(Goal::Frame {
                frame: event.frame,
                rule,
            });
            return false;
        }
        if event.frame == frame && event.kind.ends_frame() {
            let Some(parent) = parent else { return true };
            self.stepper.focus = parent;
            self.stepper.goal = Some(Goal::Frame {
                frame: parent,
                rule,
            });
            return matches!(rule, Rule::End | Rule::Attempt);
        }
        event.frame == frame && fits(rule, event)
    }

    /// Whether a frame is gone without an event of its own, and this is one of a frame around it.
    fn was_stopped(&self, frame: FrameId, event: &Event) -> bool {
        event.frame != frame
            && self.snapshot().machine.frame(frame).is_none()
            && self.recording.timeline.path(frame).contains(&event.frame)
    }

    fn travel_on(&mut self, to: u64, arrived: impl FnOnce(&mut Self)) {
        match self.recording.approach(to, &*self.setup.server) {
            Approach::There => arrived(self),
            Approach::Nearer => {}
            Approach::Lost => self.stop_at(Stop::Travel),
        }
    }

    fn arrive(&mut self, stop: Stop) {
        let number = self.snapshot().events;
        let live = |frame: FrameId| self.snapshot().machine.frame(frame).is_some();
        if !live(self.stepper.focus) || stop == Stop::Travel {
            let at = self
                .recording
                .timeline
                .get(number)
                .map(|event| event.frame)
                .filter(|frame| live(*frame));
            let focus = at.unwrap_or(self.stepper.focus);
            self.stepper.focus = focus;
            self.stepper.focus = self.focus_frame().map_or(FrameId(0), |frame| frame.id);
        }
        let ended = self.recording.past.is_none()
            && self.recording.head.machine.status() != &Status::Running;
        self.stop_at(if ended { Stop::End } else { stop });
    }

    pub(super) fn state_name(&self, state: StateId) -> crate::json::Text {
        self.setup
            .definition
            .state(state)
            .map_or_else(|| "?".into(), |state| state.path.0.clone())
    }
}

pub(super) fn is_start_of_child(kind: EventKind) -> bool {
    matches!(kind, EventKind::BranchStarted | EventKind::IterationStarted)
}

/// Whether an event of the focus frame fits a rule.
pub(super) fn fits(rule: Rule, event: &Event) -> bool {
    match rule {
        Rule::State => matches!(event.kind, EventKind::StateEntered),
        Rule::Exit => matches!(event.kind, EventKind::StateExited),
        Rule::End => false,
        Rule::Attempt => matches!(
            event.kind,
            EventKind::TaskSucceeded | EventKind::TaskFailed | EventKind::TaskTimedOut
        ),
        Rule::Stage => match event.kind {
            EventKind::Stage(_) => event.written,
            // These come together with another event of the same moment.
            EventKind::TaskStarted
            | EventKind::TaskSubmitted
            | EventKind::TaskSucceeded
            | EventKind::TaskFailed
            | EventKind::TaskTimedOut
            | EventKind::Uncaught
            | EventKind::Assigned
            | EventKind::ExecutionStarted => false,
            _ => true,
        },
    }
}
