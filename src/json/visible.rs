//! Makes text safe to show: characters that a terminal interprets are replaced by symbols.
//!
//! It must not know widths or colours.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a test holds for every byte of a text; in blocks without a branch for each byte, as texts may be long.
pub(crate) fn every_byte(text: &str, holds: impl Fn(u8) -> bool) -> bool {
    text.as_bytes().chunks(512).all(|block| {
        let mut all = true;
        for byte in block {
            all &= holds(*byte);
        }
        all
    })
}

/// `text` with control, bidi and zero-width characters replaced by symbols (`␛`, `␀`, `·`).
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if every_byte(text, |byte| (b' '..=b'~').contains(&byte))
        || text.chars().all(|c| symbol(c).is_none())
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| symbol(c).unwrap_or(c)).collect())
}

/// Text that is one line, or a part of one: its line ends are symbols as well, and it does not begin as the log commands of
/// GitHub Actions (`::error::`) do.
#[must_use]
pub fn on_line(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    match shown.trim_start().starts_with("::") {
        true => Cow::Owned(format!("·{shown}")),
        false => shown,
    }
}

/// Text of whole lines, for people and for logs: what is put on a line does not end it.
#[derive(Clone, Debug, Default)]
pub struct Lines(String);

impl Lines {
    /// Adds a line, see [`on_line`].
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

/// Text inside XML and HTML, on one line: markup and line ends are escaped, and what a terminal interprets or XML may not
/// hold is a symbol.
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

/// JSON text with everything of that kind written as `\u` escapes: it stays the same value.
#[must_use]
pub fn escaped(json: &str) -> Cow<'_, str> {
    // Below that, JSON text has only punctuation and blanks.
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

/// Whether a terminal could interpret the character, or show nothing for it.
#[must_use]
pub fn steers(c: char) -> bool {
    symbol(c).is_some()
}

/// The symbol that stands for `c`, where `c` must not reach a terminal.
fn symbol(c: char) -> Option<char> {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code),
        0x7f => Some('\u{2421}'),
        // XML has no form for the last two.
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
    fn escapes_keep_the_value() {
        assert_eq!(escaped("{\n\t\"é漢\": 1}"), "{\n\t\"é漢\": 1}");
        let text = "\"\u{9b}31m\u{7f}\u{202e}\u{e0041}é\"";
        let safe = escaped(text);
        assert_eq!(safe, "\"\\u009b31m\\u007f\\u202e\\udb40\\udc41é\"");
        assert_eq!(crate::json::parse(&safe), crate::json::parse(text));
    }
}
