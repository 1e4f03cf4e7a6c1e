//! Rows of lists for display: recorded events, branches and items. Also finds out where a branch or item failed, and
//! which delays before a retry were cut short.

pub use super::log::Touched;
use super::note::EventNote;
use super::snapshot::Recording;
use super::timeline::Timeline;
use super::view::StateStatus;
use crate::definition::{Definition, StateId, StateKind, Unit};
use crate::interpreter::{Event, EventKind, FrameId, Millis};
use crate::json::{Text, Value};
use std::collections::HashMap;

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
    /// The state in which the event happened, if any.
    pub state: Option<StateId>,
    /// Readable name of the frame; empty for the outermost frame.
    pub frame: String,
    /// The frame in which the event happened.
    pub frame_id: FrameId,
    /// The unit that a Map around the frame processes: an item or a batch.
    pub unit: Unit,
    /// Number whose meaning depends on the kind: item index, branch, retrier, catcher, rule, attempt or length.
    pub arg: u32,
    /// Further details of the event.
    pub detail: EventDetail,
    /// The user's action directly after this event (an answer or an edit), if any.
    pub touched: Option<Touched>,
    /// Status that decides the symbol of the row.
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
    /// The note that was recorded with the event, such as the name of an error.
    Note(EventNote),
    /// Name of the next state (`None` at the end of the branch, item or machine), and the note of a Map that had failed
    /// items or no items.
    Next(Option<Text>, Option<EventNote>),
    /// A retry that did not happen, because the run ended or because a branch or item failed. Contains the time that
    /// was waited, the time that the retrier wanted to wait, and the name of the failed branch or item.
    CutShort(Millis, Millis, Option<Text>),
    /// A call that got no answer, because the user edited its input and the call was made again.
    Withdrawn,
    /// The end of a branch or item that failed because of a failure further inside. Contains the inner branch or item
    /// that failed.
    FailedFor(Inner),
    /// Number of variables that were assigned, and their names if known.
    Assigned(u32, Vec<Text>),
}

/// The delay before a retry, if the delay was cut short and the retry did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RetryWait {
    /// The whole delay before the retry, in milliseconds.
    pub whole: Millis,
    /// The part of the delay that had passed when it was cut short, in milliseconds.
    pub passed: Millis,
    /// The event that ended the delay early.
    pub by: EndedBy,
}

/// The event that ended the delay before a retry early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndedBy {
    /// The execution's timeout.
    Timeout,
    /// The end of the run.
    End,
    /// The failure of this branch or item, which also ended the branches or items beside it.
    Sibling(FrameId),
}

/// Details of a wait (for a retry) that was cut short; `number` and `event` are the event that started the wait. Looks
/// only at the events up to number `known`. `None` if the retry happened or may still happen.
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
    let (ended, end) = match aborted.and_then(|at| Some((at, timeline.get(at)?))) {
        Some(aborted) => aborted,
        None => (last, timeline.get(last)?),
    };
    let is_over = aborted.is_some()
        || matches!(
            end.kind,
            EventKind::ExecutionTimedOut | EventKind::ExecutionFailed
        );
    if !is_over || end.time >= due {
        return None;
    }
    let by = match failed_beside(recording, event.frame, (number, ended)) {
        Some(sibling) => EndedBy::Sibling(sibling),
        None if end.kind == EventKind::ExecutionTimedOut => EndedBy::Timeout,
        None => EndedBy::End,
    };
    Some(RetryWait {
        whole: *whole,
        passed: end.time.saturating_sub(event.time),
        by,
    })
}

/// The branch or item that failed last between two events, and that ran beside `frame` or beside one of its ancestors.
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

/// The data that a branch of a Parallel and an item of a Map have in common for display.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneView {
    /// Index of the branch or item.
    pub index: u32,
    /// Frame of the branch or item, while the frame is live.
    pub frame: Option<FrameId>,
    /// The current state, or the state that failed.
    pub state: Option<StateId>,
    /// The branch or item that made the state in the field `state` fail, if one did.
    pub inner: Option<Inner>,
    /// Status of the branch or item.
    pub status: StateStatus,
    /// The error with which the branch or item ended.
    pub error: Option<Text>,
}

/// An item of a Map.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemView {
    /// Index, state and status of the item.
    pub lane: LaneView,
    /// The input of the item as the Map received it; front ends shorten it.
    pub item: Value,
    /// Value of the expression that the user chose to show for each item.
    pub column: Option<Result<Value, String>>,
    /// Number of attempts: 1, plus one for each retry in the item.
    pub tries: u32,
    /// Output of the item, if it has succeeded.
    pub result: Option<Value>,
    /// Breakpoint on this item: true if enabled, false if disabled, `None` without a breakpoint.
    pub point: Option<bool>,
}

/// Status of a Map's item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemStanding {
    /// The item succeeded.
    Ok,
    /// The item failed with this error.
    Failed(Text),
    /// The item was aborted.
    Aborted,
    /// The item is running.
    Running,
    /// The item was running when the run ended.
    CutShort,
    /// The item has not started.
    NotBegun,
}

impl ItemStanding {
    /// Status as text: `ok`, `running`, ..., or the name of the error.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Ok => "ok",
            Self::Failed(error) => error,
            Self::Aborted => "aborted",
            Self::Running => "running",
            Self::CutShort => "cut short",
            Self::NotBegun => "not started",
        }
    }
}

/// Maximum number of events with a note that are searched for the failures of a frame's branches or items.
const FAILURES: usize = 20_000;

/// Tells where a branch or item failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedChild {
    /// The state in which the branch or item failed.
    pub state: StateId,
    /// The branch or item that made the state in the field `state` fail; `None` if no branch or item did.
    pub inner: Option<Inner>,
}

/// A branch or item, by name or index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inner {
    /// A branch of a Parallel state, by its name.
    Branch(Text),
    /// An item or batch of a Map, by index.
    Part(Unit, u32),
}

/// Tells where a branch or item failed; `ended` is the number of the event that ended the branch or item. `None` if no
/// error was raised in the branch or item.
pub fn failed_child(
    timeline: &Timeline,
    ended: u64,
    definition: &Definition,
) -> Option<FailedChild> {
    let child = timeline.get(ended)?.frame;
    let mut events = timeline.backwards(child, ended);
    let (number, event) = events.find(|(_, event)| event.kind == EventKind::ErrorRaised)?;
    let state = event.state?;
    // Between the failure of an inner branch or item and the error of this state, only the end of the inner Parallel or
    // Map is recorded.
    let is_end = |kind: EventKind| {
        let failed = matches!(
            kind,
            EventKind::MapFailed | EventKind::MapRunFailed | EventKind::ParallelFailed
        );
        failed || kind.is_abort()
    };
    let before = events.find(|(_, event)| !is_end(event.kind));
    let from = before.map_or(0, |(number, _)| number);
    let inner = timeline.failed_child(child, from, number);
    let inner = inner
        .and_then(|(_, number)| timeline.get(number))
        .map(|event| {
            let state = definition.state(state);
            match state.map(|state| &state.kind) {
                Some(StateKind::Map(map)) => Inner::Part(map.unit(), event.arg),
                _ => {
                    let name = state.and_then(|state| definition.branch(state, event.arg));
                    Inner::Branch(name.map_or_else(|| event.arg.to_string().into(), Text::from))
                }
            }
        });
    Some(FailedChild { state, inner })
}

/// For each failed branch or item of a frame, by index: where it failed last before or at the cursor.
pub fn failed_children(
    timeline: &Timeline,
    parent: FrameId,
    cursor: u64,
    definition: &Definition,
) -> HashMap<u32, FailedChild> {
    let mut failures = HashMap::new();
    let notes = timeline
        .notes()
        .rev()
        .skip_while(|(number, _)| *number > cursor);
    for (number, _) in notes.take(FAILURES) {
        let Some(event) = timeline.get(number) else {
            continue;
        };
        let failed = event.kind.fails_frame();
        if failed
            && timeline.parent(event.frame) == Some(parent)
            && !failures.contains_key(&event.arg)
            && let Some(child) = failed_child(timeline, number, definition)
        {
            failures.insert(event.arg, child);
        }
    }
    failures
}
