//! Searches all runs. Forks are run on all cores, level by level. The level of a fork is the number of its deviations:
//! inputs and answers that differ from the usual run's.
//!
//! The result does not depend on the number of threads. While a batch of forks runs, the results of the previous batch
//! are processed in a fixed order; the forks use only the results of the batches before that.

use super::moment::{Course, Noticed};
use super::walk::{DataFault, End, Ended, Fork, MOST_STATES, Overdue, Walked, walk};
use super::world::{Deadline, World};
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

/// Maximum number of forks in a batch.
const BATCH: usize = 256;
/// Maximum memory of a batch's forks, in bytes. It is limited because each run creates further forks.
const BATCH_WEIGHT: usize = 4 << 20;
/// Number of forks that a thread takes at once.
const PART: usize = 8;
/// Maximum memory of all pending forks, in bytes. Data that a fork shares with other forks are not counted.
const HEAVIEST: usize = 512 << 20;
/// Maximum number of ended runs that are kept with their answers.
const MOST_ENDS: usize = 20_000;
/// Maximum number of answers in the ended runs that are kept.
const MOST_ANSWERS: usize = 2_000_000;

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum number of inputs and answers in one run that differ from the usual run's.
    pub depth: u32,
    /// Maximum number of runs.
    pub runs: u64,
    /// The time limit.
    pub deadline: Deadline,
    /// Number of threads.
    pub jobs: usize,
    /// Receives progress reports if the search takes long.
    pub progress: Progress,
}

/// Interval between progress reports.
const TELLING: Duration = Duration::from_millis(500);

/// The results of a search.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Number of runs.
    pub runs: u64,
    /// Description of the limit that ended the search early, such as `--time 5 was reached`; `None` if no limit did.
    pub bound: Option<String>,
    /// True if a run was too large to complete.
    pub large_run: bool,
    /// The runs that ended. At most `MOST_ENDS` runs are kept, with at most `MOST_ANSWERS` answers in all of them
    /// together.
    pub ends: Vec<Ended>,
    /// Number of runs by status, error and last state.
    pub counts: BTreeMap<(&'static str, Text, Option<StateId>), u64>,
    /// Errors that the interpreter raised; of several errors with the same state, stage and name, only the first.
    pub faults: Vec<DataFault>,
    /// Results from the user that arrive after the task has timed out; at most one per task.
    pub overdue: Vec<Overdue>,
    /// Possible mistakes in Choice rules. Of each kind of mistake, a rule has at most one.
    pub noticed: Vec<Noticed>,
    /// For each state that made a request: the input and the answers of the run before the state's first request.
    pub asked: BTreeMap<StateId, Course>,
    /// Combined coverage of all runs.
    pub coverage: Coverage,
    /// The first open request after which a run can no longer end: the state that made the request, and the input and
    /// the answers of a run with this request.
    pub endless: Option<(StateId, Course)>,
}

/// Returns a fork at the start of a run. The run has the input `input`, or the usual input if `input` is `None`.
pub(super) fn beginning(world: &World, input: Option<Value>) -> Fork {
    let words = world.run.definition.states.len().div_ceil(64);
    let run = world.run_with(input.as_ref());
    Fork {
        machine: Arc::new(Mutex::new(Machine::start(run))),
        sharing: 1,
        ask: None,
        visited: Arc::new(vec![0; words]),
        deviations: u32::from(input.is_some()),
        given: input.is_none() && !world.input_made,
        course: Course { way: None, input },
        repeats: None,
        from: 0,
        caught: None,
    }
}

/// Returns the usual run with all items of each Map; all other runs have only the first items. `None` if the input was
/// made up.
fn uncut_way(world: &World, run: &Arc<Run>, deadline: Deadline) -> Option<Walked> {
    if world.input_made {
        return None;
    }
    let server = Worker::new();
    let fork = Fork {
        machine: Arc::new(Mutex::new(Machine::start(Arc::clone(run)))),
        ..beginning(world, None)
    };
    let mut walked = walk(world, fork, &server, &HashSet::new(), deadline);
    // Other runs must not fork from this run: they fork from the run with only the first items, which makes the same
    // requests.
    walked.moments.clear();
    for fault in &mut walked.faults {
        fault.moments = 0;
    }
    for notice in &mut walked.noticed {
        notice.moments = 0;
    }
    Some(walked)
}

/// Runs only the usual run: the usual input with the usual answers.
#[must_use]
pub fn usual_way(world: &World) -> Walked {
    let server = Worker::new();
    let fork = beginning(world, None);
    walk(world, fork, &server, &HashSet::new(), world.deadline)
}

/// Searches exhaustively or until a limit is reached.
#[must_use]
pub fn search(world: &World, bounds: Bounds) -> Seen {
    let deadline = bounds.deadline;
    let mut state = State {
        most: bounds.runs,
        deepest: bounds.depth as usize,
        levels: vec![VecDeque::from([beginning(world, None)])],
        ..State::default()
    };
    let mut known = HashSet::new();
    let uncut = world.uncut.as_ref();
    if let Some(walked) = uncut.and_then(|run| uncut_way(world, run, deadline)) {
        state.take(&known, walked);
    }
    let input = &world.run.header.input;
    for input in (world.constants).variants(input, None, !world.input_made) {
        state.push(beginning(world, Some(input)));
    }
    let servers: Vec<Worker> = (0..bounds.jobs.max(1)).map(|_| Worker::new()).collect();
    let (mut level, mut next_report) = (0, TELLING);
    let mut open: Vec<Walked> = Vec::new();
    while level < state.levels.len() && !state.is_spent(&open) {
        if u32::try_from(level).unwrap_or(u32::MAX) > bounds.depth {
            state.seen.bound = Some(format!("--depth {limit} was reached", limit = bounds.depth));
            break;
        }
        let batch = state.batch(level, open.len());
        if batch.is_empty() && open.is_empty() {
            level += 1;
            continue;
        }
        let before = std::mem::take(&mut open);
        let take_in = || {
            before
                .into_iter()
                .for_each(|walked| state.take(&known, walked))
        };
        open = walk_all(world, batch, &servers, (&known, deadline), take_in);
        known.extend(state.fresh.drain());
        if deadline.elapsed() >= next_report && bounds.progress == Progress::Terminal {
            next_report = deadline.elapsed() + TELLING;
            bounds.progress.step(&format!(
                "{runs} runs so far ({seconds} s): {ends} ended, {faults} different faults",
                runs = state.seen.runs,
                ends = state.seen.ends.len(),
                faults = state.seen.faults.len(),
                seconds = deadline.elapsed().as_secs()
            ));
        }
        if deadline.is_over() {
            state.seen.bound = Some(deadline.was_reached());
            break;
        }
    }
    if state.seen.bound.is_none() && state.is_spent(&open) {
        state.seen.bound = Some(format!("--runs {limit} was reached", limit = bounds.runs));
    }
    open.into_iter()
        .for_each(|walked| state.take(&known, walked));
    bounds.progress.clear();
    state.seen.bound = state.seen.bound.or(state.size_bound);
    if state.seen.bound.is_none() {
        state.seen.endless = state.graph.endless();
    }
    state.seen
}

/// Runs the forks of a batch on all threads, in any order, and returns the results in the order of the forks. While the
/// threads work, calls `meanwhile` on the calling thread.
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
                    let mut walks = Vec::new();
                    loop {
                        let part = some();
                        if part.is_empty() {
                            return walks;
                        }
                        for (place, fork) in part {
                            walks.push((place, walk(world, fork, server, known, deadline)));
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

#[derive(Default)]
struct State {
    /// Maximum number of runs.
    most: u64,
    /// True if a fork was dropped because of a limit.
    dropped: bool,
    /// Total memory of the pending forks, in bytes.
    weight: usize,
    /// Description of the size limit that caused forks or answers to be dropped.
    size_bound: Option<String>,
    /// Number of answers in the runs that ended.
    answers: usize,
    /// The highest level that is searched: the maximum number of deviations in one run.
    deepest: usize,
    levels: Vec<VecDeque<Fork>>,
    graph: Graph,
    /// Signatures of the moments that were first reached by the runs of the batch whose results are being processed.
    fresh: HashSet<u64>,
    seen: Seen,
}

impl State {
    /// True if the maximum number of runs is reached although forks are left to run or were dropped.
    fn is_spent(&self, open: &[Walked]) -> bool {
        let waits = !open.is_empty() || self.levels.iter().any(|level| !level.is_empty());
        self.seen.runs >= self.most && (waits || self.dropped)
    }

    /// Keeps a fork for later. Drops the fork if running it would exceed the maximum number of runs or the maximum
    /// memory.
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
            let most = HEAVIEST >> 20;
            let bound = || format!("the limit of {most} MiB for ways not yet tried was reached");
            self.size_bound.get_or_insert_with(bound);
            return;
        }
        // Above the highest level that is searched, a single fork is kept. It is never run, but shows that the search
        // is not exhaustive.
        let is_kept = |forks: &VecDeque<Fork>| !forks.is_empty();
        if level > self.deepest && self.levels.get(level).is_some_and(is_kept) {
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

    /// Removes the next forks of a level from the pending ones, to run them as one batch. `open` is the number of runs
    /// whose results are not processed yet.
    fn batch(&mut self, level: usize, open: usize) -> Vec<Fork> {
        let left = self.most.saturating_sub(self.seen.runs);
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let most = BATCH.min(left.saturating_sub(open));
        let Some(level) = self.levels.get_mut(level) else {
            return Vec::new();
        };
        let (mut batch, mut weight) = (Vec::new(), 0);
        while batch.len() < most && weight < BATCH_WEIGHT {
            let Some(fork) = level.pop_front() else { break };
            weight += fork.weight();
            batch.push(fork);
        }
        self.weight = self.weight.saturating_sub(weight);
        batch
    }

    /// Records the results of a run. If the run reached a moment that another run had reached before, its later
    /// moments, faults and possible mistakes in rules are ignored, unless `walked.whole` is true.
    fn take(&mut self, known: &HashSet<u64>, walked: Walked) {
        self.seen.runs += 1;
        self.seen.coverage.add(&walked.coverage);
        self.seen.large_run |= walked.large;
        let (mut from, mut moments) = (walked.from, 0);
        let mut ended_early = false;
        // True if the run ended, or was stopped because it was too large or the time was over. For every other run,
        // each moment is stored with all answers of the run, because the later answers may show why the run does not
        // end.
        let has_end = matches!(
            walked.ended.end,
            End::Succeeded | End::Failed(_) | End::TimedOut(_) | End::Large | End::Late
        );
        for moment in walked.moments {
            let back = self.graph.back.entry(moment.signature);
            back.or_default().push(from);
            from = moment.signature;
            if known.contains(&moment.signature) || !self.fresh.insert(moment.signature) {
                if walked.whole {
                    moments += 1;
                    continue;
                }
                ended_early = true;
                break;
            }
            let course = match has_end {
                true => &moment.course,
                false => &walked.ended.course,
            };
            let named = (moment.signature, moment.state, course.clone());
            self.graph.names.push(named);
            self.seen.asked.entry(moment.state).or_insert(moment.course);
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
        for late in walked.overdue {
            let known = &mut self.seen.overdue;
            if !known.iter().any(|other| other.state == late.state) {
                known.push(late);
            }
        }
        for late in walked.noticed {
            let is_new = !self.seen.noticed.iter().any(|other| other.is_like(&late));
            if is_new && late.moments <= moments {
                self.seen.noticed.push(late);
            }
        }
        if matches!(walked.ended.end, End::Large) {
            let bound = || format!("a run reached the limit of {MOST_STATES} states");
            self.size_bound.get_or_insert_with(bound);
        }
        if ended_early || matches!(walked.ended.end, End::Seen | End::Late | End::Large) {
            return;
        }
        if !matches!(walked.ended.end, End::TooLong | End::Stuck) {
            self.graph.ends.push(from);
        }
        let (status, error): (&'static str, Text) = match &walked.ended.end {
            End::Succeeded => ("SUCCEEDED", "".into()),
            End::Failed(fault) => ("FAILED", fault.name().into()),
            End::TimedOut(_) => ("TIMED_OUT", "States.Timeout".into()),
            End::TooLong => ("ENDLESS", "".into()),
            End::Stuck | End::Seen | End::Late | End::Large => ("STUCK", "".into()),
        };
        let counted = self.seen.counts.entry((status, error, walked.ended.last));
        *counted.or_default() += 1;
        self.answers += walked.ended.course.length();
        if self.seen.ends.len() < MOST_ENDS && self.answers <= MOST_ANSWERS {
            self.seen.ends.push(walked.ended);
        }
    }
}

/// The moments (open requests) of all runs as a graph, to find moments after which a run can no longer end.
#[derive(Default)]
struct Graph {
    /// For the signature of each moment, the signatures of the moments directly before it.
    back: HashMap<u64, Vec<u64>>,
    ends: Vec<u64>,
    names: Vec<(u64, StateId, Course)>,
}

impl Graph {
    /// Returns the first request of a task after which no answers can make the run end: the state that makes the
    /// request, and the input and answers of a run that gets there. `None` if every run can end.
    fn endless(&self) -> Option<(StateId, Course)> {
        let mut good: HashSet<u64> = HashSet::new();
        let mut open = self.ends.clone();
        while let Some(moment) = open.pop() {
            if good.insert(moment) {
                open.extend(self.back.get(&moment).into_iter().flatten());
            }
        }
        let mut names = self.names.iter();
        let left = names.find(|(moment, ..)| !good.contains(moment));
        left.map(|(_, state, course)| (*state, course.clone()))
    }
}
