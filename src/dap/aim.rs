//! What a run that is under way was asked for: it decides how the stop is called.

/// What a run was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// To go from before the first event to the first stop.
    Start,
    /// To come to the start, before it goes on.
    Rewind,
    /// A step, or something like it.
    Step,
    /// To the next stop.
    Continue,
    /// To begin at a place.
    Goto,
    /// To stand where it is.
    Pause,
    /// To repeat what was recorded, with a changed text.
    Reload,
    /// To begin again and stop at once.
    Entry,
}
