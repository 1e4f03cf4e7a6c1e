//! Parses items from text, line by line if the format allows, and counts their memory meanwhile.

use super::csv;
use super::item_collector::{MOST_MEMORY, Made, too_much};
use super::lines::{Lines, lines_of};
use crate::definition::{InputType, ReaderFormat};
use crate::json::{Step, Value, parse, parsed_memory};

/// Returns the items in a JSON text.
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

/// Returns the items in CSV or JSONL lines.
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

/// Returns the items in the text of a file.
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

/// Maximum number of items, as a `usize`.
pub(super) fn most_items(most: Option<u64>) -> usize {
    most.map_or(usize::MAX, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    })
}

/// Checks that this program can read the format.
///
/// # Errors
/// If it cannot.
pub(super) fn readable(format: &ReaderFormat) -> Result<(), String> {
    match format.input_type {
        InputType::Parquet => Err("InputType PARQUET is not read by this program, as a reader of that format is too large for it: give the items as CSV, JSON or JSONL".to_string()),
        _ => Ok(()),
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
        let rows = std::iter::repeat_with(|| Ok(format!("{}\n", "x".repeat(2000))));
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
