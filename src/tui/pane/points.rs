//! Breakpoints, watches, frames and pending tasks.
//!
//! It must not know keys, borders or the session.

use super::{Click, Motion, Paint};
use crate::interpreter::{AskId, FrameId};
use crate::session::BreakpointId;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Which list is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    /// Breakpoints.
    #[default]
    Break,
    /// Watches.
    Watch,
    /// Frames.
    Frames,
    /// Pending tasks.
    Tasks,
}

/// What is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// A breakpoint.
    Breakpoint(BreakpointId),
    /// A watch, by its place.
    Watch(usize),
    /// A frame.
    Frame(FrameId),
    /// A pending task.
    Task(AskId),
}

/// The points pane.
#[derive(Clone, Debug, Default)]
pub struct PointsPane {
    tab: Tab,
}

impl PointsPane {
    /// Draws it inside `area`.
    pub fn draw(&mut self, _paint: &Paint, _area: Rect, _buffer: &mut Buffer) {}

    /// Left and right of the border's title.
    #[must_use]
    pub fn title(&self, _paint: &Paint) -> (String, String) {
        ("Points".to_owned(), String::new())
    }

    /// Moves the selection.
    pub fn motion(&mut self, _paint: &Paint, _motion: Motion) {}

    /// Selects or folds what stands there.
    pub fn click(&mut self, _paint: &Paint, _area: Rect, _column: u16, _row: u16) -> Click {
        Click::Nothing
    }

    /// Which list is shown.
    #[must_use]
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// Shows another list. (Left and Right do so too.)
    pub fn show(&mut self, tab: Tab) {
        self.tab = tab;
    }

    /// What is selected.
    #[must_use]
    pub fn selected(&self, _paint: &Paint) -> Option<Point> {
        None
    }
}
