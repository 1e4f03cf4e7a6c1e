//! What commands carry besides numbers and names: a direction, a switch, which questions an answer is for.

use super::place::Holder;
use crate::definition::StateId;
use crate::json::{Pointer, Text};

/// Which questions an answer is for, besides the one it is given to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of the same state.
    State,
    /// Those of the same Resource.
    Resource,
    /// Those of the same state for which an expression holds, in items above all.
    Items(Text),
}

/// The value whose origin is sought, in the focus frame at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub enum Sought {
    /// At a path as a person types it: `$.order`, `$result.id`, `$error.Cause`, `$$.Execution.Input`, `$total`.
    Path(Text),
    /// The same, as the fields of the state read it: variables from before what it assigns itself.
    Read(Text),
    /// At a place.
    At(Holder, Pointer),
    /// Where the expression that failed found nothing.
    Missing,
    /// The output of the last visit of a state up to here that is over, else its input.
    State(StateId),
}

/// Which way in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Onwards.
    Forward,
    /// Back.
    Backward,
}

/// What a restart keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Restart {
    /// Typed answers.
    KeepAnswers,
    /// Nothing but input, seed and start time.
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
