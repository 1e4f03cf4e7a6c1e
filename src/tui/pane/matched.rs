//! Events that contain a text: which of them are shown, and which is selected.

use super::Paint;

/// Events of a run that contain a text.
#[derive(Clone, Debug)]
pub(super) struct Matched {
    wanted: String,
    /// Numbers of the events, ascending.
    pub(super) numbers: Vec<u64>,
    /// Number of the run, and its number of events when it was searched; if it has more now, the list is incomplete.
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

    /// True if the list is complete for the current recording.
    pub(super) fn is_of(&self, paint: &Paint) -> bool {
        let header = &paint.view.header;
        self.of == (header.run, header.event_count)
    }

    /// Title such as `"Ship": 3 of 41`.
    pub(super) fn title(&self, selected: u64) -> String {
        let number = self.numbers.partition_point(|own| *own <= selected).max(1);
        let count = self.numbers.len();
        format!(
            "\"{}\": {number} of {count}, / alone shows all",
            self.wanted
        )
    }
}
