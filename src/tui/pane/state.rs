//! What follows for the state by its type: retriers, catchers, rules, items, lanes, deadline.
//!
//! It must not know keys, borders or the session.

use super::{Click, Motion, Paint};
use crate::interpreter::FrameId;
use crate::source::Span;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// A retrier, by its place.
    Retrier(usize),
    /// A catcher, by its place.
    Catcher(usize),
    /// An attempt, by its number.
    Attempt(u32),
    /// A rule, by its place in the list; Default is the last.
    Rule(usize),
    /// A branch.
    Lane(u32),
    /// An item.
    Item(u32),
}

/// The state pane.
#[derive(Clone, Debug, Default)]
pub struct StatePane {}

impl StatePane {
    /// Draws it inside `area`.
    pub fn draw(&mut self, _paint: &Paint, _area: Rect, _buffer: &mut Buffer) {}

    /// Left and right of the border's title.
    #[must_use]
    pub fn title(&self, _paint: &Paint) -> (String, String) {
        ("State".to_owned(), String::new())
    }

    /// Moves the selection.
    pub fn motion(&mut self, _paint: &Paint, _motion: Motion) {}

    /// Selects or folds what stands there.
    pub fn click(&mut self, _paint: &Paint, _area: Rect, _column: u16, _row: u16) -> Click {
        Click::Nothing
    }

    /// What is selected.
    #[must_use]
    pub fn selected(&self, _paint: &Paint) -> Option<Row> {
        None
    }

    /// The frame of the selected item or branch, while it lives.
    #[must_use]
    pub fn frame(&self, _paint: &Paint) -> Option<FrameId> {
        None
    }

    /// Where the selected row stands in the text.
    #[must_use]
    pub fn span(&self, _paint: &Paint) -> Option<Span> {
        None
    }
}
