//! Branches of a Parallel and items of a Map, for display: their status, and the state in which they failed.

use super::timeline::Timeline;
use super::view::StateStatus;
use crate::definition::{Definition, StateId, StateKind, Unit};
use crate::interpreter::{Event, EventKind, FrameId};
use crate::json::{Text, Value};
use std::collections::HashMap;

/// A branch of a Parallel.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneView {
    /// Index of the branch.
    pub index: u32,
    /// Frame of the branch, while it is live.
    pub frame: Option<FrameId>,
    /// The current state, or the state that failed.
    pub state: Option<StateId>,
    /// The branch or item inside that state that caused the failure, if any.
    pub inner: Option<Inner>,
    /// Status of the branch.
    pub status: StateStatus,
    /// The error with which the branch ended.
    pub error: Option<Text>,
}

/// An item of a Map.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemView {
    /// Index of the item.
    pub index: u32,
    /// Frame of the item, while it is live.
    pub frame: Option<FrameId>,
    /// The current state, or the state that failed.
    pub state: Option<StateId>,
    /// The branch or item inside that state that caused the failure, if any.
    pub inner: Option<Inner>,
    /// Status of the item.
    pub status: StateStatus,
    /// The whole item; front ends shorten it.
    pub item: Value,
    /// Value of the column's expression.
    pub column: Option<Result<Value, String>>,
    /// Number of attempts: 1, plus one for each retry in the item.
    pub tries: u32,
    /// The error with which the item ended.
    pub error: Option<Text>,
    /// Output of the item.
    pub result: Option<Value>,
    /// True if the breakpoint on the item is enabled; `None` if there is no breakpoint.
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
            Self::NotBegun => "not begun",
        }
    }
}

/// Maximum number of events to search for the error that ended a child; it is close to the child's end.
const NEAR: u64 = 4_096;
/// Maximum number of failures to search for a failure of the frame's children.
const FAILURES: usize = 20_000;

/// How a branch or item failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedChild {
    /// The state in which the branch or item failed.
    pub state: StateId,
    /// The branch or item inside that state that caused the failure, if any.
    pub inner: Option<Inner>,
}

/// A branch or item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inner {
    /// A branch of a Parallel state, by its name.
    Branch(Text),
    /// An item or batch of a Map, by index.
    Part(Unit, u32),
}

/// How the branch or item failed whose end is the event with the number `ended`.
pub fn failed_child(
    timeline: &Timeline,
    ended: u64,
    definition: &Definition,
) -> Option<FailedChild> {
    let child = timeline.get(ended)?.frame;
    let mut events = before(timeline, ended);
    let raised = |event: &Event| event.frame == child && event.kind == EventKind::ErrorRaised;
    let (number, event) = events.find(|(_, event)| raised(event))?;
    let state = event.state?;
    let mut inner = before(timeline, number).filter(|(_, event)| !is_of_the_end(event.kind));
    // The child that caused the failure ended directly before, except for siblings that were aborted with it.
    let inner = inner.next().filter(|(_, event)| {
        let failed = matches!(
            event.kind,
            EventKind::IterationFailed | EventKind::BranchFailed
        );
        failed && timeline.parent(event.frame) == Some(child)
    });
    let inner = inner.map(|(_, event)| {
        let own = definition.state(state);
        match own.map(|own| &own.kind) {
            Some(StateKind::Map(map)) => Inner::Part(map.unit(), event.arg),
            _ => {
                let name = own.and_then(|own| definition.branch(own, event.arg));
                Inner::Branch(name.map_or_else(|| event.arg.to_string().into(), Text::from))
            }
        }
    });
    Some(FailedChild { state, inner })
}

/// How the children of a frame last failed up to an event, by index.
pub fn failed_children(
    timeline: &Timeline,
    parent: FrameId,
    cursor: u64,
    definition: &Definition,
) -> HashMap<u32, FailedChild> {
    let mut found = HashMap::new();
    let notes = timeline
        .notes()
        .rev()
        .skip_while(|(number, _)| *number > cursor);
    for (number, _) in notes.take(FAILURES) {
        let Some(event) = timeline.get(number) else {
            continue;
        };
        let failed = matches!(
            event.kind,
            EventKind::IterationFailed | EventKind::BranchFailed
        );
        if failed
            && timeline.parent(event.frame) == Some(parent)
            && !found.contains_key(&event.arg)
            && let Some(child) = failed_child(timeline, number, definition)
        {
            found.insert(event.arg, child);
        }
    }
    found
}

fn before(timeline: &Timeline, number: u64) -> impl Iterator<Item = (u64, &Event)> {
    let first = number.saturating_sub(NEAR).max(1);
    let events = (first..number).rev();
    events.filter_map(|number| Some((number, timeline.get(number)?)))
}

/// True if the event belongs to the end of a Parallel or Map state whose child failed.
fn is_of_the_end(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::IterationAborted
            | EventKind::TaskAborted
            | EventKind::WaitAborted
            | EventKind::MapAborted
            | EventKind::MapRunAborted
            | EventKind::ParallelAborted
            | EventKind::MapRunFailed
    )
}
