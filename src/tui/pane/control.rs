//! What a pane receives from keys and mouse, and what it returns.

use crate::definition::StateId;
use crate::interpreter::{AskId, FrameId};
use crate::session::BreakpointId;

/// A move inside a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Motion {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// Left, or fold.
    Left,
    /// Right, or unfold.
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

/// Result of a click. The pane has selected or folded already; the caller does the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// Nothing.
    Nothing,
    /// A row, which is selected now.
    Selected,
    /// A fold mark; it is folded or unfolded now.
    Folded,
    /// A tab; it is shown now.
    Tab,
    /// A state, which is selected now.
    State(StateId),
    /// The event of the slider position, to travel to.
    Event(u64),
    /// The mark of a breakpoint, to be toggled.
    Breakpoint(BreakpointId),
    /// A frame, which is selected now.
    Frame(FrameId),
    /// A pending task, which is selected now.
    Task(AskId),
}
