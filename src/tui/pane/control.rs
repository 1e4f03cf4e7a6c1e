//! Motions and clicks that panes receive, and the results of clicks.

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

/// Result of a click. The pane has already selected or folded; the caller does the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// Nothing was hit.
    Nothing,
    /// A row, which is now selected.
    Selected,
    /// A fold mark, which has been folded or unfolded.
    Folded,
    /// A tab, which is now shown.
    Tab,
    /// A state, which is now selected.
    State(StateId),
    /// A position on the slider; the event to travel to.
    Event(u64),
    /// The mark of a breakpoint to toggle.
    Breakpoint(BreakpointId),
    /// A frame, which is now selected.
    Frame(FrameId),
    /// A pending task, which is now selected.
    Task(AskId),
}
