//! Edits: the user replaces the value of a stage, and the run continues with the new value.

use crate::interpreter::Stage;
use crate::json::{Pointer, Value};
use crate::session::log::EntryKind;
use crate::session::reply::{Refused, Reply};
use crate::session::session::Session;
use crate::session::snapshot;
use crate::session::stop::Stop;

impl Session {
    pub(in crate::session) fn edit(
        &mut self,
        stage: Stage,
        at: Pointer,
        value: Value,
    ) -> Result<Reply, Refused> {
        let frame = self.focus_frame().ok_or(Refused::NothingRan)?;
        let (id, key) = (frame.id, self.snapshot().machine.key(frame));
        let old = frame.visit.data.get(stage);
        if old.and_then(|old| at.set(old, value.clone())).is_none() {
            return Err(Refused::NoPlace(stage, at));
        }
        if frame.visit.is_made_for_an_item(stage) {
            let group = frame.visit.group.as_ref();
            return Err(Refused::IsItemInput(group.and_then(|one| one.selected)));
        }
        self.fork();
        // Events of the same step as the event at the cursor have happened as well.
        while !self.recording.head.machine.is_told() && self.extend().is_some() {}
        if !snapshot::edit(&mut self.recording.head.machine, id, stage, &at, &value) {
            return Ok(Reply::Done);
        }
        self.recording.note(EntryKind::Edit {
            frame: id,
            key,
            stage,
            at,
            value,
        });
        self.stepper.stop = Stop::Step;
        Ok(Reply::Edited(stage))
    }
}
