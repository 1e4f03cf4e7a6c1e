//! Parses the items of an ItemReader from text, line by line if the format allows this, and limits their memory.

use crate::definition::{InputType, ReaderFormat};
use crate::json::{Growing, Text, Value, parse, parsed_memory};
use std::collections::VecDeque;

/// Returns the items in a JSON text.
///
/// # Errors
/// With the cause of `States.ItemReaderFailed`.
pub(super) fn of_json(text: &str, format: &ReaderFormat, most: usize) -> Result<Value, String> {
    if parsed_memory(text) > MOST_MEMORY {
        return Err(too_much(None));
    }
    let whole = parse(text).map_err(|error| format!("the file is not JSON: {error}"))?;
    let items = match &format.items_pointer {
        Some(pointer) => pointed(&whole, pointer)?,
        None => whole,
    };
    Ok(limited(items, most))
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
        return of_csv(lines, format.csv_delimiter, headers, most);
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

/// Maximum number of items, as a `usize`. Without a maximum, the largest `usize`.
pub(super) fn most_items(most: Option<u64>) -> usize {
    most.map_or(usize::MAX, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    })
}

/// Checks that this program can read the format.
///
/// # Errors
/// If the program cannot read the format.
pub(super) fn readable(format: &ReaderFormat) -> Result<(), String> {
    match format.input_type {
        InputType::Parquet => Err("asldbg cannot read InputType PARQUET, because a reader for Parquet would make the program too large: give the items as CSV, JSON or JSONL".to_string()),
        _ => Ok(()),
    }
}

/// The part of a value that a JSON pointer (RFC 6901) refers to.
fn pointed(value: &Value, pointer: &str) -> Result<Value, String> {
    let missing = || format!("the ItemsPointer {pointer} finds nothing in the file");
    let mut at = value;
    if pointer.is_empty() {
        return Ok(at.clone());
    }
    for part in pointer.strip_prefix('/').ok_or_else(missing)?.split('/') {
        let name = part.replace("~1", "/").replace("~0", "~");
        at = match at {
            Value::Array(_) => at.item(name.parse().map_err(|_| missing())?),
            _ => at.get(&name),
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

/// Returns one item per CSV line. `given` are the column names; if there are none, the first line contains them.
fn of_csv(
    lines: Lines<'_>,
    delimiter: char,
    given: Option<&[Text]>,
    most: usize,
) -> Result<Value, String> {
    let mut rows = Rows {
        lines,
        letters: VecDeque::new(),
        delimiter,
        begun: false,
    };
    let mut made = Made::default();
    let mut headers: Vec<Text> = match given {
        Some(given) => given.to_vec(),
        None => match rows.next()? {
            Some(first) => first.into_iter().map(Text::from).collect(),
            None => return Ok(made.into_value()),
        },
    };
    let mut sorted: Vec<&Text> = headers.iter().collect();
    sorted.sort_unstable();
    if sorted
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a == b))
    {
        return Err("CSV headers cannot contain duplicates.".to_string());
    }
    let empty: Text = "".into();
    while made.len() < most
        && let Some(row) = rows.next()?
    {
        if made.len() == 0 && given.is_some() {
            // If there are more column names than cells in the first line, the extra names are dropped.
            headers.truncate(row.len().max(1));
        }
        let mut cells = row.into_iter();
        let mut members = Vec::with_capacity(headers.len());
        for header in &headers {
            let cell = match cells.next() {
                // All empty cells share one empty string.
                None => empty.clone(),
                Some(cell) if cell.is_empty() => empty.clone(),
                Some(cell) => cell.into(),
            };
            members.push((header.clone(), Value::String(cell)));
        }
        made.add(Value::object(members))?;
    }
    Ok(made.into_value())
}

struct Rows<'t> {
    lines: Lines<'t>,
    /// The characters of the current line that are not read yet.
    letters: VecDeque<char>,
    delimiter: char,
    begun: bool,
}

impl Rows<'_> {
    fn letter(&mut self) -> Result<Option<char>, String> {
        if self.letters.is_empty()
            && let Some(line) = self.lines.next()
        {
            let line = line?;
            let text = match self.begun {
                true => line.as_str(),
                false => line.strip_prefix('\u{feff}').unwrap_or(&line),
            };
            self.begun = true;
            self.letters.extend(text.chars());
        }
        Ok(self.letters.pop_front())
    }

    fn next(&mut self) -> Result<Option<Vec<String>>, String> {
        let Some(first) = self.letter()? else {
            return Ok(None);
        };
        let mut cells = Vec::new();
        let mut cell = String::new();
        let mut quoted = false;
        let mut letter = Some(first);
        while let Some(character) = letter {
            match character {
                '"' if quoted => {
                    if self.letters.front() == Some(&'"') {
                        self.letters.pop_front();
                        cell.push('"');
                    } else {
                        quoted = false;
                    }
                }
                '"' if cell.is_empty() => quoted = true,
                character if quoted => cell.push(character),
                '\n' => break,
                '\r' if self.letters.front() == Some(&'\n') => {}
                character if character == self.delimiter => cells.push(std::mem::take(&mut cell)),
                character => cell.push(character),
            }
            if cell.len() > LONGEST_LINE {
                return Err(format!(
                    "a CSV cell has more than {LONGEST_LINE} bytes, which is the limit"
                ));
            }
            letter = self.letter()?;
        }
        cells.push(cell);
        Ok(Some(cells))
    }
}

/// Maximum memory of all items, in bytes. Unit tests have a lower limit, which they can reach.
const MOST_MEMORY: u64 = if cfg!(test) { 16 << 20 } else { 256 << 20 };

/// The items collected so far. Many items are stored as text, which takes less memory.
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

/// The error message for items that exceed the memory limit. `items` is the number of items read so far, if known.
fn too_much(items: Option<usize>) -> String {
    let megabytes = MOST_MEMORY >> 20;
    let content = match items {
        Some(items) => format!("the first {items} items"),
        None => "the items".to_string(),
    };
    format!(
        "the file is too large: {content} would take more than {megabytes} MB of memory, which is the limit; read fewer items with MaxItems"
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
            // Bytes for each member: its slot and, in an object with many members, also an index entry.
            let each = if object.members().len() < 24 { 16 } else { 64 };
            let members = object.members().iter();
            members.fold(136, |sum: u64, (_, member)| {
                sum.saturating_add(each).saturating_add(memory(member))
            })
        }
    }
}

/// Maximum length of a line, in bytes.
pub(super) const LONGEST_LINE: usize = 16 << 20;

/// An iterator over lines, which include their line ends. If reading fails, the last element is the error.
type Lines<'t> = Box<dyn Iterator<Item = Result<String, String>> + 't>;

/// The lines of a text in memory.
fn lines_of(text: &str) -> Lines<'_> {
    Box::new(text.split_inclusive('\n').map(|line| Ok(line.to_string())))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::worker::items::lines_of;

    #[test]
    fn what_grows_when_it_is_read_is_refused_before_it_is_made() {
        let nested = format!("[{}1]", "[],".repeat(250_000));
        assert!((nested.len() as u64) < MOST_MEMORY / 16);
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

    #[test]
    fn rows_become_objects_of_texts() {
        let given: Vec<Text> = ["x", "y", "z"].map(Text::from).to_vec();
        for (text, delimiter, headers, wanted) in [
            (
                "a,b\n1,2,3\n\n4",
                ',',
                None,
                r#"[{"a":"1","b":"2"},{"a":"","b":""},{"a":"4","b":""}]"#,
            ),
            (
                "a|b\r\n\"1|\"\"x\"|2\r\n",
                '|',
                None,
                r#"[{"a":"1|\"x","b":"2"}]"#,
            ),
            (
                "a,b\n\"1\n\"\"2\",3\n",
                ',',
                None,
                r#"[{"a":"1\n\"2","b":"3"}]"#,
            ),
            (
                "1,2\n3",
                ',',
                Some(&given),
                r#"[{"x":"1","y":"2"},{"x":"3","y":""}]"#,
            ),
            ("", ',', None, "[]"),
        ] {
            let headers = headers.map(Vec::as_slice);
            let items = of_csv(lines_of(text), delimiter, headers, usize::MAX).unwrap();
            assert_eq!(items, parse(wanted).unwrap(), "{text}");
        }
        assert!(of_csv(lines_of("a,a\n1,2"), ',', None, 9).is_err());
        let two = of_csv(lines_of("a\n1\n2\n3"), ',', None, 2).unwrap();
        assert_eq!(two.as_array().unwrap().len(), 2);
    }
}
