//! The log: all answers and edits of a run, in order. Together with the header (input, seed, start time), the log
//! determines the run.

use crate::interpreter::{Answer, AskId, AskKey, FrameId, Stage, Want};
use crate::json::{Footprint, Pointer, Text, Value};

/// Log entries in the order in which they were applied.
#[derive(Clone, Debug, Default)]
pub struct Log {
    entries: Vec<Entry>,
    /// Indices of the entries that later runs need: all entries except answers that a later run gets again from the
    /// same source.
    lasting: Vec<usize>,
    /// Index of the first entry that makes a Map ignore failures, which AWS never does.
    ignoring: Option<usize>,
    /// Estimated memory of the values in the first `counted` entries.
    footprint: Footprint,
    counted: usize,
    /// Estimated memory of the values in an entry that has not been counted, in bytes.
    average: u64,
}

/// Maximum number of entries to count in one go.
const COUNTED_AT_ONCE: usize = 256;

/// An entry of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Number of events that the run had when the entry was applied.
    pub after: u64,
    /// Kind of the entry.
    pub kind: EntryKind,
}

/// Kind of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryKind {
    /// An answer to a request.
    Answer {
        /// Id of the request.
        ask: AskId,
        /// Name of the state that made the request.
        state: Text,
        /// Key of the request; a repeated run makes the request with the same key.
        key: AskKey,
        /// Input of the call.
        input: Value,
        /// The answer.
        answer: Answer,
        /// Source of the answer.
        by: AnsweredBy,
    },
    /// An answer of the server (which evaluates expressions, and reads and writes data) that the server might not give
    /// again.
    Served {
        /// Id of the request.
        ask: AskId,
        /// Key of the request; a repeated run makes the request with the same key.
        key: AskKey,
        /// The request.
        want: Want,
        /// The answer.
        answer: Answer,
    },
    /// From this entry on, a Map runs all its items, whatever fails.
    IgnoreFailures {
        /// Frame of the Map.
        frame: FrameId,
    },
    /// A value that the user edited.
    Edit {
        /// The frame whose value was edited.
        frame: FrameId,
        /// Key of the frame's visit. A repeated run finds the edited stage by this key.
        key: AskKey,
        /// The stage whose value was edited.
        stage: Stage,
        /// Place of the edited value within the value of the stage.
        at: Pointer,
        /// The new value.
        value: Value,
    },
}

impl EntryKind {
    /// True if the entry is an answer; all other entries are actions of the user.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        matches!(self, Self::Answer { .. } | Self::Served { .. })
    }
}

impl Entry {
    /// True if later runs need the entry, because they cannot get the entry's content from another source.
    fn lasts(&self) -> bool {
        match &self.kind {
            EntryKind::Answer { by, .. } => by.lasts(),
            EntryKind::Served { .. }
            | EntryKind::IgnoreFailures { .. }
            | EntryKind::Edit { .. } => true,
        }
    }

    /// The user's action in the entry: a typed answer or an edit; `None` for other entries.
    fn touched(&self) -> Option<Touched> {
        match &self.kind {
            EntryKind::Answer { by, .. } if *by == AnsweredBy::Person => Some(Touched::Answered),
            EntryKind::Edit { .. } => Some(Touched::Edited),
            _ => None,
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

/// Heap size of a key, in bytes.
fn key_bytes(key: &AskKey) -> u64 {
    let indices = key.indices.capacity() * size_of::<u32>();
    let rounds = key.rounds.capacity() * size_of::<(u32, u32)>();
    (indices + rounds) as u64
}

/// Maximum number of entries to search for the source of a task's answer.
const LOOKED_AT: usize = 4096;

/// Source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnsweredBy {
    /// The mock file.
    Mock,
    /// The user.
    Person,
    /// A recording of an execution on AWS.
    Recording,
    /// `--unmocked echo` or `--unmocked fail`.
    Unmocked,
    /// A child execution.
    Child,
    /// A child execution whose definition has changed since it gave the answer.
    Stale,
    /// A real call to the target that the user configured for the task.
    Target,
}

impl AnsweredBy {
    /// True if all later runs use the answer again: answers of the user, of child executions and of real calls.
    #[must_use]
    pub fn lasts(self) -> bool {
        matches!(self, Self::Person | Self::Child | Self::Target)
    }
}

impl Log {
    /// Source of the answer to the request with this key. Searches backwards, and only the first `applied` entries.
    #[must_use]
    pub fn answered(&self, key: &AskKey, applied: usize) -> Option<AnsweredBy> {
        (applied.saturating_sub(LOOKED_AT)..applied)
            .rev()
            .find_map(|place| match &self.get(place)?.kind {
                EntryKind::Answer {
                    key: answered, by, ..
                } if answered == key => Some(*by),
                _ => None,
            })
    }

    /// The entry with this index.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place)
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Entries that later runs need, oldest first: answers of the user, of child executions and of real calls, and the
    /// user's edits.
    pub fn lasting(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.lasting.iter().filter_map(|place| self.get(*place))
    }

    /// Like [`Self::lasting`], without the first `count` entries of the log.
    pub fn lasting_from(&self, count: usize) -> impl Iterator<Item = &Entry> {
        let first = self.lasting.partition_point(|place| *place < count);
        let from = self.lasting.get(first..).unwrap_or_default();
        from.iter().filter_map(|place| self.get(*place))
    }

    /// Entries that were applied directly after event number `events`, before the next event.
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
            // Grows by an eighth, because doubling the capacity would double the memory of the log.
            self.entries.reserve_exact(self.entries.len() / 8 + 64);
        }
        self.entries.push(entry);
        self.count_on();
    }

    /// Adds the memory of up to [`COUNTED_AT_ONCE`] further entries to the footprint.
    fn count_on(&mut self) {
        let left = self.entries.get(self.counted..).unwrap_or_default();
        for entry in left.iter().take(COUNTED_AT_ONCE) {
            entry.add_to(&mut self.footprint);
            self.counted += 1;
        }
    }

    /// Approximate memory use in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let entries = self.entries.capacity() * size_of::<Entry>();
        let left = self.entries.len().saturating_sub(self.counted) as u64;
        entries as u64 + self.footprint.bytes() + left.saturating_mul(self.average)
    }

    /// True if one of the first `count` entries made a Map ignore failures.
    #[must_use]
    pub fn ignores_failures(&self, count: usize) -> bool {
        self.ignoring.is_some_and(|place| place < count)
    }

    /// Number of calls to configured targets in the whole run.
    #[must_use]
    pub fn calls(&self) -> usize {
        let by_target = |entry: &&Entry| matches!(&entry.kind, EntryKind::Answer { by, .. } if *by == AnsweredBy::Target);
        self.lasting().filter(by_target).count()
    }

    /// Number of answers typed and number of values edited, among the first `count` entries.
    #[must_use]
    pub fn touched(&self, count: usize) -> (usize, usize) {
        let within = self.lasting.iter().take_while(|place| **place < count);
        let touched = within.filter_map(|place| self.get(*place)?.touched());
        touched.fold((0, 0), |(answers, edits), touched| match touched {
            Touched::Answered => (answers + 1, edits),
            Touched::Edited => (answers, edits + 1),
        })
    }

    /// Entries that later runs need and that were applied after event number `events` or later.
    fn lasting_since(&self, events: u64) -> impl Iterator<Item = &Entry> {
        let after = |place: &usize| self.get(*place).map_or(u64::MAX, |entry| entry.after);
        let first = self.lasting.partition_point(|place| after(place) < events);
        let since = self.lasting.iter().skip(first);
        since.filter_map(|place| self.get(*place))
    }

    /// The user's action directly after this event, if any.
    #[must_use]
    pub fn touched_at(&self, event: u64) -> Option<Touched> {
        let entries = self.lasting_since(event);
        let mut entries = entries.take_while(|entry| entry.after == event);
        entries.find_map(Entry::touched)
    }

    /// The first event, from event `from` on, after which the user edited the input of this frame's call.
    pub fn edited_input(&self, frame: FrameId, from: u64) -> Option<u64> {
        let is_edit = |entry: &&Entry| match &entry.kind {
            EntryKind::Edit {
                frame: edited,
                stage,
                ..
            } => *edited == frame && *stage < Stage::Result,
            _ => false,
        };
        Some(self.lasting_since(from).find(is_edit)?.after)
    }

    /// Marks the answers of child executions as stale, so that later runs do not use them.
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

    /// Keeps the first `count` entries. Returns the removed entries, so that the caller can choose when to drop them:
    /// dropping may take a while.
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

/// An action of the user at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// The user typed the answer to the call.
    Answered,
    /// The user edited the value that the event produced.
    Edited,
}
