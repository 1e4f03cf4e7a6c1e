//! The parts of the data pane that have a value.

use crate::interpreter::Stage;

/// A part of the data pane that has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A stage of the state.
    Stage(Stage),
    /// The current error.
    Error,
    /// The variables.
    Variables,
    /// The context object.
    Context,
}
