//! A text without JSON escapes, at any depth of quoting.

use std::ops::Range;

/// The plain form of a text: without backslashes, a control character as the letter of its escape, and each `uXXXX` as
/// its code unit. `a"ü`, `a\"\u00fc` and `a\\\"\\u00FC` have the same plain form. Texts that differ only in their
/// escapes cannot be distinguished.
#[derive(Debug, Default)]
pub(super) struct Plain {
    /// UTF-16 code units.
    units: Vec<u16>,
    /// Index of the first byte of each unit in the text, including its backslashes.
    starts: Vec<usize>,
    /// Length of the text in bytes.
    len: usize,
}

impl Plain {
    pub(super) fn of(text: &str) -> Self {
        let mut plain = Self {
            len: text.len(),
            ..Self::default()
        };
        let mut escape = None;
        for (at, c) in text.char_indices() {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let start = escape.unwrap_or(at);
                escape = (!plain.push(*unit, start)).then_some(start);
            }
        }
        plain
    }

    pub(super) fn units(&self) -> &[u16] {
        &self.units
    }

    /// The byte range of the text for a range of units.
    pub(super) fn bytes(&self, units: Range<usize>) -> Range<usize> {
        let start = |unit| self.starts.get(unit).copied().unwrap_or(self.len);
        start(units.start)..start(units.end)
    }

    /// Appends a unit that begins at this byte; returns false for a backslash, which belongs to the next unit.
    fn push(&mut self, mut unit: u16, mut start: usize) -> bool {
        loop {
            let letter = match unit {
                0x5c => return false,
                0x08 => b'b',
                0x09 => b't',
                0x0a => b'n',
                0x0c => b'f',
                0x0d => b'r',
                _ => 0,
            };
            self.units
                .push(if letter == 0 { unit } else { letter.into() });
            self.starts.push(start);
            let Some((before, escape)) = self.units.split_last_chunk() else {
                return true;
            };
            let Some(escaped) = escaped(*escape) else {
                return true;
            };
            let before = before.len();
            unit = escaped;
            start = self.starts.get(before).copied().unwrap_or(start);
            self.units.truncate(before);
            self.starts.truncate(before);
        }
    }
}

/// The code unit of an escape `uXXXX`.
fn escaped(escape: [u16; 5]) -> Option<u16> {
    let [u, digits @ ..] = escape;
    let digit = |unit: u16| char::from_u32(unit.into())?.to_digit(16);
    let value = digits
        .into_iter()
        .try_fold(0, |value, unit| Some(value << 4 | digit(unit)?));
    let is_escape = u == u16::from(b'u');
    value
        .filter(|_| is_escape)
        .and_then(|value| value.try_into().ok())
}
