//! The events that hold a text: which of them are shown, and which is selected.
//!
//! It must not know what was looked for in an event, nor how a row is drawn.

use super::line::{moved, scroll};
use super::{Motion, Paint};

/// The events of a run that hold a text.
#[derive(Clone, Debug)]
pub(super) struct Matched {
    wanted: String,
    /// Their numbers, ascending.
    numbers: Vec<u64>,
    /// The run, and how many events it had: of a longer one they are not all.
    of: (u32, u64),
}

impl Matched {
    pub(super) fn new(paint: &Paint, wanted: String, numbers: Vec<u64>) -> Self {
        let header = &paint.view.header;
        Self {
            wanted,
            numbers,
            of: (header.run, header.event_count),
        }
    }

    /// Whether they are those of what is recorded now.
    pub(super) fn is_of(&self, paint: &Paint) -> bool {
        let header = &paint.view.header;
        self.of == (header.run, header.event_count)
    }

    /// The place of an event among them, or of the one before it.
    fn place(&self, number: u64) -> usize {
        let until = self.numbers.partition_point(|own| *own <= number);
        until.saturating_sub(1)
    }

    /// Those that so many rows show.
    pub(super) fn shown(&self, selected: u64, room: usize) -> &[u64] {
        let (at, room) = (self.place(selected), room.max(1));
        let top = scroll(at.saturating_sub(room / 2), at, self.numbers.len(), room);
        let end = self.numbers.len().min(top + room);
        self.numbers.get(top..end).unwrap_or_default()
    }

    /// The one that a motion leads to.
    pub(super) fn moved(&self, selected: u64, motion: Motion, page: usize) -> Option<u64> {
        let at = moved(motion, self.place(selected), self.numbers.len(), page);
        self.numbers.get(at).copied()
    }

    /// `"Ship": 3 of 41`.
    pub(super) fn title(&self, selected: u64) -> String {
        let (number, count) = (self.place(selected) + 1, self.numbers.len());
        format!(
            "\"{}\": {number} of {count}, / alone shows all",
            self.wanted
        )
    }
}
