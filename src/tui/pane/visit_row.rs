//! The folded timeline: one row shows all events of an attempt of a state, with the outcome of the attempt. Only the
//! events of the visit that contains the current event have rows of their own.

use crate::definition::StateId;
use crate::interpreter::{EventKind, FrameId, Millis};
use crate::session::view::{EventDetail, EventRow, StateStatus, Touched};
use crate::session::{EventNote, duration};
use crate::wording;
use std::collections::HashMap;

/// A row of the folded timeline.
#[derive(Clone, Debug)]
pub(super) enum VisitRow {
    /// A single event.
    Event(EventRow),
    /// All events of one visit of a state; if the visit has several attempts, all events of one attempt.
    Visit(Box<Visit>),
}

/// The events of one attempt of a state in a frame.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    /// The first event.
    pub(super) first: EventRow,
    /// The event that determines the outcome.
    pub(super) last: EventRow,
    /// Number and time of the last event.
    until: (u64, Millis),
    /// Text for the outcome; empty if there is no outcome yet.
    pub(super) outcome: String,
    /// Number of events.
    count: usize,
    /// Number of the attempt; the first is 1.
    pub(super) attempt: u32,
    touched: Option<Touched>,
    events: Vec<EventRow>,
    /// A copy of the visit that also contains the events after the current event; `None` if the visit has no later
    /// events or begins after the current event.
    later: Option<Box<Visit>>,
}

impl VisitRow {
    /// Number of the row's event; for a row with several events, number of the first event.
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
            later: None,
        }
    }

    /// A copy of the visit that also contains the events after the current event; `None` if the later events do not
    /// change the outcome.
    pub(super) fn later(&self) -> Option<&Self> {
        let later = self.later.as_deref();
        later.filter(|later| {
            (&later.outcome, later.last.status) != (&self.outcome, self.last.status)
        })
    }

    /// The visit to which the event `number` is added: this visit, or its copy [`Self::later`] if the event comes after
    /// `cursor`, the current event. A visit that begins after the current event has no copy.
    fn at(&mut self, number: u64, cursor: u64) -> &mut Self {
        if number <= cursor || self.first.number > cursor {
            return self;
        }
        if self.later.is_none() {
            let events = std::mem::take(&mut self.events);
            self.later = Some(Box::new(self.clone()));
            self.events = events;
        }
        match self.later {
            Some(ref mut later) => later,
            None => self,
        }
    }

    /// Adds an event to the visit.
    fn add(&mut self, row: EventRow, cursor: u64) {
        self.count += 1;
        self.at(row.number, cursor).tell_of(&row);
        self.events.push(row);
    }

    /// Text about an answer or an edit of the user during the visit; empty if there was neither.
    pub(super) fn by_hand(&self) -> &'static str {
        match self.touched {
            Some(Touched::Answered) => ", answer typed",
            Some(Touched::Edited) => ", edited",
            None => "",
        }
    }

    fn tell_of(&mut self, row: &EventRow) {
        self.touched = row.touched.or(self.touched);
        self.until = (row.number, row.time);
        match row.kind {
            EventKind::TaskFailed
            | EventKind::TaskTimedOut
            | EventKind::Caught
            | EventKind::ErrorRaised => self.tell(row, wording::detail(row)),
            EventKind::RetryScheduled => {
                let error = std::mem::take(&mut self.outcome);
                let wait = match &row.detail {
                    EventDetail::Note(EventNote::Delay(wait)) => {
                        format!("retry after {delay}", delay = duration(*wait))
                    }
                    _ => format!("retry {detail}", detail = wording::detail(row)),
                };
                let error = match error.as_str() {
                    "" => String::new(),
                    error => format!("{error}, "),
                };
                self.tell(row, format!("{error}{wait}"));
            }
            EventKind::Uncaught => {
                let error = wording::detail(row);
                // In a branch or an item, the text ends with `here`, because the enclosing Parallel or Map may still
                // catch the error.
                let place = if row.frame.is_empty() { "" } else { " here" };
                self.tell(row, format!("{error}, not caught{place}"));
                // Sets the status to failed, because the graph also shows the state as failed.
                self.last.status = StateStatus::Failed;
            }
            // After a caught error, the outcome already contains the next state, which the text about the catcher
            // names.
            EventKind::StateExited if self.last.kind != EventKind::Caught => {
                let transition = wording::detail(row);
                let waited = !self.last.does_not_wait();
                self.tell(
                    row,
                    if waited {
                        transition
                    } else {
                        format!("did not wait {transition}")
                    },
                );
            }
            // If a Wait state did not wait, its later events do not replace this fact, because they are less
            // informative.
            _ if self.last.does_not_wait() => {}
            _ if self.outcome.is_empty() => self.last = row.clone(),
            _ => {}
        }
    }

    /// Handles the end of the run during the visit. If the visit has no outcome yet, the end of the run is its outcome.
    fn end_with(&mut self, row: &EventRow) {
        if self.is_open() {
            self.last.status = match row.kind {
                EventKind::ExecutionTimedOut => StateStatus::TimedOut,
                _ => StateStatus::Aborted,
            };
            self.until = (row.number, row.time);
        }
    }

    /// True if the visit has no outcome yet, so that later events decide it.
    fn is_unsettled(&self) -> bool {
        self.later.as_deref().unwrap_or(self).is_open()
    }

    /// True if there is no outcome yet.
    pub(super) fn is_open(&self) -> bool {
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

    /// Duration of the visit.
    pub(super) fn took(&self) -> Millis {
        self.until.1.saturating_sub(self.first.time)
    }

    fn holds(&self, number: u64) -> bool {
        self.events.iter().any(|row| row.number == number)
    }
}

/// Combines events into the rows of the folded timeline.
pub(super) struct Folding {
    /// Number of the current event. The visit with this event is not folded. Later events affect only [`Visit::later`].
    cursor: u64,
    /// Highest number of an event that was added.
    seen: u64,
    visits: Vec<Visit>,
    alone: Vec<EventRow>,
    /// The visits that may get further events: for each frame and state, the index of the visit in `visits`.
    under_way: HashMap<(FrameId, Option<StateId>), usize>,
}

impl Folding {
    /// Creates an empty timeline.
    pub(super) fn new(cursor: u64) -> Self {
        Self {
            cursor,
            seen: 0,
            visits: Vec::new(),
            alone: Vec::new(),
            under_way: HashMap::new(),
        }
    }

    /// Adds events that get rows in the timeline. The events are in the order of their numbers.
    pub(super) fn show(&mut self, rows: Vec<EventRow>) {
        let cursor = self.cursor;
        let current = rows.iter().find(|row| row.number == cursor);
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
            // If a visit began before the first of these events, its stages have rows only if the current event is in
            // this visit.
            let is_current = current == Some((row.frame_id, row.state));
            let is_stage = matches!(row.kind, EventKind::Stage(_)) && !is_current;
            if !(is_stage || says_nothing_new(row.kind)) || row.number == cursor {
                self.alone.push(row);
            }
        }
    }

    /// Adds later events, for which the timeline has no rows. They only affect the outcomes of visits.
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

    /// True if later events may change the outcome of a shown visit.
    pub(super) fn is_open(&self) -> bool {
        let mut visits = self.under_way.values();
        visits.any(|place| self.visits.get(*place).is_some_and(Visit::is_unsettled))
    }

    /// Adds an event to its visit. If the event belongs to none of the visits, returns the event.
    fn add(&mut self, row: EventRow) -> Option<EventRow> {
        self.seen = self.seen.max(row.number);
        if matches!(
            row.kind,
            EventKind::ExecutionFailed | EventKind::ExecutionTimedOut
        ) {
            for place in self.under_way.values() {
                if let Some(visit) = self.visits.get_mut(*place) {
                    visit.at(row.number, self.cursor).end_with(&row);
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
                visit.add(row, self.cursor);
                None
            }
            None => Some(row),
        }
    }

    /// The rows of the timeline; events of the visit with the current event have rows of their own. If `is_cut`, there
    /// are later events that were not added, and a visit that they may have ended gets the outcome `…`.
    pub(super) fn rows(mut self, is_cut: bool) -> Vec<VisitRow> {
        for place in self.under_way.values().filter(|_| is_cut) {
            let visit = self.visits.get_mut(*place);
            if let Some(visit) = visit.filter(|visit| visit.is_unsettled()) {
                visit.at(self.seen + 1, self.cursor).outcome = "…".to_owned();
            }
        }
        let mut made: Vec<VisitRow> = self.alone.into_iter().map(VisitRow::Event).collect();
        for visit in self.visits {
            if visit.count == 1 || visit.holds(self.cursor) {
                made.extend(visit.events.into_iter().map(VisitRow::Event));
            } else {
                made.push(VisitRow::Visit(Box::new(Visit {
                    events: Vec::new(),
                    ..visit
                })));
            }
        }
        made.sort_unstable_by_key(VisitRow::number);
        made
    }
}

/// True if an event starts a branch or item, or ends it successfully. No row is needed for this event, because the row
/// of the first or last state in the branch or item shows the same.
fn says_nothing_new(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::BranchStarted
            | EventKind::BranchSucceeded
            | EventKind::IterationStarted
            | EventKind::IterationSucceeded
    )
}
