//! Wraps rows of the data pane that do not fit.

use super::super::Paint;
use super::super::block::Block;
use crate::tui::fit::{width, words, wrapped};
use crate::tui::pane::block::Note;

/// Wraps the notes below a value.
pub(super) fn wrap_notes(paint: &Paint, block: &mut Block, cells: usize) {
    let labels = block.notes.iter().map(|note| width(&note.label));
    let label = match labels.max().unwrap_or(0) {
        0 => 0,
        label => label + 2,
    };
    let room = cells.saturating_sub(4 + label).max(16);
    let notes = std::mem::take(&mut block.notes);
    for note in notes {
        let parts = wrapped(&words(paint.glyphs, &note.text), room);
        for (row, text) in parts.into_iter().enumerate() {
            let first = row == 0;
            block.notes.push(Note {
                sign: if first { note.sign } else { "" },
                label: if first {
                    note.label.clone()
                } else {
                    String::new()
                },
                text,
                role: note.role,
            });
        }
    }
}
