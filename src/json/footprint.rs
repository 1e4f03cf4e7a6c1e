//! Measures the memory use of values; memory that several values share is counted once.

use super::{Chunk, Text, Value};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// Overhead of a heap allocation in bytes: the counters of an `Arc` and the allocator's own bookkeeping.
const ALLOCATION: u64 = 32;
/// Texts shorter than this, in bytes, are counted at each occurrence because remembering their addresses would need as
/// much memory.
const REMEMBERED: usize = 128;

/// Bytes needed to remember one address.
const SEEN: u64 = 2 * size_of::<usize>() as u64;

/// Measures the memory use of values that are added one after the other, in bytes.
///
/// Shared memory is recognized by its address, so all added values must stay alive until the last one is added.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    seen: HashSet<usize, BuildHasherDefault<AddressHasher>>,
    bytes: u64,
    visited: u64,
}

impl Footprint {
    /// Adds the memory of a value, except for memory that was counted before.
    pub fn add(&mut self, value: &Value) {
        let mut left = Vec::new();
        let mut next = Some(value);
        while let Some(value) = next.take().or_else(|| left.pop()) {
            self.visited += 1;
            match value {
                Value::Null | Value::Bool(_) => {}
                Value::Number(number) => self.bytes += number.heap_bytes(),
                Value::String(text) => self.add_text(text),
                Value::Array(array) => {
                    if self.seen.insert(Arc::as_ptr(array).addr()) {
                        self.bytes += ALLOCATION + array.own_bytes() + SEEN;
                        left.extend(array.values().unwrap_or_default());
                        for chunk in array.packed().into_iter().flat_map(|packed| &packed.chunks) {
                            self.add_chunk(chunk);
                        }
                    }
                }
                Value::Object(object) => {
                    if self.seen.insert(Arc::as_ptr(object).addr()) {
                        self.bytes += ALLOCATION + object.own_bytes() + SEEN;
                        for (name, value) in object.members() {
                            self.add_text(name);
                            left.push(value);
                        }
                    }
                }
            }
        }
    }

    /// Adds a chunk of items stored as text, unless the same chunk was added before.
    pub fn add_chunk(&mut self, chunk: &Arc<Chunk>) {
        self.visited += 1;
        if self.seen.insert(Arc::as_ptr(chunk).addr()) {
            self.bytes += ALLOCATION + chunk.own_bytes() + SEEN;
        }
    }

    /// Adds the memory of a text; a long text that was added before is not counted again.
    pub fn add_text(&mut self, text: &Text) {
        if text.len() < REMEMBERED || self.seen.insert(text.as_ptr().addr()) {
            self.bytes += ALLOCATION + text.len() as u64;
        }
    }

    /// Adds `bytes` bytes of memory that do not belong to a value.
    pub fn add_bytes(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Approximate memory use of everything added, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of values visited so far; the time for counting grows with this number.
    #[must_use]
    pub fn visited(&self) -> u64 {
        self.visited
    }
}

/// Hashes addresses. Nobody outside the program can choose them, so the hash need not resist attacks.
#[derive(Clone, Debug, Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, address: usize) {
        // Multiply by the golden ratio, then swap the halves: the hash table uses the lowest and the highest bits.
        let spread = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread.rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn bytes(values: &[&Value]) -> u64 {
        let mut footprint = Footprint::default();
        for value in values {
            footprint.add(value);
        }
        footprint.bytes()
    }

    #[test]
    fn what_is_shared_counts_once() {
        let large = parse(&format!("[{:?}, [1, 2, 3]]", "x".repeat(100_000))).expect("JSON");
        let alone = bytes(&[&large]);
        assert!((100_000..101_000).contains(&alone), "{alone}");
        let around = Value::array(vec![large.clone(), large.clone()]);
        assert!(bytes(&[&large, &around, &large]) < alone + 500);
        let text = large.as_array().and_then(<[Value]>::first).expect("a text");
        let anew = Value::object(vec![("text".into(), text.clone())]);
        assert!(bytes(&[&large, &anew]) < alone + 500);
    }

    #[test]
    fn small_values_cost_far_more_than_their_text() {
        let many = Value::array((0..1000).map(|_| Value::array(Vec::new())).collect());
        assert_eq!(many.size(), 3001);
        assert!(bytes(&[&many]) > 80_000, "{}", bytes(&[&many]));
        let numbers = Value::array((0..1000_i64).map(Value::from).collect());
        let each = bytes(&[&numbers]) / 1000;
        assert_eq!(each, size_of::<Value>() as u64);
    }

    #[test]
    fn doubling_costs_a_little_each_time() {
        let mut value = Value::from(1);
        for _ in 0..60 {
            value = Value::array(vec![value.clone(), value]);
        }
        assert!(value.size() > 1 << 60);
        assert!(bytes(&[&value]) < 60 * 200);
    }
}
