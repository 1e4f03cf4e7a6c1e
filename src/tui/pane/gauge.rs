//! Shows how much of AWS's size limit a value uses, and its largest parts.

use super::Paint;
use super::block::Note;
use super::line::bytes;
use crate::interpreter::PAYLOAD_LIMIT;
use crate::json::{Value, heaviest};
use crate::tui::theme::Role;

/// Width of the bar, in cells.
const BAR: u64 = 10;
/// Maximum number of parts to name.
const PLACES: usize = 3;

/// Percentage of the limit, rounded, if it is at least half.
pub(super) fn share(value: &Value) -> Option<(String, Role)> {
    let percent = percent(value);
    let role = match percent {
        0..50 => return None,
        50..=100 if value.size() <= PAYLOAD_LIMIT => Role::Warning,
        _ => Role::Error,
    };
    Some((format!(" {percent} %"), role))
}

fn percent(value: &Value) -> u64 {
    value.size().saturating_mul(100) / PAYLOAD_LIMIT
}

/// A line with a bar, and one with the largest parts.
pub(super) fn notes(paint: &Paint, value: &Value) -> Vec<Note> {
    let percent = percent(value);
    let filled = (percent.saturating_mul(BAR) / 100).min(BAR);
    let bar: String = (0..BAR)
        .map(|cell| {
            if cell < filled {
                paint.glyphs.full
            } else {
                paint.glyphs.empty
            }
        })
        .collect();
    let role = share(value).map_or(Role::Dim, |(_, role)| role);
    let over = if value.size() > PAYLOAD_LIMIT {
        ": too large for AWS"
    } else {
        ""
    };
    let note = |text: String| Note {
        sign: "",
        label: String::new(),
        text,
        role,
    };
    let mut notes = vec![note(format!("{bar} {percent} % of AWS's 256 KiB{over}"))];
    let places: Vec<String> = heaviest(value, PLACES)
        .into_iter()
        .map(|(place, size)| format!("{place} {}", bytes(size)))
        .collect();
    if !places.is_empty() {
        let dot = format!(" {} ", paint.glyphs.dot);
        notes.push(note(format!("mostly {}", places.join(&dot))));
    }
    notes
}
