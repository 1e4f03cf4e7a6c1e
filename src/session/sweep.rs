//! A stretch of the record that is walked again once, so that each condition in it is asked where it stood.
//!
//! It must not know a session, nor where the search goes on.

use super::breakpoints::Breakpoints;
use super::recording::Recording;
use super::snapshot::{Repeated, Snapshot};
use super::stop::Stop;
use super::stop_condition::Verdict;
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
    /// From the last snapshot that was kept up to an event.
    pub fn up_to(recording: &Recording, until: u64) -> Self {
        let snapshot = if until == recording.head.events {
            recording.head.clone()
        } else {
            recording.kept_before(until)
        };
        Self {
            from: snapshot.events,
            snapshot,
            until,
            found: None,
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
        if let Some(event) = recording.timeline.get(number)
            && let Verdict::Stop(stop) =
                breakpoints.would_stop_at(number, event, &self.snapshot.machine, server)
        {
            self.found = Some((number, event.frame, stop));
        }
        let more = number < self.until;
        if more && self.snapshot.repeat(&recording.log, server) != Repeated::End {
            return Swept::More;
        }
        match self.found.take() {
            Some((number, frame, stop)) => Swept::Found(number, frame, stop),
            None => Swept::Nothing(self.from),
        }
    }
}
