//! Reads CSV rows as items. Headers come from the first row or the definition, and every cell is a string
//! (ASL-SEMANTICS 12.3).

use super::item_collector::Made;
use super::lines::{LONGEST_LINE, Lines};
use crate::json::{Text, Value};
use std::collections::VecDeque;

/// Returns the items in the lines, or why there are none.
pub(super) fn items(
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
            // Headers beyond the existing columns are dropped.
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
    /// The unread rest of the current line.
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
        while let Some(here) = letter {
            match here {
                '"' if quoted => {
                    if self.letters.front() == Some(&'"') {
                        self.letters.pop_front();
                        cell.push('"');
                    } else {
                        quoted = false;
                    }
                }
                '"' if cell.is_empty() => quoted = true,
                here if quoted => cell.push(here),
                '\n' => break,
                '\r' if self.letters.front() == Some(&'\n') => {}
                here if here == self.delimiter => cells.push(std::mem::take(&mut cell)),
                here => cell.push(here),
            }
            if cell.len() > LONGEST_LINE {
                return Err("a cell of the file is longer than is read".to_string());
            }
            letter = self.letter()?;
        }
        cells.push(cell);
        Ok(Some(cells))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::worker::lines::lines_of;

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
            let items = items(lines_of(text), delimiter, headers, usize::MAX).unwrap();
            assert_eq!(items, parse(wanted).unwrap(), "{text}");
        }
        assert!(items(lines_of("a,a\n1,2"), ',', None, 9).is_err());
        let two = items(lines_of("a\n1\n2\n3"), ',', None, 2).unwrap();
        assert_eq!(two.as_array().unwrap().len(), 2);
    }
}
