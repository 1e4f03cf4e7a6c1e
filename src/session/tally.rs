//! Counts what happened in each state, and computes the state's status, from the events of a run.

use super::view::StateStatus;
use crate::definition::StateId;
use crate::interpreter::{Edge, Event, EventKind, Machine, Millis, Status};
use std::sync::Arc;

/// Summary of the events of a run, from the first event up to the event that was counted last.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    states: Arc<Vec<StateTally>>,
    /// AWS's id of the last event in the history; 0 before the first.
    pub history_id: u32,
}

/// Summary of the events in one state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateTally {
    /// Status of the state after the last event in it, whichever frame that event belongs to.
    pub status: StateStatus,
    /// Number of visits.
    pub visits: u32,
    /// The transitions by which frames left the state, with their counts.
    pub edges: Vec<(Edge, u32)>,
    /// Id of the frame that last entered the state.
    frame: u32,
    /// Start time of the last visit while the visit lasts; afterwards, the duration of that visit.
    time: Millis,
    /// True if the last visit has not ended.
    is_inside: bool,
    /// Number of retries in all visits.
    pub retried: u32,
    /// Number of finished items and number of all known items, over all visits of a Map.
    items: (u32, u32),
    /// Number of items that were started.
    begun: u32,
    /// True if the number of items is not known when the Map starts, because an ItemReader has to read them first.
    reads: bool,
    /// Number of times that a Map started its items.
    pub runs: u32,
    /// Number of failed items.
    pub items_failed: u32,
    /// Number of visits that ended with an uncaught error.
    pub failures: u32,
}

impl StateTally {
    /// Duration of the last visit, once it has ended.
    #[must_use]
    pub fn took(&self) -> Option<Millis> {
        (self.visits > 0 && !self.is_inside).then_some(self.time)
    }

    /// Number of finished items and number of all items, over all visits of a Map. The items of an ItemReader are
    /// included once their number is known.
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
    /// An empty summary for a definition with this number of states.
    #[must_use]
    pub fn new(states: usize) -> Self {
        Self {
            states: Arc::new(vec![StateTally::default(); states]),
            history_id: 0,
        }
    }

    /// Summary of one state.
    #[must_use]
    pub fn get(&self, id: StateId) -> Option<&StateTally> {
        self.states.get(id.0 as usize)
    }

    /// Every transition that was taken, with its count.
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

    /// Counts an event.
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
                match state.edges.iter_mut().find(|(counted, _)| *counted == edge) {
                    Some((_, count)) => *count = count.saturating_add(1),
                    None => state.edges.push((edge, 1)),
                }
            }
            _ => {}
        }
    }
}

/// True if events of this kind change the numbers of items.
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

/// Status of a state after an event in it; `None` if the event does not change the status.
#[must_use]
pub fn stands_after(before: StateStatus, kind: EventKind, arg: u32) -> Option<StateStatus> {
    let status = status_after(kind, arg)?;
    // AWS records an abort also for the state that raised the error; here, that state stays failed.
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

/// Status that the row of an event shows.
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
        // Only later events show whether an enclosing state catches the error.
        EventKind::Uncaught => StateStatus::ErrorRaised,
        EventKind::IterationAborted => StateStatus::Aborted,
        EventKind::TaskSucceeded => StateStatus::Succeeded,
        _ => status_after(event.kind, event.arg).unwrap_or(StateStatus::Running),
    }
}

/// Converts a status for the view of a run that has ended: nothing runs, waits or retries any more.
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
