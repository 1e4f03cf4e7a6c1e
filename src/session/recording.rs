//! The recorded run, event by event, and the cursor in it.

use super::log::{Entry, EntryKind, Log};
use super::snapshot::{Checkpoints, Repeated, Snapshot};
use super::timeline::Timeline;
use crate::interpreter::{Frame, FrameId, MemoryWatch, Run, Serve};
use std::sync::Arc;

/// A recorded run and its cursor.
#[derive(Debug)]
pub(super) struct Recording {
    pub run: Arc<Run>,
    /// The run at the end of the recording.
    pub head: Snapshot,
    /// The run at the cursor, if that is before the end.
    pub past: Option<Snapshot>,
    pub timeline: Timeline,
    pub checkpoints: Checkpoints,
    pub log: Log,
    /// Watches the memory use of the whole recording.
    pub memory: MemoryWatch,
    /// Number of the run: starts at 1; increases with each new run and each fork.
    pub number: u32,
}

impl Recording {
    /// Creates an empty recording; checkpoints may use `budget` bytes.
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

    /// The frame, or its nearest ancestor that is live at the cursor; otherwise the outermost frame.
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

    /// True if the run and its recording use as much memory as they may.
    pub fn is_full(&mut self) -> bool {
        let bytes = self.bytes();
        self.memory.is_over(&self.head.machine, bytes)
    }

    /// Approximate memory use of the recording in bytes, without the machine at its end.
    pub fn bytes(&self) -> u64 {
        let parts = [
            self.timeline.bytes(),
            self.checkpoints.bytes(),
            self.log.bytes(),
        ];
        parts.iter().sum()
    }

    /// Logs something from outside that has been applied at the end of the recording.
    pub fn note(&mut self, kind: EntryKind) {
        self.log.push(Entry {
            after: self.head.events,
            kind,
        });
        self.head.applied = self.log.len();
    }

    /// The last snapshot at or before an event; `near` is another one to choose from.
    pub fn kept_before(&self, number: u64, near: Option<&Snapshot>) -> Snapshot {
        let kept = self.checkpoints.before(number).into_iter().chain(near);
        let last = kept.max_by_key(|kept| kept.events).cloned();
        last.unwrap_or_else(|| Snapshot::start(Arc::clone(&self.run)))
    }

    /// Moves the cursor to the next recorded event.
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

    /// Moves the cursor one event closer to a recorded event; returns whether it has arrived.
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

    /// Makes the cursor the end of the recording. Returns everything after it, because dropping it may take a while;
    /// `None` if the cursor is at the end.
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

/// Progress of travelling to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Approach {
    /// The cursor is at the event.
    There,
    /// The cursor has moved closer to the event but is not there yet.
    Nearer,
    /// The recording cannot be repeated up to the event.
    Lost,
}
