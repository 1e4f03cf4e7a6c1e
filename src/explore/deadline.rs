//! When an exploration has to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A time that is over one day, or at once when a person interrupts the program.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    begun: Instant,
    time: Duration,
    promised: Duration,
    interrupted: &'static AtomicBool,
}

impl Deadline {
    /// The time begins now, and ends so long before the promised one that there is time to say what was found.
    /// `interrupted` is set when a person interrupts the program.
    #[must_use]
    pub fn new(promised: Duration, interrupted: &'static AtomicBool) -> Self {
        Self {
            begun: Instant::now(),
            time: promised - promised / 4,
            promised,
            interrupted,
        }
    }

    /// What a person was promised.
    #[must_use]
    pub fn promised(self) -> Duration {
        self.promised
    }

    /// The same beginning with another time.
    #[must_use]
    pub fn with(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// Another beginning: now.
    #[must_use]
    pub fn anew(self, time: Duration) -> Self {
        Self {
            begun: Instant::now(),
            time,
            ..self
        }
    }

    /// The whole time.
    #[must_use]
    pub fn time(self) -> Duration {
        self.time
    }

    /// Time since the beginning.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.begun.elapsed()
    }

    /// True if nothing may be begun any more.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.is_interrupted() || self.elapsed() >= self.time
    }

    /// True if a person interrupted the program.
    #[must_use]
    pub fn is_interrupted(self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
