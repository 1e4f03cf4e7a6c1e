//! One titled block of the data pane, before it is laid out.

use super::Paint;
use super::note::Note;
use super::part::Part;
use crate::definition::State;
use crate::json::Value;
use crate::tui::theme::Role;

/// One titled block.
pub(super) struct Block {
    pub(super) part: Part,
    pub(super) name: String,
    /// Whether it is a section of its own rather than an intermediate stage.
    pub(super) section: bool,
    /// `InputPath $.order`.
    pub(super) expression: Option<String>,
    pub(super) value: Option<Value>,
    /// The value that `value` is compared with.
    pub(super) base: Option<Value>,
    /// Remark at the right of the title.
    pub(super) remark: Option<(String, Role)>,
    pub(super) notes: Vec<Note>,
    /// Whether it is open if there is space.
    pub(super) open: bool,
    /// Priority for space; the smallest first.
    pub(super) rank: u8,
    /// Whether the run is at this stage.
    pub(super) here: bool,
    /// Whether it has the value of the stage before and nothing to say.
    pub(super) quiet: bool,
}

/// A section that is open, without notes.
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

/// The state that is looked at.
pub(super) fn state_of<'p>(paint: &Paint<'p>) -> Option<&'p State> {
    paint.definition.state(paint.view.data.state?)
}
