//! What runs reached, gathered from their events, and what that comes to in numbers.
//!
//! It must not know how a run is driven.

use super::point::{Count, Kind, Point, points};
use crate::definition::{Definition, StateId, StateKind};
use crate::interpreter::{Edge, Event, EventKind, Machine, takes};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often each point was reached; one that is not here never was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    hits: BTreeMap<Point, u64>,
}

/// How much of a definition was reached, group by group: `states`, `transitions`, ...
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    groups: BTreeMap<&'static str, (usize, usize)>,
}

/// The groups in the order in which they are shown.
const GROUPS: [&str; 5] = ["states", "transitions", "retriers", "maps", "branches"];

/// Whether the items of a Map are read from a file or a listing.
fn reads(machine: &Machine, state: StateId) -> bool {
    let state = machine.definition().state(state);
    state.is_some_and(|state| matches!(&state.kind, StateKind::Map(map) if map.reader.is_some()))
}

impl Coverage {
    /// Takes in an event, right after the step that gave it.
    pub fn note(&mut self, machine: &Machine, event: &Event) {
        let Some(state) = event.state else {
            return;
        };
        match event.kind {
            EventKind::StateEntered => self.hit(state, Kind::Entered),
            EventKind::StateExited => {
                let edge = Edge::from_arg(event.arg);
                // A Succeed has no field that could be left by.
                self.hit(state, Kind::Left(edge));
            }
            EventKind::RetryScheduled => self.hit(state, Kind::Retried(event.arg)),
            EventKind::ErrorRaised => self.note_used_up(machine, event, state),
            // How many there are to be read is known once they are.
            EventKind::MapStarted | EventKind::MapRunStarted
                if event.arg > 0 || !reads(machine, state) =>
            {
                self.hit(state, Kind::Items(Count::of(event.arg)));
            }
            EventKind::IterationFailed => self.hit(state, Kind::ItemFailed),
            EventKind::MapSucceeded | EventKind::MapRunSucceeded => {
                let group = machine
                    .frame(event.frame)
                    .and_then(|frame| frame.visit.group.as_ref());
                if group.is_some_and(|group| group.failed > 0) {
                    self.hit(state, Kind::Tolerated);
                }
                if reads(machine, state) {
                    self.hit(state, Kind::Items(Count::of(event.arg)));
                }
            }
            EventKind::MapFailed if event.arg > 0 && reads(machine, state) => {
                self.hit(state, Kind::Items(Count::of(event.arg)));
            }
            EventKind::BranchStarted => {
                let parent = machine.frame(event.frame).and_then(|frame| frame.parent);
                let owner = parent.and_then(|parent| machine.frame(parent));
                if let Some(owner) = owner {
                    self.hit(owner.visit.state, Kind::Branch(event.arg));
                }
            }
            _ => {}
        }
    }

    /// The retrier that an error is for, where it has no attempts left.
    fn note_used_up(&mut self, machine: &Machine, event: &Event, id: StateId) {
        let (Some(frame), Some(state)) =
            (machine.frame(event.frame), machine.definition().state(id))
        else {
            return;
        };
        let Some((fault, _)) = &frame.visit.fault else {
            return;
        };
        if frame.visit.failed_catcher().is_some() {
            return;
        }
        let profile = machine.profile();
        let place = state
            .retry
            .iter()
            .position(|retrier| takes(&retrier.error_equals, fault, profile));
        let Some((place, retrier)) = place.and_then(|place| Some((place, state.retry.get(place)?)))
        else {
            return;
        };
        let used = frame.visit.retriers.get(place).map_or(0, |one| one.used);
        if used >= retrier.max_attempts {
            let index = u32::try_from(place).unwrap_or(u32::MAX);
            self.hit(id, Kind::UsedUp(index));
        }
    }

    fn hit(&mut self, state: StateId, kind: Kind) {
        *self.hits.entry(Point { state, kind }).or_default() += 1;
    }

    /// Takes in what other runs of the same definition reached.
    pub fn add(&mut self, other: &Self) {
        for (point, count) in &other.hits {
            *self.hits.entry(*point).or_default() += count;
        }
    }

    /// How often a point was reached.
    #[must_use]
    pub fn hits(&self, point: Point) -> u64 {
        self.hits.get(&point).copied().unwrap_or(0)
    }

    /// Whether nothing was reached at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    /// How much of a definition that is.
    #[must_use]
    pub fn tally(&self, definition: &Definition) -> Tally {
        let mut tally = Tally::default();
        for point in points(definition) {
            let (reached, all) = tally.groups.entry(point.kind.group()).or_default();
            *all += 1;
            *reached += usize::from(self.hits(point) > 0);
        }
        tally
    }

    /// What of a state was not reached; empty where all of it was.
    #[must_use]
    pub fn missing(&self, definition: &Definition, state: StateId) -> Vec<Point> {
        let own = points(definition).into_iter();
        own.filter(|point| point.state == state && self.hits(*point) == 0)
            .collect()
    }
}

impl Tally {
    /// Both together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (group, (reached, all)) in other.groups {
            let own = self.groups.entry(group).or_default();
            own.0 += reached;
            own.1 += all;
        }
        self
    }

    /// Group, reached, all; groups of which there is nothing are left out.
    pub fn groups(&self) -> impl Iterator<Item = (&'static str, usize, usize)> + '_ {
        let known = GROUPS.iter();
        known.filter_map(|group| {
            let (reached, all) = self.groups.get(group)?;
            Some((*group, *reached, *all))
        })
    }

    /// Reached and all of a group.
    #[must_use]
    pub fn of(&self, group: &str) -> (usize, usize) {
        self.groups.get(group).copied().unwrap_or_default()
    }

    /// Reached and all of every group together.
    #[must_use]
    pub fn sum(&self) -> (usize, usize) {
        let all = self.groups.values();
        all.fold((0, 0), |(reached, all), (more, many)| {
            (reached + more, all + many)
        })
    }

    /// How much was reached, in percent; 100 where there is nothing to reach.
    #[must_use]
    pub fn percent(&self) -> f64 {
        percent(self.sum())
    }
}

/// Reached of all, in percent.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn percent((reached, all): (usize, usize)) -> f64 {
    match all {
        0 => 100.0,
        _ => 100.0 * reached as f64 / all as f64,
    }
}

/// A definition and the parts of it that runs reached.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The definition.
    pub definition: Arc<Definition>,
    /// The parts that were reached.
    pub coverage: Coverage,
}

/// The sums over several definitions.
#[must_use]
pub fn total(all: &[Covered]) -> Tally {
    let tallies = all.iter().map(|one| one.coverage.tally(&one.definition));
    tallies.fold(Tally::default(), Tally::and)
}
