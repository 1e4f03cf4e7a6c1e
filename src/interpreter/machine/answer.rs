//! Taking answers in: what they set off, and when; one that has not arrived yet gives way to another.
//!
//! It must not know who answers.

use super::Machine;
use crate::interpreter::event::{EventKind, FrameId, Millis};
use crate::interpreter::frame::Timer;
use crate::interpreter::visit::Phase;
use crate::interpreter::{Answer, Ask, AskId, Outcome};

impl Machine {
    /// Answers a question. The times of an answer count from the call. One that has not arrived yet gives way to this one;
    /// an answer to a question that is no longer asked is dropped, with an event that says so.
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

    /// A task that has its answer, which arrives later or never.
    #[must_use]
    pub fn held(&self, id: AskId) -> Option<&Ask> {
        self.held_asks().find(|ask| ask.id == id)
    }

    /// How long ago a held task was called, and the heartbeats of it that came.
    #[must_use]
    pub fn so_far(&self, ask: &Ask) -> (Millis, &[Millis]) {
        let timers = self.timers(ask.frame).iter();
        let coming = timers.filter(|(_, timer)| matches!(timer, Timer::Heartbeat(_)));
        let frame = self.frame(ask.frame);
        let call = frame.and_then(|frame| frame.visit.call.as_ref());
        let given = call.and_then(|call| call.answer.as_ref());
        let beats = given.map_or(&[][..], |answer| &answer.heartbeats);
        let came = beats.len().saturating_sub(coming.count());
        let passed = self.now.saturating_sub(self.called(ask.frame));
        (passed, beats.get(..came).unwrap_or_default())
    }

    /// Another answer takes the place of one that has not arrived.
    fn replace(&mut self, frame: FrameId, answer: Answer) {
        let call = self
            .frame(frame)
            .and_then(|frame| frame.visit.call.as_ref());
        let came = call.map_or(0, |call| self.so_far(&call.ask).1.len());
        let waiting = |timer: Timer| matches!(timer, Timer::Heartbeat(_) | Timer::Completion);
        self.drop_timer(frame, waiting);
        self.expect(frame, answer, self.called(frame), came);
    }

    /// When the call of a frame was made.
    fn called(&self, frame: FrameId) -> Millis {
        let attempts = self.frame(frame).map(|frame| &frame.visit.attempts);
        let last = attempts.and_then(|attempts| attempts.last());
        last.map_or(self.now, |attempt| attempt.started)
    }

    /// Sets what an answer to a call of then comes to, but for its first heartbeats, which came.
    fn expect(&mut self, frame: FrameId, answer: Answer, called: Millis, came: usize) {
        let due = |after: Millis| called.saturating_add(after);
        for (place, beat) in (0_u32..).zip(&answer.heartbeats).skip(came) {
            self.set_timer(frame, due(*beat).max(self.now), Timer::Heartbeat(place));
        }
        let arrives = (answer.outcome != Outcome::Never).then(|| due(answer.took));
        self.with(frame, |frame| {
            if let Some(call) = &mut frame.visit.call {
                call.answer = Some(answer);
            }
        });
        match arrives {
            None => {}
            Some(at) if at <= self.now => self.wake(frame, Phase::Complete),
            Some(at) => self.set_timer(frame, at, Timer::Completion),
        }
    }
}
