//! The search: forks level by level, a level being how many things are other than usual, on all cores.
//!
//! What is found does not depend on the number of threads: a batch is walked with what was seen before the one before it,
//! which is taken in meanwhile, its runs one by one in their order.
//!
//! It must not know what a finding is.

use super::choosing::{Late as LateRule, Misfit};
use super::deadline::Deadline;
use super::step::Way;
use super::walk::{DataFault, End, Fork, MOST_STATES, Overdue, Walked, walk};
use super::world::World;
use crate::coverage::Coverage;
use crate::definition::StateId;
use crate::headless::Progress;
use crate::interpreter::{Machine, Run};
use crate::json::{Text, Value};
use crate::worker::Worker;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Forks that are walked between two looks at what was seen.
const BATCH: usize = 256;
/// And of no more bytes: each leaves forks of its own, which are held until all are walked.
const BATCH_WEIGHT: usize = 4 << 20;
/// Forks that a thread takes at once.
const PART: usize = 8;
/// Forks that are still to be walked take no more bytes than this; what those of a run share is not counted.
const HEAVIEST: usize = 512 << 20;
/// Ends that are kept with their way.
const MOST_ENDS: usize = 20_000;

/// What ends a search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// At most so many things are other than usual.
    pub depth: u32,
    /// At most so many runs.
    pub runs: u64,
    /// When it has to end.
    pub deadline: Deadline,
    /// So many threads.
    pub jobs: usize,
    /// Where it is said how far it is, when it takes long.
    pub progress: Progress,
}

/// So often it is said how far it is.
const TELLING: Duration = Duration::from_millis(500);

/// A run that came to its own end.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How.
    pub end: End,
    /// What was answered.
    pub way: Way,
    /// The input, where it was not the usual one.
    pub input: Option<Value>,
    /// Which states were entered.
    pub visited: Arc<Vec<u64>>,
    /// The state that it ended at.
    pub last: Option<StateId>,
    /// The state that the error came from.
    pub raised: Option<StateId>,
    /// How many things were other than usual.
    pub deviations: u32,
}

/// All that a search saw.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// How many runs there were.
    pub runs: u64,
    /// Which bound was reached, in words; `None` where everything was gone through.
    pub bound: Option<String>,
    /// Whether a run was too large to be gone through.
    pub large_run: bool,
    /// Runs that came to an end, the first twenty thousand.
    pub ends: Vec<Ended>,
    /// How often a run ended so: status, error, state.
    pub counts: BTreeMap<(&'static str, Text, Option<StateId>), u64>,
    /// Errors of the interpreter, each once for its state, stage and error.
    pub faults: Vec<DataFault>,
    /// Results that a person gave and that come too late, each task once.
    pub overdue: Vec<Overdue>,
    /// Comparisons that cannot hold for what a person gave, each rule once.
    pub misfits: Vec<Misfit>,
    /// Rules that held and came too late, each once.
    pub late: Vec<LateRule>,
    /// The states that asked, with a way to the first question of each.
    pub asked: BTreeMap<StateId, (Way, Option<Value>)>,
    /// What all runs reached together.
    pub coverage: Coverage,
    /// Moments from which no end was come to, by the states that ask there, with a way to the first of them.
    pub endless: Vec<(Vec<StateId>, Way)>,
}

/// The machine at its beginning, with this input or the usual one.
fn beginning(world: &World, input: Option<Value>) -> Fork {
    let run = match &input {
        None => Arc::clone(&world.run),
        Some(value) => {
            let mut header = world.run.header.clone();
            header.input = value.clone();
            Arc::new(Run::new(Arc::clone(&world.run.definition), header))
        }
    };
    beginning_of(world, run, input)
}

fn beginning_of(world: &World, run: Arc<Run>, input: Option<Value>) -> Fork {
    let input_is_usual = input.is_none();
    let words = world.run.definition.states.len().div_ceil(64);
    Fork {
        machine: Arc::new(Mutex::new(Machine::start(run))),
        sharing: 1,
        ask: None,
        way: None,
        visited: Arc::new(vec![0; words]),
        deviations: u32::from(input.is_some()),
        input,
        from: 0,
        caught: None,
        given: input_is_usual && !world.input_made,
    }
}

/// The usual way with all items of each Map, where the runs are cut to the first of them: what it died for, and how it
/// ended.
fn uncut_way(world: &World, run: &Arc<Run>, deadline: Deadline) -> Option<Walked> {
    if world.input_made {
        return None;
    }
    let server = Worker::new();
    let fork = beginning_of(world, Arc::clone(run), None);
    let mut walked = walk(world, fork, &server, &HashSet::new(), deadline);
    // Its questions are those of the cut run, which is still to come.
    walked.moments.clear();
    walked.faults.iter_mut().for_each(|one| one.moments = 0);
    walked.misfits.iter_mut().for_each(|one| one.moments = 0);
    walked.late.iter_mut().for_each(|one| one.moments = 0);
    Some(walked)
}

/// Walks the usual way alone.
#[must_use]
pub fn usual_way(world: &World) -> Walked {
    let server = Worker::new();
    let fork = beginning(world, None);
    walk(world, fork, &server, &HashSet::new(), world.deadline)
}

/// Searches until everything was gone through or a bound is reached.
#[must_use]
pub fn search(world: &World, bounds: Bounds) -> Seen {
    let deadline = bounds.deadline;
    let mut state = State {
        most: bounds.runs,
        dropped: false,
        size_bound: None,
        weight: 0,
        deepest: bounds.depth as usize,
        levels: vec![VecDeque::from([beginning(world, None)])],
        graph: Graph::default(),
        fresh: HashSet::new(),
        seen: Seen::default(),
    };
    let mut known = HashSet::new();
    if let Some(walked) = world
        .uncut
        .as_ref()
        .and_then(|run| uncut_way(world, run, deadline))
    {
        state.take(&known, walked);
    }
    let header = &world.run.header;
    let variants = world
        .constants
        .variants(&header.input, None, !world.input_made);
    for input in variants {
        state.push(beginning(world, Some(input)));
    }
    let servers: Vec<Worker> = (0..bounds.jobs.max(1)).map(|_| Worker::new()).collect();
    let (mut level, mut told) = (0, TELLING);
    let mut open: Vec<Walked> = Vec::new();
    while level < state.levels.len() && !state.is_spent(&open) {
        if u32::try_from(level).unwrap_or(u32::MAX) > bounds.depth {
            state.seen.bound = Some(format!("--depth {}", bounds.depth));
            break;
        }
        let batch = state.batch(level, open.len());
        if batch.is_empty() && open.is_empty() {
            level += 1;
            continue;
        }
        let before = std::mem::take(&mut open);
        let take_in = || before.into_iter().for_each(|one| state.take(&known, one));
        open = walk_all(world, batch, &servers, (&known, deadline), take_in);
        known.extend(state.fresh.drain());
        if deadline.elapsed() >= told && bounds.progress == Progress::Terminal {
            told = deadline.elapsed() + TELLING;
            bounds.progress.step(&format!(
                "{} runs, {} ends, {} faults, {} s",
                state.seen.runs,
                state.seen.ends.len(),
                state.seen.faults.len(),
                deadline.elapsed().as_secs()
            ));
        }
        if deadline.is_over() {
            state.seen.bound = Some(match deadline.is_interrupted() {
                true => "it was interrupted".to_string(),
                false => format!("--time {}", deadline.promised().as_secs()),
            });
            break;
        }
    }
    if state.seen.bound.is_none() && state.is_spent(&open) {
        state.seen.bound = Some(format!("--runs {}", bounds.runs));
    }
    open.into_iter().for_each(|one| state.take(&known, one));
    bounds.progress.clear();
    state.seen.bound = state.seen.bound.or(state.size_bound);
    if state.seen.bound.is_none() {
        state.seen.endless = state.graph.endless();
    }
    state.seen
}

/// Walks the forks of a batch on all threads, in whatever order, and does something on this one meanwhile; the results
/// are in the order of the forks.
fn walk_all(
    world: &World,
    batch: Vec<Fork>,
    servers: &[Worker],
    (known, deadline): (&HashSet<u64>, Deadline),
    meanwhile: impl FnOnce(),
) -> Vec<Walked> {
    if let ([server, ..], true) = (servers, batch.len() < 8 || servers.len() == 1) {
        meanwhile();
        let forks = batch.into_iter();
        return forks
            .map(|fork| walk(world, fork, server, known, deadline))
            .collect();
    }
    let mut all: Vec<Option<Walked>> = (0..batch.len()).map(|_| None).collect();
    let left = Mutex::new(batch.into_iter().enumerate());
    let some = || -> Vec<(usize, Fork)> {
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        left.by_ref().take(PART).collect()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = servers
            .iter()
            .map(|server| {
                let some = &some;
                scope.spawn(move || {
                    let mut own = Vec::new();
                    loop {
                        let part = some();
                        if part.is_empty() {
                            return own;
                        }
                        for (place, fork) in part {
                            own.push((place, walk(world, fork, server, known, deadline)));
                        }
                    }
                })
            })
            .collect();
        meanwhile();
        for worker in workers {
            for (place, walked) in worker.join().unwrap_or_default() {
                if let Some(slot) = all.get_mut(place) {
                    *slot = Some(walked);
                }
            }
        }
    });
    all.into_iter().flatten().collect()
}

struct State {
    /// So many runs there are at most.
    most: u64,
    /// Whether a fork was not kept.
    dropped: bool,
    /// So many bytes the forks take that are still to be walked.
    weight: usize,
    /// The limit of size that something was left out for, in words.
    size_bound: Option<String>,
    /// The last level that is gone through.
    deepest: usize,
    levels: Vec<VecDeque<Fork>>,
    graph: Graph,
    /// Moments that were first come to by the runs that are being taken in.
    fresh: HashSet<u64>,
    seen: Seen,
}

impl State {
    /// Whether no more may be run, though there is more to run.
    fn is_spent(&self, open: &[Walked]) -> bool {
        let waits = !open.is_empty() || self.levels.iter().any(|level| !level.is_empty());
        self.seen.runs >= self.most && (waits || self.dropped)
    }

    /// Keeps a fork; one that comes after all that may still be run needs no memory.
    fn push(&mut self, fork: Fork) {
        let level = fork.deviations as usize;
        let before: usize = self.levels.iter().take(level + 1).map(VecDeque::len).sum();
        let left = self.most.saturating_sub(self.seen.runs);
        if u64::try_from(before).unwrap_or(u64::MAX) >= left {
            self.dropped = true;
            return;
        }
        let weight = fork.weight();
        if self.weight + weight > HEAVIEST {
            self.dropped = true;
            let bound = || format!("{} MiB of ways still to go", HEAVIEST >> 20);
            self.size_bound.get_or_insert_with(bound);
            return;
        }
        // Of those that go too deep one is enough to know that there are any.
        if level > self.deepest && self.levels.get(level).is_some_and(|own| !own.is_empty()) {
            return;
        }
        while self.levels.len() <= level {
            self.levels.push(VecDeque::new());
        }
        if let Some(level) = self.levels.get_mut(level) {
            self.weight += weight;
            level.push_back(fork);
        }
    }

    /// The next forks of a level, while so many runs are still to be taken in.
    fn batch(&mut self, level: usize, open: usize) -> Vec<Fork> {
        let left = self.most.saturating_sub(self.seen.runs);
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let left = left.saturating_sub(open);
        let Some(level) = self.levels.get_mut(level) else {
            return Vec::new();
        };
        let (mut batch, mut weight) = (Vec::new(), 0);
        while batch.len() < BATCH.min(left) && weight < BATCH_WEIGHT {
            let Some(fork) = level.pop_front() else { break };
            weight += fork.weight();
            batch.push(fork);
        }
        self.weight = self.weight.saturating_sub(weight);
        batch
    }

    /// Takes a run in: what it saw before it came to a moment that another of its batch had come to.
    fn take(&mut self, known: &HashSet<u64>, walked: Walked) {
        self.seen.runs += 1;
        self.seen.coverage.add(&walked.coverage);
        self.seen.large_run |= walked.large;
        let (mut from, mut moments) = (walked.from, 0);
        let mut ended_early = false;
        // Where it came to an end its questions lead to one; else the whole way may show why it does not.
        let has_end = matches!(
            walked.end,
            End::Succeeded | End::Failed(_) | End::TimedOut(_) | End::Large | End::Late
        );
        for moment in walked.moments {
            self.graph.edge(from, moment.signature);
            from = moment.signature;
            if known.contains(&moment.signature) || !self.fresh.insert(moment.signature) {
                if walked.whole {
                    moments += 1;
                    continue;
                }
                ended_early = true;
                break;
            }
            let way = if has_end { &moment.way } else { &walked.way };
            self.graph.name(moment.signature, moment.state, way);
            let asked = self.seen.asked.entry(moment.state);
            asked.or_insert_with(|| (moment.way, walked.input.clone()));
            moments += 1;
            for fork in moment.forks {
                self.push(fork);
            }
        }
        for fault in walked.faults {
            let same = |other: &DataFault| {
                other.state == fault.state
                    && other.stage == fault.stage
                    && other.fault.error == fault.fault.error
            };
            let early = fault.moments <= moments;
            if early && !self.seen.faults.iter().any(same) {
                self.seen.faults.push(fault);
            }
        }
        for one in walked.overdue {
            let mut known = self.seen.overdue.iter();
            if !known.any(|other| other.state == one.state) {
                self.seen.overdue.push(one);
            }
        }
        for one in walked.misfits {
            let mut known = self.seen.misfits.iter();
            let is_new = !known.any(|other| (other.state, other.rule) == (one.state, one.rule));
            if is_new && one.moments <= moments {
                self.seen.misfits.push(one);
            }
        }
        for one in walked.late {
            let mut known = self.seen.late.iter();
            let is_new = !known.any(|other| (other.state, other.rule) == (one.state, one.rule));
            if is_new && one.moments <= moments {
                self.seen.late.push(one);
            }
        }
        if matches!(walked.end, End::Large) {
            let bound = || format!("a run of {MOST_STATES} states");
            self.size_bound.get_or_insert_with(bound);
        }
        if ended_early || matches!(walked.end, End::Seen | End::Late | End::Large) {
            return;
        }
        if !matches!(walked.end, End::TooLong | End::Stuck) {
            self.graph.end(from);
        }
        let (status, error): (&'static str, Text) = match &walked.end {
            End::Succeeded => ("SUCCEEDED", "".into()),
            End::Failed(fault) => ("FAILED", fault.name().into()),
            End::TimedOut(_) => ("TIMED_OUT", "States.Timeout".into()),
            End::TooLong => ("ENDLESS", "".into()),
            End::Stuck | End::Seen | End::Late | End::Large => ("STUCK", "".into()),
        };
        let counted = self.seen.counts.entry((status, error, walked.last));
        *counted.or_default() += 1;
        if self.seen.ends.len() < MOST_ENDS {
            self.seen.ends.push(Ended {
                end: walked.end,
                way: walked.way,
                input: walked.input,
                visited: walked.visited,
                last: walked.last,
                raised: walked.raised,
                deviations: walked.deviations,
            });
        }
    }
}

/// Which moment leads to which.
#[derive(Default)]
struct Graph {
    /// From each moment back to those that lead to it.
    back: HashMap<u64, Vec<u64>>,
    ends: Vec<u64>,
    names: Vec<(u64, StateId, Way)>,
}

impl Graph {
    fn edge(&mut self, from: u64, to: u64) {
        self.back.entry(to).or_default().push(from);
    }

    fn end(&mut self, from: u64) {
        self.ends.push(from);
    }

    fn name(&mut self, moment: u64, state: StateId, way: &Way) {
        self.names.push((moment, state, way.clone()));
    }

    /// The moments from which no end can be come to.
    fn endless(&self) -> Vec<(Vec<StateId>, Way)> {
        let mut good: HashSet<u64> = HashSet::new();
        let mut open = self.ends.clone();
        while let Some(moment) = open.pop() {
            if good.insert(moment) {
                open.extend(self.back.get(&moment).into_iter().flatten());
            }
        }
        let left = self
            .names
            .iter()
            .filter(|(moment, ..)| !good.contains(moment));
        let mut states: Vec<StateId> = Vec::new();
        let mut first = None;
        for (_, state, way) in left {
            first = first.or_else(|| Some(way.clone()));
            if !states.contains(state) {
                states.push(*state);
            }
        }
        first.map(|way| (states, way)).into_iter().collect()
    }
}
