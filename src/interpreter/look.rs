//! What a frame evaluates, noted while a recorded run is repeated to explain it.

use super::event::FrameId;
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
