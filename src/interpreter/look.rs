//! What a frame evaluates, noted while a recorded run is repeated to explain it.

use super::event::FrameId;
use super::machine::Machine;
use crate::definition::FieldAt;
use crate::query::jsonata::Evaluation;
use crate::query::trace::Trace;
use std::sync::Arc;

/// The evaluations of a frame, in order.
#[derive(Clone, Debug)]
pub struct Looks {
    /// The frame whose evaluations are noted.
    pub frame: FrameId,
    /// Its evaluations so far.
    pub all: Vec<Look>,
}

/// An evaluation.
#[derive(Clone, Debug)]
pub struct Look {
    /// Index of the item that was in the context object, of an ItemSelector.
    pub item: Option<u32>,
    /// What was evaluated.
    pub of: Seen,
}

/// What was evaluated.
#[derive(Clone, Debug)]
pub enum Seen {
    /// A field in JSONPath, and how.
    Field(FieldAt, Trace),
    /// Expressions in JSONata; whoever answers such a question can tell how.
    Expressions(Arc<Evaluation>),
}

impl Machine {
    /// Notes from now on what a frame evaluates.
    pub fn look_at(&mut self, frame: FrameId) {
        let all = Vec::new();
        *self.look.get_mut() = Some(Box::new(Looks { frame, all }));
    }

    /// Ends that, and gives what was noted.
    pub fn looked(&mut self) -> Option<Box<Looks>> {
        self.look.get_mut().take()
    }

    /// Whether the evaluations of a frame are noted.
    pub(super) fn is_looked_at(&self, frame: FrameId) -> bool {
        let look = self.look.borrow();
        look.as_ref().is_some_and(|looks| looks.frame == frame)
    }

    /// Notes an evaluation.
    pub(super) fn note_look(&self, item: Option<u32>, of: Seen) {
        if let Some(looks) = self.look.borrow_mut().as_mut() {
            looks.all.push(Look { item, of });
        }
    }
}
