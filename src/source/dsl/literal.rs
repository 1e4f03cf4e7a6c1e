//! The literals of a program: raw strings, docstrings and exact numbers.

use crate::json::Number;
use crate::source::{OffsetMap, SourceId, Span};

/// The text between two quotes, with a map to the source. Line breaks become `\n`.
pub(super) fn raw(text: &str, id: SourceId, start: usize, end: usize) -> (String, OffsetMap) {
    let inner = text.get(start..end).unwrap_or("");
    let mut joined = Joined::new(id);
    for (count, line) in inner.split("\r\n").enumerate() {
        if count > 0 {
            joined.line_end(start_of(text, line));
        }
        joined.piece(line, start_of(text, line));
    }
    joined.finish(start)
}

/// Byte offset of `part`, which must be a slice of `text`.
fn start_of(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// Name and comment from a docstring.
pub(super) struct Title {
    /// The first line, trimmed; may be empty.
    pub name: String,
    /// Everything after the first line.
    pub comment: Option<(String, OffsetMap)>,
}

/// Splits the text of a docstring into its name and its comment.
pub(super) fn title(text: &str, id: SourceId, start: usize, end: usize) -> Title {
    let inner = text.get(start..end).unwrap_or("");
    let Some((name, rest)) = inner.split_once('\n') else {
        return Title {
            name: inner.trim().to_string(),
            comment: None,
        };
    };
    let mut joined = Joined::new(id);
    for (count, line) in rest.split('\n').enumerate() {
        let kept = line.trim();
        let at = start_of(text, if kept.is_empty() { line } else { kept });
        if count > 0 {
            joined.line_end(at);
        }
        joined.piece(kept, at);
    }
    Title {
        name: name.trim().to_string(),
        comment: Some(joined.finish(start)),
    }
}

/// A text joined from pieces of the source.
struct Joined {
    id: SourceId,
    text: String,
    pieces: Vec<(u32, Span)>,
}

impl Joined {
    fn new(id: SourceId) -> Self {
        Self {
            id,
            text: String::new(),
            pieces: Vec::new(),
        }
    }

    fn mark(&mut self, start: usize, end: usize) {
        let at = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.pieces.push((at, Span::new(self.id, start..end)));
    }

    fn piece(&mut self, text: &str, start: usize) {
        self.mark(start, start + text.len());
        self.text.push_str(text);
    }

    fn line_end(&mut self, next: usize) {
        self.mark(next, next);
        self.text.push('\n');
    }

    fn finish(mut self, start: usize) -> (String, OffsetMap) {
        if self.pieces.is_empty() {
            self.mark(start, start);
        }
        (self.text, OffsetMap::new(self.pieces))
    }
}

/// Notation of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Only digits.
    Whole,
    /// With a decimal point or an exponent.
    Real,
}

/// The reason why a number is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoNumber {
    /// The notation is not supported, such as hexadecimal or imaginary numbers.
    Unknown,
    /// The number is out of range.
    Range,
}

/// Parses a number. With `real`, an integer is converted to a decimal fraction: `2` becomes `2.0`.
pub(super) fn number(text: &str, real: bool) -> Result<(Number, Written), NoNumber> {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let (sign, digits) = plain
        .strip_prefix('-')
        .map_or(("", plain.as_str()), |digits| ("-", digits));
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && !real {
        let kept = digits.trim_start_matches('0');
        let exact = if kept.is_empty() {
            "0".to_string()
        } else {
            format!("{sign}{kept}")
        };
        let number = Number::parse(&exact).ok_or(NoNumber::Unknown)?;
        return Ok((number, Written::Whole));
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(NoNumber::Unknown);
    }
    let value: f64 = plain.parse().map_err(|_| NoNumber::Unknown)?;
    if !value.is_finite() {
        return Err(NoNumber::Range);
    }
    let number = Number::parse(&format!("{value:?}")).ok_or(NoNumber::Unknown)?;
    Ok((number, Written::Real))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        number(text, false).map_or_else(|no| format!("{no:?}"), |(number, _)| number.to_string())
    }

    #[test]
    fn numbers() {
        let texts = "0 00 1_000 1.50 .5 2. 1e3 1.5E-2 123456789012345678901234567890 -3 -0 1e999 0x10 1j 1e-7 1e22";
        let all: Vec<String> = texts.split(' ').map(shown).collect();
        assert_eq!(
            all.join(" "),
            "0 0 1000 1.5 0.5 2.0 1000.0 0.015 123456789012345678901234567890 -3 0 Range Unknown Unknown 1e-7 1e22"
        );
        assert_eq!(
            number("2", true).map(|(number, _)| number.to_string()),
            Ok("2.0".to_string())
        );
    }

    #[test]
    fn comments_lead_back() {
        let text = "\"\"\" N \r\n  first\n\n   second \"\"\"";
        let title = title(text, SourceId(0), 3, text.len() - 3);
        let (comment, map) = title.comment.expect("a comment");
        assert_eq!(
            (title.name.as_str(), comment.as_str()),
            ("N", "first\n\nsecond")
        );
        let at = comment.find("second").expect("second");
        assert_eq!(&text[map.span(at..at + 6).range()], "second");
        let (kept, map) = raw("'a\r\nb'", SourceId(0), 1, 5);
        assert_eq!((kept.as_str(), map.span(2..3).range()), ("a\nb", 4..5));
    }
}
