//! Parses JSON data (inputs, mock answers, `States.StringToJson`) into a [`Value`]. Definitions are parsed by `source`,
//! which keeps their positions.

use super::{Number, Text, Value};

/// Maximum memory, in bytes, of the values that one text may parse to.
pub const MOST_PARSED: u64 = 256 << 20;

/// A JSON syntax error with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line} column {column}")]
pub struct ParseError {
    /// Description of the error.
    pub message: String,
    /// Line number, from 1.
    pub line: usize,
    /// Column number, from 1.
    pub column: usize,
}

/// Returns the bytes of a text with their offsets. Of each string and comment, only the first byte is returned.
pub fn structure(text: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut left = text.as_bytes();
    std::iter::from_fn(move || {
        let (first, rest) = left.split_first()?;
        let at = text.len() - left.len();
        left = match (first, rest.first()) {
            (b'"', _) => after_string(rest),
            (b'/', Some(b'/')) => after(rest, b"\n"),
            (b'/', Some(b'*')) => after(rest.get(1..).unwrap_or_default(), b"*/"),
            _ => rest,
        };
        Some((at, *first))
    })
}

/// Returns the bytes that follow a string; `text` begins after the string's opening quote.
fn after_string(text: &[u8]) -> &[u8] {
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    bytes.as_slice()
}

/// Returns the bytes that follow the first occurrence of `end`; an empty slice if `end` does not occur.
fn after<'t>(text: &'t [u8], end: &[u8]) -> &'t [u8] {
    let place = text.windows(end.len()).position(|part| part == end);
    place.map_or(&[], |place| {
        text.get(place + end.len()..).unwrap_or_default()
    })
}

/// Estimated memory, in bytes, of the values in a JSON text.
#[must_use]
pub fn parsed_memory(text: &str) -> u64 {
    let structure = structure(text).map(|(_, byte)| match byte {
        b'"' => 40,
        b'[' => 88,
        b'{' => 136,
        b',' => 24,
        _ => 0,
    });
    text.len() as u64 + structure.sum::<u64>()
}

/// Parses one JSON value with a nesting depth of at most 127.
///
/// # Errors
/// If `text` is not exactly one JSON value, or if its values need more memory than [`MOST_PARSED`].
pub fn parse(text: &str) -> Result<Value, ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // The values of a text below this length cannot exceed the limit, so no estimate is needed. The text that needs the
    // most memory for its length repeats `{},`: three bytes of text become 163 bytes of values.
    if text.len() as u64 > MOST_PARSED / 55 && parsed_memory(text) > MOST_PARSED {
        let most = MOST_PARSED >> 20;
        return Err(ParseError {
            message: format!(
                "the values of the JSON text would need more than {most} MiB of memory"
            ),
            line: 1,
            column: 1,
        });
    }
    if let Some(value) = Reader::default().read(text) {
        return Ok(value);
    }
    let read = serde_json::from_str::<serde_json::Value>(text);
    read.map(Value::from).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let whole = error.to_string();
        let place = format!(" at line {line} column {column}");
        ParseError {
            message: whole.strip_suffix(&place).unwrap_or(&whole).to_string(),
            line,
            column: column.max(1),
        }
    })
}

/// Maximum nesting depth that a [`Reader`] accepts; [`parse`] handles deeper texts.
const DEEPEST: usize = 100;
/// Number of member names that a reader remembers at most.
const NAMES: usize = 64;

/// A fast parser that accepts most, but not all, JSON texts. Values parsed by the same reader share the texts of
/// frequent member names.
#[derive(Debug)]
pub struct Reader {
    names: [Option<Text>; NAMES],
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            names: [const { None }; NAMES],
        }
    }
}

impl Reader {
    /// Parses a whole text. `None` if the text is invalid or contains something that this fast parser does not support.
    pub fn read(&mut self, text: &str) -> Option<Value> {
        let mut at = At {
            text,
            place: 0,
            reader: self,
        };
        let value = at.value(0)?;
        at.blanks();
        at.peek().is_none().then_some(value)
    }

    fn name(&mut self, name: &str) -> Text {
        let bytes = name.as_bytes();
        let ends = bytes.first().into_iter().chain(bytes.last());
        let hash = ends.fold(bytes.len(), |sum, byte| sum * 31 + usize::from(*byte));
        match self.names.get_mut(hash % NAMES) {
            Some(Some(known)) if **known == *name => known.clone(),
            Some(place) => place.insert(name.into()).clone(),
            None => name.into(),
        }
    }
}

struct At<'t, 'r> {
    text: &'t str,
    place: usize,
    reader: &'r mut Reader,
}

impl<'t> At<'t, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.place += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.place += 1)
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let is_word = self.text.get(self.place..)?.starts_with(word);
        is_word.then(|| {
            self.place += word.len();
            value
        })
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.blanks();
        match self.peek()? {
            b'"' => self.string(),
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    /// Parses a number; `None` if it has an exponent or is not valid JSON.
    fn number(&mut self) -> Option<Value> {
        let start = self.place;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'.')) {
            self.place += 1;
        }
        if matches!(self.peek(), Some(b'e' | b'E' | b'+')) {
            return None;
        }
        Number::parse(self.text.get(start..self.place)?).map(Value::Number)
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take(b'[')?;
        let mut items = Vec::new();
        self.blanks();
        if self.take(b']').is_some() {
            return Some(Value::array(items));
        }
        (depth < DEEPEST).then_some(())?;
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.take(b',').is_none() {
                self.take(b']')?;
                items.shrink_to_fit();
                return Some(Value::array(items));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take(b'{')?;
        let mut members = Vec::new();
        self.blanks();
        if self.take(b'}').is_some() {
            return Some(Value::object(members));
        }
        (depth < DEEPEST).then_some(())?;
        loop {
            self.blanks();
            let name = match self.plain()? {
                Some(name) => self.reader.name(name),
                None => self.escaped()?.into(),
            };
            self.blanks();
            self.take(b':')?;
            members.push((name, self.value(depth + 1)?));
            self.blanks();
            if self.take(b',').is_none() {
                self.take(b'}')?;
                members.shrink_to_fit();
                return Some(Value::object(members));
            }
        }
    }

    fn string(&mut self) -> Option<Value> {
        Some(Value::String(match self.plain()? {
            Some(text) => text.into(),
            None => self.escaped()?.into(),
        }))
    }

    /// Reads a quoted string without escapes. Returns `Some(None)`, and consumes nothing, if the string contains an
    /// escape.
    fn plain(&mut self) -> Option<Option<&'t str>> {
        (self.peek()? == b'"').then_some(())?;
        let start = self.place + 1;
        let bytes = self.text.as_bytes().get(start..)?;
        let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=31);
        let length = bytes.iter().position(special)?;
        match bytes.get(length)? {
            b'"' => {
                self.place = start + length + 1;
                Some(Some(self.text.get(start..start + length)?))
            }
            b'\\' => Some(None),
            _ => None,
        }
    }

    fn escaped(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut out = String::new();
        loop {
            let rest = self.text.get(self.place..)?;
            let special = |byte: u8| matches!(byte, b'"' | b'\\' | 0..=31);
            let length = rest.bytes().position(special)?;
            out.push_str(rest.get(..length)?);
            self.place += length + 1;
            match rest.as_bytes().get(length)? {
                b'"' => return Some(out),
                b'\\' => out.push(self.escape()?),
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.place += 1;
        Some(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let first = self.unit()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first);
                }
                self.take(b'\\')?;
                self.take(b'u')?;
                let second = self.unit()?;
                let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                return char::from_u32(0x10000 + ((first - 0xd800) << 10) + low);
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.place..self.place + 4)?;
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.place += 4;
        hex.then(|| u32::from_str_radix(digits, 16).ok())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::one_line;
    use proptest::prelude::*;

    /// Asserts that the fast reader, if it accepts the text, returns the same value as `serde_json`.
    fn check(text: &str) {
        let slow = serde_json::from_str::<serde_json::Value>(text).map(Value::from);
        if let Some(fast) = Reader::default().read(text) {
            let slow = slow.unwrap_or_else(|error| panic!("{text:?} was read: {error}"));
            assert_eq!(one_line(&fast), one_line(&slow), "{text:?}");
        }
    }

    #[test]
    fn what_is_read_fast_is_read_alike() {
        for text in [
            r#"{"a":[1,-0,0.50,"\u00e9\ud83d\ude00\n"],"b":{},"a":null, "":true}"#,
            "01",
            "-",
            "1.",
            ".5",
            "1e5",
            "[1,]",
            "{\"a\":1,}",
            "\"\u{1}\"",
            r#""\ud800""#,
            r#""\u12""#,
            "nulll",
            " [ ] ",
            "123456789012345678901234567890",
            "9223372036854775807",
            "\"\\x\"",
            "",
            "[",
            "{\"a\"}",
        ] {
            check(text);
        }
        let read = |text: &str| Reader::default().read(text).is_some();
        assert!(read(r#"{"a":[1,-0.5,"\u00e9",{"a":null}]}"#) && !read("1e5"));
    }

    #[test]
    fn memory_is_counted_outside_strings_and_comments() {
        for (text, memory) in [
            ("[1,2]", 88 + 24),
            (r#"{"a,[":"\"{,"}"#, 136 + 80),
            ("[1] // [,\n /* [*[/ , */ ,", 88 + 24),
            ("/*\"*/[/**/,", 88 + 24),
        ] {
            assert_eq!(parsed_memory(text), text.len() as u64 + memory, "{text}");
        }
        let refused = parse(&format!("[{}{{}}]", "{},".repeat(2 << 20))).expect_err("refused");
        assert!(refused.message.contains("256 MiB"), "{refused}");
    }

    proptest! {
        #[test]
        fn odd_texts_are_read_alike(text in r#"[\[\]{}",:0-9eE.+\-truefalsn \\u"]{0,24}"#) {
            check(&text);
        }
    }
}
