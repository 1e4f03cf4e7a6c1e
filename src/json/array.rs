//! Arrays. A large array is stored as compact JSON text, because its items would use too much memory as values. Each
//! item is then parsed when it is read.

use super::Value;
use super::parse::{Reader, parse};
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

/// The items of an array. Stores two numbers about the whole array, too: its size as compact JSON in bytes, and its
/// nesting depth.
#[derive(Clone, Debug)]
pub struct Array {
    items: Items,
    pub(super) size: u64,
    pub(super) depth: u32,
}

#[derive(Clone, Debug)]
enum Items {
    /// The items are stored as values.
    Values(Vec<Value>),
    /// The items are stored as text, because the values would need too much memory.
    Packed(Box<Packed>),
}

impl Array {
    /// Creates an array of `items`.
    #[must_use]
    pub fn new(items: Vec<Value>) -> Self {
        let commas = (items.len() as u64).saturating_sub(1);
        let sizes = items.iter().map(Value::size);
        let size = sizes.fold(2 + commas, u64::saturating_add);
        let depth = 1 + items.iter().map(Value::depth).max().unwrap_or(0);
        let items = Items::Values(items);
        Self { items, size, depth }
    }

    /// The items. If they are stored as text, this parses all of them; [`Array::item`] and [`Array::get`] parse fewer.
    #[must_use]
    pub fn items(&self) -> &[Value] {
        match &self.items {
            Items::Values(items) => items,
            Items::Packed(packed) => packed.whole(),
        }
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.items {
            Items::Values(items) => items.len(),
            Items::Packed(packed) => packed.count,
        }
    }

    /// True if there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the items are stored as text.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        matches!(self.items, Items::Packed(_))
    }

    /// Returns a copy of an item; an item stored as text is parsed on each call.
    #[must_use]
    pub fn item(&self, index: usize) -> Option<Value> {
        match &self.items {
            Items::Values(items) => items.get(index).cloned(),
            Items::Packed(packed) => packed.item(index),
        }
    }

    /// Returns a reference to an item; if the items are stored as text, parses and caches all items in the same
    /// [`Chunk`].
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Value> {
        match &self.items {
            Items::Values(items) => items.get(index),
            Items::Packed(packed) => packed.get(index),
        }
    }

    /// Iterates over the items from `index` on. Items stored as text are parsed and cached, a whole [`Chunk`] at a
    /// time.
    pub fn from(&self, index: usize) -> impl Iterator<Item = &Value> {
        (index..self.len()).filter_map(|index| self.get(index))
    }

    /// The items as values; `None` if they are stored as text.
    pub(super) fn values(&self) -> Option<&[Value]> {
        match &self.items {
            Items::Values(items) => Some(items),
            Items::Packed(_) => None,
        }
    }

    /// The items as text; `None` if they are stored as values.
    pub(super) fn packed(&self) -> Option<&Packed> {
        match &self.items {
            Items::Values(_) => None,
            Items::Packed(packed) => Some(packed),
        }
    }

    /// Memory that the array itself needs, in bytes; the contents of its items are not included.
    pub(super) fn own_bytes(&self) -> u64 {
        let items = match &self.items {
            Items::Values(items) => items.capacity() * size_of::<Value>(),
            Items::Packed(packed) => size_of::<Packed>() + size_of_val(&*packed.chunks),
        };
        (size_of::<Self>() + items) as u64
    }

    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self.values(), other.values()) {
            (Some(known), Some(other)) => known == other,
            _ => {
                let same = |index| self.item(index) == other.item(index);
                self.len() == other.len() && (0..self.len()).all(same)
            }
        }
    }
}

impl Value {
    /// Creates an array from chunks of items stored as text. If a chunk other than the last is not full, the items are
    /// stored as values instead.
    #[must_use]
    pub fn packed(chunks: Vec<Arc<Chunk>>) -> Self {
        let Some(packed) = Packed::of(chunks.clone()) else {
            let places = chunks.iter().flat_map(|chunk| {
                (0..chunk.len()).map(|place| chunk.item(place).unwrap_or_default())
            });
            return Self::array(places.collect());
        };
        Self::Array(Arc::new(Array {
            size: packed.size(),
            depth: packed.depth(),
            items: Items::Packed(Box::new(packed)),
        }))
    }
}

/// Number of items in a full chunk.
pub(crate) const CHUNK: usize = 128;

thread_local! {
    /// One reader per thread, so that all items that a thread parses share the texts of their member names.
    static READER: RefCell<Reader> = RefCell::default();
}

/// Consecutive items of an array, stored as concatenated JSON text.
#[derive(Debug)]
pub struct Chunk {
    text: Box<str>,
    /// For each item, the byte offset of its end in the text.
    ends: Box<[u32]>,
    depth: u32,
    /// The parsed items; set when a caller first asks for a reference to one of them.
    read: OnceLock<Box<[Value]>>,
}

impl Chunk {
    /// Creates a chunk from `items` by printing them as JSON text.
    #[must_use]
    pub fn of<'v>(items: impl Iterator<Item = &'v Value>) -> Self {
        let mut text = String::new();
        let mut ends = Vec::new();
        let mut depth = 0;
        for item in items {
            super::print::write_compact(item, &mut text);
            ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
            depth = depth.max(item.depth());
        }
        Self {
            text: text.into(),
            ends: ends.into(),
            depth,
            read: OnceLock::new(),
        }
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the JSON text of the item with the index `place`.
    fn text(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)?;
        let before = place
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let start = before.copied().unwrap_or(0);
        self.text.get(start as usize..end as usize)
    }

    /// Parses an item; the result is not cached.
    #[must_use]
    pub fn item(&self, place: usize) -> Option<Value> {
        if let Some(read) = self.read.get() {
            return read.get(place).cloned();
        }
        let text = self.text(place)?;
        let read = READER.with(|reader| reader.try_borrow_mut().ok()?.read(text));
        read.or_else(|| parse(text).ok())
    }

    fn items(&self) -> &[Value] {
        self.read.get_or_init(|| {
            let places = 0..self.ends.len();
            let items = places.map(|place| self.item(place).unwrap_or_default());
            items.collect()
        })
    }

    /// Approximate memory of the chunk in bytes; if its items have been parsed and cached, they are included.
    pub(super) fn own_bytes(&self) -> u64 {
        let read = if self.read.get().is_some() { 8 } else { 0 };
        let text = self.text.len() as u64;
        (size_of::<Self>() + self.ends.len() * size_of::<u32>()) as u64 + text + text * read
    }
}

/// The items of an array, in chunks of text. All chunks except the last are full.
#[derive(Clone, Debug)]
pub struct Packed {
    pub(super) chunks: Vec<Arc<Chunk>>,
    count: usize,
    /// All items as values; set when a caller first asks for all of them.
    whole: OnceLock<Vec<Value>>,
}

impl Packed {
    /// Joins chunks of items stored as text to one array; returns `None` if a chunk other than the last is not full.
    fn of(chunks: Vec<Arc<Chunk>>) -> Option<Self> {
        let last = chunks.len().saturating_sub(1);
        let is_full = |chunk: &Arc<Chunk>| chunk.len() == CHUNK;
        let full = chunks.iter().take(last).all(is_full);
        let count = chunks.iter().map(|chunk| chunk.len()).sum();
        full.then_some(Self {
            chunks,
            count,
            whole: OnceLock::new(),
        })
    }

    fn chunk(&self, index: usize) -> Option<(&Chunk, usize)> {
        let chunk = self.chunks.get(index / CHUNK)?;
        Some((chunk, index % CHUNK))
    }

    fn item(&self, index: usize) -> Option<Value> {
        let (chunk, place) = self.chunk(index)?;
        chunk.item(place)
    }

    fn get(&self, index: usize) -> Option<&Value> {
        let (chunk, place) = self.chunk(index)?;
        chunk.items().get(place)
    }

    fn whole(&self) -> &[Value] {
        self.whole.get_or_init(|| {
            let items = (0..self.count).filter_map(|index| self.item(index));
            items.collect()
        })
    }

    /// JSON text of each item, in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let chunks = self.chunks.iter();
        chunks.flat_map(|chunk| (0..chunk.len()).filter_map(|place| chunk.text(place)))
    }

    /// Size of the array as compact JSON in bytes, including brackets and commas.
    fn size(&self) -> u64 {
        let texts = self.chunks.iter().map(|chunk| chunk.text.len() as u64);
        let texts: u64 = texts.sum();
        2 + texts + (self.count as u64).saturating_sub(1)
    }

    fn depth(&self) -> u32 {
        let below = self.chunks.iter().map(|chunk| chunk.depth).max();
        1 + below.unwrap_or(0)
    }
}

/// Arrays whose items need more memory than this, in bytes, are stored as text.
const PACKED_FROM: u64 = 16 << 20;

/// An array that grows item by item and is stored as text once it is large.
#[derive(Debug, Default)]
pub struct Growing {
    /// Items that are not in a chunk yet.
    items: Vec<Value>,
    chunks: Vec<Arc<Chunk>>,
    packs: bool,
    /// Estimated memory of the chunks in bytes.
    packed: u64,
    /// Estimated memory, in bytes, of the items that are not in chunks.
    loose: u64,
}

/// Estimated bytes of bookkeeping per item in addition to its text.
const BESIDE: u64 = 48;

impl Growing {
    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.len() * CHUNK + self.items.len()
    }

    /// True if there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Estimated memory of the items in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.packed.saturating_add(self.loose)
    }

    /// Appends an item that needs about `memory` bytes as a value.
    pub fn push(&mut self, item: Value, memory: u64) {
        self.loose = self.loose.saturating_add(memory);
        self.items.push(item);
        self.packs |= self.loose > PACKED_FROM;
        if self.packs && self.items.len() >= CHUNK {
            self.pack_full();
        }
    }

    /// Moves items into full chunks. Items that are too few for a full chunk remain in `items`.
    fn pack_full(&mut self) {
        let items = std::mem::take(&mut self.items);
        let (full, rest) = items.split_at(items.len() - items.len() % CHUNK);
        for items in full.chunks(CHUNK) {
            self.pack(items);
        }
        self.items = rest.to_vec();
        self.loose = 0;
    }

    fn pack(&mut self, items: &[Value]) {
        let chunk = Chunk::of(items.iter());
        let bytes = chunk.own_bytes() + BESIDE * chunk.len() as u64;
        self.packed = self.packed.saturating_add(bytes);
        self.chunks.push(Arc::new(chunk));
    }

    /// Returns the finished array.
    #[must_use]
    pub fn into_value(mut self) -> Value {
        if !self.packs {
            return Value::array(self.items);
        }
        if !self.items.is_empty() {
            let items = std::mem::take(&mut self.items);
            self.pack(&items);
        }
        Value::packed(self.chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Footprint, diff, one_line};

    fn value(number: i64) -> Value {
        let text = format!(r#"{{"n":{number},"t":"é\n{number}","l":[1,{{"a":2.50}}]}}"#);
        parse(&text.replace('\n', "\\n")).expect("JSON")
    }

    #[test]
    fn items_as_text_are_those_items() {
        for count in [1_i64, 127, 128, 129, 1000] {
            let plain = Value::array((0..count).map(value).collect());
            let mut growing = Growing::default();
            for number in 0..count {
                // Gives each item a large size, because only a large array is stored as text.
                growing.push(value(number), PACKED_FROM);
            }
            assert_eq!(growing.len() as i64, count);
            let packed = growing.into_value();
            let Value::Array(array) = &packed else {
                panic!("no array")
            };
            assert_eq!(array.is_packed(), count > 1);
            assert_eq!(
                (packed.size(), packed.depth()),
                (plain.size(), plain.depth())
            );
            assert_eq!(one_line(&packed), one_line(&plain));
            assert_eq!(super::super::pretty(&packed), super::super::pretty(&plain));
            let last = count - 1;
            assert_eq!(array.item(last as usize), Some(value(last)));
            assert_eq!(array.get(last as usize), Some(&value(last)));
            assert_eq!(array.item(count as usize), None);
            assert_eq!(packed, plain);
            assert!(diff(&packed, &plain, 9).is_empty());
            assert_eq!(packed.as_array(), plain.as_array());
        }
    }

    #[test]
    fn text_takes_less_memory_than_values() {
        let mut growing = Growing::default();
        for number in 0..1000 {
            growing.push(value(number), PACKED_FROM);
        }
        let packed = growing.into_value();
        let plain = Value::array((0..1000).map(value).collect());
        let bytes = |value: &Value| {
            let mut footprint = Footprint::default();
            footprint.add(value);
            footprint.bytes()
        };
        assert!(bytes(&packed) < packed.size() * 3 / 2);
        assert!(bytes(&packed) * 5 < bytes(&plain));
    }
}
