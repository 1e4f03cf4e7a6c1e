//! What came into a run from outside, in order: with the header it determines the run.
//!
//! It must not know how entries are applied.

use crate::interpreter::{Answer, AskId, AskKey, FrameId, Stage, Want};
use crate::json::{Footprint, Pointer, Text, Value};

/// Entries in the order in which they were applied.
#[derive(Clone, Debug, Default)]
pub struct Log {
    entries: Vec<Entry>,
    /// The places of those that a later run needs: all but answers that are had again as they were had here.
    lasting: Vec<usize>,
    /// The first entry from which on the run is not what AWS does.
    ignoring: Option<usize>,
    /// The memory that the values of the first `counted` entries take.
    footprint: Footprint,
    counted: usize,
    /// About what each of the others takes, in bytes.
    average: u64,
}

/// Entries whose memory is counted at once.
const COUNTED_AT_ONCE: usize = 256;

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

impl EntryKind {
    /// Whether it answers a question: all others were done by hand.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        matches!(self, Self::Answer { .. } | Self::Served { .. })
    }
}

impl Entry {
    /// Whether a later run needs it: nobody else has what it brings.
    fn lasts(&self) -> bool {
        match &self.kind {
            EntryKind::Answer { by, .. } => by.lasts(),
            EntryKind::Served { .. }
            | EntryKind::IgnoreFailures { .. }
            | EntryKind::Edit { .. } => true,
        }
    }

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

/// At most so many entries are looked through for who answered a task whose result is shown.
const LOOKED_AT: usize = 4096;

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
    /// Whoever outside of this program was named for the task.
    Target,
}

impl AnsweredBy {
    /// Whether an answer is used again in every later run: a person gave it, or a child execution came to it.
    #[must_use]
    pub fn lasts(self) -> bool {
        matches!(self, Self::Person | Self::Child | Self::Target)
    }
}

impl Log {
    /// Who answered the question of a key, among the first `applied` entries; the last ones are looked at first.
    #[must_use]
    pub fn answered(&self, key: &AskKey, applied: usize) -> Option<AnsweredBy> {
        (applied.saturating_sub(LOOKED_AT)..applied)
            .rev()
            .find_map(|place| match &self.get(place)?.kind {
                EntryKind::Answer { key: own, by, .. } if own == key => Some(*by),
                _ => None,
            })
    }

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

    /// The entries that a later run needs: what a person, a child or a file answered, and what was put in by hand.
    pub fn lasting(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.lasting.iter().filter_map(|place| self.get(*place))
    }

    /// Those of them after the first `count` entries of all.
    pub fn lasting_from(&self, count: usize) -> impl Iterator<Item = &Entry> {
        let first = self.lasting.partition_point(|place| *place < count);
        let from = self.lasting.get(first..).unwrap_or_default();
        from.iter().filter_map(|place| self.get(*place))
    }

    /// The entries that were applied when so many events had happened.
    pub fn applied_after(&self, events: u64) -> impl Iterator<Item = &Entry> {
        let first = self.entries.partition_point(|entry| entry.after < events);
        let from = self.entries.get(first..).unwrap_or_default();
        from.iter().take_while(move |entry| entry.after == events)
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: Entry) {
        if let EntryKind::IgnoreFailures { .. } = entry.kind {
            self.ignoring.get_or_insert(self.entries.len());
        }
        if entry.lasts() {
            self.lasting.push(self.entries.len());
        }
        if self.entries.len() == self.entries.capacity() {
            // Doubling would take as much again as all that is there.
            self.entries.reserve_exact(self.entries.len() / 8 + 64);
        }
        self.entries.push(entry);
        self.count_on();
    }

    /// Counts what was not counted yet, as far as that is done at once.
    fn count_on(&mut self) {
        let left = self.entries.get(self.counted..).unwrap_or_default();
        for entry in left.iter().take(COUNTED_AT_ONCE) {
            entry.add_to(&mut self.footprint);
            self.counted += 1;
        }
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let entries = self.entries.capacity() * size_of::<Entry>();
        let left = self.entries.len().saturating_sub(self.counted) as u64;
        entries as u64 + self.footprint.bytes() + left.saturating_mul(self.average)
    }

    /// Whether a Map was made to run on over its failures within the first `count` entries.
    #[must_use]
    pub fn ignores_failures(&self, count: usize) -> bool {
        self.ignoring.is_some_and(|place| place < count)
    }

    /// How many answers were typed and how many values edited within the first `count` entries.
    #[must_use]
    pub fn touched(&self, count: usize) -> (usize, usize) {
        let within = self.lasting.iter().take_while(|place| **place < count);
        let (mut answers, mut edits) = (0, 0);
        for entry in within.filter_map(|place| self.get(*place)) {
            match entry.kind {
                EntryKind::Answer {
                    by: AnsweredBy::Person,
                    ..
                } => answers += 1,
                EntryKind::Edit { .. } => edits += 1,
                _ => {}
            }
        }
        (answers, edits)
    }

    /// What a person did right after an event.
    #[must_use]
    pub fn touched_at(&self, event: u64) -> Option<Touched> {
        let lasting = &self.lasting;
        let after = |place: &usize| self.get(*place).map_or(u64::MAX, |entry| entry.after);
        let first = lasting.partition_point(|place| after(place) < event);
        let here = lasting.iter().skip(first);
        let mut here = here.take_while(|place| after(place) == event);
        here.find_map(|place| match self.get(*place)?.kind {
            EntryKind::Answer {
                by: AnsweredBy::Person,
                ..
            } => Some(Touched::Answered),
            EntryKind::Edit { .. } => Some(Touched::Edited),
            _ => None,
        })
    }

    /// After which event a person first edited what a call of a frame was made of, from an event on.
    pub fn edited_input(&self, frame: FrameId, from: u64) -> Option<u64> {
        let lasting = &self.lasting;
        let after = |place: &usize| self.get(*place).map_or(u64::MAX, |entry| entry.after);
        let first = lasting.partition_point(|place| after(place) < from);
        let mut edits = lasting
            .iter()
            .skip(first)
            .filter_map(|place| self.get(*place));
        let edit = edits.find(|entry| match &entry.kind {
            EntryKind::Edit {
                frame: own, stage, ..
            } => *own == frame && *stage < Stage::Result,
            _ => false,
        });
        edit.map(|entry| entry.after)
    }

    /// Marks what children came to as not to be used again.
    pub fn forget_children(&mut self) {
        for place in &self.lasting {
            if let Some(entry) = self.entries.get_mut(*place)
                && let EntryKind::Answer { by, .. } = &mut entry.kind
                && *by == AnsweredBy::Child
            {
                *by = AnsweredBy::Stale;
            }
        }
    }

    /// Keeps the first `count` entries, and hands the others over: dropping them may take a while.
    pub fn truncate(&mut self, count: usize) -> impl Send + use<> {
        let entries = self.entries.len().max(1) as u64;
        let slots = self.entries.capacity() * size_of::<Entry>();
        self.average = self.bytes().saturating_sub(slots as u64) / entries;
        let rest = self.entries.split_off(count.min(self.entries.len()));
        let kept = self.lasting.partition_point(|place| *place < count);
        self.lasting.truncate(kept);
        self.counted = 0;
        let footprint = std::mem::take(&mut self.footprint);
        self.count_on();
        self.ignoring = self.ignoring.filter(|place| *place < count);
        (rest, footprint)
    }
}

/// What a person did at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// Typed the answer to the call.
    Answered,
    /// Edited the value that it made.
    Edited,
}
