//! The time limit of an exploration.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A deadline that expires after some time, or as soon as the user interrupts the program.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    begun: Instant,
    time: Duration,
    promised: Duration,
    interrupted: &'static AtomicBool,
}

impl Deadline {
    /// Starts the time limit. It is shorter than the promised time, so that the findings can still be reported within
    /// that time. `interrupted` is set when the user interrupts the program.
    #[must_use]
    pub fn new(promised: Duration, interrupted: &'static AtomicBool) -> Self {
        Self {
            begun: Instant::now(),
            time: promised - promised / 4,
            promised,
            interrupted,
        }
    }

    /// Time limit that was announced to the user.
    #[must_use]
    pub fn promised(self) -> Duration {
        self.promised
    }

    /// The same start with another time limit.
    #[must_use]
    pub fn with(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// A new deadline that starts now.
    #[must_use]
    pub fn anew(self, time: Duration) -> Self {
        Self {
            begun: Instant::now(),
            time,
            ..self
        }
    }

    /// The total duration.
    #[must_use]
    pub fn time(self) -> Duration {
        self.time
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.begun.elapsed()
    }

    /// True if no more work may be started.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.is_interrupted() || self.elapsed() >= self.time
    }

    /// True if the user interrupted the program.
    #[must_use]
    pub fn is_interrupted(self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
