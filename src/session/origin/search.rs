//! A search for an origin that is under way: a step back at a time, the run repeated where it has to be looked at.
//!
//! It must not know what is done with what it finds.

use super::absent::{Absent, Lost};
use super::past::Past;
use super::{Holder, Hop, Origin, Root, Site, Write};
use crate::interpreter::{EventKind, Machine};
use crate::session::snapshot::{Repeated, Snapshot};

/// At most so many steps back: a chain is as long as the run.
const HOPS: u64 = 5_000_000;
/// So many steps that need no repetition are taken at once.
const AT_ONCE: usize = 64;
/// At most so many runs are kept of a stretch that was repeated.
const KEPT: usize = 64;

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Where a value comes from.
    Origin(Box<Origin>),
    /// Where a missing one was lost, or that it never was.
    Absent(Box<Absent>),
}

/// What is looked for.
#[derive(Clone, Debug)]
enum Aim {
    Origin {
        at: Site,
        writes: Vec<Write>,
        lacked: Option<Box<Absent>>,
        failed: Option<Box<Write>>,
    },
    Lost(Box<Lost>),
}

/// A search that is under way.
#[derive(Clone, Debug)]
pub(in crate::session) struct Search {
    of: Site,
    aim: Aim,
    runs: Runs,
    hops: u64,
}

impl Search {
    /// Of the value at a place, or of a place without one; `now` is the run right after its event.
    pub fn begin(of: Site, now: &Snapshot) -> Self {
        let there = super::document::value_at(&of, &now.machine).is_some();
        let aim = match there {
            true => Aim::Origin {
                at: of.clone(),
                writes: Vec::new(),
                lacked: None,
                failed: None,
            },
            false => Aim::Lost(Box::new(Lost::begin(&of, &now.machine))),
        };
        Self {
            of,
            aim,
            runs: Runs {
                kept: vec![now.clone()],
                walking: None,
            },
            hops: 0,
        }
    }

    /// Goes on to where a value comes from that has no members, because of which what was looked for is missing.
    pub fn behind(absent: Box<Absent>, now: &Snapshot) -> Option<Self> {
        let mut search = Self::begin(absent.barred()?, now);
        if let Aim::Origin { lacked, .. } = &mut search.aim {
            *lacked = Some(absent);
        }
        Some(search)
    }

    /// Goes on for about one event; `None` while there is more to do.
    pub fn advance(&mut self, past: &Past<'_>) -> Option<Found> {
        if self.runs.walk(past) {
            return None;
        }
        for _ in 0..AT_ONCE {
            self.hops += 1;
            let (site, hop) = match &self.aim {
                Aim::Origin { at, .. } => (at.clone(), past.hop(at, self.runs.at(at.event))),
                Aim::Lost(lost) => match lost.next() {
                    Some(at) => (at.clone(), past.lost_hop(at, self.runs.at(at.event))),
                    None => return Some(Found::Absent(Box::new(lost.found(past, &self.of)))),
                },
            };
            if let Hop::Need(event) = hop {
                self.runs.go(past, event, &site);
                return None;
            }
            let over = self.hops > HOPS;
            match &mut self.aim {
                Aim::Origin {
                    at,
                    writes,
                    lacked,
                    failed,
                } => {
                    let root = match hop {
                        Hop::To(site) if site != *at && !over => {
                            *at = site;
                            continue;
                        }
                        Hop::Written(write) => {
                            let next = write.reads.first().cloned();
                            // Where it failed one stands already who asks about the error.
                            let stands = write.why_failed().is_some()
                                && writes.is_empty()
                                && failed.is_none()
                                && self.of.holder == Holder::Error
                                && self.of.frame == write.to.frame;
                            match stands {
                                true => *failed = Some(write),
                                false => writes.push(*write),
                            }
                            match next.filter(|_| !over) {
                                Some(next) => {
                                    *at = next;
                                    continue;
                                }
                                None => Root::Unknown,
                            }
                        }
                        Hop::Last(write, root) => {
                            writes.push(*write);
                            root
                        }
                        Hop::Root(root) => root,
                        Hop::To(_) | Hop::Missing(_) | Hop::Need(_) => Root::Unknown,
                    };
                    // A condition beside it chose it more closely than any Choice before.
                    let literal = writes.last().filter(|write| {
                        matches!(root, Root::Literal(_))
                            && write.conditions.is_empty()
                            && write.why_failed().is_none()
                    });
                    let chosen =
                        literal.and_then(|write| past.chosen_by(write.to.frame, write.to.event));
                    return Some(Found::Origin(Box::new(Origin {
                        of: self.of.clone(),
                        state: past.state_at(&self.of),
                        writes: std::mem::take(writes),
                        root,
                        lacked: lacked.take(),
                        chosen: chosen.map(Box::new),
                        failed: failed.take(),
                    })));
                }
                Aim::Lost(lost) => {
                    let run = self.runs.at(site.event);
                    if over || lost.take(past, hop, run) {
                        return Some(Found::Absent(Box::new(lost.found(past, &self.of))));
                    }
                }
            }
        }
        None
    }
}

/// The run at some events of a stretch.
#[derive(Clone, Debug)]
struct Runs {
    /// Ascending.
    kept: Vec<Snapshot>,
    walking: Option<Walk>,
}

/// A repetition up to an event.
#[derive(Clone, Debug)]
struct Walk {
    now: Snapshot,
    to: u64,
    /// The exits of this frame are kept: the search will come by them.
    frame: crate::interpreter::FrameId,
}

impl Runs {
    fn at(&self, event: u64) -> Option<&Machine> {
        let found = self.kept.iter().find(|kept| kept.events == event);
        found.map(|kept| &kept.machine)
    }

    /// Begins to repeat the run up to an event.
    fn go(&mut self, past: &Past<'_>, event: u64, site: &Site) {
        let kept = past.recording.kept_before(event);
        let near = self.kept.iter().rev().find(|own| own.events <= event);
        let now = match near {
            Some(own) if own.events >= kept.events => own.clone(),
            _ => kept,
        };
        // What is later is not looked at again.
        self.kept.retain(|own| own.events <= event);
        self.walking = Some(Walk {
            now,
            to: event,
            frame: site.frame,
        });
    }

    /// One event of the repetition; whether there is one under way.
    fn walk(&mut self, past: &Past<'_>) -> bool {
        let Some(mut walk) = self.walking.take() else {
            return false;
        };
        if walk.now.events < walk.to {
            match walk.now.repeat(&past.recording.log, past.server) {
                Repeated::Event(event) => {
                    let exit = event.kind == EventKind::StateExited && event.frame == walk.frame;
                    if exit && walk.now.events < walk.to {
                        self.keep(walk.now.clone());
                    }
                }
                Repeated::Pending => {}
                Repeated::End => walk.to = walk.now.events,
            }
            self.walking = Some(walk);
            return true;
        }
        self.keep(walk.now);
        false
    }

    fn keep(&mut self, snapshot: Snapshot) {
        if self.kept.len() >= KEPT {
            self.kept.remove(0);
        }
        let place = self
            .kept
            .partition_point(|own| own.events < snapshot.events);
        if self
            .kept
            .get(place)
            .is_none_or(|own| own.events != snapshot.events)
        {
            self.kept.insert(place, snapshot);
        }
    }
}
