//! A wait for a retry that did not happen: the run ended first, or a sibling of the branch or item failed.

use super::note::EventNote;
use super::recording::Recording;
use crate::interpreter::{Event, EventKind, FrameId, Millis};

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
