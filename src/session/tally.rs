//! How each state stands and which edges were taken, kept up event by event.

use super::view::StateStatus;
use crate::definition::StateId;
use crate::interpreter::{Edge, Event, EventKind, FrameId, Machine, Millis, Status};
use std::sync::Arc;

/// A summary of all events up to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    states: Arc<Vec<StateTally>>,
    /// AWS's id of the last event of its history; 0 before any.
    pub history_id: u32,
    /// The state that the machine's own frame is in, and since when.
    inside: Option<(StateId, Millis)>,
}

/// One state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateTally {
    /// How the run that was last in it left it.
    pub status: StateStatus,
    /// How often it was entered.
    pub visits: u32,
    /// The edges by which it was left, with how often.
    pub edges: Vec<(Edge, u32)>,
    /// How long the machine's own frame was in it, over all visits that are over.
    pub spent: Millis,
    /// The number of the frame that entered it last.
    frame: u32,
    /// When that was; once the visit is over, how long it took.
    time: Millis,
    /// Whether that visit is not over yet.
    is_inside: bool,
    /// How often it was tried again.
    pub retried: u32,
    /// Items that ended and all items that are known of, over all visits of a Map.
    items: (u32, u32),
    /// Items that began.
    begun: u32,
    /// Whether how many there are was not known when the Map began: they are read first.
    reads: bool,
    /// How often a Map began with its items.
    pub runs: u32,
    /// How many of those items failed.
    pub items_failed: u32,
    /// How many of its visits ended with an error that nothing in it caught.
    pub failures: u32,
}

impl StateTally {
    /// How long the last visit took, once it is over.
    #[must_use]
    pub fn took(&self) -> Option<Millis> {
        (self.visits > 0 && !self.is_inside).then_some(self.time)
    }

    /// Items that ended and all items, over all visits of a Map; of those that are read as many as are known of.
    #[must_use]
    pub fn items(&self) -> (u32, u32) {
        let (ended, all) = self.items;
        (ended, all.max(self.begun))
    }
}

impl StateTally {
    fn count_items(&mut self, event: &Event) {
        let failed = event.kind == EventKind::IterationFailed;
        match event.kind {
            EventKind::IterationStarted => self.begun = self.begun.saturating_add(1),
            EventKind::IterationSucceeded | EventKind::IterationFailed => {
                self.items.0 = self.items.0.saturating_add(1);
                self.items_failed = self.items_failed.saturating_add(failed.into());
            }
            EventKind::MapStarted => {
                self.items.1 = self.items.1.saturating_add(event.arg);
                self.runs = self.runs.saturating_add(1);
                self.reads = event.arg == 0;
            }
            EventKind::MapSucceeded | EventKind::MapFailed | EventKind::MapAborted
                if self.reads =>
            {
                self.items.1 = self.items.1.saturating_add(event.arg);
            }
            _ => {}
        }
    }
}

impl Tally {
    /// Before the first event, of a definition with so many states.
    #[must_use]
    pub fn new(states: usize) -> Self {
        Self {
            states: Arc::new(vec![StateTally::default(); states]),
            history_id: 0,
            inside: None,
        }
    }

    /// One state.
    #[must_use]
    pub fn get(&self, id: StateId) -> Option<&StateTally> {
        self.states.get(id.0 as usize)
    }

    /// Every edge that was taken, with how often.
    pub fn edges(&self) -> impl Iterator<Item = (StateId, Edge, u32)> {
        (0_u32..)
            .zip(self.states.iter())
            .flat_map(|(place, state)| {
                state
                    .edges
                    .iter()
                    .map(move |(edge, count)| (StateId(place), *edge, *count))
            })
    }

    /// How long the machine's own frame was in each state up to now.
    #[must_use]
    pub fn spent(&self, now: Millis) -> Vec<(StateId, Millis)> {
        let all = (0_u32..).map(StateId).zip(self.states.iter());
        let all = all.map(|(id, state)| match self.inside {
            Some((inside, since)) if inside == id => (id, state.spent + now.saturating_sub(since)),
            _ => (id, state.spent),
        });
        all.filter(|(_, spent)| *spent > 0).collect()
    }

    /// Takes one more event in.
    pub fn apply(&mut self, event: &Event) {
        self.history_id = self.history_id.max(event.history_id);
        let Some(id) = event.state else { return };
        let Some(state) = self.states.get(id.0 as usize) else {
            return;
        };
        let status = stands_after(state.status, event.kind, event.arg);
        if status.is_none() && !is_of_items(event.kind) {
            return;
        }
        let Some(state) = Arc::make_mut(&mut self.states).get_mut(id.0 as usize) else {
            return;
        };
        state.count_items(event);
        let Some(status) = status else { return };
        state.status = status;
        let own = event.frame == FrameId(0);
        match event.kind {
            EventKind::StateEntered if own => self.inside = Some((id, event.time)),
            EventKind::StateExited if own => {
                if let Some((_, since)) = self.inside.take() {
                    state.spent += event.time.saturating_sub(since);
                }
            }
            _ => {}
        }
        match event.kind {
            EventKind::StateEntered => {
                state.visits = state.visits.saturating_add(1);
                (state.frame, state.time, state.is_inside) = (event.frame.0, event.time, true);
            }
            EventKind::Retried => state.retried = state.retried.saturating_add(1),
            EventKind::Uncaught => state.failures = state.failures.saturating_add(1),
            EventKind::StateExited => {
                if state.is_inside && state.frame == event.frame.0 {
                    state.time = event.time.saturating_sub(state.time);
                    state.is_inside = false;
                }
                let edge = Edge::from_arg(event.arg);
                match state.edges.iter_mut().find(|(own, _)| *own == edge) {
                    Some((_, count)) => *count = count.saturating_add(1),
                    None => state.edges.push((edge, 1)),
                }
            }
            _ => {}
        }
    }
}

/// Whether it is an event that items are counted by.
fn is_of_items(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::MapStarted
            | EventKind::MapSucceeded
            | EventKind::MapFailed
            | EventKind::MapAborted
            | EventKind::IterationStarted
            | EventKind::IterationSucceeded
            | EventKind::IterationFailed
    )
}

/// How a state that stood so stands after an event of its own; `None` where the event says nothing about that.
#[must_use]
pub fn stands_after(before: StateStatus, kind: EventKind, arg: u32) -> Option<StateStatus> {
    let status = status_after(kind, arg)?;
    // AWS records the end of what failed as an abort, too: what raised the error stays marked.
    Some(match (status, before) {
        (StateStatus::Aborted, StateStatus::Failed | StateStatus::ErrorRaised) => {
            StateStatus::Failed
        }
        (status, _) => status,
    })
}

fn status_after(kind: EventKind, arg: u32) -> Option<StateStatus> {
    Some(match kind {
        EventKind::StateEntered | EventKind::TaskSucceeded => StateStatus::Running,
        EventKind::TaskStarted => StateStatus::Asking,
        EventKind::WaitStarted => StateStatus::Waiting,
        EventKind::ErrorRaised
        | EventKind::EvaluationFailed
        | EventKind::TaskFailed
        | EventKind::TaskTimedOut => StateStatus::ErrorRaised,
        EventKind::RetryScheduled | EventKind::Retried => StateStatus::Retrying,
        EventKind::Caught => StateStatus::Caught,
        EventKind::Uncaught => StateStatus::Failed,
        EventKind::TaskAborted
        | EventKind::WaitAborted
        | EventKind::ParallelAborted
        | EventKind::MapAborted => StateStatus::Aborted,
        EventKind::StateExited => match Edge::from_arg(arg) {
            Edge::Catch(_) => StateStatus::Caught,
            _ => StateStatus::Succeeded,
        },
        _ => return None,
    })
}

/// The status that the row of an event shows.
#[must_use]
pub fn row_status(event: &Event) -> StateStatus {
    match event.kind {
        EventKind::ExecutionSucceeded
        | EventKind::IterationSucceeded
        | EventKind::BranchSucceeded
        | EventKind::ParallelSucceeded
        | EventKind::MapRunSucceeded
        | EventKind::MapSucceeded => StateStatus::Succeeded,
        EventKind::ExecutionFailed
        | EventKind::ExecutionTimedOut
        | EventKind::IterationFailed
        | EventKind::BranchFailed
        | EventKind::ParallelFailed
        | EventKind::MapRunFailed
        | EventKind::MapFailed => StateStatus::Failed,
        // Whether anything around it catches it is seen further on.
        EventKind::Uncaught => StateStatus::ErrorRaised,
        EventKind::IterationAborted => StateStatus::Aborted,
        EventKind::TaskSucceeded => StateStatus::Succeeded,
        _ => status_after(event.kind, event.arg).unwrap_or(StateStatus::Running),
    }
}

/// How something stands once the run is over: then nothing runs, waits or is tried again.
pub(super) fn once_over(machine: &Machine, status: StateStatus) -> StateStatus {
    let over = match machine.status() {
        Status::Running => return status,
        Status::TimedOut => StateStatus::TimedOut,
        Status::Succeeded(_) | Status::Failed(_) => StateStatus::Aborted,
    };
    match status {
        StateStatus::Running
        | StateStatus::Retrying
        | StateStatus::Waiting
        | StateStatus::Asking => over,
        other => other,
    }
}
