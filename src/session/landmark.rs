//! Kinds of recorded events that the user may travel to.

/// Kinds of recorded events that the user may travel to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Landmark {
    /// A stage of the focus frame, or another of its events that is worth a stop.
    Stage,
    /// The entry of a state in the focus frame.
    State,
    /// An error raised in the focus frame.
    Error,
    /// Any event of any frame.
    Event,
    /// The end of an attempt (from 1) of the focus frame's state, in either direction; if the attempt has no recorded
    /// end, its last event.
    Attempt(u32),
}
