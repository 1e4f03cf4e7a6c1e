//! Earlier answers: from previous runs of the session, restored from a saved session, or lent to a repetition.

use crate::interpreter::{Answer, Ask, AskKey, Want};
use crate::json::Value;
use crate::session::answers::RecordedAnswer;
use crate::session::log::{AnsweredBy, Entry, EntryKind, Log};
use std::collections::HashMap;

/// An answer of a previous run.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub recorded: RecordedAnswer,
    /// The source that originally gave the answer.
    pub by: AnsweredBy,
}

/// All earlier answers, by the key of the request.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    known: HashMap<AskKey, Known>,
    /// Answers that the user gave in a discarded part of a run: offered if the request is made again, but never used
    /// automatically.
    aside: HashMap<AskKey, RecordedAnswer>,
    /// Answers of the server, such as the contents of files, each with the request that it answered.
    served: HashMap<AskKey, Vec<(Want, Answer)>>,
    /// The answer that a repeated run had for the current request.
    lent: Option<(AskKey, Known)>,
}

/// An answer of the user, to be saved with the session.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedAnswer {
    /// Key of the request.
    pub key: AskKey,
    /// Input of the call.
    pub input: Value,
    /// The answer.
    pub answer: Answer,
    /// True if the answer is only offered when the request is made again.
    pub is_aside: bool,
}

/// The answer in a log entry, with who gave it; `None` if it has no input or is not used again.
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

/// The answers of a log that all later runs use again.
fn lasting_of(log: &Log) -> impl Iterator<Item = (&AskKey, Known)> {
    let entries = log.lasting();
    entries.filter_map(|entry| answer_of(entry, AnsweredBy::lasts))
}

impl Earlier {
    pub(super) fn get(&self, key: &AskKey) -> Option<&Known> {
        let lent = self.lent.as_ref().filter(|(own, _)| own == key);
        lent.map(|(_, known)| known).or_else(|| self.known.get(key))
    }

    /// The answer that a file gave to the same request in a previous run, so that no file is read or written again.
    pub(super) fn served(&self, ask: &Ask) -> Option<Answer> {
        let all = self.served.get(&ask.key)?;
        let found = all.iter().rev().find(|(want, _)| *want == ask.want);
        found.map(|(_, answer)| answer.clone())
    }

    /// Keeps the answers of the user and of child executions, to be used again for the same keys.
    pub fn remember(&mut self, log: &Log) {
        let lasting = lasting_of(log).map(|(key, known)| (key.clone(), known));
        self.known.extend(lasting);
        self.remember_served(log);
    }

    /// Sets aside the user's answers after the first `count` entries of a log, because those entries are discarded. The
    /// answers of real calls stay in use, so that no call is made twice.
    pub fn set_aside(&mut self, log: &Log, count: usize) {
        let called = log.lasting_from(count);
        let called = called.filter_map(|entry| answer_of(entry, |by| by == AnsweredBy::Target));
        let called: Vec<_> = called.map(|(key, known)| (key.clone(), known)).collect();
        self.known.extend(called);
        let given_up = log.lasting_from(count);
        let typed = given_up.filter_map(|entry| answer_of(entry, |by| by == AnsweredBy::Person));
        let typed = typed.map(|(key, known)| (key.clone(), known.recorded));
        self.aside.extend(typed);
    }

    /// True if the recorded answer to the request with this key came from an external target.
    #[must_use]
    pub fn was_called(&self, key: &AskKey) -> bool {
        let known = self.known.get(key);
        known.is_some_and(|known| known.by == AnsweredBy::Target)
    }

    /// An earlier answer to offer for a request.
    pub(super) fn offered(&self, key: &AskKey) -> Option<&RecordedAnswer> {
        let known = self.get(key).map(|known| &known.recorded);
        known.or_else(|| self.aside.get(key))
    }

    /// Keeps the server's answers, so that no file is read or written again for the same request.
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

    /// Lends the answer that the log of a repeated run has for a request, if it was given after `events` events. The
    /// answer is lent for this one request; the next call replaces it.
    pub fn lend(&mut self, log: &Log, events: u64, key: &AskKey) {
        let is_used = |by| by != AnsweredBy::Stale;
        let mut given = log.applied_after(events);
        self.lent = given.find_map(|entry| {
            let (own, known) = answer_of(entry, is_used)?;
            (own == key).then(|| (own.clone(), known))
        });
        // An answer that had not arrived yet may have been replaced by a later one; in this case, the later one is
        // used.
        if let Some((_, known)) = &mut self.lent
            && known.recorded.answer.is_held()
        {
            let mut own = log.lasting().filter_map(|entry| answer_of(entry, is_used));
            if let Some((_, last)) = own.rfind(|(own, _)| *own == key) {
                *known = last;
            }
        }
    }

    /// Ends the lending.
    pub fn take_back(&mut self) {
        self.lent = None;
    }

    /// Restores an answer of the user from a saved session.
    pub fn restore(&mut self, key: AskKey, recorded: RecordedAnswer) {
        let by = AnsweredBy::Person;
        self.known.insert(key, Known { recorded, by });
    }

    /// Restores an answer that the user had given in a discarded part of a run.
    pub fn restore_aside(&mut self, key: AskKey, recorded: RecordedAnswer) {
        self.aside.insert(key, recorded);
    }

    /// Forgets the answers to requests for which `is_one` returns true.
    pub(super) fn forget(&mut self, is_one: impl Fn(&AskKey) -> bool) {
        self.known.retain(|key, _| !is_one(key));
        self.aside.retain(|key, _| !is_one(key));
    }

    /// Forgets what a real call of a state answered, so that it is called again.
    pub(in crate::session) fn forget_calls(&mut self, state: &str) {
        self.known
            .retain(|key, known| known.by != AnsweredBy::Target || &*key.path != state);
    }

    /// Forgets the answers of child executions.
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

    /// Number of answers by the user, and number of answers by files.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let typed = self.known.values();
        let typed = typed.filter(|known| known.by == AnsweredBy::Person).count();
        (typed, self.served.values().map(Vec::len).sum())
    }

    /// Answers that the user gave in the run of a log and in previous runs, in a fixed order.
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
