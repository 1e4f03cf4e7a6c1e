//! Prints a value as JSON text, compact or indented, and makes text safe to display.

use super::Value;
use super::array::Packed;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The text of a string without quotes; any other value as compact JSON.
#[must_use]
pub fn bare(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| one_line(value), str::to_string)
}

/// Compact JSON text.
#[must_use]
pub fn one_line(value: &Value) -> String {
    let mut out = String::new();
    write_compact(value, &mut out);
    out
}

/// Maximum capacity, in bytes, that is reserved in advance for the text of a value. A value that contains the same
/// shared part many times needs little memory, but its text can be very long.
const MADE: usize = 16 << 20;
/// Minimum size, in bytes, of the pieces of text that [`pretty_in_parts`] passes on; only the last piece may be
/// smaller.
const PART: usize = 16 << 10;

/// JSON text indented by two spaces, without a final newline.
#[must_use]
pub fn pretty(value: &Value) -> String {
    // The size as compact JSON is a lower bound; indentation makes the text longer.
    let mut out =
        String::with_capacity(usize::try_from(value.size()).map_or(0, |size| size.min(MADE)));
    write_pretty(value, 0, &mut out, &mut |_| {});
    out
}

/// Like [`pretty`], but passes the text to `take` in pieces of some kilobytes; a piece with a long string is longer.
pub fn pretty_in_parts(value: &Value, take: &mut dyn FnMut(&str)) {
    let mut out = String::new();
    write_pretty(value, 0, &mut out, &mut |out| {
        if out.len() >= PART {
            take(out);
            out.clear();
        }
    });
    take(&out);
}

/// True if a byte of `text` has to be escaped in a JSON string.
fn needs_escape(text: &str) -> bool {
    !every_byte(text, |byte| byte >= 32 && byte != b'"' && byte != b'\\')
}

/// Length of `text` as a JSON string in bytes, including the quotes.
pub(super) fn quoted_len(text: &str) -> u64 {
    if !needs_escape(text) {
        return text.len() as u64 + 2;
    }
    // A plain loop, because unoptimized builds spend most of their time here on long texts.
    let mut extra = 0;
    for byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => extra += 1,
            0..=31 => extra += 5,
            _ => {}
        }
    }
    text.len() as u64 + 2 + extra
}

/// Writes `text` as a quoted and escaped JSON string.
pub(super) fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    if !needs_escape(text) {
        out.push_str(text);
        out.push('"');
        return;
    }
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if u32::from(c) < 32 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

pub(super) fn write_compact(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => {
            // Writing to a String cannot fail.
            let _ = write!(out, "{number}");
        }
        Value::String(text) => write_quoted(text, out),
        Value::Array(array) => {
            out.push('[');
            let texts = array.packed().into_iter().flat_map(Packed::texts);
            for (place, text) in texts.enumerate() {
                comma(place, out);
                out.push_str(text);
            }
            for (place, item) in array.values().unwrap_or_default().iter().enumerate() {
                comma(place, out);
                write_compact(item, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (place, (name, member)) in object.members().iter().enumerate() {
                comma(place, out);
                write_quoted(name, out);
                out.push(':');
                write_compact(member, out);
            }
            out.push('}');
        }
    }
}

fn comma(place: usize, out: &mut String) {
    if place > 0 {
        out.push(',');
    }
}

/// Spaces for indentation, written repeatedly for deeper levels.
const BLANKS: &str = "                ";

/// Writes a value that is nested `indent` levels deep. After each item and member, calls `written` with the text so
/// far.
fn write_pretty(
    value: &Value,
    indent: usize,
    out: &mut String,
    written: &mut dyn FnMut(&mut String),
) {
    let line = |out: &mut String, indent: usize| {
        out.push('\n');
        let mut left = indent * 2;
        while left > 0 {
            let part = BLANKS.get(..left).unwrap_or(BLANKS);
            out.push_str(part);
            left -= part.len();
        }
    };
    match value {
        Value::Array(array) if !array.is_empty() => {
            out.push('[');
            for place in 0..array.len() {
                comma(place, out);
                line(out, indent + 1);
                if let Some(item) = array.item(place) {
                    write_pretty(&item, indent + 1, out, written);
                    written(out);
                }
            }
            line(out, indent);
            out.push(']');
        }
        Value::Object(object) if !object.members().is_empty() => {
            out.push('{');
            for (place, (name, member)) in object.members().iter().enumerate() {
                comma(place, out);
                line(out, indent + 1);
                write_quoted(name, out);
                out.push_str(": ");
                write_pretty(member, indent + 1, out, written);
                written(out);
            }
            line(out, indent);
            out.push('}');
        }
        _ => write_compact(value, out),
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&one_line(self))
    }
}

/// True if `holds` is true for every byte. Works in blocks without a branch per byte, because texts may be long.
pub(crate) fn every_byte(text: &str, holds: impl Fn(u8) -> bool) -> bool {
    text.as_bytes().chunks(512).all(|block| {
        let mut all = true;
        for byte in block {
            all &= holds(*byte);
        }
        all
    })
}

/// Replaces control, bidi and zero-width characters with symbols (`␛`, `␀`, `·`).
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if every_byte(text, |byte| (b' '..=b'~').contains(&byte))
        || text.chars().all(|c| symbol(c).is_none())
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| symbol(c).unwrap_or(c)).collect())
}

/// Makes text safe for use as a line or inside a line: replaces the characters that [`visible`] replaces, including
/// line ends. Puts `·` before a leading `::`, so that GitHub Actions does not read the line as a log command such as
/// `::error::`.
#[must_use]
pub fn on_line(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    match shown.trim_start().starts_with("::") {
        true => Cow::Owned(format!("·{shown}")),
        false => shown,
    }
}

/// Text made of whole lines, for display or logs. Line breaks inside an added line are replaced.
#[derive(Clone, Debug, Default)]
pub struct Lines(String);

impl Lines {
    /// Adds a line; see [`on_line`].
    pub fn add(&mut self, line: impl AsRef<str>) {
        self.0.push_str(&on_line(line.as_ref()));
        self.0.push('\n');
    }
}

impl From<Lines> for String {
    fn from(lines: Lines) -> Self {
        lines.0
    }
}

/// Escapes text for one line of XML or HTML. Markup and line ends become entities; characters that a terminal would
/// interpret or that XML does not allow become symbols.
#[must_use]
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c => out.push(symbol(c).unwrap_or(c)),
        }
    }
    out
}

/// Writes characters that a terminal would interpret as `\u` escapes in JSON text. The JSON value stays the same.
#[must_use]
pub fn escaped(json: &str) -> Cow<'_, str> {
    // JSON text has control characters below U+007F only as whitespace between its values; this whitespace is kept.
    let hidden = |c: char| c >= '\u{7f}' && steers(c);
    if every_byte(json, |byte| byte < 0x7f) || !json.chars().any(hidden) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// True if a terminal might interpret the character, or display nothing for it.
#[must_use]
pub fn steers(c: char) -> bool {
    symbol(c).is_some()
}

/// The symbol displayed in place of `c`, if `c` must not be sent to a terminal.
fn symbol(c: char) -> Option<char> {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code),
        0x7f => Some('\u{2421}'),
        // XML does not allow U+FFFE and U+FFFF.
        0x80..=0x9f | 0xfffe | 0xffff => Some('\u{fffd}'),
        0xad
        | 0x34f
        | 0x61c
        | 0x115f..=0x1160
        | 0x17b4..=0x17b5
        | 0x180b..=0x180f
        | 0x200b..=0x200f
        | 0x2028..=0x202e
        | 0x2060..=0x206f
        | 0x3164
        | 0xfe00..=0xfe0f
        | 0xfeff
        | 0xffa0
        | 0xfff0..=0xfffb
        | 0x1bca0..=0x1bca3
        | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff => Some('\u{b7}'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers() {
        assert_eq!(visible("plain é 漢"), "plain é 漢");
        assert_eq!(
            visible("\u{1b}[2J\u{9b}\u{202e}x\u{200b}\n"),
            "␛[2J\u{fffd}·x·␊"
        );
    }

    #[test]
    fn lines_are_ended_by_nothing_that_is_put_on_them() {
        let mut lines = Lines::default();
        lines.add("a\n::error::b\r\u{85}");
        lines.add(" ::error::c");
        assert_eq!(String::from(lines), "a␊::error::b␍\u{fffd}\n· ::error::c\n");
    }

    #[test]
    fn xml_has_nothing_raw() {
        let text = "<a&\">]]>\n\t\u{1b}\u{9b}\u{ffff}é";
        let safe = "&lt;a&amp;&quot;&gt;]]&gt;&#10;&#9;␛\u{fffd}\u{fffd}é";
        assert_eq!(xml(text), safe);
    }

    #[test]
    fn quotes_are_written_and_counted_at_every_place() {
        for (byte, place) in (0..=127_u8).flat_map(|byte| (0..20).map(move |place| (byte, place))) {
            let text = format!("{}{}{}", "x".repeat(place), char::from(byte), "é".repeat(9));
            let (mut quoted, wanted) = (String::new(), serde_json::to_string(&text).unwrap());
            write_quoted(&text, &mut quoted);
            assert_eq!(quoted, wanted);
            assert_eq!(quoted_len(&text), wanted.len() as u64);
        }
    }

    #[test]
    fn escapes_keep_the_value() {
        assert_eq!(escaped("{\n\t\"é漢\": 1}"), "{\n\t\"é漢\": 1}");
        let text = "\"\u{9b}31m\u{7f}\u{202e}\u{e0041}é\"";
        let safe = escaped(text);
        assert_eq!(safe, "\"\\u009b31m\\u007f\\u202e\\udb40\\udc41é\"");
        assert_eq!(crate::json::parse(&safe), crate::json::parse(text));
    }
}
