//! A machine's events, and the number of AWS's history that each gets (ASL-SEMANTICS 17).
//!
//! It must not know what led to an event.

use super::{Machine, Status};
use crate::definition::StateId;
use crate::interpreter::difference::Difference;
use crate::interpreter::event::{Event, EventKind, FrameId};
use crate::interpreter::fault::Fault;
use crate::interpreter::profile;
use crate::interpreter::reason::Reason;
use crate::query::Profile;

impl Machine {
    pub(super) fn next_history_id(&mut self) -> u32 {
        self.history_count = self.history_count.saturating_add(1);
        self.history_count
    }

    /// Whether the execution ended in the middle of a step, so that nothing but its end happens any more.
    fn is_over_for(&self, kind: EventKind) -> bool {
        let end = matches!(
            kind,
            EventKind::ExecutionSucceeded
                | EventKind::ExecutionFailed
                | EventKind::ExecutionTimedOut
        );
        self.status != Status::Running && !end
    }

    /// Notes an event that AWS's history does not have.
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

    /// Notes an event of AWS's history, caused by the last one of the frame's strand.
    pub(in crate::interpreter) fn push_history(&mut self, id: FrameId, kind: EventKind, arg: u32) {
        let previous = self.frame(id).map_or(0, |frame| frame.last_id);
        self.push_history_after(id, kind, arg, previous);
    }

    /// The same with another cause.
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

    /// The same for a frame that may be gone, or a state that is not the frame's own; gives the id.
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
        let full = history_id + 1 >= profile::HISTORY_LIMIT && self.status == Status::Running;
        if full && history_id + 1 == profile::HISTORY_LIMIT {
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
            let fault = Fault::own(self.profile(), Reason::HistoryFull, None);
            self.end(Status::Failed(fault), history_id);
        }
        history_id
    }

    /// Notes that following the specification comes to something else than AWS; the next event says so.
    pub(in crate::interpreter) fn diverge(&self, difference: Difference) {
        if self.profile() == Profile::Spec {
            self.divergence.set(Some(difference));
        }
    }

    /// What was noted since the last event, for a fault that says it itself.
    pub(in crate::interpreter) fn take_difference(&self) -> Option<Difference> {
        self.divergence.take()
    }

    /// Whether the event that is noted now is where AWS differs.
    fn note_difference(&mut self, id: FrameId) -> bool {
        let difference = self.divergence.take();
        if difference.is_some() {
            self.with(id, |frame| frame.difference = difference);
        }
        difference.is_some()
    }
}
