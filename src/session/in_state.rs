//! A frame together with the state it is in, and the retrier or catcher that would handle an error in that state.

use crate::definition::{Definition, State};
use crate::interpreter::{Fault, Frame, Machine, Status, catcher_for, retrier_for};

/// A frame, its machine, and the state that the frame is in.
#[derive(Clone, Copy)]
pub(super) struct InState<'m> {
    pub machine: &'m Machine,
    pub frame: &'m Frame,
    pub state: &'m State,
}

impl<'m> InState<'m> {
    /// Looks up the state that a frame is in; `None` if the definition has no such state.
    pub fn of(machine: &'m Machine, frame: &'m Frame) -> Option<Self> {
        let state = machine.definition().state(frame.visit.state)?;
        Some(Self {
            machine,
            frame,
            state,
        })
    }

    /// The parent frame, with the Parallel or Map state that it is in; `None` for the outermost frame.
    pub fn around(self) -> Option<Self> {
        Self::of(self.machine, self.machine.frame(self.frame.parent?)?)
    }

    pub fn definition(self) -> &'m Definition {
        self.machine.definition()
    }

    /// The current error of the state, if any.
    pub fn fault(self) -> Option<&'m Fault> {
        let fault = self.frame.visit.fault.as_ref();
        fault.map(|(fault, _)| fault)
    }

    /// True if the run has not ended.
    pub fn runs(self) -> bool {
        matches!(self.machine.status(), Status::Running)
    }

    /// Number of retries that the retrier with this index has made.
    pub fn used(self, retrier: usize) -> u64 {
        let used = self.frame.visit.retriers.get(retrier);
        used.map_or(0, |retrier| retrier.used)
    }

    /// Index of the retrier that would retry an error, and the delay in milliseconds.
    pub fn retrier(self, fault: &Fault) -> Option<(usize, f64)> {
        let used = &self.frame.visit.retriers;
        retrier_for(&self.state.retry, used, fault, self.machine.profile())
    }

    /// Index of the catcher that would catch an error.
    pub fn catcher(self, fault: &Fault) -> Option<usize> {
        catcher_for(&self.state.catch, fault, self.machine.profile())
    }
}
