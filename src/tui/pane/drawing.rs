//! The drawing of a large definition, made outside the input loop: what is requested, and what comes back.
//!
//! It must not know threads, a run, or where a drawing is shown.

use crate::graph::{Layout, Options, Sketch, layout_sketch};
use std::sync::Arc;

/// A drawing to be laid out. It is a value of its own, so that any thread can make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawingRequest {
    number: u64,
    sketch: Sketch,
    options: Options,
}

impl DrawingRequest {
    /// Requests the drawing of `sketch`; `number` tells it from other requests of the same pane.
    pub(super) fn new(number: u64, sketch: Sketch, options: Options) -> Self {
        Self {
            number,
            sketch,
            options,
        }
    }

    /// Lays it out; takes up to a second for the largest definitions.
    #[must_use]
    pub fn make(&self) -> Drawing {
        Drawing {
            number: self.number,
            layout: Arc::new(layout_sketch(&self.sketch, &self.options)),
        }
    }
}

/// A drawing that was requested.
#[derive(Clone, Debug)]
pub struct Drawing {
    pub(super) number: u64,
    pub(super) layout: Arc<Layout>,
}

// Comparing two layouts cell by cell would cost what the thread saved.
impl PartialEq for Drawing {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number && Arc::ptr_eq(&self.layout, &other.layout)
    }
}

impl Eq for Drawing {}
