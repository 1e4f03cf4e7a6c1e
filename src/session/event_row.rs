//! A recorded event as a row of a list, and the wait for a retry that a row says was cut short.

use super::lane_view::Inner;
pub use super::log::Touched;
use super::note::EventNote;
use super::recording::Recording;
use super::view::StateStatus;
use crate::definition::{StateId, Unit};
use crate::interpreter::{Event, EventKind, FrameId, Millis};
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

/// A wait for a retry that ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RetryWait {
    /// Full delay.
    pub whole: Millis,
    /// Part of the delay that passed.
    pub passed: Millis,
    /// The cause of the early end.
    pub by: EndedBy,
}

/// The cause that ended a wait early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndedBy {
    /// The execution's timeout.
    Timeout,
    /// The end of the run.
    End,
    /// The failure of this branch or item, which aborted its siblings.
    Sibling(FrameId),
}

/// Checks whether the wait that an event scheduled was cut short up to event `known`; `None` if the retry happened, or
/// may still happen.
pub(super) fn cut_short(
    recording: &Recording,
    (number, event): (u64, &Event),
    known: u64,
) -> Option<RetryWait> {
    let timeline = &recording.timeline;
    let Some(EventNote::Delay(whole)) = timeline.note(number) else {
        return None;
    };
    let due = event.time.saturating_add(*whole);
    let last = known.min(timeline.len());
    let aborted = timeline.aborted(event.frame);
    let aborted = aborted.filter(|at| (number + 1..=last).contains(at));
    let (ended, other) = match aborted.and_then(|at| Some((at, timeline.get(at)?))) {
        Some(aborted) => aborted,
        None => (last, timeline.get(last)?),
    };
    let is_over = aborted.is_some()
        || matches!(
            other.kind,
            EventKind::ExecutionTimedOut | EventKind::ExecutionFailed
        );
    if !is_over || other.time >= due {
        return None;
    }
    let by = match failed_beside(recording, event.frame, (number, ended)) {
        Some(sibling) => EndedBy::Sibling(sibling),
        None if other.kind == EventKind::ExecutionTimedOut => EndedBy::Timeout,
        None => EndedBy::End,
    };
    Some(RetryWait {
        whole: *whole,
        passed: other.time.saturating_sub(event.time),
        by,
    })
}

/// The sibling of a frame or of one of its ancestors that failed between two events.
fn failed_beside(recording: &Recording, frame: FrameId, (from, to): (u64, u64)) -> Option<FrameId> {
    let timeline = &recording.timeline;
    let path = timeline.path(frame);
    let notes = timeline
        .notes()
        .rev()
        .skip_while(|(number, _)| *number > to);
    let mut notes = notes.take_while(|(number, _)| *number > from);
    notes.find_map(|(number, note)| {
        let failed = timeline
            .get(number)
            .filter(|_| *note == EventNote::Failed)?;
        let parent = timeline.parent(failed.frame)?;
        (path.contains(&parent) && !path.contains(&failed.frame)).then_some(failed.frame)
    })
}
