//! Clients of the local server start executions. This module passes these executions to the front end that debugs them.

use crate::session::Session;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An execution, as the clients of the local server see it.
pub trait Client: fmt::Debug + Send + Sync {
    /// The status that clients see: `RUNNING`, `SUCCEEDED`, `FAILED`, `TIMED_OUT` or `ABORTED`.
    fn status(&self) -> &'static str;

    /// Ends the execution for the clients of the server if one of them has asked to stop it. Returns true if this call
    /// ended the execution.
    fn stop_if_asked(&self) -> bool;
}

/// An execution that a client of the local server started, for the front end that debugs the execution.
#[derive(Debug)]
pub struct Visit {
    /// The session that debugs the execution. The execution has reached the entry of its first state.
    pub session: Session,
    /// Name of the execution.
    pub name: String,
    /// Start time in milliseconds since 1970.
    pub started: i64,
    /// True if the server read the state machine from a file at the server's start; false if a client created the
    /// machine.
    pub is_of_file: bool,
    /// The execution, as the clients of the local server see it.
    pub client: Arc<dyn Client>,
}

/// Queue of executions that the server passes to the front end, with a function (the bell) that wakes up the front end.
#[derive(Clone, Default)]
pub struct Door(Arc<Shared>);

#[derive(Default)]
struct Shared {
    visits: Mutex<VecDeque<Visit>>,
    bell: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// True after the bell (the function that wakes up the front end) has been called, until the front end has reacted.
    is_ringing: AtomicBool,
}

impl fmt::Debug for Door {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Door").finish_non_exhaustive()
    }
}

impl Door {
    /// Passes an execution to the front end.
    pub fn enter(&self, visit: Visit) {
        self.visits().push_back(visit);
        self.ring();
    }

    /// Wakes up the front end, because there is a new execution or news about one.
    pub fn ring(&self) {
        if let Some(bell) = self.0.bell.get()
            && !self.0.is_ringing.swap(true, Ordering::AcqRel)
        {
            bell();
        }
    }

    /// Records that the front end has reacted to the bell, so that the bell rings again next time.
    pub fn hear(&self) {
        self.0.is_ringing.store(false, Ordering::Release);
    }

    /// Sets the function that wakes up the front end. It can only be set once.
    pub fn on_ring(&self, bell: impl Fn() + Send + Sync + 'static) {
        // There is only one front end, and it sets the bell once, so this cannot fail.
        let _ = self.0.bell.set(Box::new(bell));
        self.ring();
    }

    /// Removes the oldest execution from the queue and returns it.
    #[must_use]
    pub fn take(&self) -> Option<Visit> {
        self.visits().pop_front()
    }

    fn visits(&self) -> std::sync::MutexGuard<'_, VecDeque<Visit>> {
        let visits = &self.0.visits;
        visits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
