//! Runs a session a few events at a time until the goal of a command is reached, forwards or backwards.

use crate::definition::StateId;
use crate::interpreter::{Ask, Event, EventKind, FrameId, Millis, Status, Step};
use crate::session::child::Asked;
use crate::session::reply::{Direction, Output, Refused, Reply};
use crate::session::session::Session;
use crate::session::snapshot::{Approach, Repeated};
use crate::session::stepper::{BackRule, Clock, Goal, Rule, fits};
use crate::session::stop_condition::{Moment, Stop};

/// Result of [`Session::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The command is not finished yet: call `advance` again.
    Running,
    /// Nothing is in progress.
    Idle,
}

impl Session {
    /// Starts to run or travel to a goal.
    pub(in crate::session) fn aim(
        &mut self,
        goal: Goal,
        direction: Direction,
    ) -> Result<Reply, Refused> {
        // If the focus frame does not exist any more, the step applies to its nearest ancestor that still exists.
        let focus = self.focus_frame().map_or(FrameId(0), |frame| frame.id);
        self.stepper.focus = focus;
        let before = self.snapshot().events;
        if let (Direction::Backward, Goal::Frame { rule, .. }) = (direction, &goal)
            && *rule == Rule::State
            && let Some((number, frame)) = self.waited_at_timeout()
        {
            self.stepper.focus = frame;
            return Ok(self.travel(number, Stop::Step));
        }
        self.set_clock();
        if direction == Direction::Forward && self.is_over() {
            self.stepper.goal = None;
            return Err(Refused::Over);
        }
        self.stepper.goal = Some(match (direction, goal) {
            (Direction::Forward, Goal::Frame { rule, .. }) => Goal::Frame { frame: focus, rule },
            (Direction::Forward, goal) => goal,
            // A backward step from inside a state stops at the event that entered the state, not at the end of the
            // previous state.
            (Direction::Backward, Goal::Frame { rule, .. }) => Goal::Back {
                before,
                rule: match rule {
                    Rule::Exit => BackRule::Frame(focus, Rule::State),
                    other if self.begins_at(before, focus) => self.around(focus, other),
                    other => BackRule::Frame(focus, other),
                },
            },
            (Direction::Backward, _) => Goal::Back {
                before,
                rule: BackRule::Stops,
            },
        });
        Ok(Reply::Begun)
    }

    /// For an execution that timed out: the frame that was waiting, and the event at which its last attempt began.
    pub(in crate::session) fn waited_at_timeout(&self) -> Option<(u64, FrameId)> {
        let snapshot = self.snapshot();
        if *snapshot.machine.status() != Status::TimedOut {
            return None;
        }
        let is_live = |frame| snapshot.machine.frame(frame).is_some();
        (1..=snapshot.events).rev().find_map(|number| {
            let event = self.recording.timeline.get(number)?;
            let begins = matches!(event.kind, EventKind::StateEntered | EventKind::Retried);
            (begins && is_live(event.frame)).then_some((number, event.frame))
        })
    }

    /// True if the cursor is at the end of a run that has ended.
    pub(in crate::session) fn is_over(&self) -> bool {
        let is_at_end = self.recording.past.is_none();
        is_at_end && self.recording.head.machine.status() != &Status::Running
    }

    /// True if a frame starts with this event.
    fn begins_at(&self, number: u64, frame: FrameId) -> bool {
        let event = self.recording.timeline.get(number);
        event.is_some_and(|event| event.frame == frame && event.kind.begins_frame())
    }

    /// Starts to travel to a recorded event; `stop` becomes the reason for the stop there.
    pub(in crate::session) fn travel(&mut self, event: u64, stop: Stop) -> Reply {
        let event = event.min(self.recording.timeline.len());
        self.stepper.goal = Some(Goal::Travel(event, stop));
        Reply::Travels(event)
    }

    pub(in crate::session) fn pause(&mut self) -> Reply {
        if let Some(goal) = self.stepper.goal.take() {
            if matches!(goal, Goal::Repeat(_)) {
                self.forget_comparison();
            }
            let stop = self.abandon_calls().map_or(Stop::Pause, Stop::Ask);
            self.stop_at(stop);
        }
        Reply::Done
    }

    /// True if [`Session::advance`] has something to do.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.stepper.goal.is_some() && self.rests().is_none()
    }

    /// True if the session, after a reload, only repeats events that were recorded before.
    fn is_repeating(&self) -> bool {
        matches!(self.stepper.goal, Some(Goal::Repeat(_)))
    }

    /// Runs or travels for at most `events` events. Front ends call this function before each redraw of the screen,
    /// until it returns `Idle`.
    pub fn advance(&mut self, events: u64) -> Progress {
        let mut left = events.max(1);
        self.advance_while(|| {
            left -= 1;
            left > 0
        })
    }

    /// Runs or travels while `keep_on` returns true. Calls `keep_on` after each event, so at least one event is
    /// processed. An event takes only as long as the evaluation of breakpoints and watches; expressions of the run are
    /// evaluated in the background between calls.
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

    /// From now on, the virtual clock advances only up to the time given to [`Session::let_pass`].
    pub fn hold_clock(&mut self) {
        self.stepper.clock = Clock::held_at(self.recording.head.machine.now());
    }

    /// The current time and the deadline, if the run in progress is waiting for a deadline.
    #[must_use]
    pub fn rests(&self) -> Option<(Millis, Millis)> {
        let due = self.stepper.clock.due()?;
        let is_under_way = self.stepper.goal.is_some();
        is_under_way.then(|| (self.recording.head.machine.now(), due))
    }

    /// Lets the virtual clock advance up to this time.
    pub fn let_pass(&mut self, until: Millis) {
        self.stepper.clock.let_pass(until);
    }

    /// The time up to which a step may advance the virtual clock; no limit while recorded events are repeated.
    fn horizon(&self) -> Millis {
        match self.is_repeating() {
            true => Millis::MAX,
            false => self.stepper.clock.horizon(),
        }
    }

    /// If the virtual clock is held, limits it to the current time of the run, because another command or another run
    /// begins.
    pub(in crate::session) fn set_clock(&mut self) {
        if self.stepper.clock.is_held() {
            self.hold_clock();
        }
    }

    /// Processes one event, or one step of a search, an answer or a child execution.
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
                session.forget_calls();
                session.arrive(Stop::Travel);
            }),
            Goal::IgnoreFailures(to, map) => {
                self.travel_on(to, |session| session.fork_ignoring_failures(map));
            }
            Goal::Back { before, rule } => self.look_back(before, rule),
            Goal::Sweep => self.sweep_on(),
            Goal::Origin => self.seek_origin_on(),
            Goal::Repeat(until) => self.repeat_on(until),
            goal => self.run_on(&goal),
        }
    }

    /// Runs or travels until nothing is in progress; for tests and for front ends that have no screen to redraw.
    pub fn settle(&mut self) {
        while self.advance(4096) == Progress::Running {}
    }

    /// Ends the command in progress; `stop` becomes the reason for the stop. If the command was to run to a state, and
    /// the run ended before it entered this state, travels back to the event at which the command was given.
    pub(in crate::session) fn stop_at(&mut self, stop: Stop) {
        if let (Some(Goal::Enter(state, from)), Stop::End) = (&self.stepper.goal, &stop) {
            let (state, from) = (self.state_name(*state), *from);
            self.put(Output::NotReached(state));
            self.travel(from, Stop::Travel);
            return;
        }
        let left = std::mem::take(&mut self.answering.left_open);
        // A stop that asks for an answer already shows which task is waiting.
        if !left.is_empty() && !matches!(stop, Stop::Ask(_)) {
            self.put(Output::LeftOpen(left));
        }
        self.stepper.goal = None;
        self.stepper.sweep = None;
        self.stepper.seeking = None;
        self.stepper.stop = stop;
        self.sample_watches();
        self.sample_data_breakpoints();
        self.note_causes();
        self.note_also_true();
    }

    /// Moves on by one event: the next recorded event if there is one after the cursor, otherwise a new event. `None`
    /// if there is no further event, or if it is not available yet.
    fn onwards(&mut self) -> Option<(u64, Event)> {
        if self.recording.past.is_none() {
            return self.extend();
        }
        match self.recording.repeat(&*self.setup.server) {
            Repeated::Event(event) => Some((self.snapshot().events, event)),
            Repeated::Pending | Repeated::End => None,
        }
    }

    /// Adds a new event to the end of the recording. If the run cannot continue, stops and returns `None`. Also returns
    /// `None` while an answer is being computed or a deadline has not come.
    pub(in crate::session) fn extend(&mut self) -> Option<(u64, Event)> {
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
                    let number = self.recording.head.events;
                    let machine = &self.recording.head.machine;
                    self.setup.server.happened(number, machine, &event);
                    self.differs_now = self.follow_recording(number, &event);
                    return Some((number, event));
                }
                Step::Ask(ask) => match self.answer_by_itself(&ask) {
                    Asked::Answered => {}
                    Asked::Begun | Asked::Called(true) => return None,
                    Asked::Called(false) => {}
                    Asked::Open if self.leave_open(&ask) => return None,
                    Asked::Open => {}
                },
                Step::Idle(due) if self.stepper.goal.is_some() && self.stepper.clock.rest(due) => {
                    return None;
                }
                Step::Waiting | Step::Idle(_) => {
                    let machine = &self.recording.head.machine;
                    let first = machine.open_asks().next().map(|ask| (ask.id, ask.frame));
                    if let Some((id, frame)) = first {
                        // No other frame can continue, so the focus moves to the waiting frame.
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
                    self.follow_end();
                    self.stepper.focus = FrameId(0);
                    self.stop_at(Stop::End);
                    return None;
                }
            }
        }
    }

    /// Leaves a request to the user. If a command is in progress and the request belongs to the focus frame, stops the
    /// run at the request and returns true.
    pub(in crate::session) fn leave_open(&mut self, ask: &Ask) -> bool {
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
        let differs = self.differs_now.take().filter(|_| !was_past);
        // The view shows how the run failed as soon as the last event has happened, even before the run stops, so
        // searches for the cause already here.
        if event.kind == EventKind::ExecutionFailed {
            self.note_raised();
        }
        if let Some(stop) = self.stop_for(number, &event).or(differs) {
            if event.frame != self.stepper.focus
                && self.snapshot().machine.frame(event.frame).is_some()
            {
                self.switch_focus(event.frame);
            }
            return self.stop_at(stop);
        }
        let reached = match goal {
            Goal::Frame { frame, rule } => self.reached(*frame, *rule, &event),
            Goal::Enter(state, _) => {
                event.kind == EventKind::StateEntered && event.state == Some(*state)
            }
            _ => false,
        };
        if reached {
            let stop = match goal {
                _ if self.is_over() => Stop::End,
                Goal::Enter(..) => Stop::Target,
                _ => Stop::Step,
            };
            if matches!(goal, Goal::Enter(..)) {
                self.stepper.focus = event.frame;
            }
            return self.stop_at(stop);
        }
        if was_past
            && self.recording.past.is_none()
            && number == self.recording.timeline.len()
            && *goal == Goal::Continue
        {
            // The command `Continue`, given at an earlier event, stops once at the last recorded event, before it adds
            // events.
            self.arrive(Stop::Travel);
        }
    }

    /// The reason to stop at the event that has just happened, if any.
    fn stop_for(&mut self, number: u64, event: &Event) -> Option<Stop> {
        let machine = &self.recording.at_cursor().machine;
        if self.breakpoints.none_placed() {
            return self.breakpoints.trouble_stop(machine, event);
        }
        let focus = self.stepper.focus;
        let now = Moment {
            number,
            machine,
            server: &*self.setup.server,
            focus,
        };
        let mut outputs = Vec::new();
        let stop = self.breakpoints.stop_for(now, event, &mut outputs);
        outputs.into_iter().for_each(|output| self.put(output));
        stop
    }

    fn switch_focus(&mut self, frame: FrameId) {
        if frame != self.stepper.focus {
            self.stepper.focus = frame;
            let name = self.frame_name(frame);
            self.put(Output::FocusMoved { frame, name });
        }
    }

    /// True if the event ends a step in `frame`. If `frame` ends, the step goes on in its parent. If `frame` starts
    /// branches or items, the step goes on in the first of them.
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
            // The frame was ended together with its siblings, so the step goes on in the parent.
            self.step_in(event.frame, rule);
            return matches!(rule, Rule::End | Rule::Attempt) || fits(rule, event);
        }
        let parent = self.recording.timeline.parent(event.frame);
        if rule == Rule::Stage && event.kind.begins_frame() && parent == Some(frame) {
            // The step goes on in the first branch or item.
            self.step_in(event.frame, rule);
            return false;
        }
        if event.frame == frame && event.kind.ends_frame() {
            let Some(parent) = parent else { return true };
            self.step_in(parent, rule);
            return matches!(rule, Rule::End | Rule::Attempt);
        }
        event.frame == frame && fits(rule, event)
    }

    /// Continues the step in another frame, which becomes the focus frame.
    pub(in crate::session) fn step_in(&mut self, frame: FrameId, rule: Rule) {
        self.stepper.focus = frame;
        self.stepper.goal = Some(Goal::Frame { frame, rule });
    }

    /// True if an event of an ancestor ended `frame`, without an event of `frame` itself.
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
            let at = self.recording.timeline.get(number).map(|event| event.frame);
            let at = at.filter(|frame| live(*frame));
            self.stepper.focus = at.unwrap_or(self.stepper.focus);
            self.stepper.focus = self.focus_frame().map_or(FrameId(0), |frame| frame.id);
        }
        self.stop_at(if self.is_over() { Stop::End } else { stop });
    }

    pub(in crate::session) fn state_name(&self, state: StateId) -> crate::json::Text {
        let state = self.setup.definition.state(state);
        state.map_or_else(|| "?".into(), |state| state.path.0.clone())
    }
}
