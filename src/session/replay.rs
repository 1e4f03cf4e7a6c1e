//! What is left of the run before a reload: that run, to be compared with the new one event by event, and its edits.
//!
//! It must not know a session, nor what becomes of a difference.

use super::log::Log;
use super::recording::Recording;
use super::snapshot::{Repeated, Snapshot};
use crate::definition::StatePath;
use crate::interpreter::{AskKey, Event, EventKind, Machine, Serve, Stage};
use crate::json::{Pointer, Value};

/// The run before a reload, repeated beside the new one.
#[derive(Debug)]
pub(super) struct Comparison {
    pub old: Snapshot,
    pub log: Log,
    /// Where the cursor was.
    pub until: u64,
    /// The state that it was in, and how often that had been entered.
    pub stood: Option<(StatePath, u64)>,
}

/// What is left of the run before a reload, while the new one repeats it.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// That run, compared event by event.
    pub comparison: Option<Box<Comparison>>,
    /// Its edits that are still to be applied.
    pub edits: Vec<(AskKey, Stage, Pointer, Value)>,
    /// So many events of the new run were compared.
    pub compared: u64,
}

/// What a comparison of two events came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Same,
    Different,
    /// What the old one depends on is being worked at.
    Pending,
}

impl Comparison {
    /// How the new run differs from the old one at an event: in state path, stage or value.
    pub fn compare(&mut self, number: u64, new: &Recording, server: &dyn Serve) -> Compared {
        let Some(event) = new.timeline.get(number).copied() else {
            return Compared::Same;
        };
        let old = match self.old.repeat(&self.log, server) {
            Repeated::Event(old) => old,
            Repeated::Pending => return Compared::Pending,
            Repeated::End => return Compared::Different,
        };
        let (before, after) = (&self.old.machine, &new.head.machine);
        let same = same_event(before, &old, after, &event);
        // A later event's values are those of the machine only while it stands at that event.
        let here = new.head.events == number;
        match same && (!here || values_agree(before, after, &event)) {
            true => Compared::Same,
            false => Compared::Different,
        }
    }
}

impl Replay {
    /// Takes out the edit whose place comes up in the new run: in the frame of this key, at this stage.
    pub fn take_edit(&mut self, key: &AskKey, stage: Stage) -> Option<(Pointer, Value)> {
        let mut edits = self.edits.iter();
        let place = edits.position(|(own, at, ..)| own == key && *at == stage)?;
        let (_, _, at, value) = self.edits.remove(place);
        Some((at, value))
    }
}

fn same_event(old: &Machine, before: &Event, new: &Machine, after: &Event) -> bool {
    let path = |machine: &Machine, event: &Event| {
        event
            .state
            .and_then(|id| machine.definition().state(id))
            .map(|state| state.path.clone())
    };
    before.kind == after.kind
        && before.arg == after.arg
        && before.frame == after.frame
        && path(old, before) == path(new, after)
}

fn values_agree(old: &Machine, new: &Machine, event: &Event) -> bool {
    let stage = match event.kind {
        EventKind::StateEntered => Stage::Input,
        EventKind::Stage(stage) => stage,
        EventKind::StateExited => Stage::Output,
        _ => return true,
    };
    let value = |machine: &Machine| {
        machine
            .frame(event.frame)
            .and_then(|frame| frame.visit.data.get(stage))
            .cloned()
    };
    value(old) == value(new)
}
