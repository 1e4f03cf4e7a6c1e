//! Text made safe to show: whatever could steer a terminal becomes a symbol.
//!
//! It must not know widths or colours.

use std::borrow::Cow;

/// `text` with control, bidi and zero-width characters replaced by symbols (`␛`, `␀`, `·`).
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| symbol(c).is_none()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| symbol(c).unwrap_or(c)).collect())
}

/// The symbol that stands for `c`, where `c` must not reach a terminal.
fn symbol(c: char) -> Option<char> {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code),
        0x7f => Some('\u{2421}'),
        0x80..=0x9f => Some('\u{fffd}'),
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
}
