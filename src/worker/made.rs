//! Items that are being made, with the memory that they take counted.
//!
//! It must not know what they are made from.

use crate::json::{Growing, Value};

/// Bytes of memory that items may take.
pub(super) const MOST_MEMORY: u64 = 256 << 20;

/// Items that are being made; many of them are kept as text.
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
    /// Where all of them would take more memory than items may.
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

/// That the items would take more memory than they may, after so many of them.
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

/// About the bytes that a value takes in memory.
fn memory(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) => 24,
        Value::Number(number) => 48 + number.len() as u64,
        Value::String(text) if text.is_empty() => 24,
        Value::String(text) => 40 + text.len() as u64,
        Value::Array(array) => {
            let items = array.items().iter();
            items.fold(88, |sum: u64, item| sum.saturating_add(memory(item)))
        }
        Value::Object(object) => {
            // A place each, and where there are many one in an index as well.
            let each = if object.members().len() < 24 { 16 } else { 64 };
            let members = object.members().iter();
            members.fold(136, |sum: u64, (_, member)| {
                sum.saturating_add(each).saturating_add(memory(member))
            })
        }
    }
}
