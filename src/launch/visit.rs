//! Executions that clients of a local server start and that a front end debugs.

use crate::session::Session;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The client's side of an execution.
pub trait Client: fmt::Debug + Send + Sync {
    /// The status that clients see: `RUNNING`, `SUCCEEDED`, `FAILED`, `TIMED_OUT` or `ABORTED`.
    fn status(&self) -> &'static str;

    /// Ends the execution for its clients if one of them has asked to stop it; returns whether that happened now.
    fn stop_if_asked(&self) -> bool;
}

/// An execution that a client started.
#[derive(Debug)]
pub struct Visit {
    /// The run, at the entry of its first state.
    pub session: Session,
    /// Name of the execution.
    pub name: String,
    /// Start time in milliseconds since 1970.
    pub started: i64,
    /// True if the state machine was read from a file at the start, false if a client created it.
    pub is_of_file: bool,
    /// The client's side.
    pub client: Arc<dyn Client>,
}

/// Hands executions from a server to the front end that debugs them.
#[derive(Clone, Default)]
pub struct Door(Arc<Shared>);

#[derive(Default)]
struct Shared {
    visits: Mutex<VecDeque<Visit>>,
    bell: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// True from a ring until the front end has heard it.
    is_ringing: AtomicBool,
}

impl fmt::Debug for Door {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Door").finish_non_exhaustive()
    }
}

impl Door {
    /// Hands over an execution.
    pub fn enter(&self, visit: Visit) {
        self.visits().push_back(visit);
        self.ring();
    }

    /// Tells the front end that there is something new for one of the executions.
    pub fn ring(&self) {
        if let Some(bell) = self.0.bell.get()
            && !self.0.is_ringing.swap(true, Ordering::AcqRel)
        {
            bell();
        }
    }

    /// The front end heard the bell and looks now, so that the next ring is a new one.
    pub fn hear(&self) {
        self.0.is_ringing.store(false, Ordering::Release);
    }

    /// The function to call when there is something new; set once.
    pub fn on_ring(&self, bell: impl Fn() + Send + Sync + 'static) {
        // A second front end does not exist.
        let _ = self.0.bell.set(Box::new(bell));
        self.ring();
    }

    /// Takes the execution that was handed over first.
    #[must_use]
    pub fn take(&self) -> Option<Visit> {
        self.visits().pop_front()
    }

    fn visits(&self) -> std::sync::MutexGuard<'_, VecDeque<Visit>> {
        let visits = &self.0.visits;
        visits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
