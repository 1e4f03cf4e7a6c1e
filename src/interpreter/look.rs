//! Evaluations of a frame, recorded while a run is repeated to explain it.

use super::event::FrameId;
use super::machine::Machine;
use crate::definition::FieldAt;
use crate::query::jsonata::Evaluation;
use crate::query::trace::Trace;
use std::sync::Arc;

/// The evaluations of a frame, in order.
#[derive(Clone, Debug)]
pub struct Looks {
    /// The frame whose evaluations are recorded.
    pub frame: FrameId,
    /// Its evaluations so far.
    pub all: Vec<Look>,
}

/// An evaluation.
#[derive(Clone, Debug)]
pub struct Look {
    /// Index of the item in the context object, if an ItemSelector is evaluated.
    pub item: Option<u32>,
    /// The evaluated field or expressions.
    pub of: Seen,
}

/// A field or expressions that were evaluated.
#[derive(Clone, Debug)]
pub enum Seen {
    /// A JSONPath field and the trace of its evaluation.
    Field(FieldAt, Trace),
    /// JSONata expressions; whoever answers the request can trace their evaluation.
    Expressions(Arc<Evaluation>),
}

impl Machine {
    /// Starts recording what a frame evaluates.
    pub fn look_at(&mut self, frame: FrameId) {
        let all = Vec::new();
        *self.look.get_mut() = Some(Box::new(Looks { frame, all }));
    }

    /// Stops recording and returns the evaluations.
    pub fn looked(&mut self) -> Option<Box<Looks>> {
        self.look.get_mut().take()
    }

    /// True if the evaluations of a frame are being recorded.
    pub(super) fn is_looked_at(&self, frame: FrameId) -> bool {
        let look = self.look.borrow();
        look.as_ref().is_some_and(|looks| looks.frame == frame)
    }

    /// Records an evaluation.
    pub(super) fn note_look(&self, item: Option<u32>, of: Seen) {
        if let Some(looks) = self.look.borrow_mut().as_mut() {
            looks.all.push(Look { item, of });
        }
    }
}
