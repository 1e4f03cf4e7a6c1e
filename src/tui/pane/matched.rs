//! The events that hold a text: which of them are shown, and which is selected.

use super::Paint;

/// The events of a run that hold a text.
#[derive(Clone, Debug)]
pub(super) struct Matched {
    wanted: String,
    /// Their numbers, ascending.
    pub(super) numbers: Vec<u64>,
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

    /// `"Ship": 3 of 41`.
    pub(super) fn title(&self, selected: u64) -> String {
        let number = self.numbers.partition_point(|own| *own <= selected).max(1);
        let count = self.numbers.len();
        format!(
            "\"{}\": {number} of {count}, / alone shows all",
            self.wanted
        )
    }
}
