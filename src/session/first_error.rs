//! Finds the state that first raised the error of a Parallel, of a Map or of a failed run, even if the branch or item
//! with that state has ended. Also finds what led to the Fail state that ended the run.

use super::fault::fault_view;
use super::note::EXCEEDED;
use super::origin::{Absent, Found, Lead, LeftBy, Search, value_at};
use super::place::{Led, Raised};
use super::session::Session;
use super::snapshot::Snapshot;
use crate::definition::StateKind;
use crate::interpreter::{EventKind, Frame, FrameId};
use crate::json::Value;

impl Raised {
    /// Adds the explanation of why a value is missing, if the missing value caused the error.
    fn lacking(mut self, missing: Option<Box<Absent>>) -> Self {
        self.fault.drop_advice_on_lost(missing.as_deref());
        self.missing = missing;
        self
    }
}

impl Session {
    /// The state that raised the current error; `None` unless that state is in a frame inside the focus frame.
    pub(super) fn raised(&self) -> Option<Raised> {
        let noted = self.causes().and_then(|causes| causes.raised.as_deref());
        noted.cloned().or_else(|| self.raised_inside())
    }

    /// The number of the event at the cursor, and the focus frame. If the focus frame has ended, its nearest live
    /// ancestor is returned instead.
    pub(super) fn here(&self) -> (u64, FrameId) {
        let focus = self.focus_frame().map_or(FrameId(0), |frame| frame.id);
        (self.snapshot().events, focus)
    }

    /// The error at the cursor, if it was raised by a frame inside the focus frame.
    fn raised_inside(&self) -> Option<Raised> {
        let snapshot = self.snapshot();
        let event = self.recording.timeline.get(snapshot.events)?;
        let focus = self.focus_frame()?.id;
        let at_error = matches!(event.kind, EventKind::ErrorRaised | EventKind::Uncaught);
        let around = self.recording.timeline.path(event.frame).contains(&focus);
        if !at_error || !around || event.frame == focus {
            return None;
        }
        let frame = snapshot.machine.frame(event.frame)?;
        let is_known = (snapshot.events, event.frame) == self.causes.at;
        let missing = self.causes.missing.clone().filter(|_| is_known);
        Some(self.raised_by(snapshot, frame)?.lacking(missing))
    }

    /// The error that a frame has in a snapshot directly after the error was raised.
    fn raised_by(&self, snapshot: &Snapshot, frame: &Frame) -> Option<Raised> {
        Some(Raised {
            number: snapshot.events,
            frame: self.frame_name(frame.id),
            state: frame.visit.state,
            fault: fault_view(&snapshot.machine, frame, Some(&*self.setup.server))?,
            missing: None,
        })
    }

    /// The error of the branch or item that made the focus frame's Parallel or Map fail; `None` if no branch or item
    /// caused the failure.
    pub(super) fn taken_over(&self) -> Option<Raised> {
        let focus = self.focus_frame()?;
        let (fault, _) = focus.visit.fault.as_ref()?;
        if !fault.from_branch {
            return None;
        }
        let (child, number) = self.raised_in_child(focus.id, self.snapshot().events)?;
        self.raised_again(child, number)
    }

    /// A snapshot of the run directly after an event before the cursor; `None` if it takes too long to repeat the run
    /// up to that event.
    pub(super) fn repeated_up_to(&self, number: u64) -> Option<Snapshot> {
        self.past().repeated_up_to(number)
    }

    /// The error that a frame raised at an event before the cursor.
    pub(super) fn raised_again(&self, child: FrameId, number: u64) -> Option<Raised> {
        let run = self.repeated_up_to(number)?;
        let frame = run.machine.frame(child)?;
        let missing = match self.at_a_stop(Search::lack(child, &run)) {
            Some(Found::Absent(absent)) => Some(absent),
            _ => None,
        };
        Some(self.raised_by(&run, frame)?.lacking(missing))
    }

    /// The frame and event that first raised the error that `frame` received from a child frame before event `before`.
    /// `None` if `frame` received no error from a child frame.
    pub(super) fn raised_in_child(&self, frame: FrameId, before: u64) -> Option<(FrameId, u64)> {
        self.raised_between(frame, (0, before))
    }

    /// The number of the event that first raised the error of event `number`. If an inner frame passed the error on to
    /// `frame`, the result is the event in the innermost such frame; otherwise, it is `number` itself.
    pub(super) fn raised_innermost(&self, frame: FrameId, number: u64) -> u64 {
        let timeline = &self.recording.timeline;
        let entered = timeline.last_of(frame, number, EventKind::StateEntered);
        let raised = self.raised_between(frame, (entered.unwrap_or(0), number));
        let error = |number| self.recording.timeline.note(number)?.error();
        let name = error(number);
        let taken_over = raised.filter(|(_, inner)| {
            error(*inner) == name || name.is_some_and(|name| &**name == EXCEEDED)
        });
        taken_over.map_or(number, |(_, inner)| inner)
    }

    fn raised_between(
        &self,
        mut frame: FrameId,
        (mut after, mut before): (u64, u64),
    ) -> Option<(FrameId, u64)> {
        let timeline = &self.recording.timeline;
        let mut innermost = None;
        while let Some((child, ended)) = timeline.failed_child(frame, after, before) {
            let raised = timeline.last_of(child, ended, EventKind::ErrorRaised)?;
            let entered = timeline.last_of(child, raised, EventKind::StateEntered)?;
            innermost = Some((child, raised));
            (frame, before, after) = (child, raised, entered);
        }
        innermost
    }
}

/// Maximum number of Fail states to trace back. A Fail state can fail a branch; a catcher for that failure can lead to
/// another Fail state.
const DEEPEST: usize = 2;

impl Session {
    /// The frame and event that raised the error which the view shows.
    fn raising(&self) -> Option<(FrameId, u64)> {
        if let Some(raised) = self.raised() {
            let event = self.recording.timeline.get(raised.number)?;
            return Some((event.frame, raised.number));
        }
        let frame = self.focus_frame()?;
        let state = self.setup.definition.state(frame.visit.state)?;
        let fails = matches!(state.kind, StateKind::Fail(_)) && frame.visit.fault.is_some();
        fails.then(|| (frame.id, self.snapshot().events))
    }

    /// The transition or error that led to the Fail state that ended the focus frame or a frame inside it.
    pub(super) fn leads(&self) -> Option<Led> {
        let past = self.past();
        let (frame, number) = self.raising()?;
        let mut lead = past.led_by(frame, number)?;
        for _ in 0..DEEPEST {
            let LeftBy::Catcher(..) = lead.by else {
                return Some(Led {
                    compared: self.compared(&lead),
                    lead,
                    raised: None,
                });
            };
            let (frame, number) = self.raised_first(lead.to.frame, lead.to.event)?;
            match past.led_by(frame, number) {
                Some(further) => lead = further,
                None => {
                    let raised = self.raised_again(frame, number).map(Box::new);
                    return Some(Led {
                        lead,
                        raised,
                        compared: None,
                    });
                }
            }
        }
        None
    }

    fn compared(&self, lead: &Lead) -> Option<Value> {
        let run = self.repeated_up_to(lead.to.event)?;
        let value = value_at(&lead.to, &run.machine);
        value.filter(|_| !lead.to.at.0.is_empty())
    }

    /// The frame and event that first raised the error that `frame` has at event `number`. The error may come from a
    /// branch or item inside `frame`.
    fn raised_first(&self, frame: FrameId, number: u64) -> Option<(FrameId, u64)> {
        let run = self.repeated_up_to(number)?;
        let (fault, _) = run.machine.frame(frame)?.visit.fault.as_ref()?;
        match fault.from_branch {
            true => self.raised_in_child(frame, number),
            false => Some((frame, number)),
        }
    }
}
