//! Limits the virtual clock of a run: it jumps to the next deadline at once, unless an external worker or client is
//! busy.

use crate::interpreter::Millis;
use std::time::{Duration, Instant};

/// Limits of a run's virtual clock.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    begun: Instant,
    /// Speed relative to real time; `None` if the clock jumps.
    factor: Option<f64>,
    /// Real and virtual time at which external work began; from then on, the virtual clock runs in real time.
    outside: Option<(Instant, Millis)>,
}

impl Clock {
    pub(super) fn new(factor: Option<f64>) -> Self {
        Self {
            begun: Instant::now(),
            factor,
            outside: None,
        }
    }

    /// The virtual time up to which the run may advance.
    pub(super) fn until(&self) -> Millis {
        match (self.factor, self.outside) {
            (Some(factor), _) => millis(self.begun.elapsed().mul_f64(factor)),
            (None, Some((since, at))) => at.saturating_add(millis(since.elapsed())),
            (None, None) => Millis::MAX,
        }
    }

    /// The real time at which a virtual time is reached; `None` if it is reached at once.
    pub(super) fn moment(&self, due: Millis) -> Option<Instant> {
        let after = |since: Instant, wait: Duration| since.checked_add(wait);
        match (self.factor, self.outside) {
            (Some(factor), _) => {
                let wait = Duration::from_millis(due).div_f64(factor);
                after(self.begun, wait)
            }
            (None, Some((since, at))) => {
                after(since, Duration::from_millis(due.saturating_sub(at)))
            }
            (None, None) => None,
        }
    }

    /// Sets whether external work is in progress; `now` is the virtual time.
    pub(super) fn set_outside(&mut self, is_working: bool, now: Millis) {
        match (is_working, self.outside) {
            (true, None) => self.outside = Some((Instant::now(), now)),
            (false, _) => self.outside = None,
            (true, Some(_)) => {}
        }
    }
}

fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}
