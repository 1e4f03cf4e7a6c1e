//! Executions that clients started on the API server of `--listen`. At most one of them is on the screen; the others
//! run in the background.

use crate::launch::{Client, Origin, Visit};
use crate::query::format_timestamp;
use crate::session::{Command, Direction, Progress, Session};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of ended executions that can still be opened.
const MOST_ENDED: usize = 100;
/// Maximum memory for the recorded events of ended executions, in bytes.
const MOST_BYTES: u64 = 256 << 20;
/// Interval at which an execution in the background checks whether an answer has arrived.
const LOOK: Duration = Duration::from_millis(50);

/// An execution that a client started.
#[derive(Debug)]
pub(super) struct Entry {
    pub name: String,
    started: i64,
    pub is_of_file: bool,
    pub client: Arc<dyn Client>,
    /// The session of the execution. `None` while the execution is on the screen, because the app then owns the
    /// session.
    session: Option<Session>,
    /// True once the execution was let run; until then, it is held before its first state.
    is_begun: bool,
    /// While the execution waits for an answer: the time at which it checks again. It does nothing until then.
    rest_until: Option<Instant>,
}

/// The session of the opened file, kept here while another execution is on the screen.
#[derive(Debug)]
struct Parked {
    session: Session,
    origin: Origin,
}

/// All executions that clients started, oldest first.
#[derive(Debug, Default)]
pub(super) struct Executions {
    all: Vec<Entry>,
    /// Index of the execution on the screen.
    shown: Option<usize>,
    file: Option<Parked>,
    /// True if the user has paused all executions in the background.
    pub is_held: bool,
    /// True if the opened file was changed while another execution was on the screen.
    pub is_file_changed: bool,
    /// Address of the API server on which clients start executions.
    address: Option<String>,
}

/// A change of an execution in the background. The screen may have to show the execution because of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ran {
    /// The execution with this index began to run.
    Began(usize),
    /// The execution with this index stopped before its end.
    Stopped(usize),
}

impl Entry {
    fn new(visit: Visit) -> Self {
        Self {
            name: visit.name,
            started: visit.started,
            is_of_file: visit.is_of_file,
            client: visit.client,
            session: Some(visit.session),
            is_begun: false,
            rest_until: None,
        }
    }

    fn is_ended(&self) -> bool {
        self.client.status() != "RUNNING"
    }

    /// True if the execution can go on in the background at the time `now`. False if it is stopped, or if it waits for
    /// an answer and need not check for it yet.
    fn is_busy(&self, now: Instant) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|session| !self.is_begun || session.is_busy())
            && self.rest_until.is_none_or(|until| until <= now)
    }

    /// Name of the state at the cursor.
    fn state(session: &Session) -> String {
        let machine = session.machine();
        let frame = machine.frames().last();
        let state = frame.and_then(|frame| machine.definition().state(frame.visit.state));
        state.map_or_else(String::new, |state| state.name.to_string())
    }

    /// Text about how far the execution is, such as `stopped at Pay`; empty once it has ended. `shown` is the session
    /// on the screen.
    fn whereabouts(&self, shown: &Session) -> String {
        let session = self.session.as_ref().unwrap_or(shown);
        if self.is_ended() {
            return String::new();
        }
        let state = Self::state(session);
        match (self.is_begun, session.is_busy()) {
            (false, _) => format!("held before {state}"),
            (true, true) => format!("running at {state}"),
            (true, false) => format!("stopped at {state}"),
        }
    }

    /// Text about the execution for the list of executions: status, start time and current state.
    pub fn detail(&self, shown: &Session) -> String {
        let time = format_timestamp(self.started);
        let time = time.get(11..19).unwrap_or_default();
        let session = self.session.as_ref().unwrap_or(shown);
        let machine = &session.definition().name;
        let place = self.whereabouts(shown);
        let status = self.client.status();
        format!("{status:<9} {time} {machine} {place}")
    }
}

impl Executions {
    /// All executions, oldest first.
    pub fn all(&self) -> &[Entry] {
        &self.all
    }

    /// Index of the execution on the screen; `None` if the run of the opened file is on the screen.
    pub fn shown(&self) -> Option<usize> {
        self.shown
    }

    fn shown_entry(&self) -> Option<&Entry> {
        self.all.get(self.shown?)
    }

    /// True if the execution on the screen belongs to a state machine that a client created.
    pub fn shows_foreign(&self) -> bool {
        self.shown_entry().is_some_and(|entry| !entry.is_of_file)
    }

    /// The run of the opened file, if it is not on the screen.
    pub fn file(&self) -> Option<&Session> {
        self.file.as_ref().map(|parked| &parked.session)
    }

    /// Sets the address at which the API server listens.
    pub fn listens_at(&mut self, address: &str) {
        self.address = Some(address.to_string());
    }

    /// Text for the header: the name of the execution on the screen, if a client started it, and how many executions
    /// wait in the background. If there is neither, the address of the API server.
    pub fn heading(&self) -> Option<String> {
        let waiting = self.all.iter().enumerate().filter(|(place, entry)| {
            let session = entry.session.as_ref();
            let is_idle = session.is_some_and(|session| !entry.is_begun || !session.is_busy());
            Some(*place) != self.shown && is_idle && !entry.is_ended()
        });
        let waiting = waiting.count();
        let shown = self.shown_entry().map(|entry| entry.name.as_str());
        let others = match waiting {
            0 => None,
            1 => Some("1 execution waits".to_string()),
            count => Some(format!("{count} executions wait")),
        };
        match (shown, others) {
            (None, None) => {
                let address = self.address.as_ref()?;
                Some(format!("listens at {address}"))
            }
            (None, others) => others,
            (Some(name), None) => Some(format!("execution {name}")),
            (Some(name), Some(others)) => Some(format!("execution {name}, {others}")),
        }
    }

    /// Adds an execution that a client has just started.
    pub fn add(&mut self, visit: Visit) {
        self.all.push(Entry::new(visit));
    }

    /// Stops the executions that clients asked to stop, and returns their names. Also lets all waiting executions check
    /// for their answers at once.
    pub fn look(&mut self) -> Vec<String> {
        let mut stopped = Vec::new();
        for entry in &mut self.all {
            entry.rest_until = None;
            if entry.client.stop_if_asked() {
                if let Some(session) = &mut entry.session {
                    // The result is ignored because a session never refuses to pause.
                    let _ = session.apply(Command::Pause);
                }
                stopped.push(entry.name.clone());
            }
        }
        self.drop_old();
        stopped
    }

    /// Drops the oldest ended executions if there are too many or if they use too much memory.
    fn drop_old(&mut self) {
        let ended = |entry: &Entry| {
            let session = entry.session.as_ref().filter(|_| entry.is_ended());
            session.map(Session::bytes)
        };
        let mut sizes: Vec<u64> = self.all.iter().filter_map(ended).collect();
        let mut bytes: u64 = sizes.iter().sum();
        sizes.reverse();
        while (sizes.len() > MOST_ENDED || bytes > MOST_BYTES)
            && let Some(size) = sizes.pop()
        {
            let oldest = self.all.iter().position(|entry| ended(entry).is_some());
            let Some(oldest) = oldest else { return };
            if let Some(session) = self.all.remove(oldest).session {
                session.dismiss();
            }
            self.shown = self.shown.map(|shown| shown - usize::from(oldest < shown));
            bytes = bytes.saturating_sub(size);
        }
    }

    /// True if an execution in the background can continue now, without waiting for an answer.
    pub fn are_busy(&self, now: Instant) -> bool {
        !self.is_held && self.all.iter().any(|entry| entry.is_busy(now))
    }

    /// The earliest time at which an execution in the background must check whether the answer that it waits for has
    /// come.
    pub fn deadline(&self) -> Option<Instant> {
        let resting = self.all.iter().filter(|entry| {
            let session = entry.session.as_ref();
            session.is_some_and(Session::is_busy)
        });
        let until = resting.filter_map(|entry| entry.rest_until).min();
        until.filter(|_| !self.is_held)
    }

    /// Runs the executions in the background until the time `end`. An execution that begins to run first gets the
    /// breakpoints of the session `points`. Returns earlier if an execution began to run or stopped.
    pub fn run(&mut self, points: &Session, end: Instant) -> Option<Ran> {
        if self.is_held {
            return None;
        }
        let mut ran = None;
        for (place, entry) in self.all.iter_mut().enumerate() {
            let now = Instant::now();
            if now >= end || ran.is_some() {
                break;
            }
            if !entry.is_busy(now) {
                continue;
            }
            let Some(session) = &mut entry.session else {
                continue;
            };
            if !entry.is_begun {
                entry.is_begun = true;
                session.stop_where(points);
                // The result is ignored because a session never refuses this command at the start of its run.
                let _ = session.apply(Command::Continue(Direction::Forward));
                ran = Some(Ran::Began(place));
                continue;
            }
            let before = session.event_count();
            let progress = session.advance_while(|| Instant::now() < end);
            drop(session.take_outputs());
            if let Some((_, due)) = session.rests() {
                session.let_pass(due);
            } else if progress == Progress::Idle {
                if entry.client.status() == "RUNNING" {
                    ran = Some(Ran::Stopped(place));
                }
            } else if session.event_count() == before {
                entry.rest_until = Some(now + LOOK);
            }
        }
        ran
    }

    /// Copies the breakpoints, error stops and watches of `session`, which is on the screen, to all other executions
    /// that have begun and to the run of the opened file.
    pub fn stop_where(&mut self, session: &Session) {
        let others = self.all.iter_mut().filter(|entry| entry.is_begun);
        let others = others.filter_map(|entry| entry.session.as_mut());
        let file = self.file.as_mut().map(|parked| &mut parked.session);
        others
            .chain(file)
            .for_each(|other| other.stop_where(session));
    }

    /// Puts the execution with the index `place` on the screen. Its session replaces `session`, the data about its
    /// files replaces `origin`, and the old session is kept. Returns false if no execution in the background has this
    /// index.
    pub fn show(&mut self, place: usize, session: &mut Session, origin: &mut Origin) -> bool {
        let Some(entry) = self.all.get_mut(place) else {
            return false;
        };
        let Some(next) = entry.session.take() else {
            return false;
        };
        entry.is_begun = true;
        let is_of_file = entry.is_of_file;
        let before = std::mem::replace(session, next);
        let shown = self.shown.replace(place);
        match shown.and_then(|shown| self.all.get_mut(shown)) {
            Some(shown) => shown.session = Some(before),
            None => {
                self.file = Some(Parked {
                    session: before,
                    origin: origin.clone(),
                });
            }
        }
        let of_file = self.file.as_ref().map(|parked| &parked.origin);
        *origin = match of_file {
            Some(of_file) if is_of_file => of_file.clone(),
            of_file => Origin {
                watched: of_file.map_or_else(Vec::new, |origin| origin.watched.clone()),
                ..Origin::default()
            },
        };
        true
    }

    /// Puts the run of the opened file on the screen; returns false if that run is on the screen already.
    pub fn show_file(&mut self, session: &mut Session, origin: &mut Origin) -> bool {
        let Some(parked) = self.file.take() else {
            return false;
        };
        *origin = parked.origin;
        let before = std::mem::replace(session, parked.session);
        let shown = self.shown.take();
        if let Some(entry) = shown.and_then(|shown| self.all.get_mut(shown)) {
            entry.session = Some(before);
        }
        true
    }
}
