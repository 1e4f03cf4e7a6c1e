//! What does not fit into a row of the data pane, broken into several.
//!
//! It must not know scrolling or selection.

use super::super::Paint;
use super::super::block::Block;
use super::super::data_line::{CAUSE, cause_rows};
use super::super::data_plan::Listed;
use super::super::note::Note;
use super::super::part::Part;
use super::super::pipeline::AWS_ID;
use super::super::tree::Fold;
use crate::session::note::own_words;
use crate::tui::fit::{width, words, wrapped};

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

/// The rows of a cause that does not fit into its own.
pub(super) fn rows_of_cause(listed: &Listed, cells: usize) -> Vec<String> {
    let rows = cause(listed).map(|text| cause_rows(&text, cells));
    rows.filter(|rows| rows.len() > 1).unwrap_or_default()
}

/// So many rows of what a task says of its error stay.
const OWN_ROWS: usize = 4;

/// Cuts the cause of an error until `over` rows fewer are taken: AWS's preamble first, then what stands last. What is
/// said about the error stays.
pub(super) fn cut_cause(paint: &Paint, listed: &mut Listed, cells: usize, over: usize) {
    if over == 0 || listed.cause.is_empty() || !listed.open {
        return;
    }
    let (Some(text), Some(fault)) = (cause(listed), &paint.view.data.fault) else {
        return;
    };
    let (own, mark) = (own_words(&fault.fault), paint.glyphs.cut);
    // The id is in the preamble alone.
    let notes = listed.block.notes.len();
    listed.block.notes.retain(|note| note.sign != AWS_ID);
    let over = over.saturating_sub(notes - listed.block.notes.len());
    let mut rows = cause_rows(&own, cells);
    // What a task itself says of its error is not said elsewhere.
    let least = if own == text { OWN_ROWS } else { 1 };
    let most = listed.cause.len().saturating_sub(over).max(least);
    if rows.len() > most {
        rows.truncate(most);
        if let Some(last) = rows.last_mut() {
            let room = cells.saturating_sub(CAUSE + 1 + width(mark)).max(8);
            *last = last
                .chars()
                .take(room)
                .collect::<String>()
                .trim_end()
                .to_owned()
                + mark;
        }
    }
    listed.cause = rows;
}

/// The cause that is the last row of an error.
fn cause(listed: &Listed) -> Option<String> {
    if listed.block.part != Part::Error {
        return None;
    }
    let last = listed
        .tree()
        .and_then(|tree| tree.rows(listed.tree.saturating_sub(1), 1).pop());
    let last = last.filter(|node| &*node.name == "Cause" && node.fold == Fold::Leaf)?;
    last.value.as_str().map(str::to_owned)
}
