//! Items out of text, line by line where the format allows; what they come to is counted while they are made.
//!
//! It must not know files.

use super::csv;
use crate::definition::{InputType, ReaderFormat};
use crate::json::{Step, Value, parse};

/// Bytes of memory that items may take.
const MOST_MEMORY: u64 = 256 << 20;
/// A longer line is not read.
pub(super) const LONGEST_LINE: usize = 16 << 20;

/// Lines of a text with their ends, or why there are no more.
pub(super) type Lines<'t> = Box<dyn Iterator<Item = Result<String, String>> + 't>;

/// The lines of a text that is at hand.
pub(super) fn lines_of(text: &str) -> Lines<'_> {
    Box::new(text.split_inclusive('\n').map(|line| Ok(line.to_string())))
}

/// Items that are being made.
#[derive(Default)]
pub(super) struct Made {
    items: Vec<Value>,
    memory: u64,
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
        self.memory = self.memory.saturating_add(memory(&item));
        if self.memory > MOST_MEMORY {
            return Err(too_much(Some(self.items.len())));
        }
        self.items.push(item);
        Ok(())
    }

    pub(super) fn into_value(self) -> Value {
        Value::array(self.items)
    }
}

fn too_much(items: Option<usize>) -> String {
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

/// About the bytes that a JSON text would take once it is parsed.
fn parsed_memory(text: &str) -> u64 {
    let mut quoted = false;
    let mut escaped = false;
    let mut memory = text.len() as u64;
    for byte in text.bytes() {
        if quoted {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
            continue;
        }
        memory += match byte {
            b'"' => {
                quoted = true;
                40
            }
            b'[' => 88,
            b'{' => 136,
            b',' => 24,
            _ => 0,
        };
    }
    memory
}

/// The items that a JSON text holds.
///
/// # Errors
/// With the cause of `States.ItemReaderFailed`.
pub(super) fn of_json(text: &str, format: &ReaderFormat, most: usize) -> Result<Value, String> {
    if parsed_memory(text) > MOST_MEMORY {
        return Err(too_much(None));
    }
    let whole = parse(text).map_err(|error| format!("the file is not JSON: {error}"))?;
    let found = match &format.items_pointer {
        Some(pointer) => pointed(&whole, pointer)?,
        None => whole,
    };
    Ok(limited(found, most))
}

/// The items that lines hold, as CSV or JSONL.
///
/// # Errors
/// With the cause of `States.ItemReaderFailed`.
pub(super) fn of_lines(
    lines: Lines<'_>,
    format: &ReaderFormat,
    most: usize,
) -> Result<Value, String> {
    if format.input_type == InputType::Csv {
        let headers = format.csv_headers.as_deref();
        return csv::items(lines, format.csv_delimiter, headers, most);
    }
    let mut made = Made::default();
    let mut number = 0;
    for line in lines {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        if made.len() >= most {
            break;
        }
        number += 1;
        if parsed_memory(&line) > MOST_MEMORY {
            return Err(too_much(Some(made.len())));
        }
        let item = parse(&line).map_err(|error| format!("line {number} is not JSON: {error}"))?;
        made.add(item)?;
    }
    Ok(made.into_value())
}

/// The items that a file with this text holds.
///
/// # Errors
/// With the cause of `States.ItemReaderFailed`.
pub fn read_text(text: &str, format: &ReaderFormat, most: Option<u64>) -> Result<Value, String> {
    readable(format)?;
    let most = most_items(most);
    match format.input_type {
        InputType::Csv | InputType::Jsonl => of_lines(lines_of(text), format, most),
        _ => of_json(text, format, most),
    }
}

/// How many items are wanted at the most.
pub(super) fn most_items(most: Option<u64>) -> usize {
    most.map_or(usize::MAX, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    })
}

/// Whether this program reads the format.
///
/// # Errors
/// Where it does not.
pub(super) fn readable(format: &ReaderFormat) -> Result<(), String> {
    let unread = match format.input_type {
        InputType::Manifest => Some("MANIFEST"),
        InputType::Parquet => Some("PARQUET"),
        _ => None,
    };
    match unread {
        Some(name) => Err(format!("InputType {name} is not read by this program")),
        None => Ok(()),
    }
}

/// The value at a JSON pointer (RFC 6901).
fn pointed(value: &Value, pointer: &str) -> Result<Value, String> {
    let missing = || format!("the ItemsPointer {pointer} finds nothing in the file");
    let mut at = value;
    if pointer.is_empty() {
        return Ok(at.clone());
    }
    for part in pointer.strip_prefix('/').ok_or_else(missing)?.split('/') {
        let name = part.replace("~1", "/").replace("~0", "~");
        let step = match at {
            Value::Array(_) => Step::Item(name.parse().map_err(|_| missing())?),
            _ => Step::Member(name.into()),
        };
        at = match (at, &step) {
            (Value::Array(array), Step::Item(index)) => array.items().get(*index),
            (_, Step::Member(name)) => at.get(name),
            _ => None,
        }
        .ok_or_else(missing)?;
    }
    Ok(at.clone())
}

fn limited(value: Value, most: usize) -> Value {
    match &value {
        Value::Array(array) if array.items().len() > most => {
            Value::array(array.items().iter().take(most).cloned().collect())
        }
        Value::Object(object) if object.members().len() > most => {
            Value::object(object.members().iter().take(most).cloned().collect())
        }
        _ => value,
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn what_grows_when_it_is_read_is_refused_before_it_is_made() {
        let nested = format!("[{}1]", "[],".repeat(4_000_000));
        assert!(nested.len() < 16 << 20);
        let refused = of_json(&nested, &ReaderFormat::default(), usize::MAX).unwrap_err();
        assert!(refused.contains("MaxItems"), "{refused}");
        assert!(parsed_memory(r#"{"a":"[[[[,,,,"}"#) < 400);
        let rows = std::iter::repeat_with(|| Ok("x\n".to_string()));
        let csv = ReaderFormat {
            input_type: InputType::Csv,
            ..ReaderFormat::default()
        };
        let refused = of_lines(Box::new(rows), &csv, usize::MAX).unwrap_err();
        assert!(refused.contains("MaxItems"), "{refused}");
        let rows = std::iter::repeat_with(|| Ok("x\n".to_string()));
        let few = of_lines(Box::new(rows), &csv, 3).unwrap();
        assert_eq!(few.as_array().map(<[Value]>::len), Some(3));
    }
}
