//! Changes to a machine from outside (answers and edits), and the deadlines at which pending answers arrive.

use super::{Machine, Status};
use crate::definition::StateKind;
use crate::interpreter::event::{EventKind, FrameId, Millis, Stage};
use crate::interpreter::fault::{Difference, Fault, OnAws, Origin};
use crate::interpreter::frame::Timer;
use crate::interpreter::reason::Reason;
use crate::interpreter::stage::phase_after;
use crate::interpreter::visit::Phase;
use crate::interpreter::{Answer, Ask, AskId, Outcome, Want};
use crate::json::Value;
use crate::query::Profile;
use std::sync::Arc;

impl Machine {
    /// Answers a request. The times in the answer count from the call. The answer replaces a previous one that has not
    /// arrived yet. If the request is no longer open, the answer is dropped, and an event reports this.
    pub fn answer(&mut self, id: AskId, answer: Answer) {
        let Some(frame) = self.open.remove(&id) else {
            match self.held(id).map(|ask| ask.frame) {
                Some(frame) => self.replace(frame, answer),
                None => self.push(FrameId(0), EventKind::LateAnswer, 0, true),
            }
            return;
        };
        if let Outcome::Evaluated(results) = &answer.outcome {
            return self.take_results(frame, results);
        }
        let submits = self.submits(frame, &answer);
        if submits {
            self.push_history(frame, EventKind::TaskSubmitted, 0);
        }
        self.with(frame, |frame| {
            if let Some(call) = &mut frame.visit.call {
                call.submitted = submits;
            }
        });
        self.expect(frame, answer, self.now, 0);
    }

    /// Returns the request with this id if its answer is known but arrives later on the virtual clock, or never.
    #[must_use]
    pub fn held(&self, id: AskId) -> Option<&Ask> {
        self.held_asks().find(|ask| ask.id == id)
    }

    /// The time for which a task has waited for its pending answer, and the times of its heartbeats so far.
    #[must_use]
    pub fn so_far(&self, ask: &Ask) -> (Millis, &[Millis]) {
        let mut timers = self.timers(ask.frame).iter();
        let next = timers.find_map(|(_, timer)| match timer {
            Timer::Heartbeat(place) => Some(*place as usize),
            _ => None,
        });
        let call = self.call_of(ask.frame);
        let given = call.and_then(|call| call.answer.as_ref());
        let beats = given.map_or(&[][..], |answer| &answer.heartbeats);
        let came = next.unwrap_or(beats.len());
        let passed = self.now.saturating_sub(self.called(ask.frame));
        (passed, beats.get(..came).unwrap_or_default())
    }

    /// Replaces the answer of the frame's request, which has not arrived yet, by another.
    fn replace(&mut self, frame: FrameId, answer: Answer) {
        let call = self.call_of(frame);
        let came = call.map_or(0, |call| self.so_far(&call.ask).1.len());
        let waiting = |timer: Timer| matches!(timer, Timer::Heartbeat(_) | Timer::Completion);
        self.drop_timer(frame, waiting);
        self.expect(frame, answer, self.called(frame), came);
    }

    /// The time of the frame's current call, on the virtual clock.
    pub(super) fn called(&self, frame: FrameId) -> Millis {
        let attempts = self.frame(frame).map(|frame| &frame.visit.attempts);
        let last = attempts.and_then(|attempts| attempts.last());
        last.map_or(self.now, |attempt| attempt.started)
    }

    /// Schedules the heartbeat with the index `place` in the answer's list. Its arrival schedules the next heartbeat.
    fn expect_heartbeat(&mut self, frame: FrameId, called: Millis, place: usize) {
        let answer = self.call_of(frame).and_then(|call| call.answer.as_ref());
        let beat = answer.and_then(|answer| answer.heartbeats.get(place));
        if let (Some(beat), Ok(place)) = (beat.copied(), u32::try_from(place)) {
            let due = called.saturating_add(beat).max(self.now);
            self.set_timer(frame, due, Timer::Heartbeat(place));
        }
    }

    /// Schedules an answer to a call made at `called`. The first `came` heartbeats of the answer have arrived already.
    fn expect(&mut self, frame: FrameId, answer: Answer, called: Millis, came: usize) {
        let due = |after: Millis| called.saturating_add(after);
        let arrives = (answer.outcome != Outcome::Never).then(|| due(answer.took));
        self.with(frame, |frame| {
            if let Some(call) = &mut frame.visit.call {
                call.answer = Some(answer);
            }
        });
        self.expect_heartbeat(frame, called, came);
        match arrives {
            None => {}
            Some(at) if at <= self.now => self.wake(frame, Phase::Complete),
            Some(at) => self.set_timer(frame, at, Timer::Completion),
        }
    }
}

impl Machine {
    /// Replaces the value of a stage, as the user requested, and continues the run from that stage.
    ///
    /// Events that have happened but have not been returned by [`Machine::step`] are lost: see [`Machine::is_told`].
    ///
    /// Returns `false` if the frame is not live, has not reached the stage, or belongs to a run that is over.
    pub fn edit(&mut self, id: FrameId, stage: Stage, value: Value) -> bool {
        let run = Arc::clone(&self.run);
        let Some(frame) = self.frame(id).filter(|frame| {
            frame.visit.data.get(stage).is_some()
                && !frame.visit.is_made_for_an_item(stage)
                && (self.status == Status::Running || frame.parent.is_none())
        }) else {
            return false;
        };
        let (state, last_id) = (run.definition.state(frame.visit.state), frame.last_id);
        // If only the output changes, the state is exited by the same edge.
        let keeps_edge = stage == Stage::Output && frame.visit.edge.is_some();
        let phase = match frame.visit.phase {
            // The state is not entered yet: it will be entered with the new input.
            Phase::Enter => Phase::Enter,
            // The state is exited already: it is exited again with the new output.
            Phase::Leave | Phase::Ended if keeps_edge => Phase::Leave,
            _ => phase_after(stage, state),
        };
        // If the state's work uses the edited value, the state's calls and branches or items are started again.
        let again = stage < Stage::Result && phase != Phase::Enter;
        self.pending.clear();
        if self.status != Status::Running {
            self.status = Status::Running;
            self.arm_execution();
        }
        self.abort_children(id, last_id);
        self.stop_work(id);
        self.debug_assert_nothing_open(id);
        self.with(id, |frame| {
            let visit = &mut frame.visit;
            if again {
                visit.forget_attempt();
            }
            if !keeps_edge {
                visit.restart_after(stage);
            }
            visit.data.set(stage, value);
        });
        if let Some(state) = state.filter(|_| again) {
            self.prepare_token(id, state);
        }
        self.wake(id, phase);
        true
    }

    /// Lets all branches or items of a frame's Map run even if some fail; AWS has no such setting.
    ///
    /// Returns `false` if the frame has no branches or items at work.
    pub fn ignore_failures(&mut self, id: FrameId) -> bool {
        let is_at_work = self.group(id).is_some();
        if is_at_work {
            self.change_group(id, |group| group.ignores_failures = true);
        }
        is_at_work
    }

    /// Ends the work of a frame's Parallel or Map. The outcome, which the user sets, replaces the results of the
    /// branches or items.
    ///
    /// Returns `false` if the frame has no branches or items at work.
    pub fn settle(&mut self, id: FrameId, outcome: Result<Value, Fault>) -> bool {
        if self.group(id).is_none() {
            return false;
        }
        self.abort_children(id, self.last_id(id));
        match outcome {
            Ok(result) => {
                self.end_attempt(id);
                self.finish_work(id, result);
            }
            Err(fault) => self.raise(id, fault, None),
        }
        true
    }
}

impl Machine {
    /// Sets the deadlines of the execution itself, unless they have passed.
    pub(super) fn arm_execution(&mut self) {
        let course = self.run.header.course.as_ref();
        let over = course.filter(|course| course.end.is_some());
        if let Some(over) = over.and_then(|course| course.over) {
            self.deadlines
                .insert((over, FrameId(u32::MAX), Timer::Recorded));
        }
        let due = self.run.definition.deadline_seconds();
        let due = due.map(|seconds| seconds.saturating_mul(1000));
        if let Some(due) = due.filter(|due| *due >= self.now) {
            self.deadlines
                .insert((due, FrameId(u32::MAX), Timer::Execution));
        }
    }

    pub(in crate::interpreter) fn set_timer(&mut self, id: FrameId, due: Millis, timer: Timer) {
        if self.status != Status::Running {
            return;
        }
        self.deadlines.insert((due, id, timer));
        self.with(id, |frame| frame.timers.push((due, timer)));
    }

    pub(in crate::interpreter) fn clear_timers(&mut self, id: FrameId) {
        let timers = self.with(id, |frame| std::mem::take(&mut frame.timers));
        for (due, timer) in timers.unwrap_or_default() {
            self.deadlines.remove(&(due, id, timer));
        }
    }

    fn drop_timer(&mut self, id: FrameId, gone: impl Fn(Timer) -> bool) {
        let timers = self.timers(id).to_vec().into_iter();
        for (due, timer) in timers.filter(|(_, timer)| gone(*timer)) {
            self.deadlines.remove(&(due, id, timer));
            self.with(id, |frame| {
                frame.timers.retain(|known| *known != (due, timer))
            });
        }
    }

    pub(super) fn fire(&mut self, id: FrameId, timer: Timer, due: Millis) {
        // Timers of these kinds are only in the machine's queue, not in the frame's own list.
        if !matches!(timer, Timer::Execution | Timer::Recorded | Timer::Work(_)) {
            self.with(id, |frame| {
                frame.timers.retain(|known| *known != (due, timer))
            });
        }
        match timer {
            Timer::Completion => self.wake(id, Phase::Complete),
            Timer::Wake => self.wake(id, Phase::Stage(Stage::Result)),
            Timer::Entry => self.wake(id, Phase::Enter),
            Timer::MapRun => self.wake(id, Phase::MapRunEnd),
            Timer::Retry => self.wake(id, Phase::Retry),
            Timer::Heartbeat(place) => {
                self.push(id, EventKind::Heartbeat, 0, true);
                self.expect_heartbeat(id, self.called(id), place as usize + 1);
                self.drop_timer(id, |timer| timer == Timer::HeartbeatTimeout);
                let want = self.call_of(id).map(|call| &call.ask.want);
                if let Some(Want::Call { heartbeat, .. }) = want
                    && let Some(interval) = *heartbeat
                {
                    self.set_timer(id, due.saturating_add(interval), Timer::HeartbeatTimeout);
                }
            }
            Timer::Timeout | Timer::HeartbeatTimeout => self.time_out(id, timer),
            Timer::Execution => self.end(Status::TimedOut, 0),
            Timer::Work(order) => self.end_work(FrameId(u32::MAX - order), due),
            Timer::Recorded => self.end_as_recorded(),
        }
    }

    fn time_out(&mut self, id: FrameId, timer: Timer) {
        let late = self.due(id, Timer::Completion).is_some();
        let (origin, reason) = match timer {
            Timer::Timeout => (Origin::Timeout, Reason::Timeout),
            _ => (Origin::Heartbeat, Reason::Heartbeat),
        };
        let mut fault = Fault::outside(origin, reason, Some("States.Timeout".into()), None);
        // True if the task timed out because of the specification's default, which AWS does not have.
        let by_default = timer == Timer::Timeout
            && self.profile() == Profile::Spec
            && matches!(self.kind_of(id), Some(StateKind::Task(task)) if task.timeout.is_none());
        fault.aws = by_default.then_some(OnAws::GoesOn(Difference::DefaultTimeout));
        self.with(id, |frame| frame.visit.fault = Some((fault, None)));
        self.push_history(id, EventKind::TaskTimedOut, 0);
        if late {
            self.push(id, EventKind::LateAnswer, 0, true);
        }
        self.end_attempt(id);
        self.stop_work(id);
        self.wake(id, Phase::Handle);
    }

    /// Cancels the request and the deadlines that a frame waits for.
    pub(in crate::interpreter) fn stop_work(&mut self, id: FrameId) {
        self.clear_timers(id);
        let call = self.with(id, |frame| frame.visit.call.take()).flatten();
        let open = self.with(id, |frame| {
            frame.visit.evaluated = None;
            frame.visit.evaluation.take()
        });
        let asks = [
            call.map(|call| call.ask.id),
            open.flatten().map(|open| open.ask.id),
        ];
        for ask in asks.into_iter().flatten() {
            self.open.remove(&ask);
            self.asked.retain(|asked| *asked != ask);
        }
    }
}
