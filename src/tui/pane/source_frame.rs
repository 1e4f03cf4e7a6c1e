//! Which part of a line of text stands in which row of a pane.
//!
//! It must not know colours.

use unicode_width::UnicodeWidthChar as _;

/// What of the lines is shown: without their common indentation, from a column on, in so many cells.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub dedent: usize,
    /// Cells that a person scrolled by.
    pub left: usize,
    pub room: usize,
}

/// A part of a line on a row of its own.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// So many cells of the line stand before it.
    pub skip: usize,
    /// Whether what stands before it is no blank and cut off.
    pub cut: bool,
    /// So far it is moved to the right.
    pub indent: usize,
    /// Whether the line goes on after it, on a row of its own.
    pub goes_on: bool,
}

impl Frame {
    pub fn piece(self) -> Piece {
        Piece {
            skip: self.dedent + self.left,
            cut: self.left > 0,
            indent: 0,
            goes_on: false,
        }
    }

    /// A line as so many rows as it needs, at most `most`; of a longer one those that show what ends after `wanted` cells.
    pub fn pieces(self, text: &str, most: usize, wanted: usize) -> Vec<Piece> {
        let cells: usize = text.chars().map(cells_of).sum();
        let indent = indent_of(text).unwrap_or(0).saturating_sub(self.dedent) + 4;
        let indent = indent.min(self.room / 2);
        let most = most.min(WRAPPED);
        let mut pieces = vec![self.piece()];
        let mut shown = self.dedent + self.room;
        let step = self.room - indent;
        let last = wanted.saturating_sub(shown).div_ceil(step.max(1));
        if let Some(skipped) = (last + 1).checked_sub(most.max(1)).filter(|rows| *rows > 0) {
            let skip = shown + (skipped - 1) * step;
            pieces = vec![Piece {
                skip,
                cut: true,
                indent,
                goes_on: false,
            }];
            shown = skip + step;
        }
        while shown < cells && pieces.len() < most && step > 0 {
            if let Some(last) = pieces.last_mut() {
                last.goes_on = true;
            }
            pieces.push(Piece {
                skip: shown,
                cut: false,
                indent,
                goes_on: false,
            });
            shown += step;
        }
        pieces
    }
}

/// A line is shown on at most so many rows.
const WRAPPED: usize = 8;

pub(super) fn cells_of(c: char) -> usize {
    if c == '\t' { 4 } else { c.width().unwrap_or(1) }
}

/// Cells of a line's indentation; `None` where nothing but blanks is there.
pub(super) fn indent_of(text: &str) -> Option<usize> {
    let blank = text.len() - text.trim_start().len();
    (blank < text.len()).then(|| {
        text.chars()
            .take_while(|c| c.is_whitespace())
            .map(cells_of)
            .sum()
    })
}
