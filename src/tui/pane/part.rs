//! The parts of the data pane that hold a value.
//!
//! It must not know how a part is shown.

use crate::interpreter::Stage;

/// A part of the pane that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A stage of the pipeline.
    Stage(Stage),
    /// The error that stands.
    Error,
    /// The variables.
    Variables,
    /// The context object.
    Context,
}
