//! What a person may travel to among the recorded events.

/// What is looked for among the recorded events.
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
    /// The end of this attempt (from 1) of the state that the focus frame is in, whichever way it lies; where the attempt
    /// has no end in the record, the last event of it.
    Attempt(u32),
}
