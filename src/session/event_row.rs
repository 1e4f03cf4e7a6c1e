//! A recorded event as it is listed.

use super::failed_child::Inner;
pub use super::log::Touched;
use super::note::EventNote;
use super::view::StateStatus;
use crate::definition::{StateId, Unit};
use crate::interpreter::{EventKind, FrameId, Millis};
use crate::json::Text;

/// One row of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// From 1.
    pub number: u64,
    /// AWS's history id; 0 where it has none.
    pub history_id: u32,
    /// When.
    pub time: Millis,
    /// What.
    pub kind: EventKind,
    /// The state.
    pub state: Option<StateId>,
    /// The frame in words, empty for the machine's own.
    pub frame: String,
    /// The frame.
    pub frame_id: FrameId,
    /// What its Map runs its processor for.
    pub unit: Unit,
    /// What the kind says: item index, branch, retrier, catcher, rule, attempt, length.
    pub arg: u32,
    /// What else there is to tell.
    pub detail: EventDetail,
    /// What a person did at it.
    pub touched: Option<Touched>,
    /// For the symbol before it.
    pub status: StateStatus,
}

impl EventRow {
    /// Whether a Wait began that does not wait.
    #[must_use]
    pub fn does_not_wait(&self) -> bool {
        matches!(self.detail, EventDetail::Note(EventNote::NoWait(_)))
    }
}

/// What there is to tell of an event besides its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum EventDetail {
    /// Nothing.
    Nothing,
    /// What was noted when it happened.
    Note(EventNote),
    /// The state that follows; none where the scope ends.
    Next(Option<Text>),
    /// The same of a Map of which so many items failed, of how many.
    NextDespite(Option<Text>, u32, u32),
    /// The same of a Map that had no items.
    NextWithout(Option<Text>),
    /// The wait for a retry that the end of the run cut short, or the branch or item of this name that failed: how much of it
    /// passed, and its delay.
    CutShort(Millis, Millis, Option<Text>),
    /// It is a call that was not answered: a person edited what it was made of, and it was made again.
    Withdrawn,
    /// It is the end of a branch or an item that failed because of one of its own.
    FailedFor(Inner),
    /// So many variables were assigned; their names, where they are known.
    Assigned(u32, Vec<Text>),
}
