//! Converts the YAML parser's lines and columns to byte offsets, and finds the ends of tags and anchors.

use saphyr_parser::Marker;

/// Offsets of line starts. Optimized for markers that come mostly in order.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    ascii: bool,
    /// Line, column and byte offset of the last marker.
    last: (usize, usize, usize),
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends {
                starts.push(at + 1);
            }
        }
        Self {
            text,
            starts,
            ascii: text.is_ascii(),
            last: (0, 0, 0),
        }
    }

    /// The byte offset of a marker.
    pub(super) fn byte(&mut self, marker: Marker) -> usize {
        let line = marker.line().saturating_sub(1);
        let Some(start) = self.starts.get(line).copied() else {
            return self.text.len();
        };
        if self.ascii {
            return (start + marker.col()).min(self.text.len());
        }
        let (from, skip) = match self.last {
            (known, column, byte) if known == line && column <= marker.col() => {
                (byte, marker.col() - column)
            }
            _ => (start, marker.col()),
        };
        let rest = self.text.get(from..).unwrap_or("");
        let byte = rest
            .char_indices()
            .nth(skip)
            .map_or(self.text.len(), |(at, _)| from + at);
        self.last = (line, marker.col(), byte);
        byte
    }
}

/// Offset of the first character after whitespace, line breaks and comments.
fn after_blanks(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = text.get(at..).unwrap_or("");
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        at += blanks;
        let rest = text.get(at..).unwrap_or("");
        if !rest.starts_with('#') || blanks == 0 {
            return at;
        }
        at += rest.find(['\n', '\r']).unwrap_or(rest.len());
    }
}

/// Offset of the end of a tag or anchor that begins at `at`.
fn property_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    let stops: &[char] = if rest.starts_with("!<") {
        &[' ', '\t', '\r', '\n']
    } else {
        &[' ', '\t', '\r', '\n', ',', '[', ']', '{', '}']
    };
    at + rest.find(stops).unwrap_or(rest.len())
}

/// Offset of the node after the tags and anchors at `start`.
pub(super) fn after_properties(text: &str, start: usize) -> usize {
    let mut at = start;
    for _ in 0..2 {
        match text.as_bytes().get(at) {
            Some(b'!' | b'&') => at = after_blanks(text, property_end(text, at)),
            _ => break,
        }
    }
    at
}

/// The tag among the properties that begin at `start`, with its offset.
pub(super) fn tag(text: &str, start: usize) -> Option<(usize, &str)> {
    let mut at = start;
    for _ in 0..2 {
        let end = property_end(text, at);
        match text.as_bytes().get(at)? {
            b'!' => return text.get(at..end).map(|tag| (at, tag)),
            b'&' => at = after_blanks(text, end),
            _ => return None,
        }
    }
    None
}

/// Offset of the first character that YAML forbids.
pub(super) fn control(text: &str) -> Option<usize> {
    text.bytes()
        .position(|byte| (byte < 32 && !matches!(byte, b'\t' | b'\n' | b'\r')) || byte == 127)
}
