//! How far the virtual clock of a run may go: at once to whatever is due, unless somebody outside is working.

use crate::interpreter::Millis;
use std::time::{Duration, Instant};

/// The clock of a run.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    begun: Instant,
    /// How many times as fast as real time it goes; `None` for at once.
    factor: Option<f64>,
    /// Since when somebody outside is working, and the virtual time of that moment: from then on both go alike.
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

    /// The virtual time until which the run may go.
    pub(super) fn until(&self) -> Millis {
        match (self.factor, self.outside) {
            (Some(factor), _) => millis(self.begun.elapsed().mul_f64(factor)),
            (None, Some((since, at))) => at.saturating_add(millis(since.elapsed())),
            (None, None) => Millis::MAX,
        }
    }

    /// The moment at which a virtual time comes; `None` if it comes at once.
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

    /// Says whether somebody outside is working, at a virtual time.
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
