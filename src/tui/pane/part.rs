//! The parts of the data pane that hold a value.

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
