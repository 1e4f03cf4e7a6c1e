//! The children of a Parallel or Map at work: how many, which ones run, and what came of each.
//!
//! It must not know how a child is started or what its failure leads to.

use super::event::FrameId;
use crate::json::{Array, CHUNK, Chunk, Footprint, Object, Text, Value};
use std::collections::VecDeque;
use std::sync::Arc;

/// The children of a Parallel or Map at work.
#[derive(Clone, Debug)]
pub struct Group {
    /// How many children there will be.
    pub total: u32,
    /// The index of the next one to start.
    pub next: u32,
    /// Those that run: index and frame.
    pub live: VecDeque<(u32, FrameId)>,
    /// How many ended well.
    pub succeeded: u32,
    /// How many ended with an error.
    pub failed: u32,
    /// At most so many run at once.
    pub limit: u32,
    /// The branches or items that they run for.
    pub work: GroupWork,
    /// The index of the last one whose input ItemSelector made.
    pub selected: Option<u32>,
    /// The status of each one, by its index.
    pub slots: Slots,
    /// `ToleratedFailureCount`.
    pub tolerated_count: Option<u64>,
    /// `ToleratedFailurePercentage`, 0 to 100.
    pub tolerated_percentage: Option<f64>,
    /// The input of each child, by its index, where a ResultWriter writes it.
    pub(super) inputs: Vec<Value>,
    /// The last history id among the children that ended.
    pub(super) last_id: u32,
    /// The history id of the event that said so of the last iteration that ended well; 0 if there is none.
    pub(super) last_iteration: u32,
    /// Whether all children are run, whatever fails, as a person may want it.
    pub(super) ignores_failures: bool,
    /// Whether a failure would have ended it but for that.
    pub(super) went_on: bool,
}

impl Group {
    /// The child of an index while it runs.
    #[must_use]
    pub fn live_child(&self, index: u32) -> Option<FrameId> {
        let place = self.live.binary_search_by_key(&index, |(own, _)| *own);
        self.live.get(place.ok()?).map(|(_, child)| *child)
    }

    /// Whether all children are run, whatever fails, as a person may want it.
    #[must_use]
    pub fn ignores_failures(&self) -> bool {
        self.ignores_failures
    }

    /// Whether it went on over a failure that would have ended it, as a person wanted it.
    #[must_use]
    pub fn went_on(&self) -> bool {
        self.went_on
    }

    /// A child runs no more.
    pub(super) fn forget_live(&mut self, index: u32) {
        if let Ok(place) = self.live.binary_search_by_key(&index, |(own, _)| *own) {
            self.live.remove(place);
        }
    }

    /// Whether any failure is tolerated.
    #[must_use]
    pub fn tolerates_any(&self) -> bool {
        self.tolerated_count.is_some_and(|count| count > 0)
            || self.tolerated_percentage.is_some_and(|share| share > 0.0)
    }

    /// Whether so many failed children are (12.5).
    pub(super) fn tolerates(&self, failed: u32) -> bool {
        let count = self.tolerated_count.filter(|count| *count > 0);
        let percentage = self.tolerated_percentage.filter(|share| *share > 0.0);
        // Of all items, though a run may be for the first ones alone.
        let all = self.total.max(self.work.count());
        let share = 100.0 * f64::from(failed) / f64::from(all.max(1));
        self.tolerates_any()
            && count.is_none_or(|count| u64::from(failed) <= count)
            && percentage.is_none_or(|percentage| share <= percentage)
    }
}

/// What children run for.
#[derive(Clone, Debug)]
pub enum GroupWork {
    /// Branches, all with this input.
    Branches(Value),
    /// Items of an array.
    Items(Arc<Array>),
    /// Members of an object.
    Members(Arc<Object>),
}

impl GroupWork {
    /// Whether the items are kept as text, as what comes of them is then.
    pub(super) fn is_packed(&self) -> bool {
        matches!(self, Self::Items(array) if array.is_packed())
    }

    /// The items of a Map: of an array, or the members of an object.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Array(array) => Some(Self::Items(Arc::clone(array))),
            Value::Object(object) => Some(Self::Members(Arc::clone(object))),
            _ => None,
        }
    }

    /// How many items there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        let count = match self {
            Self::Branches(_) => 0,
            Self::Items(array) => array.len(),
            Self::Members(object) => object.members().len(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The item of an index, with its key if it has one.
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

/// The status of a child.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Slot {
    /// Not started.
    #[default]
    Pending,
    /// Running.
    Live,
    /// Ended with this output.
    Succeeded(Value),
    /// Ended with this error output.
    Failed(Value),
    /// Stopped because another failed.
    Aborted,
}

/// How many children stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Not started.
    pub pending: u32,
    /// Running.
    pub live: u32,
    /// Ended with an output.
    pub succeeded: u32,
    /// Ended with an error output.
    pub failed: u32,
    /// Stopped because another failed.
    pub aborted: u32,
}

impl Tally {
    /// Where such a child is counted.
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

/// The status of a child, to be looked at.
#[derive(Clone, Copy, Debug)]
pub enum SlotView<'s> {
    /// Not started.
    Pending,
    /// Running.
    Live,
    /// Ended with an output.
    Succeeded(Output<'s>),
    /// Ended with an error output.
    Failed(Output<'s>),
    /// Stopped because another failed.
    Aborted,
}

/// What a child ended with.
#[derive(Clone, Copy, Debug)]
pub struct Output<'s>(Kept<'s>);

#[derive(Clone, Copy, Debug)]
enum Kept<'s> {
    Value(&'s Value),
    Text(&'s Chunk, usize),
}

impl Output<'_> {
    /// The value.
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
            Self::Pending => SlotView::Pending,
            Self::Live => SlotView::Live,
            Self::Succeeded(output) => SlotView::Succeeded(Output(Kept::Value(output))),
            Self::Failed(output) => SlotView::Failed(Output(Kept::Value(output))),
            Self::Aborted => SlotView::Aborted,
        }
    }

    fn output(&self) -> Option<&Value> {
        match self {
            Self::Succeeded(output) | Self::Failed(output) => Some(output),
            Self::Pending | Self::Live | Self::Aborted => None,
        }
    }
}

/// Children whose slots are kept together.
#[derive(Clone, Debug)]
enum Chunked {
    /// As they change.
    Open(Arc<Vec<(Slot, u32)>>),
    /// All ended, what they came to kept as text.
    Packed(Arc<Ended>),
}

#[derive(Debug)]
struct Ended {
    /// Whether each ended well, and the retries in it.
    marks: Box<[(bool, u32)]>,
    outputs: Arc<Chunk>,
}

impl Ended {
    /// `None` where one has not ended.
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
            true => SlotView::Succeeded(output),
            false => SlotView::Failed(output),
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

/// One [`Slot`] per child and the retries in it, in shared chunks: a copy costs a pointer per chunk.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    chunks: Vec<Chunked>,
    /// Of each chunk: whoever looks for what is rare among a million passes over most of them.
    tallies: Vec<Tally>,
    count: usize,
    /// Whether what children came to is kept as text once all of a chunk have ended.
    packs: bool,
}

impl Slots {
    /// All pending.
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

    /// The slot of a child.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<SlotView<'_>> {
        let (chunk, place) = self.chunk(index)?;
        chunk.view(place)
    }

    /// How often something in a child was tried again.
    #[must_use]
    pub fn retries(&self, index: u32) -> u32 {
        let found = self.chunk(index).and_then(|(chunk, place)| match chunk {
            Chunked::Open(slots) => slots.get(place).map(|(_, retries)| *retries),
            Chunked::Packed(ended) => ended.marks.get(place).map(|(_, retries)| *retries),
        });
        found.unwrap_or(0)
    }

    /// Counts a retry in a child.
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

    /// Puts the slot of a child.
    pub fn set(&mut self, index: u32, slot: Slot) {
        let ends = slot.output().is_some();
        let counted = Tally::of(&slot);
        if let Some((own, _)) = self.place(index) {
            let before = Tally::of(&std::mem::replace(own, slot));
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

    /// All slots in order.
    pub fn iter(&self) -> impl Iterator<Item = SlotView<'_>> {
        let chunks = self.chunks.iter();
        chunks.flat_map(|chunk| (0..chunk.len()).filter_map(|place| chunk.view(place)))
    }

    /// How many children stand how.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut sum = Tally::default();
        for one in &self.tallies {
            sum.pending += one.pending;
            sum.live += one.live;
            sum.succeeded += one.succeeded;
            sum.failed += one.failed;
            sum.aborted += one.aborted;
        }
        sum
    }

    /// The slots in order, with their indexes, but for chunks in which none is `wanted`.
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

    /// What all children came to, in order; `null` for one that came to nothing.
    #[must_use]
    pub fn outputs(&self) -> Value {
        if !self.packs {
            let outputs = self.iter().map(|slot| match slot {
                SlotView::Succeeded(output) | SlotView::Failed(output) => output.value(),
                SlotView::Pending | SlotView::Live | SlotView::Aborted => Value::Null,
            });
            return Value::array(outputs.collect());
        }
        let chunks = self.chunks.iter().map(|chunk| match chunk {
            Chunked::Packed(ended) => Arc::clone(&ended.outputs),
            Chunked::Open(slots) => {
                let outputs = slots.iter().map(|(slot, _)| slot.output());
                Arc::new(Chunk::of(outputs.map(|one| one.unwrap_or(&Value::Null))))
            }
        });
        Value::packed(chunks.collect())
    }

    /// Adds what the slots hold.
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
    /// From 0.
    pub index: u32,
    /// Its value.
    pub value: Value,
    /// Its name, of an item of an object.
    pub key: Option<Text>,
}
