//! Answers known from before: of earlier runs of a session, kept from an earlier time, and lent to a repetition.
//!
//! It must not know what is asked now.

use crate::interpreter::{Answer, Ask, AskKey, Want};
use crate::json::Value;
use crate::session::log::{AnsweredBy, Entry, EntryKind, Log};
use crate::session::recorded_answer::RecordedAnswer;
use std::collections::HashMap;
use std::ops::Range;

/// An answer of an earlier run.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub recorded: RecordedAnswer,
    /// Who gave it first.
    pub by: AnsweredBy,
}

/// All of them, by the question's key.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    known: HashMap<AskKey, Known>,
    /// What files and the like gave, with what was asked of them.
    served: HashMap<AskKey, Vec<(Want, Answer)>>,
}

/// The answers of a log that have an input, with who gave them.
fn answers_of(log: &Log) -> impl Iterator<Item = (&AskKey, Known)> {
    log.iter().filter_map(answer_of)
}

/// The answer that an entry is, if it has an input, with who gave it.
fn answer_of(entry: &Entry) -> Option<(&AskKey, Known)> {
    match &entry.kind {
        EntryKind::Answer {
            key,
            input,
            answer,
            by,
            ..
        } => {
            let recorded = RecordedAnswer {
                input: Some(input.clone()),
                answer: answer.clone(),
            };
            Some((key, Known { recorded, by: *by }))
        }
        _ => None,
    }
}

/// Whether an answer is used again in every later run: a person gave it, or a child execution came to it.
fn lasts(by: AnsweredBy) -> bool {
    matches!(by, AnsweredBy::Person | AnsweredBy::Child)
}

impl Earlier {
    pub(super) fn get(&self, key: &AskKey) -> Option<&Known> {
        self.known.get(key)
    }

    /// What an earlier run was given for the same question: no file is read or written again.
    pub(super) fn served(&self, ask: &Ask) -> Option<Answer> {
        let all = self.served.get(&ask.key)?;
        let found = all.iter().rev().find(|(want, _)| *want == ask.want);
        found.map(|(_, answer)| answer.clone())
    }

    /// Keeps what a person answered and what children came to, to be used again under the same key.
    pub fn remember(&mut self, log: &Log) {
        let lasting = answers_of(log).filter(|(_, known)| lasts(known.by));
        self.known
            .extend(lasting.map(|(key, known)| (key.clone(), known)));
        self.remember_served(log);
    }

    /// Keeps what files and the like gave, so that none is read or written again for the same question.
    pub fn remember_served(&mut self, log: &Log) {
        for entry in log.iter() {
            self.remember_served_by(entry);
        }
    }

    fn remember_served_by(&mut self, entry: &Entry) {
        if let EntryKind::Served {
            key, want, answer, ..
        } = &entry.kind
        {
            let all = self.served.entry(key.clone()).or_default();
            all.retain(|(own, _)| own != want);
            all.push((want.clone(), answer.clone()));
        }
    }

    /// Keeps what a stretch of a log answered, for a repetition; adds the keys of what is at hand for that alone to `lent`.
    pub fn lend(&mut self, log: &Log, stretch: Range<usize>, lent: &mut Vec<AskKey>) {
        if stretch.start == 0 {
            // Growing would go through all of them again and again.
            self.known.reserve(log.len());
        }
        for entry in stretch.filter_map(|place| log.get(place)) {
            self.remember_served_by(entry);
            let Some((key, known)) = answer_of(entry) else {
                continue;
            };
            if known.by == AnsweredBy::Stale {
                continue;
            }
            if !lasts(known.by) {
                lent.push(key.clone());
            }
            self.known.insert(key.clone(), known);
        }
    }

    /// Takes back what was lent.
    pub fn take_back(&mut self, lent: &[AskKey]) {
        for key in lent {
            self.known.remove(key);
        }
    }

    /// Keeps an answer that a person gave at another time.
    pub fn restore(&mut self, key: AskKey, recorded: RecordedAnswer) {
        let by = AnsweredBy::Person;
        self.known.insert(key, Known { recorded, by });
    }

    /// Forgets the answers to some questions.
    pub(super) fn forget(&mut self, is_one: impl Fn(&AskKey) -> bool) {
        self.known.retain(|key, _| !is_one(key));
    }

    /// Forgets what child executions came to.
    pub(super) fn forget_children(&mut self) {
        self.known.retain(|_, known| known.by != AnsweredBy::Child);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.served.clear();
    }

    /// How many answers of a person there are, and how many of files.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let typed = self.known.values();
        let typed = typed.filter(|known| known.by == AnsweredBy::Person).count();
        (typed, self.served.values().map(Vec::len).sum())
    }

    /// What a person answered in the run of a log and in those before it, in a fixed order.
    #[must_use]
    pub fn typed(&self, log: &Log) -> Vec<(AskKey, Value, Answer)> {
        let mut all = self.known.clone();
        let lasting = answers_of(log).filter(|(_, known)| lasts(known.by));
        all.extend(lasting.map(|(key, known)| (key.clone(), known)));
        let mut all: Vec<_> = all
            .into_iter()
            .filter(|(_, known)| known.by == AnsweredBy::Person)
            .filter_map(|(key, known)| Some((key, known.recorded.input?, known.recorded.answer)))
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
}
