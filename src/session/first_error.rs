//! Finds what first raised the error of a Parallel, a Map or a failed run: a state in a branch or item that may have
//! ended.

use super::choice::Weighed;
use super::fault_view::Raised;
use super::note::EXCEEDED;
use super::note::EventNote;
use super::origin::{AT_A_STOP, Absent, Found, Search};
use super::session::Session;
use super::show::data_view;
use super::snapshot::Snapshot;
use crate::interpreter::{EventKind, Frame, FrameId};

impl Raised {
    /// Adds the reason for a missing value that caused the error.
    fn lacking(mut self, missing: Option<Box<Absent>>) -> Self {
        self.fault.drop_advice_on_lost(missing.as_deref());
        self.missing = missing;
        self
    }
}

impl Session {
    /// Finds what raised the error that the focus frame received from a branch or item, and what led to it.
    pub(super) fn note_raised(&mut self) {
        let found = self.taken_over();
        let here = self.here();
        self.raised = found.map(|raised| (here, Box::new(raised)));
        self.note_led();
    }

    /// The state that raised the current error in or inside the focus frame, if it is another state.
    pub(super) fn raised(&self) -> Option<Raised> {
        let here = self.here();
        let noted = self.raised.as_ref().filter(|(at, _)| *at == here);
        match noted {
            Some((_, raised)) => Some((**raised).clone()),
            None => self.raised_inside(),
        }
    }

    /// The cursor and the focus frame; if that has ended, its nearest live ancestor.
    pub(super) fn here(&self) -> (u64, FrameId) {
        let focus = self.focus_frame().map_or(FrameId(0), |frame| frame.id);
        (self.snapshot().events, focus)
    }

    /// If the error at the cursor arose inside the focus frame: the inner error.
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
        let missing = self
            .missing
            .as_ref()
            .filter(|(number, own, _)| *number == snapshot.events && *own == event.frame);
        let missing = missing.map(|(_, _, absent)| absent.clone());
        Some(self.raised_by(snapshot, frame)?.lacking(missing))
    }

    /// The error of a frame, directly after the event that raised it.
    fn raised_by(&self, snapshot: &Snapshot, frame: &Frame) -> Option<Raised> {
        let event = self.recording.timeline.get(snapshot.events);
        Some(Raised {
            number: snapshot.events,
            frame: self.frame_name(frame.id),
            state: frame.visit.state,
            fault: data_view(&snapshot.machine, frame, event, &Weighed::default()).fault?,
            missing: None,
        })
    }

    fn taken_over(&self) -> Option<Raised> {
        let focus = self.focus_frame()?;
        let (fault, _) = focus.visit.fault.as_ref()?;
        if !fault.from_branch {
            return None;
        }
        let (child, number) = self.raised_in_child(focus.id, self.snapshot().events)?;
        self.raised_again(child, number)
    }

    /// The run directly after an event before the cursor; `None` if repeating it up to there would take long.
    pub(super) fn repeated_up_to(&self, number: u64) -> Option<Snapshot> {
        self.past().repeated_up_to(number)
    }

    /// The error of a frame at an event before the cursor.
    pub(super) fn raised_again(&self, child: FrameId, number: u64) -> Option<Raised> {
        let run = self.repeated_up_to(number)?;
        let frame = run.machine.frame(child)?;
        let past = self.past();
        let mut search = Search::lack(child, &run);
        let found = (0..AT_A_STOP).find_map(|_| search.advance(&past));
        let missing = match found {
            Some(Found::Absent(absent)) => Some(absent),
            _ => None,
        };
        Some(self.raised_by(&run, frame)?.lacking(missing))
    }

    /// Frame and event that raised the error which a frame received from a child up to an event.
    pub(super) fn raised_in_child(&self, frame: FrameId, before: u64) -> Option<(FrameId, u64)> {
        self.raised_between(frame, (0, before))
    }

    /// The event that first raised the error of the event `number`: in the innermost frame from which `frame` received
    /// the error, or `number` if the error arose in `frame` itself.
    pub(super) fn raised_innermost(&self, frame: FrameId, number: u64) -> u64 {
        let mut events = self.past().backwards(frame, number);
        let entered = events.find(|(_, event)| event.kind == EventKind::StateEntered);
        let entered = entered.map_or(0, |(number, _)| number);
        let found = self.raised_between(frame, (entered, number));
        let error = |number| self.recording.timeline.note(number)?.error();
        let own = error(number);
        let taken_over = found
            .filter(|(_, inner)| error(*inner) == own || own.is_some_and(|own| &**own == EXCEEDED));
        taken_over.map_or(number, |(_, inner)| inner)
    }

    fn raised_between(
        &self,
        mut frame: FrameId,
        (mut after, mut before): (u64, u64),
    ) -> Option<(FrameId, u64)> {
        let timeline = &self.recording.timeline;
        let past = self.past();
        let mut found = None;
        loop {
            // Only the notes of failures are searched, so a long run does not make this slow.
            let mut notes = timeline.notes().rev();
            let mut notes = notes.by_ref().take_while(|(number, _)| *number >= after);
            let failed = notes.find_map(|(number, note)| {
                let is_failure = number <= before && *note == EventNote::Failed;
                let event = is_failure.then(|| timeline.get(number)).flatten()?;
                let own = timeline.parent(event.frame) == Some(frame);
                own.then_some((event.frame, number))
            });
            let Some((child, ended)) = failed else {
                return found;
            };
            let mut events = past.backwards(child, ended);
            let raised = events.find(|(_, event)| event.kind == EventKind::ErrorRaised)?;
            let entered = events.find(|(_, event)| event.kind == EventKind::StateEntered)?;
            found = Some((child, raised.0));
            (frame, before, after) = (child, raised.0, entered.0);
        }
    }
}
