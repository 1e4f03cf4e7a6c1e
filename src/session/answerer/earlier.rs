//! Keeps earlier answers, to give them again to the same requests. The answers come from previous runs of the session,
//! from a saved session, or, while a run is repeated, from the log of that run.

use crate::interpreter::{Answer, Ask, AskKey, Want};
use crate::json::Value;
use crate::session::answers::RecordedAnswer;
use crate::session::log::{AnsweredBy, Entry, EntryKind, Log};
use std::collections::HashMap;

/// An answer that a request got in a previous run.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub recorded: RecordedAnswer,
    /// The source that originally gave the answer.
    pub by: AnsweredBy,
}

/// All earlier answers, by the key of the request that they answer.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    known: HashMap<AskKey, Known>,
    /// Answers that the user gave in a discarded part of a run. If the run makes the request again, the answer is
    /// offered to the user, but never used automatically.
    aside: HashMap<AskKey, RecordedAnswer>,
    /// Answers of the server (`Serve`), such as contents of files, each with the request that it answered.
    served: HashMap<AskKey, Vec<(Want, Answer)>>,
    /// The answer that the current request got in the run that is being repeated.
    lent: Option<(AskKey, Known)>,
}

/// An answer that the user gave, to be saved with the session.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedAnswer {
    /// Key of the request.
    pub key: AskKey,
    /// Input of the answered call.
    pub input: Value,
    /// The answer.
    pub answer: Answer,
    /// True if the answer belongs to a discarded part of the run. Such an answer is offered to the user, but not used
    /// automatically.
    pub is_aside: bool,
}

/// The answer in a log entry, with its request key and its source; `None` if the entry is no answer, or if `is_used`
/// returns false for its source.
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

/// The answers in a log that later runs use again: the answers of the user, of child executions and of external
/// targets.
fn lasting_of(log: &Log) -> impl Iterator<Item = (&AskKey, Known)> {
    let entries = log.lasting();
    entries.filter_map(|entry| answer_of(entry, AnsweredBy::lasts))
}

impl Earlier {
    pub(super) fn get(&self, key: &AskKey) -> Option<&Known> {
        let lent = self.lent.as_ref().filter(|(lent_key, _)| lent_key == key);
        lent.map(|(_, known)| known).or_else(|| self.known.get(key))
    }

    /// The answer that the server gave to the same request in a previous run. With this answer, no file has to be read
    /// or written again.
    pub(super) fn served(&self, ask: &Ask) -> Option<Answer> {
        let all = self.served.get(&ask.key)?;
        let answered = all.iter().rev().find(|(want, _)| *want == ask.want);
        answered.map(|(_, answer)| answer.clone())
    }

    /// Keeps the answers in a log that come from the user, child executions, external targets and the server. Later
    /// runs use them for requests with the same keys.
    pub fn remember(&mut self, log: &Log) {
        let lasting = lasting_of(log).map(|(key, known)| (key.clone(), known));
        self.known.extend(lasting);
        self.remember_served(log);
    }

    /// Keeps the answers of the user and of external targets in the log entries after the first `count`; the caller
    /// discards these entries. Answers of the user are set aside: from then on, they are only offered. Answers of
    /// external targets stay in use, because no target must be called twice.
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

    /// True if the earlier answer to the request with this key came from an external target.
    #[must_use]
    pub fn was_called(&self, key: &AskKey) -> bool {
        let known = self.known.get(key);
        known.is_some_and(|known| known.by == AnsweredBy::Target)
    }

    /// An earlier answer to the request with this key, to offer to the user. The request may have had another input
    /// then.
    pub(super) fn offered(&self, key: &AskKey) -> Option<&RecordedAnswer> {
        let known = self.get(key).map(|known| &known.recorded);
        known.or_else(|| self.aside.get(key))
    }

    /// Keeps the answers of the server that a log contains. No file is then read or written again for the same request.
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
            all.retain(|(known, _)| known != want);
            all.push((want.clone(), answer.clone()));
        }
    }

    /// While a run is repeated: makes the answer that the log has for the request with this key available as an earlier
    /// answer, if it was given when exactly `events` events had happened. The next call of this function replaces this
    /// answer.
    pub fn lend(&mut self, log: &Log, events: u64, key: &AskKey) {
        let is_used = |by| by != AnsweredBy::Stale;
        let mut given = log.applied_after(events);
        self.lent = given.find_map(|entry| {
            let (answered, known) = answer_of(entry, is_used)?;
            (answered == key).then(|| (answered.clone(), known))
        });
        // A later log entry may have replaced an answer that had not arrived yet. In this case, the later answer is
        // used.
        if let Some((_, known)) = &mut self.lent
            && known.recorded.answer.is_held()
        {
            let mut answers = log.lasting().filter_map(|entry| answer_of(entry, is_used));
            if let Some((_, last)) = answers.rfind(|(answered, _)| *answered == key) {
                *known = last;
            }
        }
    }

    /// Removes the answer that [`Self::lend`] has made available.
    pub fn take_back(&mut self) {
        self.lent = None;
    }

    /// Restores an answer that the user gave in a saved session.
    pub fn restore(&mut self, key: AskKey, recorded: RecordedAnswer) {
        let by = AnsweredBy::Person;
        self.known.insert(key, Known { recorded, by });
    }

    /// Restores an answer from a saved session. The user gave the answer in a discarded part of a run.
    pub fn restore_aside(&mut self, key: AskKey, recorded: RecordedAnswer) {
        self.aside.insert(key, recorded);
    }

    /// Forgets the answers to the requests for whose keys `is_one` returns true.
    pub(super) fn forget(&mut self, is_one: impl Fn(&AskKey) -> bool) {
        self.known.retain(|key, _| !is_one(key));
        self.aside.retain(|key, _| !is_one(key));
    }

    /// Forgets the answers that the external target of a state gave, so that the target is called again.
    pub(in crate::session) fn forget_calls(&mut self, state: &str) {
        self.known
            .retain(|key, known| known.by != AnsweredBy::Target || &*key.path != state);
    }

    /// Forgets the answers of child executions.
    pub(super) fn forget_children(&mut self) {
        self.known.retain(|_, known| known.by != AnsweredBy::Child);
    }

    /// Forgets all earlier answers.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.aside.clear();
        self.served.clear();
        self.lent = None;
    }

    /// Number of answers by the user, and number of answers by the server, such as contents of files.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let typed = self.known.values();
        let typed = typed.filter(|known| known.by == AnsweredBy::Person).count();
        (typed, self.served.values().map(Vec::len).sum())
    }

    /// All answers that the user gave in previous runs and in the run with this log, in a fixed order.
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
        all.sort_by(|left, right| {
            let order = |key: &AskKey| (key.path.clone(), key.visit, key.attempt);
            let (left, right) = (&left.key, &right.key);
            let ordered = order(left).cmp(&order(right));
            ordered
                .then_with(|| (&left.indices, &left.rounds).cmp(&(&right.indices, &right.rounds)))
        });
        all
    }
}
