//! Runs one fork to its end. Collects what is observed on the way, and the forks for other answers.

use super::moment::{Alternative, Asked, Course, Noticed, Step, Way, alternatives, signature};
use super::world::{Deadline, World, asks_untried};
use crate::coverage::Coverage;
use crate::definition::{StateId, StateKind};
use crate::interpreter::{
    Answer, Ask, AskId, Event, EventKind, Fault, Frame, Machine, Millis, Origin, Outcome, Serve,
    Served, Stage, Status, Step as MachineStep, Want,
};
use crate::json::Value;
use crate::session::fault_place;
use crate::source::Span;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of times that a run may enter states, counted over all states. Without a limit, some runs would never
/// end.
pub const MOST_STATES: u64 = 5_000;
/// Maximum number of frames in a run. If a run has more, the Maps should be limited to their first items.
const MOST_FRAMES: u32 = 1_000;
/// Maximum number of times that a run that starts with the user's input may enter states, counted over all states.
const MOST_STATES_GIVEN: u64 = 200_000;
/// Maximum number of moments (requests to which other answers may be tried) in a run.
const MOST_ASKS: usize = 2_000;
/// Tells a loop from a large run, if a run enters too many states. The run has a loop if the whole run made fewer
/// requests than this, or if a frame has more than this many visits to one state that makes requests.
const MANY_VISITS: u32 = 100;
/// Maximum number of visits to a state that makes requests, in the run with the user's data. A run with more visits
/// counts as a loop.
const MOST_VISITS: u32 = 1_000;

/// Memory that a fork needs in addition to its machine, in bytes.
const PER_FORK: usize = 500;
/// Memory that a machine needs without its frames (`LIGHTEST`) and for each frame (`PER_FRAME`), as measured, in bytes.
const LIGHTEST: usize = 3_000;
const PER_FRAME: usize = 40;

/// A machine with an open request, and the answer with which it continues.
#[derive(Clone, Debug)]
pub struct Fork {
    /// The machine with the open request. The forks at the same moment share this machine until they run.
    pub machine: Arc<Mutex<Machine>>,
    /// Number of forks that share the machine.
    pub sharing: usize,
    /// The open request, the state that made it, the number of the attempt, and the answer to give. `None` if the
    /// machine is at its start.
    pub ask: Option<(AskId, StateId, u32, Alternative)>,
    /// The input and the answers of the run up to this request.
    pub course: Course,
    /// The input and the answers of an earlier run, if this run repeats it; otherwise `None`. The unusual answers of
    /// the earlier run are given again. A repetition makes no forks.
    pub repeats: Option<Course>,
    /// The states that the run has entered, one bit for each.
    pub visited: Arc<Vec<u64>>,
    /// Signature of the moment (the open request) at which the run was forked.
    pub from: u64,
    /// Number of inputs and answers of the run that differ from the usual run's.
    pub deviations: u32,
    /// The last state whose error a catcher caught, and the input of this state.
    pub caught: Option<(StateId, Value)>,
    /// True if the user provided the input and all successful answers.
    pub given: bool,
}

impl Fork {
    /// Approximate memory of the fork in bytes, without the data that its machine shares with other machines.
    #[must_use]
    pub fn weight(&self) -> usize {
        let machine = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
        let machine = LIGHTEST + PER_FRAME * machine.frames().count();
        PER_FORK + machine / self.sharing.max(1)
    }
}

/// Takes the machine out of a fork. If other forks share the machine, returns a copy.
fn taken_out(machine: Arc<Mutex<Machine>>) -> Machine {
    match Arc::try_unwrap(machine) {
        Ok(last) => last.into_inner().unwrap_or_else(PoisonError::into_inner),
        Err(shared) => {
            let shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.clone()
        }
    }
}

/// The end of a run: its outcome, or the reason why `explore` stopped running it.
#[derive(Clone, Debug, Default)]
pub enum End {
    /// The run succeeded.
    Succeeded,
    /// The run failed with this error.
    Failed(Fault),
    /// The machine's TimeoutSeconds passed. Contains the outermost Map that had more items than it runs at
    /// once, if there is one.
    TimedOut(Option<Queue>),
    /// The run waits for something that never happens.
    #[default]
    Stuck,
    /// The run entered too many states because of a loop.
    TooLong,
    /// The run entered too many states because of very many items.
    Large,
    /// The run made a request in a situation that an earlier run had reached, so it would only repeat that run.
    Seen,
    /// The deadline of the search passed before the run ended.
    Late,
}

/// A Map that has more items than it runs at once, so that some items have to wait.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// The Map.
    pub map: StateId,
    /// Number of items.
    pub items: u32,
    /// Number of items that the Map runs at once.
    pub at_once: u32,
}

/// Returns the outermost Map that has more items than it runs at once.
fn queue(machine: &Machine) -> Option<Queue> {
    machine.frames().find_map(|frame| {
        let state = machine.definition().state(frame.visit.state)?;
        let group = frame.visit.group.as_ref()?;
        let is_map = matches!(state.kind, StateKind::Map(_));
        (is_map && group.limit < group.total).then_some(Queue {
            map: frame.visit.state,
            items: group.total,
            at_once: group.limit,
        })
    })
}

/// A point of a run with an open request, at which other runs can fork.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Signature of the moment.
    pub signature: u64,
    /// For each alternative answer to the request, a fork that continues with it.
    pub forks: Vec<Fork>,
    /// The state that makes the request.
    pub state: StateId,
    /// The input and the answers of the run up to this request.
    pub course: Course,
}

/// An error raised by the interpreter itself, for example a path that selects nothing, or a limit.
#[derive(Clone, Debug)]
pub struct DataFault {
    /// The state in which the error was raised.
    pub state: StateId,
    /// The stage in which the error was raised; `None` if the state's work (for example, its task) raised the error.
    pub stage: Option<Stage>,
    /// The location of the error in the definition's text, usually the field that raised the error; `None` if there is
    /// no such location.
    pub span: Option<Span>,
    /// The error.
    pub fault: Fault,
    /// The input and the answers of the run before the error.
    pub course: Course,
    /// The input of the state in which the error was raised.
    pub given: Value,
    /// The last state that failed before this error and whose failure a catcher caught, and the input of that state.
    pub caught: Option<(StateId, Value)>,
    /// Number of moments (requests) between the fork at which the run started and the error.
    pub moments: usize,
}

/// A result from the user that arrives after the task has timed out.
#[derive(Clone, Debug)]
pub struct Overdue {
    /// The task that timed out.
    pub state: StateId,
    /// True if HeartbeatSeconds passed, false if TimeoutSeconds passed.
    pub heartbeat: bool,
    /// The input and the answers of the run before the result.
    pub course: Course,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// End of the run.
    pub ended: Ended,
    /// The requests that the run made, each with the forks for other answers.
    pub moments: Vec<Moment>,
    /// Errors raised by the interpreter.
    pub faults: Vec<DataFault>,
    /// Results from the user that arrived after the task had timed out.
    pub overdue: Vec<Overdue>,
    /// Possible mistakes in Choice rules: comparisons that cannot match data from the user, and rules that match
    /// although an earlier rule was taken.
    pub noticed: Vec<Noticed>,
    /// True if the run starts at the beginning with the user's input. As long as all answers come from the user, too,
    /// this run continues even if a request repeats an earlier situation.
    pub whole: bool,
    /// Coverage of the run.
    pub coverage: Coverage,
    /// True if the run is so large that the Maps should be limited to their first items.
    pub large: bool,
    /// Signature of the moment (the open request) at which the run was forked.
    pub from: u64,
}

/// The end of a run.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// How the run ended.
    pub end: End,
    /// The input and all answers.
    pub course: Course,
    /// The states that were entered, one bit each.
    pub visited: Arc<Vec<u64>>,
    /// The state that was entered last or, if another state raised an error after that, the other state.
    pub last: Option<StateId>,
    /// The state that raised the last error itself; the Parallel or Map that an error in a branch or an item ends does
    /// not count.
    pub raised: Option<StateId>,
    /// Number of inputs and answers of the run that differ from the usual run's.
    pub deviations: u32,
}

impl Ended {
    /// Sort key of runs: the run with the smallest key is the simplest example.
    #[must_use]
    pub fn key(&self) -> (u32, usize) {
        (self.deviations, self.course.length())
    }
}

impl DataFault {
    /// Returns the error in a frame, if the interpreter itself raised this error. The caller has to set `course`.
    pub(super) fn of(machine: &Machine, frame: &Frame) -> Option<Self> {
        let (fault, stage) = frame.visit.fault.as_ref()?;
        let is_own = matches!(fault.origin, Origin::Interpreter | Origin::Runtime);
        (is_own && !fault.from_branch).then(|| Self {
            state: frame.visit.state,
            stage: *stage,
            span: fault_place(machine, frame),
            fault: fault.clone(),
            course: Course::default(),
            given: frame.visit.data.latest(Stage::Input),
            caught: None,
            moments: 0,
        })
    }
}

/// Runs a fork until the run ends, reaches a moment whose signature is in `seen`, or passes the deadline.
#[must_use]
pub fn walk(
    world: &World,
    fork: Fork,
    server: &dyn Serve,
    seen: &HashSet<u64>,
    deadline: Deadline,
) -> Walked {
    let mut machine = taken_out(fork.machine);
    let mut walk = Walk {
        world,
        walked: Walked {
            ended: Ended {
                course: fork.course,
                visited: fork.visited,
                deviations: fork.deviations,
                ..Ended::default()
            },
            whole: fork.given && fork.ask.is_none(),
            from: fork.from,
            ..Walked::default()
        },
        caught: fork.caught,
        given: fork.given,
        // A fault that occurs again occurs after about as many requests as in the repeated run, so a longer run is not
        // needed.
        most_asks: (fork.repeats.as_ref()).map_or(usize::MAX, |course| 2 * course.length() + 10),
        repeats: fork.repeats.map(|course| {
            let others = course.steps().into_iter().filter(|step| step.other);
            others.cloned().collect()
        }),
        asks: 0,
        again: 0,
    };
    if let Some((ask, state, attempt, alternative)) = fork.ask {
        walk.step(state, attempt, &alternative.answer, true);
        machine.answer(ask, alternative.answer);
    }
    walk.walked.ended.end = walk.go(&mut machine, server, seen, deadline);
    walk.walked
}

struct Walk<'w> {
    world: &'w World,
    walked: Walked,
    caught: Option<(StateId, Value)>,
    given: bool,
    /// If this run repeats an earlier run: the unusual answers of that run that have not been given again yet.
    repeats: Option<Vec<Step>>,
    /// Number of requests that the run has made.
    asks: usize,
    /// Maximum number of requests in this run.
    most_asks: usize,
    /// Highest number of visits of one frame to the same state; only states that made requests count.
    again: u32,
}

impl Walk<'_> {
    fn go(
        &mut self,
        machine: &mut Machine,
        server: &dyn Serve,
        seen: &HashSet<u64>,
        deadline: Deadline,
    ) -> End {
        let mut seen_here = HashSet::new();
        loop {
            if deadline.is_over() {
                return End::Late;
            }
            match machine.step(Millis::MAX) {
                MachineStep::Event(event) => self.note(machine, &event),
                MachineStep::Ask(ask) => {
                    match served(server, &ask, deadline) {
                        Served::Now(answer) => {
                            machine.answer(ask.id, answer);
                            continue;
                        }
                        Served::Later => return End::Late,
                        Served::Not => {}
                    }
                    self.asks += 1;
                    if self.asks > self.most_asks {
                        return End::Seen;
                    }
                    if let Some(answer) = self.repeated(&ask) {
                        machine.answer(ask.id, answer);
                        continue;
                    }
                    self.walked.large |= ask.frame.0 > MOST_FRAMES;
                    self.again = self.again.max(ask.key.visit);
                    if asks_untried(machine, &ask) {
                        let usual = self.world.usual(&ask);
                        self.step(ask.state, ask.key.attempt, &usual, false);
                        machine.answer(ask.id, usual);
                        continue;
                    }
                    let last = self.last(&ask);
                    let error = last.as_deref().and_then(Step::error);
                    let signature = signature(self.world, machine, &ask, error.as_deref());
                    let is_seen = seen.contains(&signature) || !seen_here.insert(signature);
                    // As long as all data are the user's, the run continues even if the situation was seen before: an
                    // error may be in the last of many items.
                    let goes_on = self.walked.whole && self.given;
                    let usual = self.world.usual(&ask);
                    let mut forks = Vec::new();
                    if !is_seen {
                        forks = self.forks(machine, &ask, &usual, last.as_deref(), signature);
                    }
                    self.walked.moments.push(Moment {
                        signature,
                        forks,
                        state: ask.state,
                        course: self.course(),
                    });
                    if goes_on && ask.key.visit > MOST_VISITS {
                        return End::TooLong;
                    }
                    if (is_seen && !goes_on) || self.walked.moments.len() > MOST_ASKS {
                        return End::Seen;
                    }
                    self.step(ask.state, ask.key.attempt, &usual, false);
                    machine.answer(ask.id, usual);
                }
                MachineStep::Done => {
                    return match machine.status() {
                        Status::Succeeded(_) => End::Succeeded,
                        Status::Failed(fault) => End::Failed(fault.clone()),
                        Status::TimedOut => End::TimedOut(queue(machine)),
                        Status::Running => End::Stuck,
                    };
                }
                MachineStep::Waiting | MachineStep::Idle(_) | MachineStep::Stuck => {
                    return End::Stuck;
                }
            }
            self.walked.large |= machine.transitions() > MOST_STATES;
            let most = match self.walked.whole {
                true => MOST_STATES_GIVEN,
                false => MOST_STATES,
            };
            if machine.transitions() > most {
                let is_loop = self.again > MANY_VISITS || self.asks < MANY_VISITS as usize;
                return if is_loop { End::TooLong } else { End::Large };
            }
        }
    }

    fn step(&mut self, state: StateId, attempt: u32, answer: &Answer, other: bool) {
        let fails = !matches!(answer.outcome, Outcome::Success(_));
        self.given &= fails || (!other && self.world.is_given(state));
        let course = &mut self.walked.ended.course;
        course.add(state, attempt, answer.clone(), other);
    }

    /// Returns the step with the answer to the previous attempt; `None` if the request is a first attempt.
    fn last(&self, ask: &Ask) -> Way {
        let way = self.walked.ended.course.way.as_ref();
        let mut at = way.filter(|_| ask.key.attempt > 1);
        while let Some(step) = at {
            if step.state == ask.state && step.attempt + 1 == ask.key.attempt {
                return Some(Arc::clone(step));
            }
            at = step.before.as_ref();
        }
        None
    }

    /// Returns a fork for each alternative answer to a request.
    fn forks(
        &self,
        machine: &Machine,
        ask: &Ask,
        usual: &Answer,
        last: Option<&Step>,
        from: u64,
    ) -> Vec<Fork> {
        let all = alternatives(self.world, ask, usual, last, machine.now());
        if all.is_empty() {
            return Vec::new();
        }
        let (sharing, machine) = (all.len(), Arc::new(Mutex::new(machine.clone())));
        let forks = all.into_iter().map(|alternative| Fork {
            machine: Arc::clone(&machine),
            sharing,
            course: self.course(),
            repeats: None,
            visited: Arc::clone(&self.walked.ended.visited),
            from,
            deviations: self.walked.ended.deviations + u32::from(!alternative.same),
            caught: self.caught.clone(),
            given: self.given,
            ask: Some((ask.id, ask.state, ask.key.attempt, alternative)),
        });
        forks.collect()
    }

    fn note(&mut self, machine: &Machine, event: &Event) {
        self.walked.coverage.note(machine, event);
        let Some(state) = event.state else { return };
        match event.kind {
            EventKind::StateEntered => {
                let (word, bit) = (state.0 as usize / 64, state.0 % 64);
                let visited = Arc::make_mut(&mut self.walked.ended.visited);
                if let Some(word) = visited.get_mut(word) {
                    *word |= 1 << bit;
                }
                self.walked.ended.last = Some(state);
            }
            EventKind::Caught => {
                if let Some(frame) = machine.frame(event.frame) {
                    let input = frame.visit.data.latest(Stage::Input);
                    self.caught = Some((state, input));
                }
            }
            EventKind::ErrorRaised => {
                self.asked(machine, event, state);
                self.raised(machine, event, state);
            }
            EventKind::Chosen => self.asked(machine, event, state),
            _ => {}
        }
    }

    /// Records the mistakes in the rules of a Choice that has just been evaluated: comparisons that cannot match, and
    /// rules that match after the rule that was taken.
    fn asked(&mut self, machine: &Machine, event: &Event, state: StateId) {
        let frame = machine.frame(event.frame);
        let Some(asked) = frame.and_then(|frame| Asked::of(machine, frame, event.kind)) else {
            return;
        };
        let misfits = self.given.then(|| asked.misfits());
        for (rule, why) in asked
            .late()
            .into_iter()
            .chain(misfits.into_iter().flatten())
        {
            let noticed = Noticed {
                state,
                rule,
                why,
                course: self.course(),
                moments: self.walked.moments.len(),
            };
            let known = &mut self.walked.noticed;
            if !known.iter().any(|known| known.is_like(&noticed)) {
                known.push(noticed);
            }
        }
    }

    fn raised(&mut self, machine: &Machine, event: &Event, state: StateId) {
        let Some(frame) = machine.frame(event.frame) else {
            return;
        };
        let Some((fault, _)) = &frame.visit.fault else {
            return;
        };
        self.walked.ended.last = Some(state);
        if fault.from_branch {
            return;
        }
        self.walked.ended.raised = Some(state);
        if matches!(fault.origin, Origin::Timeout | Origin::Heartbeat) {
            let heartbeat = fault.origin == Origin::Heartbeat;
            self.overdue(state, heartbeat);
        }
        let fault = DataFault::of(machine, frame).map(|fault| DataFault {
            course: self.course(),
            caught: self.caught.clone(),
            moments: self.walked.moments.len(),
            ..fault
        });
        self.walked.faults.extend(fault);
    }

    /// If this run repeats an earlier run, returns the answer to a request: the earlier run's unusual answer to this
    /// request if there was one, otherwise the usual answer.
    fn repeated(&mut self, ask: &Ask) -> Option<Answer> {
        let left = self.repeats.as_mut()?;
        let is_it = |step: &Step| step.state == ask.state && step.attempt == ask.key.attempt;
        let place = left.iter().position(is_it);
        let repeated = place.map(|place| left.remove(place).answer);
        Some(repeated.unwrap_or_else(|| self.world.usual(ask)))
    }

    /// Returns the input and the answers of the run so far.
    fn course(&self) -> Course {
        self.walked.ended.course.clone()
    }

    /// Records that a task timed out although the user provided a successful answer for it.
    fn overdue(&mut self, state: StateId, heartbeat: bool) {
        let way = self.walked.ended.course.steps();
        let last = way.iter().rev().find(|step| step.state == state);
        let succeeds = |step: &Step| matches!(step.answer.outcome, Outcome::Success(_));
        let given = last.is_some_and(|step| !step.other && succeeds(step));
        let known = &mut self.walked.overdue.iter();
        let known = known.any(|late| late.state == state);
        if given && !known && self.walked.whole && self.given {
            self.walked.overdue.push(Overdue {
                state,
                heartbeat,
                course: self.course(),
            });
        }
    }
}

/// Answers a request to evaluate an expression or to write results, for which no other answers are tried; no file is
/// written. Returns `Later` if the deadline passes before the answer is known.
fn served(server: &dyn Serve, ask: &Ask, deadline: Deadline) -> Served {
    if !matches!(ask.want, Want::Evaluate(_) | Want::Write { .. }) {
        return Served::Not;
    }
    loop {
        match server.serve_soon(ask) {
            Served::Later if !deadline.is_over() => {}
            served => return served,
        }
    }
}
