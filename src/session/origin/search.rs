//! A search for the origin of a value. The search goes back step by step. If a step needs data of the run at an event,
//! the search first repeats the run up to that event.

use super::absent::Lost;
use super::history::{Moment, Past, Traces, Unseen};
use super::{Holder, Hop, Origin, Root, Site, Write};
use crate::interpreter::{EventKind, FrameId};
use crate::session::place::Absent;
use crate::session::snapshot::{Repeated, Snapshot};
use std::collections::VecDeque;

/// Maximum number of steps back in one search. A chain can be as long as the run.
const HOPS: u64 = 5_000_000;
/// Maximum number of steps that one call of [`Search::advance`] takes.
const AT_ONCE: usize = 64;
/// Maximum number of snapshots to keep while the run is repeated.
const KEPT: usize = 64;
/// Maximum number of evaluated parts of expressions to record for a visit, as long as it is not known if the search
/// needs them.
const PARTS: usize = 256;

/// Result of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// The value exists: its origin.
    Origin(Box<Origin>),
    /// The value is missing: says where it was lost, or that it never existed.
    Absent(Box<Absent>),
    /// The search was for the missing value that made a field fail, but all values that the field read exist.
    NoLack,
}

/// The goal of a search.
#[derive(Clone, Debug)]
enum Aim {
    Origin {
        at: Site,
        writes: Vec<Write>,
        lacked: Option<Box<Absent>>,
        failed: Option<Box<Write>>,
    },
    Lost(Box<Lost>),
    /// First, to find the place at which the failed field of a frame found no value. The goal then becomes to find why
    /// the value is missing there.
    Lack,
}

/// A search in progress.
#[derive(Clone, Debug)]
pub(in crate::session) struct Search {
    of: Site,
    aim: Aim,
    runs: Runs,
    hops: u64,
}

impl Search {
    /// Starts a search for the origin of the value at a place. If there is no value, searches for the reason why the
    /// value is missing. `now` is the run directly after the place's event.
    pub fn begin(of: Site, now: &Snapshot) -> Self {
        let has_value = super::document::value_at(&of, &now.machine).is_some();
        let aim = match has_value {
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
                kept: VecDeque::from([Kept {
                    run: now.clone(),
                    traces: None,
                }]),
                walking: None,
            },
            hops: 0,
        }
    }

    /// Starts a search for the value that the failed field of a frame did not find, to explain why this value is
    /// missing.
    pub fn lack(frame: FrameId, now: &Snapshot) -> Self {
        Self {
            aim: Aim::Lack,
            ..Self::begin(Site::error(now.events, frame), now)
        }
    }

    /// Starts a search for the origin of the parent of a missing value, if the parent is a value without members, such
    /// as a string; otherwise returns `None`.
    pub fn behind(absent: Box<Absent>, now: &Snapshot) -> Option<Self> {
        let mut search = Self::begin(absent.barred()?, now);
        if let Aim::Origin { lacked, .. } = &mut search.aim {
            *lacked = Some(absent);
        }
        Some(search)
    }

    /// Continues the search for a short time, such as one event of a repetition. Returns `None` until the search has a
    /// result.
    pub fn advance(&mut self, past: &Past<'_>) -> Option<Found> {
        if self.runs.walk(past) {
            return None;
        }
        for _ in 0..AT_ONCE {
            self.hops += 1;
            if matches!(self.aim, Aim::Lack) && self.begin_lost(past)? {
                return Some(Found::NoLack);
            }
            let (site, hop) = match &self.aim {
                Aim::Lack => return Some(Found::NoLack),
                Aim::Origin { at, .. } => (at, past.hop(at, self.runs.at(at.event))),
                Aim::Lost(lost) => match lost.next() {
                    Some(at) => (at, past.lost_hop(at, self.runs.at(at.event))),
                    None => return Some(Found::Absent(Box::new(lost.found(past)))),
                },
            };
            let (number, frame) = (site.event, site.frame);
            match hop {
                Hop::Need(event) => {
                    self.runs.go(past, event, frame);
                    return None;
                }
                Hop::Look(frame, after) => {
                    self.runs.look(past, number, frame, after);
                    return None;
                }
                _ => {}
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
                            // If the user asked about the error itself, the user is already at the failed field, so
                            // this field is not listed among the writes.
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
                        Hop::To(_) | Hop::Missing(_) | Hop::Need(_) | Hop::Look(..) => {
                            Root::Unknown
                        }
                    };
                    // If no condition in an expression selected the literal, the last Choice or catcher is the reason
                    // for it.
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
                        writes: stops(std::mem::take(writes), &root),
                        root,
                        lacked: lacked.take(),
                        chosen: chosen.map(Box::new),
                        failed: failed.take(),
                    })));
                }
                Aim::Lack => return Some(Found::NoLack),
                Aim::Lost(lost) => {
                    let run = self.runs.at(number);
                    if over || lost.take(past, hop, run) {
                        return Some(Found::Absent(Box::new(lost.found(past))));
                    }
                }
            }
        }
        None
    }
}

/// The writes to show to the user. Skips a write that only passes the value on, if the value comes from an earlier
/// write or from the input.
fn stops(writes: Vec<Write>, root: &Root) -> Vec<Write> {
    let states: Vec<_> = writes.iter().map(|write| write.state).collect();
    let mut place = 0;
    let mut writes = writes;
    writes.retain(|write| {
        place += 1;
        let carries = match states.get(place) {
            Some(_) => write.passes_on() || write.is_inserted(),
            None => write.passes_on() && matches!(root, Root::Input(_)),
        };
        !carries
    });
    writes
}

impl Search {
    /// Finds the place at which the failed field found nothing, and starts the search for why the value is missing
    /// there. Returns true if there is no such place, `None` if the run has to be repeated first.
    fn begin_lost(&mut self, past: &Past<'_>) -> Option<bool> {
        let run = self.runs.at(self.of.event)?;
        let Some(frame) = run.machine.frame(self.of.frame) else {
            return Some(true);
        };
        match past.lack(run, frame, &self.of) {
            Ok(None) => Some(true),
            Ok(Some((documents, lack))) => {
                let of = documents.place(&lack.base, lack.at);
                let lost = Lost::begin(&of, run.machine);
                self.of = of;
                self.aim = Aim::Lost(Box::new(lost));
                Some(false)
            }
            Err(Unseen(frame, after)) => {
                self.runs.look(past, self.of.event, frame, after);
                None
            }
        }
    }
}

/// Snapshots of the run that a search needs, and the repetition that produces more of them.
#[derive(Clone, Debug)]
struct Runs {
    /// Snapshots, ordered by event.
    kept: VecDeque<Kept>,
    walking: Option<Box<Walk>>,
}

/// A kept snapshot: the run directly after an event, with traces of evaluations before the event.
#[derive(Clone, Debug)]
struct Kept {
    run: Snapshot,
    traces: Option<Traces>,
}

/// A repetition of the run up to the event `to`.
#[derive(Clone, Debug)]
struct Walk {
    now: Snapshot,
    to: u64,
    /// Snapshots at exits of states in this frame are kept, with traces of the frame's earlier evaluations, because the
    /// search will need them.
    frame: FrameId,
    /// The search needs all evaluations of the frame after this event.
    asked: Option<u64>,
    /// Evaluations of the frame have been recorded since this event.
    since: Option<u64>,
    traces: Option<Traces>,
}

impl Runs {
    fn at(&self, event: u64) -> Option<Moment<'_>> {
        let place = self
            .kept
            .binary_search_by_key(&event, |kept| kept.run.events);
        let kept = self.kept.get(place.ok()?)?;
        Some(Moment {
            machine: &kept.run.machine,
            traces: kept.traces.as_ref(),
        })
    }

    /// The last available snapshot at or before an event.
    fn before(&self, past: &Past<'_>, event: u64) -> Snapshot {
        let near = self.kept.iter().rev().find(|kept| kept.run.events <= event);
        past.recording
            .kept_before(event, near.map(|kept| &kept.run))
    }

    /// Starts to repeat the run up to an event; keeps snapshots at exits of states in `frame`.
    fn go(&mut self, past: &Past<'_>, event: u64, frame: FrameId) {
        self.walk_on(Walk {
            now: self.before(past, event),
            to: event,
            frame,
            asked: None,
            since: None,
            traces: None,
        });
    }

    /// Starts to repeat the run up to `event`, to trace the evaluations of a frame from the event `after` on.
    fn look(&mut self, past: &Past<'_>, event: u64, frame: FrameId, after: u64) {
        let place = self.kept.iter().position(|kept| kept.run.events == event);
        let seen = place.and_then(|place| {
            let kept = self.kept.get_mut(place)?;
            let traces = kept
                .traces
                .take_if(|traces| traces.has_seen(frame, after))?;
            Some((kept.run.clone(), traces))
        });
        let (now, traces) = match seen {
            Some((run, traces)) => (run, Some(traces)),
            None => (self.before(past, after.min(event)), None),
        };
        self.walk_on(Walk {
            now,
            to: event,
            frame,
            asked: Some(after),
            since: traces.is_some().then_some(event),
            traces,
        });
    }

    fn walk_on(&mut self, walk: Walk) {
        // The search only goes back, so snapshots after `to` are not needed again.
        self.kept.retain(|kept| kept.run.events <= walk.to);
        self.walking = Some(Box::new(walk));
    }

    /// Repeats one event, if a repetition is in progress. Returns true if the repetition has not ended.
    fn walk(&mut self, past: &Past<'_>) -> bool {
        let Some(mut walk) = self.walking.take() else {
            return false;
        };
        let goes_on = walk.advance(past, |exit, traces| self.keep(exit, traces));
        if goes_on {
            self.walking = Some(walk);
            return true;
        }
        self.keep(walk.now, walk.traces);
        false
    }

    fn keep(&mut self, run: Snapshot, traces: Option<Traces>) {
        let is_same = |kept: &&mut Kept| kept.run.events == run.events;
        let place = self
            .kept
            .partition_point(|kept| kept.run.events < run.events);
        if let Some(known) = self.kept.get_mut(place).filter(is_same) {
            if traces.is_some() {
                *known = Kept { run, traces };
            }
            return;
        }
        let is_full = self.kept.len() >= KEPT;
        if is_full {
            self.kept.pop_front();
        }
        let place = place.saturating_sub(usize::from(is_full));
        self.kept.insert(place, Kept { run, traces });
    }
}

impl Walk {
    /// Repeats one event; returns false at the end. If the frame exits a state, `keep` receives the run and the traces
    /// of the frame's evaluations since its previous exit.
    fn advance(&mut self, past: &Past<'_>, keep: impl FnOnce(Snapshot, Option<Traces>)) -> bool {
        let events = self.now.events;
        if self
            .since
            .is_none_or(|since| self.is_asked(events) && !self.is_asked(since))
        {
            let most = if self.is_asked(events) {
                usize::MAX
            } else {
                PARTS
            };
            self.now.machine.look_at(self.frame, most);
            self.since = Some(events);
        }
        if events < self.to {
            match self.now.repeat(&past.recording.log, past.server) {
                Repeated::Event(event) => {
                    if event.kind == EventKind::StateExited && event.frame == self.frame {
                        self.exit(keep);
                    }
                }
                Repeated::Pending => {}
                Repeated::End => self.to = self.now.events,
            }
            return true;
        }
        let looks = self.now.machine.looked();
        if let (Some(looks), Some(since)) =
            (looks, self.since.filter(|since| self.is_asked(*since)))
        {
            self.traces = Some(Traces::new(since, *looks));
        }
        let asked = self.traces.as_mut().filter(|_| self.asked.is_some());
        asked.is_some_and(|traces| traces.repeat(past.server))
    }

    /// True if the search needs all evaluations of the frame after this event.
    fn is_asked(&self, event: u64) -> bool {
        self.asked.is_some_and(|after| after <= event)
    }

    /// Passes the run at an exit of the frame to `keep`, with the traces of the frame's evaluations since its previous
    /// exit.
    fn exit(&mut self, keep: impl FnOnce(Snapshot, Option<Traces>)) {
        if let Some(since) = self
            .since
            .take_if(|since| self.asked.is_none_or(|after| *since < after))
        {
            let looks = self.now.machine.looked();
            self.traces = looks.map(|looks| Traces::new(since, *looks));
        }
        if self.now.events < self.to {
            let mut now = self.now.clone();
            drop(now.machine.looked());
            keep(now, self.traces.take());
        }
    }
}
