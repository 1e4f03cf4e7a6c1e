//! The timeline folded: the events of a state and attempt as one row that tells what came of it, those of the current one
//! each by themselves.

use crate::definition::StateId;
use crate::interpreter::{EventKind, FrameId, Millis};
use crate::session::view::{EventDetail, EventRow, StateStatus, Touched};
use crate::session::{EventNote, duration};
use crate::wording;
use std::collections::HashMap;

/// A row of the folded timeline.
#[derive(Clone, Debug)]
pub(super) enum VisitRow {
    /// One event.
    Event(EventRow),
    /// The events of a state and attempt; the row of the first, as far as it is shown.
    Visit(Box<Visit>),
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
    /// What it has come to by the end, where the cursor is before that.
    later: Option<Box<Visit>>,
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
            later: None,
        }
    }

    /// What comes of it behind the cursor, where that is something else.
    pub(super) fn later(&self) -> Option<&Self> {
        let later = self.later.as_deref();
        later.filter(|later| {
            (&later.outcome, later.last.status) != (&self.outcome, self.last.status)
        })
    }

    /// Itself up to the cursor, or what it comes to later: of which the event of this number tells.
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

    /// Takes in an event of its own.
    fn add(&mut self, row: EventRow, cursor: u64) {
        self.count += 1;
        self.at(row.number, cursor).tell_of(&row);
        self.events.push(row);
    }

    /// What a person did in it.
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
                        format!("retry after {}", duration(*wait))
                    }
                    _ => format!("retry {}", wording::detail(row)),
                };
                let error = match error.as_str() {
                    "" => String::new(),
                    error => format!("{error}, "),
                };
                self.tell(row, format!("{error}{wait}"));
            }
            EventKind::Uncaught => {
                let error = wording::detail(row);
                // The Map or Parallel around it may catch it yet.
                let here = if row.frame.is_empty() { "" } else { " here" };
                self.tell(row, format!("{error}, not caught{here}"));
                // As the graph has it.
                self.last.status = StateStatus::Failed;
            }
            // What was caught leads where the catcher says.
            EventKind::StateExited if self.last.kind != EventKind::Caught => {
                let led = wording::detail(row);
                let waited = !self.last.does_not_wait();
                self.tell(
                    row,
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

    /// Whether it is not known what comes of it in the end.
    fn is_unsettled(&self) -> bool {
        self.later.as_deref().unwrap_or(self).is_open()
    }

    /// Whether nothing has come of it so far.
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

    /// How long it took.
    pub(super) fn took(&self) -> Millis {
        self.until.1.saturating_sub(self.first.time)
    }

    fn holds(&self, number: u64) -> bool {
        self.events.iter().any(|row| row.number == number)
    }
}

/// Events as they are folded.
pub(super) struct Folding {
    /// The event of the cursor: its visit is not folded, and what comes behind it comes later.
    cursor: u64,
    /// The last event that was taken in.
    seen: u64,
    visits: Vec<Visit>,
    alone: Vec<EventRow>,
    /// The visits that may have more events.
    under_way: HashMap<(FrameId, Option<StateId>), usize>,
}

impl Folding {
    /// Of no events so far.
    pub(super) fn new(cursor: u64) -> Self {
        Self {
            cursor,
            seen: 0,
            visits: Vec::new(),
            alone: Vec::new(),
            under_way: HashMap::new(),
        }
    }

    /// Takes in the events that are shown, in order.
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
            // Of a visit that began before them only the current one has its stages shown.
            let is_current = current == Some((row.frame_id, row.state));
            let is_stage = matches!(row.kind, EventKind::Stage(_)) && !is_current;
            if !(is_stage || says_nothing_new(row.kind)) || row.number == cursor {
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
        visits.any(|place| self.visits.get(*place).is_some_and(Visit::is_unsettled))
    }

    /// Adds an event to the visit that it is of; hands it back where that is none.
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

    /// The rows; those of the visit that holds the cursor's event are each by themselves. Where the look ahead was cut short,
    /// nothing is said of what came of a visit that may have ended since.
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
