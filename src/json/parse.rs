//! JSON text that is data (inputs, mock answers, `States.StringToJson`) to a [`Value`].
//!
//! It must not know definitions: those keep positions and are read by `source`.

use super::Value;
use super::reader::Reader;

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

/// Reads one JSON value, nesting up to 127 deep.
///
/// # Errors
/// Where `text` is not one JSON value.
pub fn parse(text: &str) -> Result<Value, ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(value) = Reader::default().read(text) {
        return Ok(value);
    }
    serde_json::from_str::<serde_json::Value>(text)
        .map(Value::from)
        .map_err(|error| {
            let whole = error.to_string();
            let message = whole
                .split(" at line ")
                .next()
                .unwrap_or(&whole)
                .to_string();
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

    proptest! {
        #[test]
        fn odd_texts_are_read_alike(text in r#"[\[\]{}",:0-9eE.+\-truefalsn \\u"]{0,24}"#) {
            check(&text);
        }
    }
}
