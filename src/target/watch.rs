//! How long a call may go on, and whether somebody waits for it.

use super::LONGEST;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a call may go on.
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

    /// Says that nobody waits for the call any longer.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// How long it has taken.
    pub(super) fn took(&self) -> Duration {
        self.since.elapsed()
    }

    /// Whether nobody waits for the call any longer.
    pub(super) fn is_over(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.left().is_zero()
    }

    /// How long it is waited for yet.
    pub(super) fn left(&self) -> Duration {
        self.patience.saturating_sub(self.since.elapsed())
    }
}
