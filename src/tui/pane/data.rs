//! The pipeline of the state looked at: its stages as values, what changed, what was lost, what went wrong.
//!
//! It must not know keys, borders or the session.

use super::{Click, Motion, Paint};
use crate::interpreter::Stage;
use crate::json::{Pointer, Value};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A part of the pane that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A stage of the pipeline.
    Stage(Stage),
    /// The error that stands.
    Error,
    /// The variables.
    Variables,
    /// The context object.
    Context,
}

/// What is selected.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// In which part.
    pub part: Part,
    /// Where in its value.
    pub pointer: Pointer,
    /// The value there.
    pub value: Value,
    /// The path as text: `$.order.id`, `$name.x`, `$$.State.Name`.
    pub path: String,
}

/// The data pane.
#[derive(Clone, Debug, Default)]
pub struct DataPane {}

impl DataPane {
    /// Draws it inside `area`.
    pub fn draw(&mut self, _paint: &Paint, _area: Rect, _buffer: &mut Buffer) {}

    /// Left and right of the border's title.
    #[must_use]
    pub fn title(&self, _paint: &Paint) -> (String, String) {
        ("Data".to_owned(), String::new())
    }

    /// Moves the selection.
    pub fn motion(&mut self, _paint: &Paint, _motion: Motion) {}

    /// Selects or folds what stands there.
    pub fn click(&mut self, _paint: &Paint, _area: Rect, _column: u16, _row: u16) -> Click {
        Click::Nothing
    }

    /// What is selected.
    #[must_use]
    pub fn selected(&self, _paint: &Paint) -> Option<Selected> {
        None
    }

    /// Folds or unfolds what is selected.
    pub fn toggle_fold(&mut self, _paint: &Paint) {}

    /// Unfolds all below what is selected.
    pub fn unfold_all(&mut self, _paint: &Paint) {}

    /// Changes shown or not.
    pub fn toggle_diff(&mut self) {}

    /// To the stage before or after.
    pub fn stage(&mut self, _paint: &Paint, _forward: bool) {}

    /// To the next or previous row whose name or value holds `text`; whether there is one.
    pub fn find(&mut self, _paint: &Paint, _text: &str, _forward: bool) -> bool {
        false
    }
}
