//! What came into a run from outside, in order: with the header it determines the run.
//!
//! It must not know how entries are applied.

use crate::interpreter::{Answer, AskId, AskKey, FrameId, Stage, Want};
use crate::json::{Footprint, Pointer, Text, Value};

/// Entries in the order in which they were applied.
#[derive(Clone, Debug, Default)]
pub struct Log {
    entries: Vec<Entry>,
    /// The first entry from which on the run is not what AWS does.
    ignoring: Option<usize>,
    /// The entries that a person made: answers typed in, values edited.
    own: Vec<(usize, bool)>,
    /// The memory that the entries' values take.
    footprint: Footprint,
}

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// How many events had happened when it was applied.
    pub after: u64,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryKind {
    /// An answer to a question.
    Answer {
        /// The question.
        ask: AskId,
        /// The name of the state that asked.
        state: Text,
        /// Its stable name.
        key: AskKey,
        /// What the task was called with.
        input: Value,
        /// The answer.
        answer: Answer,
        /// Who gave it.
        by: AnsweredBy,
    },
    /// An answer that the program gave by itself and might not give again.
    Served {
        /// The question.
        ask: AskId,
        /// Its stable name.
        key: AskKey,
        /// What was asked.
        want: Want,
        /// The answer.
        answer: Answer,
    },
    /// From here on a Map runs all its items, whatever fails.
    IgnoreFailures {
        /// The Map's frame.
        frame: FrameId,
    },
    /// A value put in by hand.
    Edit {
        /// The frame.
        frame: FrameId,
        /// The stage's stable name.
        key: AskKey,
        /// The stage.
        stage: Stage,
        /// Where in its value.
        at: Pointer,
        /// What was put there.
        value: Value,
    },
}

impl Entry {
    fn add_to(&self, footprint: &mut Footprint) {
        match &self.kind {
            EntryKind::Answer {
                key, input, answer, ..
            } => {
                footprint.add_bytes(key_bytes(key));
                footprint.add(input);
                answer.outcome.add_to(footprint);
            }
            EntryKind::Served {
                key, want, answer, ..
            } => {
                footprint.add_bytes(key_bytes(key));
                want.add_to(footprint);
                answer.outcome.add_to(footprint);
            }
            EntryKind::IgnoreFailures { .. } => {}
            EntryKind::Edit { key, value, .. } => {
                footprint.add_bytes(key_bytes(key));
                footprint.add(value);
            }
        }
    }
}

/// Bytes that a key takes besides itself.
fn key_bytes(key: &AskKey) -> u64 {
    let indices = key.indices.capacity() * size_of::<u32>();
    let rounds = key.rounds.capacity() * size_of::<(u32, u32)>();
    (indices + rounds) as u64
}

/// Who gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnsweredBy {
    /// The mock file.
    Mock,
    /// A person.
    Person,
    /// A recording.
    Recording,
    /// `--unmocked echo` or `--unmocked fail`.
    Unmocked,
    /// A child execution that was run.
    Child,
    /// A child execution whose definition has changed since.
    Stale,
}

impl Log {
    /// The entry of a place.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place)
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: Entry) {
        if let EntryKind::IgnoreFailures { .. } = entry.kind {
            self.ignoring.get_or_insert(self.entries.len());
        }
        match entry.kind {
            EntryKind::Answer {
                by: AnsweredBy::Person,
                ..
            } => self.own.push((self.entries.len(), true)),
            EntryKind::Edit { .. } => self.own.push((self.entries.len(), false)),
            _ => {}
        }
        entry.add_to(&mut self.footprint);
        if self.entries.len() == self.entries.capacity() {
            // Doubling would take as much again as all that is there.
            self.entries.reserve_exact(self.entries.len() / 8 + 64);
        }
        self.entries.push(entry);
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let entries = self.entries.capacity() * size_of::<Entry>();
        entries as u64 + self.footprint.bytes()
    }

    /// Whether a Map was made to run on over its failures within the first `count` entries.
    #[must_use]
    pub fn ignores_failures(&self, count: usize) -> bool {
        self.ignoring.is_some_and(|place| place < count)
    }

    /// How many answers were typed and how many values edited within the first `count` entries.
    #[must_use]
    pub fn touched(&self, count: usize) -> (usize, usize) {
        let own = self.own.iter().filter(|(place, _)| *place < count);
        let answers = own.clone().filter(|(_, answer)| *answer).count();
        (answers, own.count() - answers)
    }

    /// Marks what children came to as not to be used again.
    pub fn forget_children(&mut self) {
        for entry in &mut self.entries {
            if let EntryKind::Answer { by, .. } = &mut entry.kind
                && *by == AnsweredBy::Child
            {
                *by = AnsweredBy::Stale;
            }
        }
    }

    /// Keeps the first `count` entries.
    pub fn truncate(&mut self, count: usize) {
        self.entries.truncate(count);
        self.footprint = Footprint::default();
        for entry in &self.entries {
            entry.add_to(&mut self.footprint);
        }
        self.ignoring = self.ignoring.filter(|place| *place < count);
        self.own.retain(|(place, _)| *place < count);
    }
}
