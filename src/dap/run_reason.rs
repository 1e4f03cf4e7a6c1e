//! The reason for the current run; determines how its stop is reported.

/// Why the run is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// To go from before the first event to the first stop.
    Start,
    /// To go back to the start before continuing from there.
    Rewind,
    /// For a step or similar command.
    Step,
    /// To reach the next stop.
    Continue,
    /// To begin at another state (`goto`).
    Goto,
    /// To pause at the current position.
    Pause,
    /// To repeat the recorded run with a changed definition.
    Reload,
    /// To begin again and stop at the first state.
    Entry,
}
