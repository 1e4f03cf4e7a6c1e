//! Tracks the time limit of a call, and whether its answer is still needed.

use super::LONGEST;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time limit of a call.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    since: Instant,
    patience: Duration,
    ended: Arc<AtomicBool>,
}

impl Watch {
    pub(super) fn new(patience: Option<Duration>) -> Self {
        Self {
            since: Instant::now(),
            patience: patience.unwrap_or(LONGEST),
            ended: Arc::default(),
        }
    }

    /// Records that the answer is no longer needed.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Time since the call began.
    pub(super) fn took(&self) -> Duration {
        self.since.elapsed()
    }

    /// True if the call has timed out or its answer is no longer needed.
    pub(super) fn is_over(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.left().is_zero()
    }

    /// Remaining time.
    pub(super) fn left(&self) -> Duration {
        self.patience.saturating_sub(self.since.elapsed())
    }
}
