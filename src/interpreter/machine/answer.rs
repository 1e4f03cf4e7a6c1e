//! Handles answers: what they trigger and when. An answer that has not arrived yet can be replaced.

use super::Machine;
use crate::interpreter::event::{EventKind, FrameId, Millis};
use crate::interpreter::frame::Timer;
use crate::interpreter::visit::Phase;
use crate::interpreter::{Answer, Ask, AskId, Outcome};

impl Machine {
    /// Answers a request. The times in an answer count from the call. A previous answer that has not arrived yet is
    /// replaced;
    /// an answer to a request that is no longer open is dropped with an event.
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

    /// Returns the request of a task whose answer is set but arrives later or never.
    #[must_use]
    pub fn held(&self, id: AskId) -> Option<&Ask> {
        self.held_asks().find(|ask| ask.id == id)
    }

    /// For a task with a pending answer: the time since its call, and the heartbeats that have arrived.
    #[must_use]
    pub fn so_far(&self, ask: &Ask) -> (Millis, &[Millis]) {
        let next = self
            .timers(ask.frame)
            .iter()
            .find_map(|(_, timer)| match timer {
                Timer::Heartbeat(place) => Some(*place as usize),
                _ => None,
            });
        let frame = self.frame(ask.frame);
        let call = frame.and_then(|frame| frame.visit.call.as_ref());
        let given = call.and_then(|call| call.answer.as_ref());
        let beats = given.map_or(&[][..], |answer| &answer.heartbeats);
        let came = next.unwrap_or(beats.len());
        let passed = self.now.saturating_sub(self.called(ask.frame));
        (passed, beats.get(..came).unwrap_or_default())
    }

    /// Replaces an answer that has not arrived.
    fn replace(&mut self, frame: FrameId, answer: Answer) {
        let call = self
            .frame(frame)
            .and_then(|frame| frame.visit.call.as_ref());
        let came = call.map_or(0, |call| self.so_far(&call.ask).1.len());
        let waiting = |timer: Timer| matches!(timer, Timer::Heartbeat(_) | Timer::Completion);
        self.drop_timer(frame, waiting);
        self.expect(frame, answer, self.called(frame), came);
    }

    /// When the frame's current call was made.
    pub(super) fn called(&self, frame: FrameId) -> Millis {
        let attempts = self.frame(frame).map(|frame| &frame.visit.attempts);
        let last = attempts.and_then(|attempts| attempts.last());
        last.map_or(self.now, |attempt| attempt.started)
    }

    /// Schedules the heartbeat at this index of the answer's list; when it arrives, the next one is scheduled.
    pub(super) fn expect_heartbeat(&mut self, frame: FrameId, called: Millis, place: usize) {
        let call = self
            .frame(frame)
            .and_then(|frame| frame.visit.call.as_ref());
        let answer = call.and_then(|call| call.answer.as_ref());
        let beat = answer.and_then(|answer| answer.heartbeats.get(place));
        if let (Some(beat), Ok(place)) = (beat.copied(), u32::try_from(place)) {
            let due = called.saturating_add(beat).max(self.now);
            self.set_timer(frame, due, Timer::Heartbeat(place));
        }
    }

    /// Schedules an answer to a call made at `called`, skipping the first `came` heartbeats, which have arrived.
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
