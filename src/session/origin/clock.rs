//! Finds the states that took the time until the clock of the run was read.

use super::history::{Past, is_begin};
use super::{Root, Site, Took};
use crate::definition::StateId;
use crate::interpreter::{EventKind, Millis};
use crate::session::note::EventNote;

/// Maximum number of events to search.
const SEARCHED: usize = 20_000;
/// Maximum number of states to list.
const LISTED: usize = 4;

impl Past<'_> {
    /// The clock as the root of a value that was read at an event, with the states that took most of the time before,
    /// the last one first; `other` if no state took any time.
    pub(super) fn clock(&self, site: &Site, other: Root) -> Root {
        let mut took: Vec<Took> = Vec::new();
        let (mut frame, mut from) = (site.frame, site.event);
        let now = self.timeline().get(from);
        let mut left = now.and_then(|event| Some((event.state?, event.time)));
        let mut between_tries = 0;
        let mut searched = 0;
        loop {
            let mut began = None;
            for (number, event) in self.backwards(frame, from).take(SEARCHED - searched) {
                searched += 1;
                match (event.kind, event.state) {
                    (EventKind::StateExited, Some(state)) => {
                        (left, between_tries) = (Some((state, event.time)), 0);
                    }
                    (EventKind::RetryScheduled, _) => {
                        if let Some(EventNote::Delay(delay)) = self.timeline().note(number) {
                            between_tries += delay;
                        }
                    }
                    (EventKind::StateEntered, _) => {
                        if let Some((state, until)) = left.take() {
                            let time = until.saturating_sub(event.time);
                            add(&mut took, state, time, between_tries);
                        }
                    }
                    (kind, _) if is_begin(kind) => {
                        began = Some(number);
                        break;
                    }
                    _ => {}
                }
            }
            match (began, self.parent(frame)) {
                (Some(number), Some(parent)) => (frame, from) = (parent, number),
                _ => break,
            }
        }
        let mut longest = took.clone();
        longest.sort_by_key(|one| std::cmp::Reverse(one.time));
        longest.truncate(LISTED);
        took.retain(|one| longest.contains(one));
        match took.is_empty() {
            true => other,
            false => Root::Clock(took),
        }
    }
}

fn add(took: &mut Vec<Took>, state: StateId, time: Millis, between_tries: Millis) {
    match took.iter_mut().find(|one| one.state == state) {
        _ if time == 0 => {}
        Some(own) => {
            own.time += time;
            own.between_tries += between_tries;
        }
        None => took.push(Took {
            state,
            time,
            between_tries,
        }),
    }
}
