//! A place in a run: a frame's data directly after an event, and a position in it.

use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Text};

/// A place in a run, directly after an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The event.
    pub event: u64,
    /// The frame.
    pub frame: FrameId,
    /// The holder within the frame.
    pub holder: Holder,
    /// Position within the holder's value.
    pub at: Pointer,
}

/// Part of a frame that has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A stage of the frame's current state.
    Stage(Stage),
    /// The current error, as an object with Error and Cause.
    Error,
    /// A variable.
    Variable(Text),
    /// The context object.
    Context,
    /// The item with this index of the frame's Map, as its ItemSelector sees it.
    Item(u32),
}

impl Site {
    /// Returns a site with the same holder and another position.
    pub(in crate::session) fn at(&self, at: Pointer) -> Self {
        Self { at, ..self.clone() }
    }

    /// Returns a site with the same position in another holder.
    pub(in crate::session) fn held_by(&self, holder: Holder) -> Self {
        Self {
            holder,
            ..self.clone()
        }
    }

    pub(in crate::session) fn stage(event: u64, frame: FrameId, stage: Stage, at: Pointer) -> Self {
        Self {
            event,
            frame,
            holder: Holder::Stage(stage),
            at,
        }
    }
}

/// A pointer with more steps appended.
pub(in crate::session) fn joined(head: &[Step], tail: &[Step]) -> Pointer {
    Pointer(head.iter().chain(tail).cloned().collect())
}
