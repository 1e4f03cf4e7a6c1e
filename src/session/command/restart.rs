//! Starting a run again: from the start, at another state, from the current state or an event; and the answers that
//! are kept.

use crate::definition::StateId;
use crate::json::Value;
use crate::query::Profile;
use crate::session::argument::Restart;
use crate::session::children::Children;
use crate::session::goal::Goal;
use crate::session::reply::{Output, Refused, Reply};
use crate::session::session::Session;
use std::sync::Arc;

impl Session {
    /// Starts another run at another state or with another input; keeps the user's answers.
    pub(in crate::session) fn begin_elsewhere(
        &mut self,
        start_at: Option<StateId>,
        input: Option<Value>,
    ) -> Result<Reply, Refused> {
        if let Some(state) = start_at {
            let state = self.setup.definition.state(state).ok_or(Refused::NoState)?;
            if state.scope.0 != 0 {
                return Err(Refused::InsideGroup(state.name.clone()));
            }
        }
        self.remember_answers();
        self.replay.edits.clear();
        self.replay.asked.clear();
        if let Some(input) = input {
            self.setup.header.input = input;
        }
        if start_at.is_some() {
            self.setup.header.start_at = start_at;
        }
        self.answering.answerer.begin_run();
        self.begin_again();
        Ok(Reply::Done)
    }

    pub(in crate::session) fn restart(&mut self, kept: Restart) -> Reply {
        match kept {
            Restart::KeepAnswers => self.remember_answers(),
            Restart::Fresh => self.answering.answerer.forget_all(),
        }
        self.replay.edits.clear();
        self.replay.asked.clear();
        self.answering.answerer.begin_run();
        self.begin_again();
        let (typed, files) = self.answering.answerer.earlier().counts();
        Reply::Restarted { typed, files }
    }

    /// Replaces the state machines of child executions; forgets the answers of executions whose state machine changed.
    pub fn set_children(&mut self, children: Arc<Children>) {
        if self.answering.answerer.set_children(children) {
            self.recording.log.forget_children();
        }
    }

    pub(in crate::session) fn redo_state(&mut self) -> Result<Reply, Refused> {
        let entered = (1..=self.snapshot().events).rev().find(|number| {
            self.recording.timeline.get(*number).is_some_and(|event| {
                event.frame == self.stepper.focus
                    && event.kind == crate::interpreter::EventKind::StateEntered
            })
        });
        let number = entered.ok_or(Refused::NothingEntered)?;
        self.stepper.goal = Some(Goal::Redo(number));
        Ok(Reply::Travels(number))
    }

    pub(in crate::session) fn set_profile(&mut self, profile: Profile) -> Reply {
        if profile == self.setup.header.profile {
            return Reply::Done;
        }
        self.setup.header.profile = profile;
        let definition = Arc::clone(&self.setup.definition);
        let diagnostics = self.setup.diagnostics.clone();
        self.replay_with(definition, diagnostics);
        Reply::Begun
    }

    /// Makes the cursor the end of the recording: discards everything after it.
    pub(in crate::session) fn fork(&mut self) {
        let Some(past) = &self.recording.past else {
            return;
        };
        let kept = past.applied;
        let earlier = self.answering.answerer.earlier_mut();
        earlier.remember_served(&self.recording.log);
        earlier.set_aside(&self.recording.log, kept);
        self.abandon_calls();
        if let Some((events, rest)) = self.recording.fork() {
            self.discard(rest);
            self.await_known_calls();
            self.unfollow_after(events);
            self.breakpoints.forget_hits_after(events);
            self.answering.child = None;
            self.set_clock();
            self.put(Output::Forked {
                after: events,
                run: self.recording.number,
            });
        }
    }

    /// For requests that are open at the fork and were answered by a call, uses the answer of that call again.
    fn await_known_calls(&mut self) {
        let earlier = self.answering.answerer.earlier();
        let head = &mut self.recording.head;
        let open = head.machine.open_asks();
        let called = open.filter(|ask| earlier.was_called(&ask.key)).cloned();
        head.calling = called.collect();
    }
}
