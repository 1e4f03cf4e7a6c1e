//! Collects items and counts their memory.

use crate::json::{Growing, Value};

/// Maximum memory of all items, in bytes.
pub(super) const MOST_MEMORY: u64 = 256 << 20;

/// Items collected so far; if there are many, they are stored as text.
#[derive(Default)]
pub(super) struct Made {
    items: Growing,
}

impl Made {
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Adds an item.
    ///
    /// # Errors
    /// If all items together exceed the memory limit.
    pub(super) fn add(&mut self, item: Value) -> Result<(), String> {
        let before = self.items.len();
        let memory = memory(&item);
        self.items.push(item, memory);
        if self.items.memory() > MOST_MEMORY {
            return Err(too_much(Some(before)));
        }
        Ok(())
    }

    pub(super) fn into_value(self) -> Value {
        self.items.into_value()
    }
}

/// The error message for items that exceed the memory limit, after `items` of them if known.
pub(super) fn too_much(items: Option<usize>) -> String {
    let megabytes = MOST_MEMORY >> 20;
    let read = match items {
        Some(items) => format!("its first {items} items fill"),
        None => "its content would take more than".to_string(),
    };
    format!(
        "the file has more than this program reads: {read} the {megabytes} MB that items may take; read fewer with MaxItems"
    )
}

/// Approximate memory of a value, in bytes.
fn memory(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) => 24,
        Value::Number(number) => 48 + number.text_len() as u64,
        Value::String(text) if text.is_empty() => 24,
        Value::String(text) => 40 + text.len() as u64,
        Value::Array(array) => {
            let items = array.items().iter();
            items.fold(88, |sum: u64, item| sum.saturating_add(memory(item)))
        }
        Value::Object(object) => {
            // One slot per member, and with many members also an index entry.
            let each = if object.members().len() < 24 { 16 } else { 64 };
            let members = object.members().iter();
            members.fold(136, |sum: u64, (_, member)| {
                sum.saturating_add(each).saturating_add(memory(member))
            })
        }
    }
}
