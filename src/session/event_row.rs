//! A recorded event as a row of a list.

use super::failed_child::Inner;
pub use super::log::Touched;
use super::note::EventNote;
use super::view::StateStatus;
use crate::definition::{StateId, Unit};
use crate::interpreter::{EventKind, FrameId, Millis};
use crate::json::Text;

/// A row of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// Number of the event, starting at 1.
    pub number: u64,
    /// AWS's history id; 0 if the event has none.
    pub history_id: u32,
    /// Time of the event.
    pub time: Millis,
    /// Kind of the event.
    pub kind: EventKind,
    /// The state.
    pub state: Option<StateId>,
    /// Readable name of the frame; empty for the outermost frame.
    pub frame: String,
    /// The frame.
    pub frame_id: FrameId,
    /// Unit that the frame's Map runs its processor for.
    pub unit: Unit,
    /// Number whose meaning depends on the kind: item index, branch, retrier, catcher, rule, attempt or length.
    pub arg: u32,
    /// Further details.
    pub detail: EventDetail,
    /// The user's action at this event, if any.
    pub touched: Option<Touched>,
    /// Status for the symbol of the row.
    pub status: StateStatus,
}

impl EventRow {
    /// True for the start of a Wait that has no duration.
    #[must_use]
    pub fn does_not_wait(&self) -> bool {
        matches!(self.detail, EventDetail::Note(EventNote::NoWait(_)))
    }
}

/// Details of an event in addition to its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum EventDetail {
    /// No details.
    Nothing,
    /// A note recorded with the event.
    Note(EventNote),
    /// The next state; `None` at the end of the scope.
    Next(Option<Text>),
    /// The next state of a Map with failed items: number of failures, number of items.
    NextDespite(Option<Text>, u32, u32),
    /// The next state of a Map that had no items.
    NextWithout(Option<Text>),
    /// A retry that did not happen because the run ended, or because the named branch or item failed: time waited, and
    /// the full delay.
    CutShort(Millis, Millis, Option<Text>),
    /// A call that was not answered: the user edited its input, and it was made again.
    Withdrawn,
    /// The end of a branch or item that failed because of an inner branch or item.
    FailedFor(Inner),
    /// Number of variables that were assigned, and their names if known.
    Assigned(u32, Vec<Text>),
}
