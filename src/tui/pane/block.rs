//! A titled block of the data pane, before layout.

use super::Paint;
use super::note::Note;
use super::part::Part;
use crate::definition::State;
use crate::json::Value;
use crate::tui::theme::Role;

/// A titled block.
pub(super) struct Block {
    pub(super) part: Part,
    pub(super) name: String,
    /// True if the block is a separate section rather than an intermediate stage.
    pub(super) section: bool,
    /// Text of the field, such as `InputPath $.order`.
    pub(super) expression: Option<String>,
    pub(super) value: Option<Value>,
    /// The value to compare `value` with.
    pub(super) base: Option<Value>,
    /// Remark at the right of the title.
    pub(super) remark: Option<(String, Role)>,
    pub(super) notes: Vec<Note>,
    /// True if the block is unfolded, provided there is space.
    pub(super) open: bool,
    /// Priority for space; lower numbers come first.
    pub(super) rank: u8,
    /// True if the run is at this stage.
    pub(super) here: bool,
    /// True if the block has the same value as the previous stage and no remarks.
    pub(super) quiet: bool,
}

/// An open section without notes.
pub(super) fn plain_block(part: Part, name: &str, value: Option<Value>) -> Block {
    Block {
        part,
        name: name.to_owned(),
        section: true,
        expression: None,
        value,
        base: None,
        remark: None,
        notes: Vec::new(),
        open: true,
        rank: 7,
        here: false,
        quiet: false,
    }
}

/// The shown state.
pub(super) fn state_of<'p>(paint: &Paint<'p>) -> Option<&'p State> {
    paint.definition.state(paint.view.data.state?)
}
