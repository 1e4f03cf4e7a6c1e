//! The states as an indented list.
//!
//! It must not know keys, borders or the session.

use super::{Click, Motion, Paint};
use crate::definition::StateId;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The outline pane.
#[derive(Clone, Debug, Default)]
pub struct OutlinePane {}

impl OutlinePane {
    /// Draws it inside `area`.
    pub fn draw(&mut self, _paint: &Paint, _area: Rect, _buffer: &mut Buffer) {}

    /// Left and right of the border's title.
    #[must_use]
    pub fn title(&self, _paint: &Paint) -> (String, String) {
        ("States".to_owned(), String::new())
    }

    /// Moves the selection.
    pub fn motion(&mut self, _paint: &Paint, _motion: Motion) {}

    /// Selects or folds what stands there.
    pub fn click(&mut self, _paint: &Paint, _area: Rect, _column: u16, _row: u16) -> Click {
        Click::Nothing
    }

    /// The selected state; the one the run stands in until another is selected.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<StateId> {
        paint.view.current
    }

    /// Selects a state and shows it.
    pub fn select(&mut self, _state: StateId) {}

    /// Goes back to following the run.
    pub fn follow(&mut self) {}

    /// Folds or unfolds the children of the selected state.
    pub fn toggle_fold(&mut self, _paint: &Paint) {}
}
