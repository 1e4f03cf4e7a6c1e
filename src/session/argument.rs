//! Arguments of commands: a direction, an event to travel to, a switch, the reach of an answer.

use super::place::Holder;
use crate::definition::StateId;
use crate::json::{Pointer, Text};

/// Selects other requests that an answer also applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Requests of the same state.
    State,
    /// Requests of tasks with the same Resource.
    Resource,
    /// Requests of the same state for which an expression is true, mostly in items of a Map.
    Items(Text),
}

/// A value whose origin is searched, in the focus frame at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub enum Sought {
    /// The value of a path that the user typed: `$.order`, `$result.id`, `$error.Cause`, `$$.Execution.Input`,
    /// `$total`.
    Path(Text),
    /// The value of a path as the state's fields read it: variables have their values from before the state's own
    /// Assign.
    Read(Text),
    /// The value at a position in the data of a holder.
    At(Holder, Pointer),
    /// The value that is missing for the expression that failed.
    Missing,
    /// The output of the last finished visit of a state up to the cursor, otherwise its input.
    State(StateId),
}

/// Direction in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Forwards.
    Forward,
    /// Backwards.
    Backward,
}

/// The answers that a restart keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Restart {
    /// The user's answers.
    KeepAnswers,
    /// Only input, seed and start time.
    Fresh,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

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
