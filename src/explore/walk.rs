//! One run from a fork to its end, with what it saw on the way and where others can fork from it.
//!
//! It must not know which forks are followed.

use super::alternative::{Alternative, alternatives};
use super::choosing::{Asked, Late as LateRule, Misfit};
use super::deadline::Deadline;
use super::signature::signature;
use super::step::{Step, Way, steps};
use super::world::{World, asks_untried};
use crate::coverage::Coverage;
use crate::definition::{StateId, StateKind};
use crate::interpreter::{
    Answer, AskId, Event, EventKind, Fault, Machine, Millis, Origin, Outcome, Serve, Stage, Status,
    Step as MachineStep, Want,
};
use crate::json::Value;
use crate::session::{self, fault_place};
use crate::source::Span;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// A run is ended after so many states: it may never end.
pub const MOST_STATES: u64 = 5_000;
/// A run for more branches and items is better cut to the first of them.
const MOST_FRAMES: u32 = 1_000;
/// The usual way is gone through to its end where a person gave the input, so long as it enters no more states.
const MOST_STATES_GIVEN: u64 = 200_000;
/// A run is ended after so many questions as well.
const MOST_ASKS: usize = 2_000;
/// Where a state is asked more often than this, or hardly any, a long run is in a loop and not merely large.
const MANY_VISITS: u32 = 100;
/// A state that is asked for the so-manieth time is in a loop, even where a person gave the answers.
const MOST_VISITS: u32 = 1_000;

/// So many bytes a fork takes besides its machine.
const PER_FORK: usize = 500;
/// So many bytes a machine takes with nothing in it, and each of its frames, as measured.
const LIGHTEST: usize = 3_000;
const PER_FRAME: usize = 40;

/// A machine at a question, and what it is to be answered.
#[derive(Clone, Debug)]
pub struct Fork {
    /// The machine; the question is open. The forks of a moment share it until they are walked.
    pub machine: Arc<Mutex<Machine>>,
    /// How many share it.
    pub sharing: usize,
    /// The question; `None` for a machine at its beginning.
    pub ask: Option<(AskId, StateId, u32, Alternative)>,
    /// What was answered before.
    pub way: Way,
    /// Which states were entered, a bit each.
    pub visited: Arc<Vec<u64>>,
    /// What the input was instead of the usual one.
    pub input: Option<Value>,
    /// The moment that it was forked at.
    pub from: u64,
    /// How many things are other than usual.
    pub deviations: u32,
    /// The data that the last catcher was given, and the state whose it is.
    pub caught: Option<(StateId, Value)>,
    /// Whether the input and all answers were given by a person, but for what failed.
    pub given: bool,
}

impl Fork {
    /// So many bytes it takes, about: what the machine shares with those of other moments is not counted.
    #[must_use]
    pub fn weight(&self) -> usize {
        let machine = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
        let machine = LIGHTEST + PER_FRAME * machine.frames().count();
        PER_FORK + machine / self.sharing.max(1)
    }
}

/// The machine of a fork, for itself.
fn own(machine: Arc<Mutex<Machine>>) -> Machine {
    match Arc::try_unwrap(machine) {
        Ok(last) => last.into_inner().unwrap_or_else(PoisonError::into_inner),
        Err(shared) => {
            let shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.clone()
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum End {
    /// With this output.
    Succeeded,
    /// With this error.
    Failed(Fault),
    /// The machine's TimeoutSeconds passed; while a Map had more items than it runs at once.
    TimedOut(Option<Queue>),
    /// Nothing is left that could happen.
    Stuck,
    /// It entered too many states, in a loop.
    TooLong,
    /// It entered too many states, as it is for very many items.
    Large,
    /// It came to a moment that was seen before.
    Seen,
    /// The time of the search was over.
    Late,
}

/// A Map that has more items than it runs at once.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// The Map.
    pub map: StateId,
    /// How many items it has.
    pub items: u32,
    /// How many of them it runs at once.
    pub at_once: u32,
}

/// The outermost Map that has more items than it runs at once.
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

/// A question on the way, from which others can fork.
#[derive(Clone, Debug)]
pub struct Moment {
    /// What tells it from others.
    pub signature: u64,
    /// Other answers.
    pub forks: Vec<Fork>,
    /// The state that asks.
    pub state: StateId,
    /// What was answered before.
    pub way: Way,
}

/// An error of the interpreter itself: a path that finds nothing, a limit.
#[derive(Clone, Debug)]
pub struct DataFault {
    /// In which state.
    pub state: StateId,
    /// In which stage; `None` in its work.
    pub stage: Option<Stage>,
    /// Where in the text; `None` where that is the state.
    pub span: Option<Span>,
    /// The error.
    pub fault: Fault,
    /// What was answered until then.
    pub way: Way,
    /// The input, where it was not the usual one.
    pub input: Option<Value>,
    /// What the state was given.
    pub given: Value,
    /// The data that the last catcher was given, and the state whose it is.
    pub caught: Option<(StateId, Value)>,
    /// How many moments of the run came before.
    pub moments: usize,
}

/// A result that a person gave and that comes after the time of its task is over.
#[derive(Clone, Debug)]
pub struct Overdue {
    /// The task.
    pub state: StateId,
    /// Whether a heartbeat is missed, not TimeoutSeconds.
    pub heartbeat: bool,
    /// What was answered until then.
    pub way: Way,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Walked {
    /// How it ended.
    pub end: End,
    /// The questions on its way.
    pub moments: Vec<Moment>,
    /// Errors of the interpreter.
    pub faults: Vec<DataFault>,
    /// Results that come too late, on the usual way.
    pub overdue: Vec<Overdue>,
    /// Comparisons that cannot hold for the data that a person gave.
    pub misfits: Vec<Misfit>,
    /// Rules that hold and come too late.
    pub late: Vec<LateRule>,
    /// Whether it went on past moments that it had come to before.
    pub whole: bool,
    /// What was reached.
    pub coverage: Coverage,
    /// Whether it is better cut to the first items of each Map.
    pub large: bool,
    /// All that was answered.
    pub way: Way,
    /// The input, where it was not the usual one.
    pub input: Option<Value>,
    /// Which states were entered.
    pub visited: Arc<Vec<u64>>,
    /// The state that the last error arose in, or the last that was entered.
    pub last: Option<StateId>,
    /// Which state the error came from that ended it, and was not the interpreter's.
    pub raised: Option<StateId>,
    /// The moment that it was forked at.
    pub from: u64,
    /// How many things were other than usual.
    pub deviations: u32,
}

/// Goes on from a fork to the end, or to a moment that was seen, or until it is late.
#[must_use]
pub fn walk(
    world: &World,
    fork: Fork,
    server: &dyn Serve,
    seen: &HashSet<u64>,
    deadline: Deadline,
) -> Walked {
    let mut machine = own(fork.machine);
    let mut walk = Walk {
        world,
        walked: Walked {
            end: End::Stuck,
            moments: Vec::new(),
            faults: Vec::new(),
            overdue: Vec::new(),
            misfits: Vec::new(),
            late: Vec::new(),
            whole: fork.given && fork.ask.is_none(),
            coverage: Coverage::default(),
            large: false,
            way: fork.way,
            input: fork.input,
            visited: fork.visited,
            last: None,
            raised: None,
            from: fork.from,
            deviations: fork.deviations,
        },
        caught: fork.caught,
        given: fork.given,
        asks: 0,
        again: 0,
    };
    if let Some((ask, state, attempt, alternative)) = fork.ask {
        walk.step(state, attempt, &alternative.answer, true);
        machine.answer(ask, alternative.answer);
    }
    walk.walked.end = walk.go(&mut machine, server, seen, deadline);
    walk.walked
}

struct Walk<'w> {
    world: &'w World,
    walked: Walked,
    caught: Option<(StateId, Value)>,
    given: bool,
    /// How many questions there were.
    asks: u32,
    /// How often one state asked in one frame.
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
        let mut own = HashSet::new();
        loop {
            if deadline.is_over() {
                return End::Late;
            }
            match machine.step(Millis::MAX) {
                MachineStep::Event(event) => self.note(machine, &event),
                MachineStep::Ask(ask) => {
                    if let Some(answer) = served(server, &ask) {
                        machine.answer(ask.id, answer);
                        continue;
                    }
                    self.asks += 1;
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
                    let is_seen = seen.contains(&signature) || !own.insert(signature);
                    // What a person gave is gone through to its end: the last of many items may be the one.
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
                        way: self.walked.way.clone(),
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
                let is_loop = self.again > MANY_VISITS || self.asks < MANY_VISITS;
                return if is_loop { End::TooLong } else { End::Large };
            }
        }
    }

    fn step(&mut self, state: StateId, attempt: u32, answer: &Answer, other: bool) {
        let fails = !matches!(answer.outcome, Outcome::Success(_));
        self.given &= fails || (!other && self.world.is_given(state));
        self.walked.way = Some(Arc::new(Step {
            before: self.walked.way.take(),
            state,
            attempt,
            answer: answer.clone(),
            other,
        }));
    }

    /// What the attempt before was answered.
    fn last(&self, ask: &crate::interpreter::Ask) -> Way {
        let mut at = self.walked.way.as_ref().filter(|_| ask.key.attempt > 1);
        while let Some(step) = at {
            if step.state == ask.state && step.attempt + 1 == ask.key.attempt {
                return Some(Arc::clone(step));
            }
            at = step.before.as_ref();
        }
        None
    }

    /// What the question can be answered instead.
    fn forks(
        &self,
        machine: &Machine,
        ask: &crate::interpreter::Ask,
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
            way: self.walked.way.clone(),
            visited: Arc::clone(&self.walked.visited),
            input: self.walked.input.clone(),
            from,
            deviations: self.walked.deviations + u32::from(!alternative.same),
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
                let visited = Arc::make_mut(&mut self.walked.visited);
                if let Some(word) = visited.get_mut(word) {
                    *word |= 1 << bit;
                }
                self.walked.last = Some(state);
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

    /// What a Choice that was just asked could not make anything of, and what it asks in vain.
    fn asked(&mut self, machine: &Machine, event: &Event, state: StateId) {
        let frame = machine.frame(event.frame);
        let Some(asked) = frame.and_then(|frame| Asked::of(machine, frame, event.kind)) else {
            return;
        };
        let moments = self.walked.moments.len();
        for (rule, by) in asked.late() {
            let known = self.walked.late.iter();
            if !known
                .clone()
                .any(|one| (one.state, one.rule) == (state, rule))
            {
                self.walked.late.push(LateRule {
                    state,
                    rule,
                    by,
                    way: self.walked.way.clone(),
                    input: self.walked.input.clone(),
                    moments,
                });
            }
        }
        if !self.given {
            return;
        }
        for session::Misfit {
            rule,
            text,
            is_null,
        } in asked.misfits()
        {
            let mut known = self.walked.misfits.iter();
            if !known.any(|one| (one.state, one.rule) == (state, rule)) {
                self.walked.misfits.push(Misfit {
                    state,
                    rule,
                    text,
                    is_null,
                    way: self.walked.way.clone(),
                    input: self.walked.input.clone(),
                    moments,
                });
            }
        }
    }

    fn raised(&mut self, machine: &Machine, event: &Event, state: StateId) {
        let Some(frame) = machine.frame(event.frame) else {
            return;
        };
        let Some((fault, stage)) = &frame.visit.fault else {
            return;
        };
        self.walked.last = Some(state);
        if fault.from_branch {
            return;
        }
        self.walked.raised = Some(state);
        if matches!(fault.origin, Origin::Timeout | Origin::Heartbeat) {
            let heartbeat = fault.origin == Origin::Heartbeat;
            self.overdue(state, heartbeat);
        }
        if matches!(fault.origin, Origin::Interpreter | Origin::Runtime) {
            self.walked.faults.push(DataFault {
                state,
                stage: *stage,
                span: fault_place(machine, frame),
                fault: fault.clone(),
                way: self.walked.way.clone(),
                input: self.walked.input.clone(),
                given: frame.visit.data.latest(Stage::Input),
                caught: self.caught.clone(),
                moments: self.walked.moments.len(),
            });
        }
    }
}

impl Walk<'_> {
    /// Notes that a task timed out, if what a person had it give came too late.
    fn overdue(&mut self, state: StateId, heartbeat: bool) {
        let way = steps(&self.walked.way);
        let last = way.iter().rev().find(|step| step.state == state);
        let given = last
            .is_some_and(|step| !step.other && matches!(step.answer.outcome, Outcome::Success(_)));
        let known = self.walked.overdue.iter().any(|one| one.state == state);
        if given && !known && self.walked.whole && self.given {
            self.walked.overdue.push(Overdue {
                state,
                heartbeat,
                way: self.walked.way.clone(),
            });
        }
    }
}

/// What needs no choice: expressions, and what is said of results that a server without files writes nowhere.
fn served(server: &dyn Serve, ask: &crate::interpreter::Ask) -> Option<Answer> {
    match &ask.want {
        Want::Evaluate(_) | Want::Write { .. } => server.serve(ask),
        Want::Read { .. } | Want::Call { .. } => None,
    }
}
