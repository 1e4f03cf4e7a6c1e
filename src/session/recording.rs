//! What has happened: the run that is recorded, event by event, and where in it the cursor stands.

use super::log::{Entry, EntryKind, Log};
use super::snapshot::{Checkpoints, Repeated, Snapshot};
use super::timeline::Timeline;
use crate::interpreter::{Frame, FrameId, MemoryWatch, Run, Serve};
use std::sync::Arc;

/// One recorded run and a cursor in it.
#[derive(Debug)]
pub(super) struct Recording {
    pub run: Arc<Run>,
    /// The end of what is recorded.
    pub head: Snapshot,
    /// Where the cursor is, while that is before the end.
    pub past: Option<Snapshot>,
    pub timeline: Timeline,
    pub checkpoints: Checkpoints,
    pub log: Log,
    /// Whether all of it is within what it may take.
    pub memory: MemoryWatch,
    /// 1, and one more for each run begun after the first and for each fork.
    pub number: u32,
}

impl Recording {
    /// Nothing of a run is recorded yet; checkpoints may keep `budget` bytes alive.
    pub fn new(run: Run, number: u32, budget: u64, memory: MemoryWatch) -> Self {
        let run = Arc::new(run);
        Self {
            head: Snapshot::start(Arc::clone(&run)),
            run,
            past: None,
            timeline: Timeline::default(),
            checkpoints: Checkpoints::new(budget),
            log: Log::default(),
            memory,
            number,
        }
    }

    /// The run at the cursor.
    pub fn at_cursor(&self) -> &Snapshot {
        self.past.as_ref().unwrap_or(&self.head)
    }

    /// A frame, or the nearest one around it that lives at the cursor; the outermost where none does.
    pub fn nearest_frame(&self, id: FrameId) -> Option<&Frame> {
        let machine = &self.at_cursor().machine;
        let mut at = Some(id);
        while let Some(id) = at {
            if let Some(frame) = machine.frame(id) {
                return Some(frame);
            }
            at = self.timeline.parent(id);
        }
        machine.frames().next()
    }

    /// Whether the run and its record take as much memory as they may.
    pub fn is_full(&mut self) -> bool {
        let record = [
            self.timeline.bytes(),
            self.checkpoints.bytes(),
            self.log.bytes(),
        ];
        self.memory.is_over(&self.head.machine, record.iter().sum())
    }

    /// Logs what came from outside at the end of the record, where it is applied already.
    pub fn note(&mut self, kind: EntryKind) {
        self.log.push(Entry {
            after: self.head.events,
            kind,
        });
        self.head.applied = self.log.len();
    }

    /// The last snapshot that was kept at or before an event.
    pub fn kept_before(&self, number: u64) -> Snapshot {
        let kept = self.checkpoints.before(number).cloned();
        kept.unwrap_or_else(|| Snapshot::start(Arc::clone(&self.run)))
    }

    /// The next recorded event after the cursor, which goes to it.
    pub fn repeat(&mut self, server: &dyn Serve) -> Repeated {
        let Some(past) = &mut self.past else {
            return Repeated::End;
        };
        let repeated = past.repeat(&self.log, server);
        past.apply_changes(&self.log);
        if repeated == Repeated::End || past.events >= self.timeline.len() {
            self.past = None;
        }
        repeated
    }

    /// Goes one event nearer to a recorded one; whether the cursor is there.
    pub fn approach(&mut self, to: u64, server: &dyn Serve) -> Approach {
        if to == self.timeline.len() {
            self.past = None;
            return Approach::There;
        }
        let near = self.past.as_ref().map(|past| past.events);
        let near = near.filter(|events| *events <= to);
        let kept = self.checkpoints.before(to);
        if kept.is_some_and(|kept| near.is_none_or(|near| kept.events > near)) {
            self.past = kept.cloned();
        }
        match &mut self.past {
            None => Approach::Lost,
            Some(past) if past.events == to => {
                past.apply_changes(&self.log);
                Approach::There
            }
            Some(past) => match past.repeat(&self.log, server) {
                Repeated::Event(_) | Repeated::Pending => Approach::Nearer,
                Repeated::End => Approach::Lost,
            },
        }
    }

    /// Makes the cursor the end of the record: what was recorded after it is handed over, as dropping it may take a while.
    /// `None` where it stands there.
    pub fn fork(&mut self) -> Option<(u64, impl Send + use<>)> {
        let past = self.past.take()?;
        let events = past.events;
        let recorded = self.timeline.truncate(events);
        let kept = self.checkpoints.truncate(events);
        let logged = self.log.truncate(past.applied);
        let head = std::mem::replace(&mut self.head, past);
        self.number += 1;
        Some((events, (recorded, kept, logged, head)))
    }
}

/// How far a journey to an event has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Approach {
    /// The cursor is at the event.
    There,
    /// It is on the way.
    Nearer,
    /// The record cannot be repeated up to there.
    Lost,
}
