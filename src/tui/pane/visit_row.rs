//! The timeline folded: the events of a state and attempt as one row that tells what came of it, those of the current one
//! each by themselves.
//!
//! It must not know columns, selection or scrolling.

use crate::definition::StateId;
use crate::interpreter::{EventKind, FrameId, Millis};
use crate::session::view::{EventRow, StateStatus, Touched};
use crate::wording;
use std::collections::HashMap;

/// A row of the folded timeline.
#[derive(Clone, Debug)]
pub(super) enum VisitRow {
    /// One event.
    Event(EventRow),
    /// The events of a state and attempt; the row of the first, as far as it is shown.
    Visit(Visit),
}

/// The events of a state and attempt.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    /// The first event.
    pub(super) first: EventRow,
    /// The event that tells what came of it.
    pub(super) last: EventRow,
    /// The last event.
    until: (u64, Millis),
    /// What came of it.
    pub(super) outcome: String,
    /// How many events it has.
    count: usize,
    /// The number of the attempt.
    pub(super) attempt: u32,
    touched: Option<Touched>,
    events: Vec<EventRow>,
}

impl VisitRow {
    /// The number of its event, of the first where there are several.
    pub(super) fn number(&self) -> u64 {
        match self {
            Self::Event(row) => row.number,
            Self::Visit(visit) => visit.first.number,
        }
    }
}

impl Visit {
    fn new(row: &EventRow, attempt: u32) -> Self {
        Self {
            first: row.clone(),
            last: row.clone(),
            until: (row.number, row.time),
            outcome: String::new(),
            count: 1,
            attempt,
            touched: row.touched,
            events: vec![row.clone()],
        }
    }

    /// What a person did in it.
    pub(super) fn by_hand(&self) -> &'static str {
        match self.touched {
            Some(Touched::Answered) => ", answer typed",
            Some(Touched::Edited) => ", edited",
            None => "",
        }
    }

    fn add(&mut self, row: EventRow) {
        self.touched = row.touched.or(self.touched);
        self.until = (row.number, row.time);
        self.count += 1;
        match row.kind {
            EventKind::TaskFailed
            | EventKind::TaskTimedOut
            | EventKind::Caught
            | EventKind::ErrorRaised => self.tell(&row, wording::detail(&row)),
            EventKind::RetryScheduled => {
                let error = std::mem::take(&mut self.outcome);
                let wait = wording::detail(&row);
                let wait = match wait.strip_prefix("wait ") {
                    Some(wait) => format!("retry after {wait}"),
                    None => format!("retry {wait}"),
                };
                let error = match error.as_str() {
                    "" => String::new(),
                    error => format!("{error}, "),
                };
                self.tell(&row, format!("{error}{wait}"));
            }
            EventKind::Uncaught => {
                let error = wording::detail(&row);
                // The Map or Parallel around it may catch it yet.
                let here = if row.frame.is_empty() { "" } else { " here" };
                self.tell(&row, format!("{error}, not caught{here}"));
            }
            // What was caught leads where the catcher says.
            EventKind::StateExited if self.last.kind != EventKind::Caught => {
                self.tell(&row, wording::detail(&row));
            }
            _ if self.outcome.is_empty() => self.last = row.clone(),
            _ => {}
        }
        self.events.push(row);
    }

    /// The run ended while it was in the state: what came of it is told by that, where nothing else did.
    fn end_with(&mut self, row: &EventRow) {
        let is_open = matches!(
            self.last.status,
            StateStatus::Running
                | StateStatus::Waiting
                | StateStatus::Asking
                | StateStatus::Retrying
        );
        if self.outcome.is_empty() && is_open {
            self.last.status = match row.kind {
                EventKind::ExecutionTimedOut => StateStatus::TimedOut,
                _ => StateStatus::Aborted,
            };
            self.until = (row.number, row.time);
        }
    }

    fn tell(&mut self, row: &EventRow, outcome: String) {
        self.last = row.clone();
        self.outcome = outcome;
    }

    /// How long it took.
    pub(super) fn took(&self) -> Millis {
        self.until.1.saturating_sub(self.first.time)
    }

    fn holds(&self, number: u64) -> bool {
        self.events.iter().any(|row| row.number == number)
    }
}

/// Folds events; those of the visit that holds the event `open` stay rows of their own.
pub(super) fn folded(rows: Vec<EventRow>, open: u64) -> Vec<VisitRow> {
    let mut visits: Vec<Visit> = Vec::new();
    let mut alone: Vec<EventRow> = Vec::new();
    let mut under_way: HashMap<(FrameId, Option<StateId>), usize> = HashMap::new();
    for row in rows {
        let key = (row.frame_id, row.state);
        match row.kind {
            EventKind::ExecutionFailed | EventKind::ExecutionTimedOut => {
                for place in under_way.values() {
                    if let Some(visit) = visits.get_mut(*place) {
                        visit.end_with(&row);
                    }
                }
            }
            EventKind::StateEntered => {
                under_way.insert(key, visits.len());
                visits.push(Visit::new(&row, 1));
                continue;
            }
            EventKind::Retried => {
                under_way.insert(key, visits.len());
                visits.push(Visit::new(&row, row.arg));
                continue;
            }
            _ => {}
        }
        let left = row.kind == EventKind::StateExited;
        match under_way.get(&key).and_then(|place| visits.get_mut(*place)) {
            Some(visit) => visit.add(row),
            None if says_nothing_new(row.kind) && row.number != open => {}
            None => alone.push(row),
        }
        if left {
            under_way.remove(&key);
        }
    }
    let mut made: Vec<VisitRow> = alone.into_iter().map(VisitRow::Event).collect();
    for visit in visits {
        if visit.count == 1 || visit.holds(open) {
            made.extend(visit.events.into_iter().map(VisitRow::Event));
        } else {
            made.push(VisitRow::Visit(Visit {
                events: Vec::new(),
                ..visit
            }));
        }
    }
    made.sort_unstable_by_key(VisitRow::number);
    made
}

/// Whether the first state of a branch or item says it, or the last one.
fn says_nothing_new(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::BranchStarted
            | EventKind::BranchSucceeded
            | EventKind::IterationStarted
            | EventKind::IterationSucceeded
    )
}
