//! A stretch of the record that is walked again once, so that each condition in it is asked where it stood.

use super::breakpoints::Breakpoints;
use super::recording::Recording;
use super::snapshot::{Repeated, Snapshot};
use super::stop::Stop;
use super::stop_condition::{DataSeen, Verdict};
use crate::interpreter::{FrameId, Serve};

/// The stretch.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    snapshot: Snapshot,
    /// The event that it begins at.
    from: u64,
    /// The last event of it.
    until: u64,
    /// The latest stop so far.
    found: Option<(u64, FrameId, Stop)>,
    /// What breakpoints on data saw last; none where there are none.
    data: Option<DataSeen>,
}

/// What one event of the stretch came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Swept {
    /// There are more.
    More,
    /// It was the last; the latest stop is at this event of this frame.
    Found(u64, FrameId, Stop),
    /// It was the last, and none stops; the stretch began at this event.
    Nothing(u64),
}

impl Sweep {
    /// From the last snapshot that was kept up to an event; from before it where breakpoints look at data, for what an
    /// event changed is seen from before it.
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

    /// Looks at one event and goes on to the next.
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
            // What the first event changed is seen from before it.
            None => Swept::Nothing(self.from + u64::from(self.data.is_some())),
        }
    }
}
