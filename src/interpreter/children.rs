//! The branches or items of a running Parallel or Map: their number, their status and their results.

use super::event::FrameId;
use crate::json::{Array, CHUNK, Chunk, Footprint, Object, Text, Value};
use std::collections::VecDeque;
use std::sync::Arc;

/// The branches or items of a running Parallel or Map. Each batch of an ItemBatcher counts as one item.
#[derive(Clone, Debug)]
pub struct Group {
    /// Total number of branches or items.
    pub total: u32,
    /// Index of the next branch or item to start.
    pub next: u32,
    /// The branches or items that are running: the index and the frame of each.
    pub live: VecDeque<(u32, FrameId)>,
    /// Number of branches or items that succeeded.
    pub succeeded: u32,
    /// Number of branches or items that failed.
    pub failed: u32,
    /// Maximum number of branches or items that run at once.
    pub limit: u32,
    /// The branches or items to process.
    pub work: GroupWork,
    /// Index of the last item for which the ItemSelector was evaluated; `None` if there is none.
    pub selected: Option<u32>,
    /// Status of each branch or item, by index.
    pub slots: Slots,
    /// The number of failed items that the Map tolerates, from `ToleratedFailureCount`.
    pub tolerated_count: Option<u64>,
    /// The percentage of failed items that the Map tolerates (0 to 100), from `ToleratedFailurePercentage`.
    pub tolerated_percentage: Option<f64>,
    /// Input of each branch or item, by index. Kept only if a ResultWriter writes the inputs to its files.
    pub(super) inputs: Vec<Value>,
    /// History id of the last event of one branch or item: the one that was the last to end.
    pub(super) last_id: u32,
    /// History id of the event that ended the last successful iteration; 0 if there is none.
    pub(super) last_iteration: u32,
    /// True if the user chose that all children run, even if some of them fail.
    pub ignores_failures: bool,
    /// True if the user chose to continue after a failure that would otherwise have ended the Parallel or Map.
    pub went_on: bool,
}

impl Group {
    /// The frame of the branch or item with this index; `None` if it is not running.
    #[must_use]
    pub fn live_child(&self, index: u32) -> Option<FrameId> {
        let place = self.live.binary_search_by_key(&index, |(live, _)| *live);
        self.live.get(place.ok()?).map(|(_, child)| *child)
    }

    /// True if no further branch or item may start now: all have started, or the maximum number of branches or items is
    /// running.
    pub(super) fn is_full(&self) -> bool {
        self.next >= self.total || self.live.len() >= self.limit as usize
    }

    /// Removes a branch or item from the list of those that are running.
    pub(super) fn forget_live(&mut self, index: u32) {
        if let Ok(place) = self.live.binary_search_by_key(&index, |(live, _)| *live) {
            self.live.remove(place);
        }
    }

    /// True if the number or the percentage of failures that the Map tolerates is above 0.
    #[must_use]
    pub fn tolerates_any(&self) -> bool {
        self.tolerated_count.is_some_and(|count| count > 0)
            || self.tolerated_percentage.is_some_and(|share| share > 0.0)
    }

    /// True if this number of failed branches or items is tolerated (12.5).
    pub(super) fn tolerates(&self, failed: u32) -> bool {
        let count = self.tolerated_count.filter(|count| *count > 0);
        let percentage = self.tolerated_percentage.filter(|share| *share > 0.0);
        // The percentage refers to all items, even if the run is limited to the first of them.
        let all = self.total.max(self.work.count());
        let share = 100.0 * f64::from(failed) / f64::from(all.max(1));
        self.tolerates_any()
            && count.is_none_or(|count| u64::from(failed) <= count)
            && percentage.is_none_or(|percentage| share <= percentage)
    }
}

/// The branches or items to run.
#[derive(Clone, Debug)]
pub enum GroupWork {
    /// The branches of a Parallel, which all get this input.
    Branches(Value),
    /// The items of a Map, which are the items of this array.
    Items(Arc<Array>),
    /// The items of a Map, which are the members of this object.
    Members(Arc<Object>),
}

impl GroupWork {
    /// True if the items are stored as text; the results are then stored as text too.
    pub(super) fn is_packed(&self) -> bool {
        matches!(self, Self::Items(array) if array.is_packed())
    }

    /// The items of a Map: array items or object members.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Array(array) => Some(Self::Items(Arc::clone(array))),
            Value::Object(object) => Some(Self::Members(Arc::clone(object))),
            _ => None,
        }
    }

    /// Number of items.
    #[must_use]
    pub fn count(&self) -> u32 {
        let count = match self {
            Self::Branches(_) => 0,
            Self::Items(array) => array.len(),
            Self::Members(object) => object.members().len(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Returns the item at an index, with its key if the item has a key.
    #[must_use]
    pub fn item(&self, index: u32) -> Option<Item> {
        let place = index as usize;
        match self {
            Self::Branches(_) => None,
            Self::Items(array) => array.item(place).map(|value| Item {
                index,
                value,
                key: None,
            }),
            Self::Members(object) => object.members().get(place).map(|(name, value)| {
                let pair = vec![
                    ("Key".into(), Value::String(name.clone())),
                    ("Value".into(), value.clone()),
                ];
                Item {
                    index,
                    value: Value::object(pair),
                    key: Some(name.clone()),
                }
            }),
        }
    }
}

/// The status of a branch or item. `T` is the type of its output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Slot<T = Value> {
    /// The branch or item has not started.
    #[default]
    Pending,
    /// The branch or item is running.
    Live,
    /// The branch or item succeeded with this output.
    Succeeded(T),
    /// The branch or item failed with this error output.
    Failed(T),
    /// The branch or item was aborted, usually because another one failed.
    Aborted,
}

/// Number of branches or items by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of branches or items that have not started.
    pub pending: u32,
    /// Number of running branches or items.
    pub live: u32,
    /// Number of branches or items that succeeded.
    pub succeeded: u32,
    /// Number of branches or items that failed.
    pub failed: u32,
    /// Number of branches or items that were aborted, usually because another one failed.
    pub aborted: u32,
}

impl Tally {
    /// Returns a function that selects the counter for the status of `slot`.
    fn of(slot: &Slot) -> fn(&mut Self) -> &mut u32 {
        match slot {
            Slot::Pending => |tally| &mut tally.pending,
            Slot::Live => |tally| &mut tally.live,
            Slot::Succeeded(_) => |tally| &mut tally.succeeded,
            Slot::Failed(_) => |tally| &mut tally.failed,
            Slot::Aborted => |tally| &mut tally.aborted,
        }
    }
}

/// The status of a branch or item. Its output is borrowed from the list of statuses.
pub type SlotView<'s> = Slot<Output<'s>>;

/// The output or error output of a branch or item, borrowed from the list of statuses.
#[derive(Clone, Copy, Debug)]
pub struct Output<'s>(Kept<'s>);

#[derive(Clone, Copy, Debug)]
enum Kept<'s> {
    Value(&'s Value),
    Text(&'s Chunk, usize),
}

impl Output<'_> {
    /// The output as a value.
    #[must_use]
    pub fn value(&self) -> Value {
        match self.0 {
            Kept::Value(value) => value.clone(),
            Kept::Text(chunk, place) => chunk.item(place).unwrap_or_default(),
        }
    }
}

impl Slot {
    fn view(&self) -> SlotView<'_> {
        match self {
            Self::Pending => Slot::Pending,
            Self::Live => Slot::Live,
            Self::Succeeded(output) => Slot::Succeeded(Output(Kept::Value(output))),
            Self::Failed(output) => Slot::Failed(Output(Kept::Value(output))),
            Self::Aborted => Slot::Aborted,
        }
    }

    fn output(&self) -> Option<&Value> {
        match self {
            Self::Succeeded(output) | Self::Failed(output) => Some(output),
            Self::Pending | Self::Live | Self::Aborted => None,
        }
    }
}

impl SlotView<'_> {
    /// The output or error output of the branch or item; `null` if the branch or item has neither.
    pub(super) fn output(&self) -> Value {
        match self {
            Self::Succeeded(output) | Self::Failed(output) => output.value(),
            Self::Pending | Self::Live | Self::Aborted => Value::Null,
        }
    }
}

/// A chunk: a number of neighbouring branches or items whose statuses are stored together.
#[derive(Clone, Debug)]
enum Chunked {
    /// The status and the number of retries of each branch or item, which may still change.
    Open(Arc<Vec<(Slot, u32)>>),
    /// All branches or items have ended; their outputs are stored as text.
    Packed(Arc<Ended>),
}

#[derive(Debug)]
struct Ended {
    /// For each branch or item: true if the branch or item succeeded, and the number of its retries.
    marks: Box<[(bool, u32)]>,
    outputs: Arc<Chunk>,
}

impl Ended {
    /// Stores the outputs of a chunk as text. Returns `None` if one of the branches or items has not ended.
    fn of(slots: &[(Slot, u32)]) -> Option<Self> {
        let outputs: Option<Vec<&Value>> = slots.iter().map(|(slot, _)| slot.output()).collect();
        let well = |slot: &Slot| matches!(slot, Slot::Succeeded(_));
        let marks = slots.iter().map(|(slot, retries)| (well(slot), *retries));
        Some(Self {
            marks: marks.collect(),
            outputs: Arc::new(Chunk::of(outputs?.into_iter())),
        })
    }

    fn view(&self, place: usize) -> Option<SlotView<'_>> {
        let output = Output(Kept::Text(&self.outputs, place));
        self.marks.get(place).map(|(well, _)| match well {
            true => Slot::Succeeded(output),
            false => Slot::Failed(output),
        })
    }

    fn opened(&self) -> Vec<(Slot, u32)> {
        let marks = self.marks.iter().enumerate();
        let slots = marks.map(|(place, (well, retries))| {
            let output = self.outputs.item(place).unwrap_or_default();
            let slot = match well {
                true => Slot::Succeeded(output),
                false => Slot::Failed(output),
            };
            (slot, *retries)
        });
        slots.collect()
    }
}

impl Chunked {
    fn len(&self) -> usize {
        match self {
            Self::Open(slots) => slots.len(),
            Self::Packed(ended) => ended.marks.len(),
        }
    }

    fn view(&self, place: usize) -> Option<SlotView<'_>> {
        match self {
            Self::Open(slots) => slots.get(place).map(|(slot, _)| slot.view()),
            Self::Packed(ended) => ended.view(place),
        }
    }
}

/// The status ([`Slot`]) and the number of retries of each branch or item, in chunks that clones share. Cloning copies
/// only one pointer per chunk.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    chunks: Vec<Chunked>,
    /// The number of branches or items by status, for each chunk. A search for a rare status among a million items
    /// skips the chunks without that status.
    tallies: Vec<Tally>,
    count: usize,
    /// True if outputs are stored as text once all branches or items of a chunk have ended.
    packs: bool,
}

impl Slots {
    /// The statuses of `count` branches or items, none of which has started.
    #[must_use]
    pub fn new(count: usize, packs: bool) -> Self {
        let of = |count: usize| Chunked::Open(Arc::new(vec![(Slot::Pending, 0); count]));
        let mut chunks = vec![of(CHUNK); count / CHUNK];
        if !count.is_multiple_of(CHUNK) {
            chunks.push(of(count % CHUNK));
        }
        let pending = |chunk: &Chunked| Tally {
            pending: u32::try_from(chunk.len()).unwrap_or(u32::MAX),
            ..Tally::default()
        };
        Self {
            tallies: chunks.iter().map(pending).collect(),
            chunks,
            count,
            packs,
        }
    }

    fn chunk(&self, index: u32) -> Option<(&Chunked, usize)> {
        let index = index as usize;
        let chunk = self.chunks.get(index / CHUNK)?;
        Some((chunk, index % CHUNK))
    }

    /// Status of a branch or item.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<SlotView<'_>> {
        let (chunk, place) = self.chunk(index)?;
        chunk.view(place)
    }

    /// Number of retries within a branch or item.
    #[must_use]
    pub fn retries(&self, index: u32) -> u32 {
        let retries = self.chunk(index).and_then(|(chunk, place)| match chunk {
            Chunked::Open(slots) => slots.get(place).map(|(_, retries)| *retries),
            Chunked::Packed(ended) => ended.marks.get(place).map(|(_, retries)| *retries),
        });
        retries.unwrap_or(0)
    }

    /// Adds 1 to the number of retries within a branch or item.
    pub(super) fn count_retry(&mut self, index: u32) {
        if let Some((_, retries)) = self.place(index) {
            *retries = retries.saturating_add(1);
        }
    }

    fn place(&mut self, index: u32) -> Option<&mut (Slot, u32)> {
        let index = index as usize;
        debug_assert!(index < self.count, "child {index} of {}", self.count);
        let chunk = self.chunks.get_mut(index / CHUNK)?;
        if let Chunked::Packed(ended) = chunk {
            *chunk = Chunked::Open(Arc::new(ended.opened()));
        }
        match chunk {
            Chunked::Open(slots) => Arc::make_mut(slots).get_mut(index % CHUNK),
            Chunked::Packed(_) => None,
        }
    }

    /// Sets the status of a branch or item.
    pub fn set(&mut self, index: u32, slot: Slot) {
        let ends = slot.output().is_some();
        let counted = Tally::of(&slot);
        if let Some((kept, _)) = self.place(index) {
            let before = Tally::of(&std::mem::replace(kept, slot));
            if let Some(tally) = self.tallies.get_mut(index as usize / CHUNK) {
                let before = before(tally);
                *before = before.saturating_sub(1);
                *counted(tally) += 1;
            }
        }
        if ends && self.packs {
            self.pack(index as usize / CHUNK);
        }
    }

    fn pack(&mut self, place: usize) {
        let Some(chunk) = self.chunks.get_mut(place) else {
            return;
        };
        if let Chunked::Open(slots) = chunk
            && slots.iter().all(|(slot, _)| slot.output().is_some())
            && let Some(ended) = Ended::of(slots)
        {
            *chunk = Chunked::Packed(Arc::new(ended));
        }
    }

    /// The status of every branch or item, in order.
    pub fn iter(&self) -> impl Iterator<Item = SlotView<'_>> {
        let chunks = self.chunks.iter();
        chunks.flat_map(|chunk| (0..chunk.len()).filter_map(|place| chunk.view(place)))
    }

    /// Number of branches or items by status.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut sum = Tally::default();
        for tally in &self.tallies {
            sum.pending += tally.pending;
            sum.live += tally.live;
            sum.succeeded += tally.succeeded;
            sum.failed += tally.failed;
            sum.aborted += tally.aborted;
        }
        sum
    }

    /// The index and status of each branch or item, in order. Calls `wanted` with the number of branches or items by
    /// status in each chunk, and skips the chunk if `wanted` returns false.
    pub fn among(
        &self,
        wanted: impl Fn(&Tally) -> bool,
    ) -> impl Iterator<Item = (u32, SlotView<'_>)> {
        let chunks = self.chunks.iter().zip(&self.tallies).enumerate();
        let chunks = chunks.filter(move |(_, (_, tally))| wanted(tally));
        chunks.flat_map(|(at, (chunk, _))| {
            let index = move |place: usize| u32::try_from(at * CHUNK + place).unwrap_or(u32::MAX);
            (0..chunk.len()).filter_map(move |place| Some((index(place), chunk.view(place)?)))
        })
    }

    /// Outputs of all branches or items in order; `null` for a branch or item without an output.
    #[must_use]
    pub fn outputs(&self) -> Value {
        if !self.packs {
            return Value::array(self.iter().map(|slot| slot.output()).collect());
        }
        let chunks = self.chunks.iter().map(|chunk| match chunk {
            Chunked::Packed(ended) => Arc::clone(&ended.outputs),
            Chunked::Open(slots) => {
                let outputs = slots.iter().map(|(slot, _)| slot.output());
                Arc::new(Chunk::of(
                    outputs.map(|output| output.unwrap_or(&Value::Null)),
                ))
            }
        });
        Value::packed(chunks.collect())
    }

    /// Adds the memory used by the slots.
    pub(super) fn add_to(&self, footprint: &mut Footprint) {
        for chunk in &self.chunks {
            let bytes = match chunk {
                Chunked::Packed(ended) => {
                    footprint.add_chunk(&ended.outputs);
                    size_of_val(&*ended.marks)
                }
                Chunked::Open(slots) => {
                    for output in slots.iter().filter_map(|(slot, _)| slot.output()) {
                        footprint.add(output);
                    }
                    size_of_val(slots.as_slice())
                }
            };
            footprint.add_bytes(bytes as u64);
        }
    }
}

/// An item of a Map.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Index, from 0.
    pub index: u32,
    /// The item's value.
    pub value: Value,
    /// Member name, if the items are members of an object.
    pub key: Option<Text>,
}
