//! Who wrote a value: the event before the cursor at which it last changed, looked for from checkpoint to checkpoint.
//!
//! It must not know how a value is shown.

use super::expression;
use super::goal::Goal;
use super::reply::{Output, Refused, Reply};
use super::session::Session;
use super::snapshot::{Repeated, Snapshot};
use super::stop::Stop;
use crate::interpreter::{FrameId, Machine, Serve};
use crate::json::{Text, Value};

/// A search that is under way.
#[derive(Clone, Debug)]
pub(super) struct WriterSearch {
    path: Text,
    frame: FrameId,
    /// The value whose writer is wanted.
    now: Value,
    /// The run at the event that is looked at.
    snapshot: Snapshot,
    /// The stretch begins here,
    start: u64,
    /// and ends here.
    end: u64,
    /// Whether the value was the same at the event before.
    same: bool,
    /// Where in the stretch it became the same last.
    found: Option<u64>,
}

impl WriterSearch {
    fn holds(&self, machine: &Machine, server: &dyn Serve) -> bool {
        value_in(machine, self.frame, &self.path, server).as_ref() == Some(&self.now)
    }

    /// Begins the stretch from the checkpoint before `end` to it.
    fn stretch(mut self, from: Snapshot, end: u64, server: &dyn Serve) -> Self {
        self.start = from.events;
        self.end = end;
        self.same = self.holds(&from.machine, server);
        self.found = None;
        self.snapshot = from;
        self
    }
}

fn value_in(machine: &Machine, frame: FrameId, path: &str, server: &dyn Serve) -> Option<Value> {
    let frame = machine.frame(frame)?;
    expression::evaluate(machine, frame, path, server).ok()
}

impl Session {
    /// Begins to look for who wrote the value at a path in the focus frame.
    pub(super) fn seek_writer(&mut self, path: Text) -> Result<Reply, Refused> {
        let frame = self.focus_frame().ok_or(Refused::NothingRan)?.id;
        let server = &*self.setup.server;
        let snapshot = self.snapshot();
        let Some(now) = value_in(&snapshot.machine, frame, &path, server) else {
            return Err(Refused::NeverWritten(path));
        };
        let end = snapshot.events;
        let from = self.recording.kept_before(end.saturating_sub(1));
        let search = WriterSearch {
            path,
            frame,
            now,
            snapshot: from.clone(),
            start: 0,
            end,
            same: false,
            found: None,
        };
        self.stepper.writer = Some(Box::new(search.stretch(from, end, server)));
        self.stepper.goal = Some(Goal::Writer);
        Ok(Reply::Begun)
    }

    /// One event of the search.
    pub(super) fn seek_writer_on(&mut self) {
        let Some(mut search) = self.stepper.writer.take() else {
            return self.stop_at(Stop::Travel);
        };
        let server = &*self.setup.server;
        if search.snapshot.events < search.end {
            match search.snapshot.repeat(&self.recording.log, server) {
                Repeated::Event(_) => {
                    let same = search.holds(&search.snapshot.machine, server);
                    if same && !search.same {
                        search.found = Some(search.snapshot.events);
                    }
                    search.same = same;
                }
                Repeated::Pending => {}
                Repeated::End => search.end = search.snapshot.events,
            }
            self.stepper.writer = Some(search);
            return;
        }
        if let Some(event) = search.found {
            let row = self.recording.timeline.get(event);
            let row = row.map(|recorded| super::show::row(&self.recording, event, recorded));
            self.put(Output::Written {
                path: search.path,
                event,
                state: row
                    .as_ref()
                    .and_then(|row| row.state)
                    .map(|id| self.bare_name(id)),
                title: row.map_or_else(String::new, |row| row.title),
            });
            self.travel(event, Stop::Travel);
        } else if search.start == 0 {
            self.put(Output::NeverWritten(search.path));
            self.stop_at(Stop::Travel);
        } else {
            let end = search.start;
            let from = self.recording.kept_before(end.saturating_sub(1));
            self.stepper.writer = Some(Box::new(search.stretch(from, end, server)));
        }
    }
}
