//! Replays a range of the recording to evaluate each condition at its event.

use super::breakpoints::Breakpoints;
use super::recording::Recording;
use super::snapshot::{Repeated, Snapshot};
use super::stop::Stop;
use super::stop_condition::{DataSeen, Verdict};
use crate::interpreter::{FrameId, Serve};

/// The range.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    snapshot: Snapshot,
    /// First event of the range.
    from: u64,
    /// Last event of the range.
    until: u64,
    /// The latest stop so far.
    found: Option<(u64, FrameId, Stop)>,
    /// Values that data breakpoints last read; `None` if there are none.
    data: Option<DataSeen>,
}

/// Result of one event of the range.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Swept {
    /// There are more events.
    More,
    /// The last event was examined; the latest stop is at this event of this frame.
    Found(u64, FrameId, Stop),
    /// The last event was examined and there is no stop; the range starts at this event.
    Nothing(u64),
}

impl Sweep {
    /// The range from the last checkpoint up to an event. With data breakpoints, it starts earlier, because a change
    /// is detected by comparing with the previous value.
    pub fn up_to(recording: &Recording, until: u64, data: Option<DataSeen>) -> Self {
        let first = match data {
            Some(_) => until.saturating_sub(1),
            None => until,
        };
        let snapshot = if first == recording.head.events {
            recording.head.clone()
        } else {
            recording.kept_before(first)
        };
        Self {
            from: snapshot.events,
            snapshot,
            until,
            found: None,
            data,
        }
    }

    /// Examines one event and moves to the next.
    pub fn walk(
        &mut self,
        recording: &Recording,
        breakpoints: &Breakpoints,
        server: &dyn Serve,
    ) -> Swept {
        let number = self.snapshot.events;
        if let Some(event) = recording.timeline.get(number) {
            let machine = &self.snapshot.machine;
            let changed = self.data.as_mut();
            let changed = changed.map(|data| breakpoints.changed(data, event, machine, server));
            let changed = changed.unwrap_or_default();
            let verdict = breakpoints.would_stop_at(number, event, machine, (server, &changed));
            if let Verdict::Stop(stop) = verdict {
                self.found = Some((number, event.frame, stop));
            }
        }
        let more = number < self.until;
        if more && self.snapshot.repeat(&recording.log, server) != Repeated::End {
            return Swept::More;
        }
        match self.found.take() {
            Some((number, frame, stop)) => Swept::Found(number, frame, stop),
            // A change by the first event is only detected from the event before.
            None => Swept::Nothing(self.from + u64::from(self.data.is_some())),
        }
    }
}
