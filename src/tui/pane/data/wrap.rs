//! What does not fit into a row of the data pane, broken into several.
//!
//! It must not know scrolling or selection.

use super::super::Paint;
use super::super::data_line::cause_rows;
use super::super::data_plan::Listed;
use super::super::line::{width, words};
use super::super::note::Note;
use super::super::part::Part;
use super::super::pipeline::Block;
use super::super::tree::Fold;
use crate::tui::border::wrapped;

/// Breaks what is said below a value into rows that fit.
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

/// The rows below the row of a cause that does not fit into it.
pub(super) fn more_of_cause(listed: &Listed, cells: usize) -> Vec<String> {
    if listed.block.part != Part::Error {
        return Vec::new();
    }
    let last = listed
        .tree()
        .and_then(|tree| tree.rows(listed.tree.saturating_sub(1), 1).pop());
    let last = last.filter(|node| &*node.name == "Cause" && node.fold == Fold::Leaf);
    let rows = last.and_then(|node| Some(cause_rows(node.value.as_str()?, cells)));
    let mut rows = rows.unwrap_or_default();
    match rows.len() {
        0 | 1 => Vec::new(),
        _ => rows.split_off(1),
    }
}
