//! The interface that all panes implement.

use super::Paint;
use crate::definition::StateId;
use crate::interpreter::FrameId;
use crate::session::BreakpointId;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// A pane: it draws into a rectangle, moves its selection and handles clicks.
pub trait Surface {
    /// Draws the pane into `area`, which is not empty.
    fn show(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer);

    /// Texts in the upper border of the pane, at its left end and at its right end.
    fn title(&self, paint: &Paint) -> (String, String);

    /// Numbers of hidden rows above and below the visible rows, for the border to show; 0 if the pane itself shows
    /// these numbers.
    fn hidden(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Moves the selection.
    fn motion(&mut self, paint: &Paint, motion: Motion);

    /// Scrolls by this many rows, down if positive; a pane that does not scroll moves its selection.
    fn scroll(&mut self, paint: &Paint, rows: i32) {
        let motion = if rows < 0 { Motion::Up } else { Motion::Down };
        for _ in 0..rows.abs() {
            self.motion(paint, motion);
        }
    }

    /// Selects the row at a position inside `area`. If the row's fold symbol is at this position, folds or unfolds the
    /// row.
    fn hit(&mut self, paint: &Paint, area: Rect, at: Position) -> Click;

    /// Folds or unfolds the selected row.
    fn toggle_fold(&mut self, _paint: &Paint) {}

    /// Makes the pane show the current position of the run again.
    fn follow(&mut self) {}

    /// Draws the pane into `area`, which may be empty.
    fn draw(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        if !area.is_empty() {
            self.show(paint, area, buffer);
        }
    }

    /// Handles a click: selects or folds the row, and returns what was clicked.
    fn click(&mut self, paint: &Paint, area: Rect, at: Position) -> Click {
        match area.contains(at) {
            true => self.hit(paint, area, at),
            false => Click::Nothing,
        }
    }
}

/// A move inside a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Motion {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// To the left, or fold the selected row.
    Left,
    /// To the right, or unfold the selected row.
    Right,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// Half a page up.
    HalfUp,
    /// Half a page down.
    HalfDown,
    /// To the first row.
    Home,
    /// To the last row.
    End,
}

/// Result of a click. The pane has already selected or folded the row; the caller does everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// Nothing was hit.
    Nothing,
    /// A row, which is now selected.
    Selected,
    /// The fold symbol of a row. The pane has already folded or unfolded the row.
    Folded,
    /// A state, which is now selected.
    State(StateId),
    /// A position on the slider of the timeline, as the number of the event there.
    Event(u64),
    /// The symbol of a breakpoint. The caller has to enable or disable this breakpoint.
    Breakpoint(BreakpointId),
    /// A frame, which is now selected.
    Frame(FrameId),
}
