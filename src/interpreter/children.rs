//! The children of a Parallel or Map at work: how many, which ones run, and what came of each.
//!
//! It must not know how a child is started or what its failure leads to.

use super::event::FrameId;
use crate::json::{Array, Object, Text, Value};
use std::sync::Arc;

/// The children of a Parallel or Map at work.
#[derive(Clone, Debug)]
pub struct Group {
    /// How many children there will be.
    pub total: u32,
    /// The index of the next one to start.
    pub next: u32,
    /// Those that run: index and frame.
    pub live: Vec<(u32, FrameId)>,
    /// How many ended well.
    pub succeeded: u32,
    /// How many ended with an error.
    pub failed: u32,
    /// At most so many run at once.
    pub limit: u32,
    /// The branches or items that they run for.
    pub work: GroupWork,
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
    /// Whether all children are run, whatever fails, as a person may want it.
    pub(super) ignores_failures: bool,
}

impl Group {
    /// The child of an index while it runs.
    #[must_use]
    pub fn live_child(&self, index: u32) -> Option<FrameId> {
        let mut live = self.live.iter();
        live.find(|(own, _)| *own == index).map(|(_, child)| *child)
    }

    /// Whether any failure is tolerated.
    pub(super) fn tolerates_any(&self) -> bool {
        self.tolerated_count.is_some_and(|count| count > 0)
            || self.tolerated_percentage.is_some_and(|share| share > 0.0)
    }

    /// Whether so many failed children are (12.5).
    pub(super) fn tolerates(&self, failed: u32) -> bool {
        let count = self.tolerated_count.filter(|count| *count > 0);
        let percentage = self.tolerated_percentage.filter(|share| *share > 0.0);
        let share = 100.0 * f64::from(failed) / f64::from(self.total.max(1));
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
    /// How many items there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        let count = match self {
            Self::Branches(_) => 0,
            Self::Items(array) => array.items().len(),
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
            Self::Items(array) => array.items().get(place).map(|value| Item {
                index,
                value: value.clone(),
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

const CHUNK: usize = 128;

/// One [`Slot`] per child and the retries in it, in shared chunks: a copy costs a pointer per chunk.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    chunks: Vec<Arc<Vec<(Slot, u32)>>>,
    count: usize,
}

impl Slots {
    /// All pending.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let full = Arc::new(vec![(Slot::Pending, 0); CHUNK]);
        Self {
            chunks: vec![full; count.div_ceil(CHUNK)],
            count,
        }
    }

    /// The slot of a child.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<&Slot> {
        let index = index as usize;
        self.chunks
            .get(index / CHUNK)
            .and_then(|chunk| chunk.get(index % CHUNK))
            .map(|(slot, _)| slot)
    }

    /// How often something in a child was tried again.
    #[must_use]
    pub fn retries(&self, index: u32) -> u32 {
        let index = index as usize;
        let chunk = self.chunks.get(index / CHUNK);
        let found = chunk.and_then(|chunk| chunk.get(index % CHUNK));
        found.map_or(0, |(_, retries)| *retries)
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
        Arc::make_mut(chunk).get_mut(index % CHUNK)
    }

    /// Puts the slot of a child.
    pub fn set(&mut self, index: u32, slot: Slot) {
        if let Some((own, _)) = self.place(index) {
            *own = slot;
        }
    }

    /// All slots in order.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.chunks
            .iter()
            .flat_map(|chunk| chunk.iter())
            .map(|(slot, _)| slot)
            .take(self.count)
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
