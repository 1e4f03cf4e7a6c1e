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
                let led = wording::detail(&row);
                let waited = !self.last.does_not_wait();
                self.tell(
                    &row,
                    if waited {
                        led
                    } else {
                        format!("did not wait {led}")
                    },
                );
            }
            // The stages behind it tell less.
            _ if self.last.does_not_wait() => {}
            _ if self.outcome.is_empty() => self.last = row.clone(),
            _ => {}
        }
        self.events.push(row);
    }

    /// The run ended while it was in the state: what came of it is told by that, where nothing else did.
    fn end_with(&mut self, row: &EventRow) {
        if self.is_open() {
            self.last.status = match row.kind {
                EventKind::ExecutionTimedOut => StateStatus::TimedOut,
                _ => StateStatus::Aborted,
            };
            self.until = (row.number, row.time);
        }
    }

    /// Whether nothing has come of it so far.
    fn is_open(&self) -> bool {
        let goes_on = matches!(
            self.last.status,
            StateStatus::Running
                | StateStatus::Waiting
                | StateStatus::Asking
                | StateStatus::Retrying
        );
        self.outcome.is_empty() && goes_on
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

/// Events as they are folded.
#[derive(Default)]
pub(super) struct Folding {
    visits: Vec<Visit>,
    alone: Vec<EventRow>,
    /// The visits that may have more events.
    under_way: HashMap<(FrameId, Option<StateId>), usize>,
}

impl Folding {
    /// Takes in the events that are shown, in order; `open` is the one whose visit is not folded.
    pub(super) fn show(&mut self, rows: Vec<EventRow>, open: u64) {
        let current = rows.iter().find(|row| row.number == open);
        let current = current.map(|row| (row.frame_id, row.state));
        for row in rows {
            let attempt = match row.kind {
                EventKind::StateEntered => Some(1),
                EventKind::Retried => Some(row.arg),
                _ => None,
            };
            if let Some(attempt) = attempt {
                let key = (row.frame_id, row.state);
                self.under_way.insert(key, self.visits.len());
                self.visits.push(Visit::new(&row, attempt));
                continue;
            }
            let Some(row) = self.add(row) else {
                continue;
            };
            // Of a visit that began before them only the current one has its stages shown.
            let is_current = current == Some((row.frame_id, row.state));
            let is_stage = matches!(row.kind, EventKind::Stage(_)) && !is_current;
            if !(is_stage || says_nothing_new(row.kind)) || row.number == open {
                self.alone.push(row);
            }
        }
    }

    /// Takes in events behind those that are shown: they tell only what came of these.
    pub(super) fn look_ahead(&mut self, rows: Vec<EventRow>) {
        for row in rows {
            match row.kind {
                EventKind::StateEntered | EventKind::Retried => {
                    self.under_way.remove(&(row.frame_id, row.state));
                }
                _ => drop(self.add(row)),
            }
        }
    }

    /// Whether it is not known of a visit what came of it.
    pub(super) fn is_open(&self) -> bool {
        let mut visits = self.under_way.values();
        visits.any(|place| self.visits.get(*place).is_some_and(Visit::is_open))
    }

    /// Adds an event to the visit that it is of; hands it back where that is none.
    fn add(&mut self, row: EventRow) -> Option<EventRow> {
        if matches!(
            row.kind,
            EventKind::ExecutionFailed | EventKind::ExecutionTimedOut
        ) {
            for place in self.under_way.values() {
                if let Some(visit) = self.visits.get_mut(*place) {
                    visit.end_with(&row);
                }
            }
        }
        let key = (row.frame_id, row.state);
        let place = match row.kind {
            EventKind::StateExited => self.under_way.remove(&key),
            _ => self.under_way.get(&key).copied(),
        };
        match place.and_then(|place| self.visits.get_mut(place)) {
            Some(visit) => {
                visit.add(row);
                None
            }
            None => Some(row),
        }
    }

    /// The rows; those of the visit that holds the event `open` are each by themselves. Where the look ahead was cut short,
    /// nothing is said of what came of a visit that may have ended since.
    pub(super) fn rows(mut self, open: u64, is_cut: bool) -> Vec<VisitRow> {
        for place in self.under_way.values().filter(|_| is_cut) {
            if let Some(visit) = self.visits.get_mut(*place).filter(|visit| visit.is_open()) {
                visit.outcome = "…".to_owned();
            }
        }
        let mut made: Vec<VisitRow> = self.alone.into_iter().map(VisitRow::Event).collect();
        for visit in self.visits {
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
