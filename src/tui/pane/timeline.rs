//! The recorded events, as rows or as a table of visits, with a slider.
//!
//! It must not know keys, borders or the session.

use super::{Click, Motion, Paint};
use crate::session::view::EventRow;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::ops::Range;

/// Gives the recorded events of these numbers (from 1).
pub type Rows<'a> = dyn Fn(Range<u64>) -> Vec<EventRow> + 'a;

/// The timeline pane.
#[derive(Clone, Debug, Default)]
pub struct TimelinePane {}

impl TimelinePane {
    /// Draws it inside `area`.
    pub fn draw(&mut self, _paint: &Paint, _rows: &Rows, _area: Rect, _buffer: &mut Buffer) {}

    /// Left and right of the border's title.
    #[must_use]
    pub fn title(&self, _paint: &Paint) -> (String, String) {
        ("Timeline".to_owned(), String::new())
    }

    /// Moves the selection.
    pub fn motion(&mut self, _paint: &Paint, _motion: Motion) {}

    /// Selects or folds what stands there.
    pub fn click(&mut self, _paint: &Paint, _area: Rect, _column: u16, _row: u16) -> Click {
        Click::Nothing
    }

    /// The selected event; the cursor until another is selected. 0 is before the first.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> u64 {
        paint.view.header.event
    }

    /// Selects an event.
    pub fn select(&mut self, _number: u64) {}

    /// Goes back to following the cursor.
    pub fn follow(&mut self) {}

    /// Events or table.
    pub fn toggle_view(&mut self) {}
}
