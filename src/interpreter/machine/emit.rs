//! Emits the machine's events and assigns AWS's history ids to them.

use super::{Machine, Status};
use crate::definition::StateId;
use crate::interpreter::event::{Event, EventKind, FrameId};
use crate::interpreter::fault::{Difference, Fault};
use crate::interpreter::frame::Frame;
use crate::interpreter::reason::{HISTORY_LIMIT, Reason};
use crate::query::{MAX_VALUE, Profile};

impl Machine {
    pub(super) fn next_history_id(&mut self) -> u32 {
        self.history_count = self.history_count.saturating_add(1);
        self.history_count
    }

    /// True if the execution has ended and the event does not report that end: such an event must not be emitted.
    fn is_over_for(&self, kind: EventKind) -> bool {
        let end = matches!(
            kind,
            EventKind::ExecutionSucceeded
                | EventKind::ExecutionFailed
                | EventKind::ExecutionTimedOut
        );
        self.status != Status::Running && !end
    }

    /// Emits an event that AWS's history does not have.
    pub(in crate::interpreter) fn push(
        &mut self,
        id: FrameId,
        kind: EventKind,
        arg: u32,
        written: bool,
    ) {
        if self.is_over_for(kind) {
            return;
        }
        let state = self.frame(id).map(|frame| frame.visit.state);
        let event = Event {
            kind,
            written,
            diverges: self.note_difference(id),
            state,
            frame: id,
            arg,
            history_id: 0,
            previous_id: 0,
            time: self.now,
        };
        self.pending.push_back(event);
    }

    /// Emits an event of AWS's history; its predecessor is the last event of the frame.
    pub(in crate::interpreter) fn push_history(&mut self, id: FrameId, kind: EventKind, arg: u32) {
        self.push_history_and(id, kind, arg, |_| ());
    }

    /// Like `push_history`. Then calls `change` with the frame, which already has the new event as its last event.
    pub(in crate::interpreter) fn push_history_and(
        &mut self,
        id: FrameId,
        kind: EventKind,
        arg: u32,
        change: impl FnOnce(&mut Frame),
    ) {
        let state = self.frame(id).map(|frame| frame.visit.state);
        let history_id = self.push_detached(id, state, kind, arg, self.last_id(id));
        self.with(id, |frame| {
            frame.last_id = history_id;
            change(frame);
        });
    }

    /// Like `push_history`, with an explicit predecessor.
    pub(in crate::interpreter) fn push_history_after(
        &mut self,
        id: FrameId,
        kind: EventKind,
        arg: u32,
        previous: u32,
    ) {
        let state = self.frame(id).map(|frame| frame.visit.state);
        let history_id = self.push_detached(id, state, kind, arg, previous);
        self.with(id, |frame| frame.last_id = history_id);
    }

    /// Like `push_history_after`, but the frame may no longer exist, and the event may belong to another state than the
    /// frame's current one. Returns the history id.
    pub(in crate::interpreter) fn push_detached(
        &mut self,
        id: FrameId,
        state: Option<StateId>,
        kind: EventKind,
        arg: u32,
        previous: u32,
    ) -> u32 {
        if self.is_over_for(kind) {
            return previous;
        }
        let in_child_execution = self.frame(id).is_some_and(|frame| frame.in_child_execution);
        let history_id = if in_child_execution {
            0
        } else {
            self.next_history_id()
        };
        let full = history_id + 1 >= HISTORY_LIMIT && self.status == Status::Running;
        if full && history_id + 1 == HISTORY_LIMIT {
            self.diverge(Difference::HistoryFull);
        }
        let event = Event {
            kind,
            written: true,
            diverges: self.note_difference(id),
            state,
            frame: id,
            arg,
            history_id,
            previous_id: if in_child_execution { 0 } else { previous },
            time: self.now,
        };
        self.pending.push_back(event);
        if in_child_execution {
            return previous;
        }
        if full && self.profile() == Profile::Aws {
            let fault = Fault::raised(self.profile(), Reason::HistoryFull, None);
            self.end(Status::Failed(fault), history_id);
        }
        history_id
    }

    /// True if a value of this size, in bytes of compact JSON, is within the run's limit.
    pub(in crate::interpreter) fn fits(&self, size: u64) -> bool {
        let fits = size <= self.run().header.max_value;
        if !fits {
            self.outgrow();
        }
        fits
    }

    /// Records that a value was refused because the run's memory limit is lower than the default. With the default
    /// limit, a value that is too large is an ordinary fault.
    pub(in crate::interpreter) fn outgrow(&self) {
        let is_less = self.run().header.max_value < MAX_VALUE;
        self.has_outgrown.set(self.has_outgrown.get() || is_less);
    }

    /// Records that the specification's behaviour differs from AWS's. The next event reports the difference.
    pub(in crate::interpreter) fn diverge(&self, difference: Difference) {
        if self.profile() == Profile::Spec {
            self.divergence.set(Some(difference));
        }
    }

    /// If a difference from AWS was recorded for the event that is being emitted, stores the difference in the frame
    /// and returns true.
    #[inline]
    fn note_difference(&mut self, id: FrameId) -> bool {
        let difference = self.divergence.take();
        if difference.is_some() {
            self.with(id, |frame| frame.difference = difference);
        }
        difference.is_some()
    }
}
