//! A run begun once more: from the start, elsewhere, from a state, from an event; and the answers that it keeps.
//!
//! It must not know what a run does once it has begun.

use super::answering::Known;
use super::child::Children;
use super::command::Restart;
use super::log::{AnsweredBy, EntryKind};
use super::session::Session;
use super::stepping::Goal;
use crate::definition::StateId;
use crate::interpreter::{Answer, AskKey};
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
        self.begin_again();
    }

    pub(super) fn restart(&mut self, kept: Restart) {
        match kept {
            Restart::KeepAnswers => self.remember_answers(),
            Restart::Fresh => {
                self.answering.known.clear();
                self.answering.served.clear();
                self.answering.rules.clear();
            }
        }
        self.replay.edits.clear();
        self.begin_again();
        let typed = |known: &&Known| known.by == AnsweredBy::Person;
        let typed = self.answering.known.values().filter(typed).count();
        let files: usize = self.answering.served.values().map(Vec::len).sum();
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

    /// What a person answered in this run, and what children came to.
    fn lasting(&self) -> impl Iterator<Item = (AskKey, Known)> {
        self.recording
            .log
            .iter()
            .filter_map(|entry| match &entry.kind {
                EntryKind::Answer {
                    key,
                    input,
                    answer,
                    by: by @ (AnsweredBy::Person | AnsweredBy::Child),
                    ..
                } => {
                    let known = Known {
                        input: input.clone(),
                        answer: answer.clone(),
                        by: *by,
                    };
                    Some((key.clone(), known))
                }
                _ => None,
            })
    }

    /// Keeps what a person answered and what children came to, to be used again under the same key.
    pub(super) fn remember_answers(&mut self) {
        let lasting: Vec<_> = self.lasting().collect();
        self.answering.known.extend(lasting);
        self.remember_served();
    }

    /// Keeps what files and the like gave, so that none is read or written again for the same question.
    pub(super) fn remember_served(&mut self) {
        for entry in self.recording.log.iter() {
            if let EntryKind::Served {
                key, want, answer, ..
            } = &entry.kind
            {
                let all = self.answering.served.entry(key.clone()).or_default();
                all.retain(|(own, _)| own != want);
                all.push((want.clone(), answer.clone()));
            }
        }
    }

    /// Takes the machines of child executions again; what changed ones came to before is forgotten.
    pub fn set_children(&mut self, children: Arc<Children>) {
        if !self.setup.children.agree(&children) {
            self.answering
                .known
                .retain(|_, known| known.by != AnsweredBy::Child);
            self.recording.log.forget_children();
        }
        self.setup.children = children;
    }

    /// What a person answered in this run and in those before it, in a fixed order.
    pub(super) fn typed_answers(&self) -> Vec<(AskKey, Value, Answer)> {
        let mut all = self.answering.known.clone();
        all.extend(self.lasting());
        let mut all: Vec<_> = all
            .into_iter()
            .filter(|(_, known)| known.by == AnsweredBy::Person)
            .map(|(key, known)| (key, known.input, known.answer))
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
        self.remember_served();
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
