//! A place in a run: what a frame holds right after an event, and a pointer into it.

use crate::interpreter::{FrameId, Stage};
use crate::json::{Pointer, Step, Text};

/// A place in a run: in what a frame holds right after an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The event.
    pub event: u64,
    /// The frame.
    pub frame: FrameId,
    /// What of the frame.
    pub holder: Holder,
    /// The place in it.
    pub at: Pointer,
}

/// What of a frame holds a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A stage of the state that it is in.
    Stage(Stage),
    /// The error that stands there, as its Error and Cause.
    Error,
    /// A variable.
    Variable(Text),
    /// The context object.
    Context,
    /// The item of this index of the Map that the frame is in, as its ItemSelector sees it.
    Item(u32),
}

impl Site {
    /// The same with another place in what is held.
    pub(in crate::session) fn at(&self, at: Pointer) -> Self {
        Self { at, ..self.clone() }
    }

    /// The same place in another part of the frame.
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

/// A pointer with more steps after it.
pub(in crate::session) fn joined(head: &[Step], tail: &[Step]) -> Pointer {
    Pointer(head.iter().chain(tail).cloned().collect())
}
