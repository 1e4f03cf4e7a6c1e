//! Queued input that waits until the current command has finished.

use crate::session::Command;

/// Queued input.
#[derive(Clone, Debug)]
pub(super) enum Queued {
    /// A command repeated by a count.
    Repeat(Command),
    /// A line of a script.
    Line(String),
}
