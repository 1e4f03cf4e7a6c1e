//! Prints a value as YAML. The order of members and the notation of numbers are kept. A text is quoted if a YAML reader
//! might otherwise read it as another value.

use super::scalar::{self, Plain};
use crate::json::{Value, escaped, one_line, steers};

/// Maximum length, in bytes, of a key that is printed without a `?` before it.
const LONGEST_KEY: usize = 200;

/// Prints a value as YAML in block style, with a final line break.
#[must_use]
pub fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(object) if !object.members().is_empty() => block(&mut out, value, 0),
        Value::Array(array) if !array.items().is_empty() => block(&mut out, value, 0),
        _ => {
            inline(&mut out, value, 0);
            out.push('\n');
        }
    }
    out
}

/// Prints an object or array that is not empty, in lines of their own.
fn block(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(object) => {
            for (name, value) in object.members() {
                pad(out, indent);
                if name.len() > LONGEST_KEY {
                    out.push_str("? ");
                    double(out, name);
                    out.push('\n');
                    pad(out, indent);
                } else {
                    key(out, name);
                }
                out.push(':');
                member(out, value, indent);
            }
        }
        Value::Array(array) => {
            for item in array.items() {
                pad(out, indent);
                out.push('-');
                entry(out, item, indent);
            }
        }
        _ => {}
    }
}

fn is_full(value: &Value) -> bool {
    match value {
        Value::Object(object) => !object.members().is_empty(),
        Value::Array(array) => !array.items().is_empty(),
        _ => false,
    }
}

fn member(out: &mut String, value: &Value, indent: usize) {
    if is_full(value) {
        out.push('\n');
        block(out, value, indent + 2);
    } else {
        out.push(' ');
        inline(out, value, indent + 2);
        out.push('\n');
    }
}

/// Prints an item of a list, after its `-`. The first line of an object or array is on the same line as the `-`.
fn entry(out: &mut String, value: &Value, indent: usize) {
    if is_full(value) {
        let mut inner = String::new();
        block(&mut inner, value, indent + 2);
        out.push(' ');
        out.push_str(inner.trim_start_matches(' '));
    } else {
        out.push(' ');
        inline(out, value, indent + 2);
        out.push('\n');
    }
}

fn inline(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::String(text) if is_block(text) => {
            out.push_str(if text.ends_with('\n') { "|" } else { "|-" });
            for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                out.push('\n');
                if !line.is_empty() {
                    pad(out, indent);
                    out.push_str(line);
                }
            }
        }
        Value::String(text) => string(out, text),
        Value::Object(_) => out.push_str("{}"),
        Value::Array(_) => out.push_str("[]"),
        _ => out.push_str(&escaped(&one_line(value))),
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

fn key(out: &mut String, name: &str) {
    if name.contains('\n') {
        double(out, name);
    } else {
        string(out, name);
    }
}

/// True if the text can be printed as a literal block (`|`) without a change when it is read again. No line may begin
/// with `::`, because GitHub Actions, for example, takes a line that begins like this in a log for a command.
fn is_block(text: &str) -> bool {
    let is_command = |line: &str| line.trim_start().starts_with("::");
    text.contains('\n')
        && !text.lines().any(is_command)
        && !text.ends_with("\n\n")
        && text != "\n"
        && !text.starts_with([' ', '\n', '\t'])
        && text.chars().all(|c| c == '\n' || is_printable(c))
}

/// True if every YAML reader preserves the character and no terminal reacts to it.
fn is_printable(c: char) -> bool {
    !steers(c) && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

fn string(out: &mut String, text: &str) {
    if !text.chars().all(is_printable) {
        double(out, text);
    } else if is_plain(text) {
        out.push_str(text);
    } else {
        out.push('\'');
        out.push_str(&text.replace('\'', "''"));
        out.push('\'');
    }
}

fn double(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_printable(c) => out.push(c),
            c => {
                let code = u32::from(c);
                let escape = match code {
                    0..=0xff => format!("\\x{code:02x}"),
                    0x100..=0xffff => format!("\\u{code:04x}"),
                    _ => format!("\\U{code:08x}"),
                };
                out.push_str(&escape);
            }
        }
    }
    out.push('"');
}

/// True if YAML 1.1 and YAML 1.2 both read the text, without quotes, as a string with this content.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let lower = text.to_ascii_lowercase();
    let odd = matches!(lower.as_str(), "y" | "n" | "=" | "---" | "..." | "<<");
    matches!(scalar::resolve(text), Plain::Text)
        && !odd
        && !text.starts_with("---")
        && !text.starts_with("...")
        && !"-?:,[]{}#&*!|>'\"%@`~=".contains(first)
        && !text.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '.')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains("\t#")
        && !text.ends_with(':')
        && text.trim() == text
        && text.trim_matches('\u{a0}') == text
}
