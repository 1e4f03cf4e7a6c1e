//! Virtual time that somebody else lets pass: the run rests before each deadline until the clock is allowed to reach it.
//!
//! It must not know real time; a front end has that.

use super::session::Session;
use crate::interpreter::Millis;

/// How far the clock may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Clock {
    /// As far as it likes: deadlines pass at once.
    #[default]
    Free,
    /// Up to this time.
    Held {
        /// The time.
        until: Millis,
        /// The deadline that the run rests before.
        due: Option<Millis>,
    },
}

impl Session {
    /// From now on no deadline passes before [`Session::let_pass`] allows it.
    pub fn hold_clock(&mut self) {
        let until = self.recording.head.machine.now();
        self.stepper.clock = Clock::Held { until, due: None };
    }

    /// The time now and the deadline that a run under way rests before, where it does.
    #[must_use]
    pub fn rests(&self) -> Option<(Millis, Millis)> {
        match self.stepper.clock {
            Clock::Held { due: Some(due), .. } if self.stepper.goal.is_some() => {
                Some((self.recording.head.machine.now(), due))
            }
            _ => None,
        }
    }

    /// Lets the clock reach a time.
    pub fn let_pass(&mut self, until: Millis) {
        if let Clock::Held { until: own, due } = &mut self.stepper.clock {
            *own = until.max(*own);
            if due.is_some_and(|due| due <= *own) {
                *due = None;
            }
        }
    }

    /// How far a step may let the clock go; what is only repeated takes no time.
    pub(super) fn horizon(&self) -> Millis {
        match self.stepper.clock {
            Clock::Held { until, .. } if !self.is_repeating() => until,
            _ => Millis::MAX,
        }
    }

    /// The run rests, if it is the clock that keeps it; whether it does.
    pub(super) fn rest(&mut self, deadline: Millis) -> bool {
        match &mut self.stepper.clock {
            Clock::Held { due, .. } if self.stepper.goal.is_some() => {
                *due = Some(deadline);
                true
            }
            _ => false,
        }
    }

    /// Something else is under way, or the run is another: the clock may be where the run is.
    pub(super) fn set_clock(&mut self) {
        if let Clock::Held { .. } = self.stepper.clock {
            self.hold_clock();
        }
    }
}
