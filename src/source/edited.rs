//! Replaces ranges of a text.

use std::ops::Range;

/// Returns the text with each of the byte ranges replaced. The ranges must not overlap.
#[must_use]
pub fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        out.push_str(text.get(at..range.start).unwrap_or(""));
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}
