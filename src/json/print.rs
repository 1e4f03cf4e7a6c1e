//! Prints a value as text, either compact or indented.

use super::packed::Packed;
use super::visible::every_byte;
use super::{Number, Value};
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

/// Maximum capacity in bytes that is reserved up front. The printed text may be much larger than the value in memory,
/// because a value can contain the same shared part many times.
const MADE: usize = 16 << 20;
/// Minimum size of a part in bytes, except for the last one.
const PART: usize = 16 << 10;

/// JSON text indented by two spaces, without a final newline.
#[must_use]
pub fn pretty(value: &Value) -> String {
    // This is the compact size; indentation makes the text grow beyond it.
    let mut out =
        String::with_capacity(usize::try_from(value.size()).map_or(0, |size| size.min(MADE)));
    write_pretty(value, 0, &mut out, &mut |_| {});
    out
}

/// Like [`pretty`], but passes the text to `take` in parts of some kilobytes; a part with a long string is longer.
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

pub(super) fn write_number(number: &Number, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{number}");
}

/// Length of `text` as a JSON string in bytes, including the quotes.
pub(super) fn quoted_len(text: &str) -> u64 {
    if every_byte(text, |byte| byte >= 32 && byte != b'"' && byte != b'\\') {
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
    if every_byte(text, |byte| byte >= 32 && byte != b'"' && byte != b'\\') {
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
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_quoted(text, out),
        Value::Array(array) => {
            out.push('[');
            let texts = array.packed().into_iter().flat_map(Packed::texts);
            for (place, text) in texts.enumerate() {
                if place > 0 {
                    out.push(',');
                }
                out.push_str(text);
            }
            for (place, item) in array.values().unwrap_or_default().iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write_compact(item, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (place, (name, member)) in object.members().iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write_quoted(name, out);
                out.push(':');
                write_compact(member, out);
            }
            out.push('}');
        }
    }
}

/// Spaces for indentation, written repeatedly for deeper levels.
const BLANKS: &str = "                ";

/// Writes a value with this indentation. Calls `written` with the text so far after each item and member.
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
                if place > 0 {
                    out.push(',');
                }
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
                if place > 0 {
                    out.push(',');
                }
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
