//! Watches a call of a target: whether its time limit has passed, and whether its answer is still needed.

use super::LONGEST;
use crate::json::Text;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Measures the time of a call, and records whether its answer is still needed.
#[derive(Clone, Debug)]
pub struct Watch {
    since: Instant,
    patience: Duration,
    ended: Arc<AtomicBool>,
    progress: Arc<Mutex<Option<Text>>>,
}

impl Watch {
    /// Starts to measure the time of a call. The time limit is `patience` or, if `patience` is `None`, the limit that
    /// applies to every call.
    #[must_use]
    pub fn new(patience: Option<Duration>) -> Self {
        Self {
            since: Instant::now(),
            patience: patience.unwrap_or(LONGEST),
            ended: Arc::default(),
            progress: Arc::default(),
        }
    }

    /// Records that nobody needs the answer any more, so that the call ends.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Records the progress of the call.
    pub(super) fn say(&self, progress: String) {
        let mut progress_text = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        *progress_text = Some(progress.into());
    }

    /// The last reported progress of the call; `None` if there is none.
    pub(super) fn progress(&self) -> Option<Text> {
        let progress_text = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress_text.clone()
    }

    /// Time since the call began.
    pub(super) fn took(&self) -> Duration {
        self.since.elapsed()
    }

    /// True if the call has timed out or its answer is no longer needed.
    pub(super) fn is_over(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.left().is_zero()
    }

    /// Time left before the time limit.
    pub(super) fn left(&self) -> Duration {
        self.patience.saturating_sub(self.since.elapsed())
    }
}
