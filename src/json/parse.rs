//! Parses JSON data (inputs, mock answers, `States.StringToJson`) into a [`Value`]. Definitions are parsed by `source`,
//! which keeps their positions.

use super::Value;
use super::reader::Reader;

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

/// Kind of text that a byte belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Structure,
    String,
    Escape,
    LineComment,
    BlockComment,
}

/// Returns the bytes outside strings and comments with their offsets. For each string, only the opening quote is
/// returned.
pub fn structure(text: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    use Within::{BlockComment, Escape, LineComment, Structure};
    let (mut within, mut before) = (Structure, 0);
    text.bytes().enumerate().filter(move |(_, byte)| {
        let was = within;
        within = match (was, before, *byte) {
            (Structure, _, b'"') | (Escape, ..) => Within::String,
            (Structure, b'/', b'/') => LineComment,
            (Structure, b'/', b'*') => BlockComment,
            (Within::String, _, b'\\') => Escape,
            (Within::String, _, b'"') | (LineComment, _, b'\n') | (BlockComment, b'*', b'/') => {
                Structure
            }
            _ => was,
        };
        // The characters that open and close a comment must not count towards the start or end of another one.
        before = if within == was { *byte } else { 0 };
        was == Structure
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
    // Shorter texts need no estimate: no byte adds more than 137 to it, which is what an opening brace adds.
    if text.len() as u64 > MOST_PARSED / 137 && parsed_memory(text) > MOST_PARSED {
        return Err(ParseError {
            message: format!(
                "its values would take more than {} MiB of memory",
                MOST_PARSED >> 20
            ),
            line: 1,
            column: 1,
        });
    }
    if let Some(value) = Reader::default().read(text) {
        return Ok(value);
    }
    serde_json::from_str::<serde_json::Value>(text)
        .map(Value::from)
        .map_err(|error| {
            let whole = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = whole.strip_suffix(&place).unwrap_or(&whole).to_string();
            ParseError {
                message,
                line: error.line(),
                column: error.column().max(1),
            }
        })
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
