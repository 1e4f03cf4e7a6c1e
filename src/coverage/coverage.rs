//! Counts the points of a definition (states, transitions, retriers, ...) that runs reach, in total and by line. The
//! counts come from the events of the runs.

use super::point::{Count, Kind, Point, points};
use crate::definition::{Definition, StateId, StateKind};
use crate::interpreter::{Edge, Event, EventKind, Machine, takes};
use crate::source::{SourceFile, SourceId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of times that runs reached each [`Point`] of a definition; points that were never reached are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    hits: BTreeMap<Point, u64>,
}

/// For each group of points, such as `states` or `transitions`: the number of points that were reached, and the number
/// of all points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    groups: BTreeMap<&'static str, (usize, usize)>,
}

/// The names of the groups of points, in display order.
pub(super) const GROUPS: [&str; 5] = ["states", "transitions", "retriers", "maps", "branches"];

/// True if the state is a Map with an ItemReader.
fn reads(machine: &Machine, state: StateId) -> bool {
    let state = machine.definition().state(state);
    state.is_some_and(|state| matches!(&state.kind, StateKind::Map(map) if map.reader.is_some()))
}

impl Coverage {
    /// Counts the points that an event reaches. Must be called right after the step of `machine` that returned the
    /// event.
    pub fn note(&mut self, machine: &Machine, event: &Event) {
        let Some(state) = event.state else {
            return;
        };
        match event.kind {
            EventKind::StateEntered => self.hit(state, Kind::Entered),
            EventKind::StateExited => {
                let edge = Edge::from_arg(event.arg);
                // A Succeed state is counted here, too, but has neither Next nor End. So it has no point that shows
                // this count.
                self.hit(state, Kind::Left(edge));
            }
            EventKind::RetryScheduled => self.hit(state, Kind::Retried(event.arg)),
            EventKind::ErrorRaised => self.note_used_up(machine, event, state),
            // A Map with an ItemReader may start before its number of items is known. The number then comes from a
            // later event.
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

    /// Counts the point `UsedUp` if the first retrier that matches the error of the event has no attempts left.
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
        let mut retriers = state.retry.iter().enumerate();
        let matching = retriers.find(|(_, retrier)| takes(&retrier.error_equals, fault, profile));
        let Some((place, retrier)) = matching else {
            return;
        };
        let used = frame
            .visit
            .retriers
            .get(place)
            .map_or(0, |retrier| retrier.used);
        if used >= retrier.max_attempts {
            let index = u32::try_from(place).unwrap_or(u32::MAX);
            self.hit(id, Kind::UsedUp(index));
        }
    }

    fn hit(&mut self, state: StateId, kind: Kind) {
        *self.hits.entry(Point { state, kind }).or_default() += 1;
    }

    /// Adds the counts of other runs of the same definition.
    pub fn add(&mut self, other: &Self) {
        for (point, count) in &other.hits {
            *self.hits.entry(*point).or_default() += count;
        }
    }

    /// Number of times that runs reached a point.
    #[must_use]
    pub fn hits(&self, point: Point) -> u64 {
        self.hits.get(&point).copied().unwrap_or(0)
    }

    /// Number of times that runs entered a state.
    pub(super) fn entered(&self, state: StateId) -> u64 {
        let kind = Kind::Entered;
        self.hits(Point { state, kind })
    }

    /// True if no run reached any point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    /// Counts the reached points and all points of this definition, separately for each group.
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

    /// The points of a state that were not reached; empty if all were reached.
    #[must_use]
    pub fn missing(&self, definition: &Definition, state: StateId) -> Vec<Point> {
        let points = points(definition).into_iter();
        points
            .filter(|point| point.state == state && self.hits(*point) == 0)
            .collect()
    }
}

impl Tally {
    /// Adds the counts of two tallies.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (group, (reached, all)) in other.groups {
            let sum = self.groups.entry(group).or_default();
            sum.0 += reached;
            sum.1 += all;
        }
        self
    }

    /// Yields (group, number of reached points, number of all points) in display order; omits empty groups.
    pub fn groups(&self) -> impl Iterator<Item = (&'static str, usize, usize)> + '_ {
        GROUPS.into_iter().filter_map(|group| {
            let (reached, all) = self.groups.get(group)?;
            Some((group, *reached, *all))
        })
    }

    /// Number of reached points and number of all points in a group.
    #[must_use]
    pub fn of(&self, group: &str) -> (usize, usize) {
        self.groups.get(group).copied().unwrap_or_default()
    }

    /// Number of reached points and number of all points, over all groups.
    #[must_use]
    pub fn sum(&self) -> (usize, usize) {
        let groups = self.groups.values();
        groups.fold((0, 0), |(reached, all), group| {
            (reached + group.0, all + group.1)
        })
    }

    /// Percentage of the points that were reached; 100 if there are no points.
    #[must_use]
    pub fn percent(&self) -> f64 {
        percent(self.sum())
    }
}

/// `reached` as a percentage of `all`; 100 if `all` is 0.
#[expect(
    clippy::cast_precision_loss,
    reason = "visit counts are far below 2^53, so a float can hold them exactly"
)]
pub(super) fn percent((reached, all): (usize, usize)) -> f64 {
    match all {
        0 => 100.0,
        _ => 100.0 * reached as f64 / all as f64,
    }
}

/// A definition with its coverage.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The definition.
    pub definition: Arc<Definition>,
    /// The points of the definition that runs reached.
    pub coverage: Coverage,
}

impl Covered {
    /// Name of the definition's first file.
    pub(super) fn file(&self) -> &str {
        let file = self.definition.sources.files().first();
        file.map_or("", |file| &*file.name)
    }
}

/// The sum of the tallies of several definitions.
#[must_use]
pub fn total(all: &[Covered]) -> Tally {
    let tallies = all
        .iter()
        .map(|covered| covered.coverage.tally(&covered.definition));
    tallies.fold(Tally::default(), Tally::and)
}

/// A line of a source file on which at least one point of the definition begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Line number, starting at 1.
    pub number: usize,
    /// Number of times that the line was reached: the number of entries of the states that begin on the line or, if no
    /// state begins there, the highest count of the points on the line.
    pub hits: u64,
    /// The points on the line, each with the number of times that it was reached.
    pub points: Vec<(Point, u64)>,
}

impl Line {
    /// True if every point on the line was reached.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.points.iter().all(|(_, hits)| *hits > 0)
    }

    /// The points on the line that are branches in the reports, because a run may pass the line without reaching them:
    /// all points except the entry into a state, Next and End.
    pub fn ways(&self) -> impl Iterator<Item = &(Point, u64)> {
        let is_single = |kind| matches!(kind, Kind::Entered | Kind::Left(Edge::Next | Edge::End));
        let points = self.points.iter();
        points.filter(move |(point, _)| !is_single(point.kind))
    }
}

/// The lines with points in one source file, in ascending order.
#[derive(Clone, Debug)]
pub struct FileLines {
    /// The file.
    pub file: SourceFile,
    /// Source id of the file within the definition.
    pub source: SourceId,
    /// The lines on which points begin.
    pub lines: Vec<Line>,
}

/// Returns the lines with points, for each source file of a definition.
#[must_use]
pub fn lines(covered: &Covered) -> Vec<FileLines> {
    let (definition, coverage) = (&covered.definition, &covered.coverage);
    let mut counts_by_line: BTreeMap<u16, BTreeMap<usize, Vec<(Point, u64)>>> = BTreeMap::new();
    for point in points(definition) {
        let span = point.span(definition);
        let Some(place) = definition.sources.place(span) else {
            continue;
        };
        let lines = counts_by_line.entry(span.source.0).or_default();
        let hits = coverage.hits(point);
        lines.entry(place.line).or_default().push((point, hits));
    }
    let files = counts_by_line.into_iter().filter_map(|(source, lines)| {
        let file = definition.sources.get(SourceId(source))?;
        let lines = lines.into_iter();
        Some(FileLines {
            file: file.clone(),
            source: SourceId(source),
            lines: lines.map(|(number, points)| line(number, points)).collect(),
        })
    });
    files.collect()
}

fn line(number: usize, points: Vec<(Point, u64)>) -> Line {
    let states = points
        .iter()
        .filter(|(point, _)| point.kind == Kind::Entered);
    let entered = states.map(|(_, hits)| *hits).reduce(|sum, hits| sum + hits);
    let most = points.iter().map(|(_, hits)| *hits).max();
    Line {
        number,
        hits: entered.or(most).unwrap_or(0),
        points,
    }
}
