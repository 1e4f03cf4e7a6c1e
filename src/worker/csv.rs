//! Rows of cells as items: headers from the first row or given, every cell a text (ASL-SEMANTICS 12.3).
//!
//! It must not know where the text came from.

use crate::json::{Text, Value};

/// The items of a text, or why there are none.
pub(super) fn items(
    text: &str,
    delimiter: char,
    given: Option<&[Text]>,
    most: Option<u64>,
) -> Result<Vec<Value>, String> {
    let mut rows = Rows {
        letters: text
            .strip_prefix('\u{feff}')
            .unwrap_or(text)
            .chars()
            .peekable(),
        delimiter,
    };
    let mut headers: Vec<Text> = match given {
        Some(given) => given.to_vec(),
        None => match rows.next() {
            Some(first) => first.into_iter().map(Text::from).collect(),
            None => return Ok(Vec::new()),
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
    let most = most.map_or(usize::MAX, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    });
    let mut items = Vec::new();
    for row in rows {
        if items.len() >= most {
            break;
        }
        if items.is_empty() && given.is_some() {
            // Given headers beyond the columns that there are name nothing.
            headers.truncate(row.len().max(1));
        }
        let mut cells = row.into_iter();
        let members = headers.iter().map(|header| {
            let cell = cells.next().unwrap_or_default();
            (header.clone(), Value::string(cell))
        });
        items.push(Value::object(members.collect()));
    }
    Ok(items)
}

struct Rows<'t> {
    letters: std::iter::Peekable<std::str::Chars<'t>>,
    delimiter: char,
}

impl Iterator for Rows<'_> {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Vec<String>> {
        self.letters.peek()?;
        let mut cells = Vec::new();
        let mut cell = String::new();
        let mut quoted = false;
        while let Some(letter) = self.letters.next() {
            match letter {
                '"' if quoted => {
                    if self.letters.peek() == Some(&'"') {
                        self.letters.next();
                        cell.push('"');
                    } else {
                        quoted = false;
                    }
                }
                '"' if cell.is_empty() => quoted = true,
                letter if quoted => cell.push(letter),
                '\n' => break,
                '\r' if self.letters.peek() == Some(&'\n') => {}
                letter if letter == self.delimiter => cells.push(std::mem::take(&mut cell)),
                letter => cell.push(letter),
            }
        }
        cells.push(cell);
        Some(cells)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::json::parse;

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
                "1,2\n3",
                ',',
                Some(&given),
                r#"[{"x":"1","y":"2"},{"x":"3","y":""}]"#,
            ),
            ("", ',', None, "[]"),
        ] {
            let items = items(text, delimiter, headers.map(Vec::as_slice), None).unwrap();
            assert_eq!(Value::array(items), parse(wanted).unwrap(), "{text}");
        }
        assert!(items("a,a\n1,2", ',', None, None).is_err());
        assert_eq!(items("a\n1\n2\n3", ',', None, Some(2)).unwrap().len(), 2);
    }
}
