//! Input that waits until the command being executed has finished.

use crate::session::Command;

/// Input that is executed when nothing else is.
#[derive(Clone, Debug)]
pub(super) enum Queued {
    /// A command that is repeated by a count.
    Repeat(Command),
    /// A line of a script.
    Line(String),
}
