//! Deadlines: setting, dropping and firing them.

use super::Machine;
use crate::definition::StateKind;
use crate::interpreter::Want;
use crate::interpreter::difference::Difference;
use crate::interpreter::event::{EventKind, FrameId, Millis, Stage};
use crate::interpreter::fault::{Fault, OnAws, Origin};
use crate::interpreter::frame::{Frame, Timer};
use crate::interpreter::machine::Status;
use crate::interpreter::reason::Reason;
use crate::interpreter::visit::Phase;
use crate::query::Profile;

impl Machine {
    /// Sets the deadlines of the execution itself, unless they have passed.
    pub(super) fn arm_execution(&mut self) {
        let course = self.run.header.course.as_ref();
        let over = course.filter(|course| course.end.is_some());
        if let Some(over) = over.and_then(|course| course.over) {
            self.deadlines
                .insert((over, FrameId(u32::MAX), Timer::Recorded));
        }
        let due = self
            .run
            .definition
            .deadline_seconds()
            .map(|seconds| seconds.saturating_mul(1000));
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
        let timers = self
            .with(id, |frame| std::mem::take(&mut frame.timers))
            .unwrap_or_default();
        for (due, timer) in timers {
            self.deadlines.remove(&(due, id, timer));
        }
    }

    pub(super) fn drop_timer(&mut self, id: FrameId, gone: impl Fn(Timer) -> bool) {
        let timers = self
            .frame(id)
            .map(|frame| frame.timers.clone())
            .unwrap_or_default();
        for (due, timer) in timers.into_iter().filter(|(_, timer)| gone(*timer)) {
            self.deadlines.remove(&(due, id, timer));
            self.with(id, |frame| frame.timers.retain(|own| *own != (due, timer)));
        }
    }

    pub(super) fn fire(&mut self, id: FrameId, timer: Timer, due: Millis) {
        // These deadlines are not among the frame's own timers.
        if !matches!(timer, Timer::Execution | Timer::Recorded | Timer::Work(_)) {
            self.with(id, |frame| frame.timers.retain(|own| *own != (due, timer)));
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
                if let Some(interval) = self.frame(id).and_then(heartbeat_of) {
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
        let late = self.frame(id).is_some_and(|frame| {
            frame
                .timers
                .iter()
                .any(|(_, own)| *own == Timer::Completion)
        });
        let (origin, reason) = match timer {
            Timer::Timeout => (Origin::Timeout, Reason::Timeout),
            _ => (Origin::Heartbeat, Reason::Heartbeat),
        };
        let error = Some("States.Timeout".into());
        let fault = Fault {
            aws: self
                .by_default(id, timer)
                .then_some(OnAws::GoesOn(Difference::DefaultTimeout)),
            ..Fault::outside(origin, reason, error, None)
        };
        self.with(id, |frame| frame.visit.fault = Some((fault, None)));
        self.push_history(id, EventKind::TaskTimedOut, 0);
        if late {
            self.push(id, EventKind::LateAnswer, 0, true);
        }
        self.end_attempt(id);
        self.stop_work(id);
        self.wake(id, Phase::Handle);
    }

    /// True if a task timed out because of the specification's default, which AWS does not have.
    fn by_default(&self, id: FrameId, timer: Timer) -> bool {
        let state = self.frame(id).and_then(|frame| self.state_of(frame));
        timer == Timer::Timeout
            && self.profile() == Profile::Spec
            && matches!(state.map(|state| &state.kind), Some(StateKind::Task(task)) if task.timeout.is_none())
    }

    /// Cancels what a frame waits for: its request and its deadlines.
    pub(in crate::interpreter) fn stop_work(&mut self, id: FrameId) {
        self.clear_timers(id);
        let call = self.with(id, |frame| frame.visit.call.take()).flatten();
        let open = self.with(id, |frame| {
            frame.visit.evaluated = None;
            frame.visit.evaluation.take()
        });
        let asks = [
            call.map(|call| call.id()),
            open.flatten().map(|open| open.ask.id),
        ];
        for ask in asks.into_iter().flatten() {
            self.open.remove(&ask);
            self.asked.retain(|asked| *asked != ask);
        }
    }
}

/// HeartbeatSeconds of the open call, in milliseconds.
fn heartbeat_of(frame: &Frame) -> Option<Millis> {
    match &frame.visit.call.as_ref()?.ask.want {
        Want::Call { heartbeat, .. } => *heartbeat,
        _ => None,
    }
}
