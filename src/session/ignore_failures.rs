//! A failed Map run on over its failures, in a fork: what AWS would not do, and says so.
//!
//! It must not know how a Map tolerates what fails.

use super::log::EntryKind;
use super::session::Session;
use super::stepping::{Goal, Rule};
use crate::definition::StateKind;
use crate::interpreter::{EventKind, FrameId};

impl Session {
    /// Goes back to where the Map's items began that failed last, and runs them all from there, whatever fails.
    pub(super) fn ignore_failures(&mut self) {
        let Some((map, failed)) = self.map_at_work().or_else(|| self.map_that_failed()) else {
            return self.refuse("no Map has failed up to here");
        };
        let Some(begun) = self.items_began(map, failed) else {
            return self.refuse("the Map failed before any item began");
        };
        self.stepper.goal = Some(Goal::IgnoreFailures(begun, map));
    }

    /// At the event where the first item began: the fork.
    pub(super) fn fork_ignoring_failures(&mut self, map: FrameId) {
        // What was answered is answered so again.
        self.remember_answers();
        self.fork();
        if !self.recording.head.machine.ignore_failures(map) {
            return self.refuse("the Map has no items at work here");
        }
        self.recording
            .note(EntryKind::IgnoreFailures { frame: map });
        let state = self
            .recording
            .head
            .machine
            .frame(map)
            .map(|frame| frame.visit.state);
        let name = state.map_or_else(|| "the Map".into(), |state| self.state_name(state));
        self.say(format!(
            "run {} runs all items of {name}, whatever fails; AWS would not",
            self.recording.number
        ));
        self.stepper.focus = map;
        self.stepper.goal = Some(Goal::Frame {
            frame: map,
            rule: Rule::Exit,
        });
    }

    /// The Map around the focus that is at work, with the cursor.
    fn map_at_work(&self) -> Option<(FrameId, u64)> {
        let machine = &self.snapshot().machine;
        let mut at = self.focus_frame();
        while let Some(frame) = at {
            let state = machine.definition().state(frame.visit.state);
            let is_map = state.is_some_and(|state| matches!(state.kind, StateKind::Map(_)));
            let open = frame
                .visit
                .group
                .as_ref()
                .is_some_and(|group| !group.live.is_empty());
            if is_map && open {
                return Some((frame.id, self.snapshot().events));
            }
            at = frame.parent.and_then(|parent| machine.frame(parent));
        }
        None
    }

    /// The Map whose item failed last, with the event at which it did.
    fn map_that_failed(&self) -> Option<(FrameId, u64)> {
        let mut back = (1..=self.snapshot().events).rev();
        back.find_map(|number| {
            let event = self.recording.timeline.get(number)?;
            let failed = event.kind == EventKind::IterationFailed;
            let lineage = failed
                .then(|| self.recording.timeline.lineage(event.frame))
                .flatten()?;
            Some((lineage.parent?, number))
        })
    }

    /// The event at which the first item of the round began that was at work at an event.
    fn items_began(&self, map: FrameId, until: u64) -> Option<u64> {
        let of_map = |number: u64, kind: EventKind| {
            let event = self
                .recording
                .timeline
                .get(number)
                .filter(|event| event.kind == kind)?;
            let parent = self
                .recording
                .timeline
                .lineage(event.frame)
                .and_then(|lineage| lineage.parent);
            (event.frame == map || parent == Some(map)).then_some(number)
        };
        let started = (1..=until)
            .rev()
            .find_map(|number| of_map(number, EventKind::MapStarted));
        (started?..=until).find_map(|number| of_map(number, EventKind::IterationStarted))
    }
}
