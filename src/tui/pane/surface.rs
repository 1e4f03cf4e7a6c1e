//! What every pane can do.

use super::Paint;
use super::control::{Click, Motion};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// A pane: it draws inside the rectangle it is given, moves and is clicked.
pub trait Surface {
    /// Draws it inside `area`, which is not empty.
    fn show(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer);

    /// Left and right of the border's title.
    fn title(&self, paint: &Paint) -> (String, String);

    /// How many rows are not seen, above and below, where nothing else says it.
    fn hidden(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Moves the selection.
    fn motion(&mut self, paint: &Paint, motion: Motion);

    /// Scrolls by rows, down if they are positive; where nothing scrolls, the selection moves.
    fn scroll(&mut self, paint: &Paint, rows: i32) {
        let motion = if rows < 0 { Motion::Up } else { Motion::Down };
        for _ in 0..rows.abs() {
            self.motion(paint, motion);
        }
    }

    /// Selects what is at a place inside `area`.
    fn hit(&mut self, paint: &Paint, area: Rect, at: Position) -> Click;

    /// Folds or unfolds what is selected.
    fn toggle_fold(&mut self, _paint: &Paint) {}

    /// Goes back to following the run.
    fn follow(&mut self) {}

    /// Draws it inside `area`.
    fn draw(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        if !area.is_empty() {
            self.show(paint, area, buffer);
        }
    }

    /// What a click hits; selecting and folding is done at once.
    fn click(&mut self, paint: &Paint, area: Rect, at: Position) -> Click {
        match area.contains(at) {
            true => self.hit(paint, area, at),
            false => Click::Nothing,
        }
    }
}
