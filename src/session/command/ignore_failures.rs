//! Continues a failed Map despite its failures, in a fork, and reports that AWS would not do this.

use crate::definition::{StateKind, Unit};
use crate::interpreter::{EventKind, FrameId};
use crate::session::goal::{Goal, Rule};
use crate::session::log::EntryKind;
use crate::session::reply::{Output, Refused, Reply};
use crate::session::session::Session;

impl Session {
    /// Goes back to the start of the last failed Map's items, and runs all of them from there, whatever fails.
    pub(in crate::session) fn ignore_failures(&mut self) -> Result<Reply, Refused> {
        let map = self.map_at_work().or_else(|| self.map_that_failed());
        let (map, failed) = map.ok_or(Refused::NoMapFailed)?;
        let begun = self.items_began(map, failed);
        let begun = begun.ok_or(Refused::MapFailedEarly)?;
        self.stepper.goal = Some(Goal::IgnoreFailures(begun, map));
        Ok(Reply::Begun)
    }

    /// Forks at the event that started the first item.
    pub(in crate::session) fn fork_ignoring_failures(&mut self, map: FrameId) {
        // Requests get the same answers again.
        self.remember_answers();
        self.fork();
        if !self.recording.head.machine.ignore_failures(map) {
            return self.put(Output::NoItemsAtWork);
        }
        self.recording
            .note(EntryKind::IgnoreFailures { frame: map });
        let state = self
            .recording
            .head
            .machine
            .frame(map)
            .map(|frame| frame.visit.state);
        let name = state.map_or_else(|| "?".into(), |state| self.state_name(state));
        let unit = state.map_or(Unit::Item, |state| self.setup.definition.unit(state));
        self.put(Output::IgnoresFailures {
            run: self.recording.number,
            map: name,
            unit,
        });
        self.stepper.focus = map;
        self.stepper.goal = Some(Goal::Frame {
            frame: map,
            rule: Rule::Exit,
        });
    }

    /// The active Map around the focus frame, with the cursor position.
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

    /// The Map whose item failed last, with the event of that failure.
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

    /// The event that started the first item of the round that was in progress at an event.
    fn items_began(&self, map: FrameId, until: u64) -> Option<u64> {
        let timeline = &self.recording.timeline;
        let of_kind = |number: u64, kind: EventKind| {
            let event = timeline.get(number);
            event.filter(|event| event.kind == kind)
        };
        // An item may itself run a Map.
        let started = (1..=until).rev().find(|number| {
            of_kind(*number, EventKind::MapStarted).is_some_and(|event| event.frame == map)
        });
        (started?..=until).find(|number| {
            let event = of_kind(*number, EventKind::IterationStarted);
            event.is_some_and(|event| {
                let item = timeline.lineage(event.frame);
                event.frame == map || item.is_some_and(|item| item.parent == Some(map))
            })
        })
    }
}
