//! A run begun once more: from the start, elsewhere, from a state, from an event; and the answers that it keeps.
//!
//! It must not know what a run does once it has begun.

use super::children::Children;
use super::command::Restart;
use super::session::Session;
use super::stepping::Goal;
use crate::definition::StateId;
use crate::json::Value;
use std::sync::Arc;

impl Session {
    /// Begins another run, at another state or with another input; typed answers are kept.
    pub(super) fn begin_elsewhere(&mut self, start_at: Option<StateId>, input: Option<Value>) {
        self.remember_answers();
        self.replay.edits.clear();
        if let Some(input) = input {
            self.setup.header.input = input;
        }
        if let Some(state) = start_at {
            let at = self.setup.definition.state(state);
            match at {
                Some(state) if state.scope.0 == 0 => {}
                Some(state) => {
                    let text = format!(
                        "{} stands inside a Parallel or Map; a run begins at a state of the machine itself",
                        state.name
                    );
                    return self.refuse(text);
                }
                None => return self.refuse("there is no such state"),
            }
            self.setup.header.start_at = Some(state);
        }
        self.answering.answerer.begin_run();
        self.begin_again();
    }

    pub(super) fn restart(&mut self, kept: Restart) {
        match kept {
            Restart::KeepAnswers => self.remember_answers(),
            Restart::Fresh => self.answering.answerer.forget_all(),
        }
        self.replay.edits.clear();
        self.answering.answerer.begin_run();
        self.begin_again();
        let (typed, files) = self.answering.answerer.earlier().counts();
        let parts = [(typed, "typed answers"), (files, "answers of files")];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !parts.is_empty() {
            let parts = parts.join(" and ");
            self.say(format!("{parts} are kept; restart! drops them"));
        }
    }

    /// Takes the machines of child executions again; what changed ones came to before is forgotten.
    pub fn set_children(&mut self, children: Arc<Children>) {
        if self.answering.answerer.set_children(children) {
            self.recording.log.forget_children();
        }
    }

    pub(super) fn redo_state(&mut self) {
        let entered = (1..=self.snapshot().events).rev().find(|number| {
            self.recording.timeline.get(*number).is_some_and(|event| {
                event.frame == self.stepper.focus
                    && event.kind == crate::interpreter::EventKind::StateEntered
            })
        });
        match entered {
            None => self.refuse("no state was entered yet"),
            Some(number) => {
                self.stepper.goal = Some(Goal::Redo(number));
            }
        }
    }

    /// Makes the cursor the end of the record: what was recorded after it is given up.
    pub(super) fn fork(&mut self) {
        if self.recording.past.is_none() {
            return;
        }
        let earlier = self.answering.answerer.earlier_mut();
        earlier.remember_served(&self.recording.log);
        if let Some(events) = self.recording.fork() {
            for placed in &mut self.breakpoints.placed {
                let kept = placed.hits.partition_point(|hit| *hit <= events);
                placed.hits.truncate(kept);
            }
            self.answering.child = None;
            self.set_clock();
            self.say(format!(
                "what was recorded after event {events} is given up; this is run {}",
                self.recording.number
            ));
        }
    }
}
