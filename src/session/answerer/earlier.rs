//! Answers known from before: of earlier runs of a session, kept from an earlier time, and lent to a repetition.

use crate::interpreter::{Answer, Ask, AskKey, Want};
use crate::json::Value;
use crate::session::log::{AnsweredBy, Entry, EntryKind, Log};
use crate::session::recorded_answer::RecordedAnswer;
use std::collections::HashMap;

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
    /// What a person answered in a stretch of a run that was given up: offered when it is asked again, never used unasked.
    aside: HashMap<AskKey, RecordedAnswer>,
    /// What files and the like gave, with what was asked of them.
    served: HashMap<AskKey, Vec<(Want, Answer)>>,
    /// What a repeated run was answered to the question that is asked now.
    lent: Option<(AskKey, Known)>,
}

/// An answer of a person, to be kept until the next time.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedAnswer {
    /// The question.
    pub key: AskKey,
    /// What it was called with.
    pub input: Value,
    /// The answer.
    pub answer: Answer,
    /// Whether it is only offered when it is asked again.
    pub is_aside: bool,
}

/// The answer that an entry is, if it has an input and is used again, with who gave it.
fn answer_of(entry: &Entry, is_used: impl Fn(AnsweredBy) -> bool) -> Option<(&AskKey, Known)> {
    match &entry.kind {
        EntryKind::Answer {
            key,
            input,
            answer,
            by,
            ..
        } if is_used(*by) => {
            let recorded = RecordedAnswer {
                input: Some(input.clone()),
                answer: answer.clone(),
            };
            Some((key, Known { recorded, by: *by }))
        }
        _ => None,
    }
}

/// The answers of a log that every later run uses again.
fn lasting_of(log: &Log) -> impl Iterator<Item = (&AskKey, Known)> {
    let entries = log.lasting();
    entries.filter_map(|entry| answer_of(entry, AnsweredBy::lasts))
}

impl Earlier {
    pub(super) fn get(&self, key: &AskKey) -> Option<&Known> {
        let lent = self.lent.as_ref().filter(|(own, _)| own == key);
        lent.map(|(_, known)| known).or_else(|| self.known.get(key))
    }

    /// What an earlier run was given for the same question: no file is read or written again.
    pub(super) fn served(&self, ask: &Ask) -> Option<Answer> {
        let all = self.served.get(&ask.key)?;
        let found = all.iter().rev().find(|(want, _)| *want == ask.want);
        found.map(|(_, answer)| answer.clone())
    }

    /// Keeps what a person answered and what children came to, to be used again under the same key.
    pub fn remember(&mut self, log: &Log) {
        let lasting = lasting_of(log).map(|(key, known)| (key.clone(), known));
        self.known.extend(lasting);
        self.remember_served(log);
    }

    /// Puts aside what a person answered after the first `count` entries of a log, which are given up.
    pub fn set_aside(&mut self, log: &Log, count: usize) {
        let given_up = log.lasting_from(count);
        let typed = given_up.filter_map(|entry| answer_of(entry, |by| by == AnsweredBy::Person));
        let typed = typed.map(|(key, known)| (key.clone(), known.recorded));
        self.aside.extend(typed);
    }

    /// What was answered to a question before and is offered again.
    pub(super) fn offered(&self, key: &AskKey) -> Option<&RecordedAnswer> {
        let known = self.get(key).map(|known| &known.recorded);
        known.or_else(|| self.aside.get(key))
    }

    /// Keeps what files and the like gave, so that none is read or written again for the same question.
    pub fn remember_served(&mut self, log: &Log) {
        for entry in log.lasting() {
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

    /// Has the answer at hand that the log of a repeated run has for a question, if it was given when so many events had
    /// happened. It is lent for this one question: the next one takes its place.
    pub fn lend(&mut self, log: &Log, events: u64, key: &AskKey) {
        let is_used = |by| by != AnsweredBy::Stale;
        let mut given = log.applied_after(events);
        self.lent = given.find_map(|entry| {
            let (own, known) = answer_of(entry, is_used)?;
            (own == key).then(|| (own.clone(), known))
        });
        // What was held may have given way to another answer, which is all that the question was answered.
        if let Some((_, known)) = &mut self.lent
            && known.recorded.answer.is_held()
        {
            let mut own = log.lasting().filter_map(|entry| answer_of(entry, is_used));
            if let Some((_, last)) = own.rfind(|(own, _)| *own == key) {
                *known = last;
            }
        }
    }

    /// Takes back what was lent.
    pub fn take_back(&mut self) {
        self.lent = None;
    }

    /// Keeps an answer that a person gave at another time.
    pub fn restore(&mut self, key: AskKey, recorded: RecordedAnswer) {
        let by = AnsweredBy::Person;
        self.known.insert(key, Known { recorded, by });
    }

    /// Keeps an answer that a person gave at another time in a run that was given up.
    pub fn restore_aside(&mut self, key: AskKey, recorded: RecordedAnswer) {
        self.aside.insert(key, recorded);
    }

    /// Forgets the answers to some questions.
    pub(super) fn forget(&mut self, is_one: impl Fn(&AskKey) -> bool) {
        self.known.retain(|key, _| !is_one(key));
        self.aside.retain(|key, _| !is_one(key));
    }

    /// Forgets what child executions came to.
    pub(super) fn forget_children(&mut self) {
        self.known.retain(|_, known| known.by != AnsweredBy::Child);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.aside.clear();
        self.served.clear();
        self.lent = None;
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
    pub fn typed(&self, log: &Log) -> Vec<TypedAnswer> {
        let mut all = self.known.clone();
        all.extend(lasting_of(log).map(|(key, known)| (key.clone(), known)));
        all.retain(|_, known| known.by == AnsweredBy::Person);
        let aside = self.aside.iter().filter(|(key, _)| !all.contains_key(key));
        let aside = aside.map(|(key, recorded)| (key.clone(), recorded.clone(), true));
        let aside: Vec<_> = aside.collect();
        let used = all.into_iter();
        let used = used.map(|(key, known)| (key, known.recorded, false));
        let mut all: Vec<TypedAnswer> = used
            .chain(aside)
            .filter_map(|(key, recorded, is_aside)| {
                Some(TypedAnswer {
                    key,
                    input: recorded.input?,
                    answer: recorded.answer,
                    is_aside,
                })
            })
            .collect();
        all.sort_by(|one, other| {
            let order = |key: &AskKey| (key.path.clone(), key.visit, key.attempt);
            let (one, other) = (&one.key, &other.key);
            let ordered = order(one).cmp(&order(other));
            ordered.then_with(|| (&one.indices, &one.rounds).cmp(&(&other.indices, &other.rounds)))
        });
        all
    }
}
