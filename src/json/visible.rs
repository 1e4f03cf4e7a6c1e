//! Makes text safe to display by replacing characters that a terminal would interpret with symbols.

use std::borrow::Cow;
use std::fmt::Write as _;

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

/// Makes text safe for use as a line or part of one: line ends are replaced as well, and a leading `::` is prefixed so
/// that GitHub Actions does not read the line as a log command such as `::error::`.
#[must_use]
pub fn on_line(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    match shown.trim_start().starts_with("::") {
        true => Cow::Owned(format!("·{shown}")),
        false => shown,
    }
}

/// Text made of whole lines for display or logs. Text added as one line cannot contain a line break.
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

/// Escapes text for one line of XML or HTML: markup and line ends become entities; characters that a terminal would
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
    // Below U+007F, only punctuation and whitespace occur outside of escapes in JSON text.
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
    fn escapes_keep_the_value() {
        assert_eq!(escaped("{\n\t\"é漢\": 1}"), "{\n\t\"é漢\": 1}");
        let text = "\"\u{9b}31m\u{7f}\u{202e}\u{e0041}é\"";
        let safe = escaped(text);
        assert_eq!(safe, "\"\\u009b31m\\u007f\\u202e\\udb40\\udc41é\"");
        assert_eq!(crate::json::parse(&safe), crate::json::parse(text));
    }
}
