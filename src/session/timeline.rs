//! All events of a run in order, and where each frame of the run comes from.

use super::note::EventNote;
use crate::definition::StateId;
use crate::interpreter::{Edge, Event, EventKind, FrameId, Machine};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

const CHUNK: usize = 4096;
/// Size of a note without its text, in bytes.
const NOTE: u64 = 64;

/// The recorded events, numbered from 1.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    chunks: Vec<Vec<Event>>,
    frames: Vec<Lineage>,
    /// For each frame id, the numbers of the frame's events in ascending order.
    events_of: Vec<Vec<u32>>,
    /// Notes by number of their event, such as the name of an error or the delay of a retry.
    notes: BTreeMap<u64, EventNote>,
    /// Size of all notes, in bytes.
    note_bytes: u64,
    /// Numbers of the events at which AWS behaves differently, in ascending order.
    diverging: Vec<u64>,
    /// For each aborted frame, the event that aborted it: a failure beside the frame, or the end of an enclosing state.
    aborted: HashMap<FrameId, u64>,
    /// For each parent frame and index of a branch or item: the events that ended this branch or item, in ascending
    /// order.
    ended: BTreeMap<(FrameId, u32), Vec<u64>>,
}

/// Where a frame comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lineage {
    /// The frame whose Parallel or Map started this frame; `None` for the outermost frame.
    pub parent: Option<FrameId>,
    /// Index of the frame among the branches or items.
    pub index: u32,
    /// The state that started the frame.
    pub owner: Option<StateId>,
    /// Number of the frame's first event; 0 if there is none.
    pub begun: u64,
}

impl Timeline {
    /// Number of events.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self.chunks.split_last() {
            None => 0,
            Some((last, full)) => (full.len() * CHUNK + last.len()) as u64,
        }
    }

    /// The event with this number.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<&Event> {
        let place = usize::try_from(number.checked_sub(1)?).ok()?;
        self.chunks.get(place / CHUNK)?.get(place % CHUNK)
    }

    /// Events of a frame in a range of event numbers.
    pub fn events_of(
        &self,
        frame: FrameId,
        range: RangeInclusive<u64>,
    ) -> impl DoubleEndedIterator<Item = (u64, &Event)> {
        let all = self.events_of.get(frame.0 as usize);
        let all = all.map_or(&[][..], Vec::as_slice);
        let before = |limit: u64| all.partition_point(|number| u64::from(*number) < limit);
        let upto = before(range.end().saturating_add(1));
        let numbers = all.get(before(*range.start())..upto).unwrap_or_default();
        numbers.iter().filter_map(|number| {
            let number = u64::from(*number);
            Some((number, self.get(number)?))
        })
    }

    /// Events of a frame, backwards from an event number.
    pub fn backwards(&self, frame: FrameId, from: u64) -> impl Iterator<Item = (u64, &Event)> {
        self.events_of(frame, 0..=from).rev()
    }

    /// The last event of this kind in a frame, at or before the event `from`.
    #[must_use]
    pub fn last_of(&self, frame: FrameId, from: u64, kind: EventKind) -> Option<u64> {
        let mut events = self.backwards(frame, from);
        Some(events.find(|(_, event)| event.kind == kind)?.0)
    }

    /// The last event, at or before `before`, that ended the branch or item with this index.
    #[must_use]
    pub fn child_ended(&self, parent: FrameId, index: u32, before: u64) -> Option<u64> {
        let ended = self.ended.get(&(parent, index))?;
        let place = ended.partition_point(|number| *number <= before);
        ended.get(place.checked_sub(1)?).copied()
    }

    /// Adds an event that the machine just returned.
    pub fn push(&mut self, event: Event, machine: &Machine) {
        let number = self.len() + 1;
        self.note_frame(event.frame, number, machine);
        if let Some(note) = super::note::note_of(&event, machine) {
            self.note_bytes += NOTE + note.len() as u64;
            self.notes.insert(number, note);
        }
        if event.diverges {
            self.diverging.push(number);
        }
        if event.kind.is_abort() {
            self.aborted.insert(event.frame, number);
        }
        if event.kind.ends_frame()
            && let Some(parent) = self.parent(event.frame)
        {
            let ended = self.ended.entry((parent, event.arg));
            ended.or_default().push(number);
        }
        let place = event.frame.0 as usize;
        if self.events_of.len() <= place {
            self.events_of.resize_with(place + 1, Vec::new);
        }
        if let Some(numbers) = self.events_of.get_mut(place) {
            numbers.push(u32::try_from(number).unwrap_or(u32::MAX));
        }
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(event),
            _ => {
                // The first chunk is small, so that short runs use little memory.
                let room = if self.chunks.is_empty() { 64 } else { CHUNK };
                let mut chunk = Vec::with_capacity(room);
                chunk.push(event);
                self.chunks.push(chunk);
            }
        }
    }

    /// Keeps the first `count` events. Returns the removed events, so that the caller can choose when to drop them:
    /// dropping may take a while.
    pub fn truncate(&mut self, count: u64) -> impl Send + use<> {
        let dropped = self.notes.split_off(&(count + 1));
        let bytes: u64 = dropped.values().map(|note| NOTE + note.len() as u64).sum();
        self.note_bytes = self.note_bytes.saturating_sub(bytes);
        self.diverging.retain(|number| *number <= count);
        self.aborted.retain(|_, number| *number <= count);
        self.ended.retain(|_, numbers| {
            numbers.retain(|number| *number <= count);
            !numbers.is_empty()
        });
        for numbers in &mut self.events_of {
            numbers.truncate(numbers.partition_point(|number| u64::from(*number) <= count));
        }
        for frame in self.frames.iter_mut().filter(|frame| frame.begun > count) {
            frame.begun = 0;
        }
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let whole = count.div_ceil(CHUNK).min(self.chunks.len());
        let rest = self.chunks.split_off(whole);
        let kept = count % CHUNK;
        if kept > 0
            && self.chunks.len() == count / CHUNK + 1
            && let Some(last) = self.chunks.last_mut()
        {
            last.truncate(kept);
        }
        (rest, dropped)
    }

    /// Approximate memory use in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let events = self.chunks.len() * CHUNK * size_of::<Event>();
        let frames = self.frames.capacity() * size_of::<Lineage>()
            + self.aborted.capacity() * size_of::<(FrameId, u64)>();
        let numbers = self.events_of.len() * size_of::<Vec<u32>>() + self.chunks.len() * CHUNK * 4;
        let ended = self.ended.len() * (size_of::<((FrameId, u32), Vec<u64>)>() + 8);
        let diverging = self.diverging.capacity() * size_of::<u64>();
        (events + frames + numbers + ended + diverging) as u64 + self.note_bytes
    }

    /// The note of an event.
    #[must_use]
    pub fn note(&self, number: u64) -> Option<&EventNote> {
        self.notes.get(&number)
    }

    /// The event that aborted a frame.
    #[must_use]
    pub fn aborted(&self, frame: FrameId) -> Option<u64> {
        self.aborted.get(&frame).copied()
    }

    /// For an event that assigns variables: the edge (transition) by which the frame then leaves the state. The edge
    /// shows whose Assign takes effect: the catcher's, the rule's or the state's.
    pub fn assigned_by(&self, number: u64) -> Edge {
        match self.note(number) {
            Some(EventNote::AssignedBy(edge)) => *edge,
            _ => Edge::Next,
        }
    }

    /// The last of the frame's branches or items that failed between two events, and the event with which this branch
    /// or item failed.
    #[must_use]
    pub fn failed_child(&self, parent: FrameId, from: u64, to: u64) -> Option<(FrameId, u64)> {
        // Searches only the notes, so that this stays fast for long runs.
        if from > to {
            return None;
        }
        self.notes
            .range(from..=to)
            .rev()
            .find_map(|(number, note)| {
                let failed = *note == EventNote::Failed;
                let event = failed.then(|| self.get(*number)).flatten()?;
                let is_child = self.parent(event.frame) == Some(parent);
                is_child.then_some((event.frame, *number))
            })
    }

    /// Events at which AWS behaves differently, in order.
    pub fn diverging(&self) -> impl Iterator<Item = (u64, &Event)> {
        let numbers = self.diverging.iter();
        numbers.filter_map(|number| Some((*number, self.get(*number)?)))
    }

    /// Events that have a note, in order.
    pub fn notes(&self) -> impl DoubleEndedIterator<Item = (u64, &EventNote)> {
        self.notes.iter().map(|(number, note)| (*number, note))
    }

    /// Records where a frame comes from, at the frame's first event.
    fn note_frame(&mut self, id: FrameId, number: u64, machine: &Machine) {
        let place = id.0 as usize;
        // After a fork, new frames get ids that other frames had before.
        if self.frames.get(place).is_some_and(|known| known.begun > 0) {
            return;
        }
        let Some(frame) = machine.frame(id) else {
            return;
        };
        if self.frames.len() <= place {
            self.frames.resize(place + 1, Lineage::default());
        }
        let around = frame.parent.and_then(|parent| machine.frame(parent));
        if let Some(slot) = self.frames.get_mut(place) {
            *slot = Lineage {
                parent: frame.parent,
                index: frame.index,
                owner: around.map(|around| around.visit.state),
                begun: number,
            };
        }
    }

    /// Where a frame comes from; `None` if the frame has no event.
    #[must_use]
    pub fn lineage(&self, id: FrameId) -> Option<Lineage> {
        self.frames.get(id.0 as usize).copied()
    }

    /// The parent of the frame with this id: the frame whose Parallel or Map started it.
    #[must_use]
    pub fn parent(&self, id: FrameId) -> Option<FrameId> {
        self.lineage(id)?.parent
    }

    /// True if a frame is `ancestor` itself or a descendant of `ancestor`.
    #[must_use]
    pub fn is_within(&self, id: FrameId, ancestor: FrameId) -> bool {
        let mut at = id;
        // A child frame has a higher id than its parent.
        while at > ancestor {
            match self.parent(at) {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        at == ancestor
    }

    /// The frames from the outermost one to `id`, inclusive.
    #[must_use]
    pub fn path(&self, id: FrameId) -> Vec<FrameId> {
        let mut path = vec![id];
        let mut at = id;
        while let Some(parent) = self.lineage(at).and_then(|lineage| lineage.parent) {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }
}
