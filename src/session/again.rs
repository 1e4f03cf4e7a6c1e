//! A run begun once more: from the start, elsewhere, from a state, from an event; and the answers that it keeps.
//!
//! It must not know what a run does once it has begun.

use super::command::Restart;
use super::drive::Goal;
use super::log::{AnsweredBy, EntryKind};
use super::session::Session;
use crate::definition::StateId;
use crate::interpreter::{Answer, AskKey};
use crate::json::Value;

impl Session {
    /// Begins another run, at another state or with another input; typed answers are kept.
    pub(super) fn begin_elsewhere(&mut self, start_at: Option<StateId>, input: Option<Value>) {
        self.remember_answers();
        self.edits.clear();
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
        self.begin_again();
    }

    pub(super) fn restart(&mut self, kept: Restart) {
        match kept {
            Restart::KeepAnswers => self.remember_answers(),
            Restart::Fresh => self.known.clear(),
        }
        self.edits.clear();
        self.begin_again();
        let count = self.known.len();
        if count > 0 {
            self.say(format!(
                "{count} typed answers are kept; restart! drops them"
            ));
        }
    }

    /// What a person answered in this run.
    fn typed(&self) -> impl Iterator<Item = (AskKey, (Value, Answer))> {
        self.log.iter().filter_map(|entry| match &entry.kind {
            EntryKind::Answer {
                key,
                input,
                answer,
                by: AnsweredBy::Person | AnsweredBy::Before,
                ..
            } => Some((key.clone(), (input.clone(), answer.clone()))),
            _ => None,
        })
    }

    /// Keeps what a person answered, to be used again under the same key.
    pub(super) fn remember_answers(&mut self) {
        let typed: Vec<_> = self.typed().collect();
        self.known.extend(typed);
    }

    /// What a person answered in this run and in those before it, in a fixed order.
    pub(super) fn typed_answers(&self) -> Vec<(AskKey, Value, Answer)> {
        let mut all = self.known.clone();
        all.extend(self.typed());
        let mut all: Vec<_> = all
            .into_iter()
            .map(|(key, (input, answer))| (key, input, answer))
            .collect();
        all.sort_by(|(one, ..), (other, ..)| {
            let order = |key: &AskKey| (key.path.clone(), key.visit, key.attempt);
            (order(one), &one.indices, &one.rounds).cmp(&(
                order(other),
                &other.indices,
                &other.rounds,
            ))
        });
        all
    }

    pub(super) fn redo_state(&mut self) {
        let entered = (1..=self.point().events).rev().find(|number| {
            self.timeline.get(*number).is_some_and(|event| {
                event.frame == self.focus
                    && event.kind == crate::interpreter::EventKind::StateEntered
            })
        });
        match entered {
            None => self.refuse("no state was entered yet"),
            Some(number) => {
                self.goal = Some(Goal::Redo(number));
            }
        }
    }

    /// Makes the cursor the end of the record: what was recorded after it is given up.
    pub(super) fn fork(&mut self) {
        if let Some(past) = self.past.take() {
            self.timeline.truncate(past.events);
            self.checkpoints.truncate(past.events);
            self.log.truncate(past.applied);
            for placed in &mut self.breakpoints {
                let kept = placed.hits.partition_point(|hit| *hit <= past.events);
                placed.hits.truncate(kept);
            }
            self.head = past;
            self.set_clock();
            self.run_number += 1;
            self.say(format!(
                "what was recorded after event {} is given up; this is run {}",
                self.head.events, self.run_number
            ));
        }
    }
}
