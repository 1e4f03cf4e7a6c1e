//! JSON text that is data (inputs, mock answers, `States.StringToJson`) to a [`Value`].
//!
//! It must not know definitions: those keep positions and are read by `source`.

use super::Value;
use super::reader::Reader;

/// A text is not read if its values would take more than this, in bytes.
pub const MOST_PARSED: u64 = 256 << 20;

/// Why text is not JSON, with the place (1-based).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line} column {column}")]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// What a byte of JSON text is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Structure,
    String,
    Escape,
    LineComment,
    BlockComment,
}

/// The bytes of a JSON text that are in no string and no comment, with their places; of a string only the first quote.
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
        // The stars and slashes of a comment's beginning and end are no part of another.
        before = if within == was { *byte } else { 0 };
        was == Structure
    })
}

/// About the bytes of memory that the values of a JSON text take.
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

/// Reads one JSON value, nesting up to 127 deep.
///
/// # Errors
/// If `text` is not one JSON value, or its values take more memory than [`MOST_PARSED`].
pub fn parse(text: &str) -> Result<Value, ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // No byte comes to more than an object.
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

    /// What both ways to read a text come to is the same, where the fast one reads it.
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
