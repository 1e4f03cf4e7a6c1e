//! What a run of a case came to: its end, the states it went through, what they were given, what it covered.
//!
//! It must not know what was expected.

use crate::coverage::Coverage;
use crate::definition::StateId;
use crate::interpreter::{
    Ask, Event, EventKind, Fault, FrameId, Machine, Millis, Stage, Status, Variables,
};
use crate::json::Value;
use crate::session::no_answer::NoAnswer;
use crate::session::unattended::{Happened, Unattended};
use crate::session::{Repeats, Setup};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// So many visits are kept of a run.
const MOST_VISITS: usize = 100_000;
/// So many outputs of states of the machine itself.
const MOST_OUTPUTS: usize = 10_000;

/// How a run ended.
#[derive(Clone, Debug)]
pub enum End {
    /// With this output.
    Succeeded(Value),
    /// With this error and cause.
    Failed(Fault),
    /// Its TimeoutSeconds passed.
    TimedOut,
    /// A question had no answer.
    NoAnswer(Box<Ask>, NoAnswer),
    /// Nothing is left that could happen.
    Stuck,
    /// So many states were entered, and it may not enter more.
    TooLong(u64),
    /// Its values take more than so many bytes of memory.
    TooLarge(u64),
    /// A person ended it.
    Interrupted,
}

impl End {
    /// `SUCCEEDED`, `FAILED` or `TIMED_OUT`; `None` where it came to no end of its own.
    #[must_use]
    pub fn status(&self) -> Option<&'static str> {
        match self {
            Self::Succeeded(_) => Some("SUCCEEDED"),
            Self::Failed(_) => Some("FAILED"),
            Self::TimedOut => Some("TIMED_OUT"),
            _ => None,
        }
    }
}

/// A state at an event.
#[derive(Clone, Debug)]
pub struct At {
    /// The state.
    pub state: StateId,
    /// The number of the event, from 1.
    pub event: u64,
    /// What it was given, called with or gave; `null` where that is not kept.
    pub value: Value,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Observed {
    /// How it ended.
    pub end: End,
    /// The states in the order in which they were entered, the first hundred thousand.
    pub visits: Vec<At>,
    /// The calls of tasks.
    pub calls: Vec<At>,
    /// How often each state was begun, retries included.
    pub begun: HashMap<StateId, u64>,
    /// What states of the machine itself gave, in order.
    pub outputs: Vec<At>,
    /// The last error that arose.
    pub error: Option<At>,
    /// Variables of the machine in the end.
    pub variables: Option<Arc<Variables>>,
    /// Virtual milliseconds.
    pub took: Millis,
    /// How many events there were.
    pub events: u64,
    /// What it reached.
    pub coverage: Coverage,
}

/// What ends a run from outside.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'l> {
    /// At most so many states are entered.
    pub max_steps: u64,
    /// Set when a person wants it to end.
    pub interrupted: &'l AtomicBool,
}

/// Runs to the end, or as far as it can.
#[must_use]
pub fn observe(setup: &Setup, limits: Limits<'_>) -> Observed {
    let answerer = setup.answerer(Repeats::Never);
    let mut run = Unattended::start(Arc::new(setup.run()), answerer, setup.memory_limit);
    let mut seen = Observed {
        end: End::Stuck,
        visits: Vec::new(),
        calls: Vec::new(),
        begun: HashMap::new(),
        outputs: Vec::new(),
        error: None,
        variables: None,
        took: 0,
        events: 0,
        coverage: Coverage::default(),
    };
    seen.end = loop {
        match run.step() {
            Happened::Event(event) => seen.note(run.machine(), &event, run.events()),
            Happened::Nothing => {}
            Happened::TooLarge => break End::TooLarge(setup.memory_limit),
            Happened::NoAnswer(ask, why) => break End::NoAnswer(ask, why),
            Happened::Stuck => break End::Stuck,
            Happened::Done => {
                break match run.machine().status() {
                    Status::Succeeded(output) => End::Succeeded(output.clone()),
                    Status::Failed(fault) => End::Failed(fault.clone()),
                    Status::TimedOut => End::TimedOut,
                    Status::Running => End::Stuck,
                };
            }
        }
        drop(run.take_remarks());
        if run.steps() > limits.max_steps {
            break End::TooLong(limits.max_steps);
        }
        if limits.interrupted.load(Ordering::Relaxed) {
            break End::Interrupted;
        }
    };
    let machine = run.machine();
    seen.took = machine.now();
    seen.events = run.events();
    seen.variables = machine
        .frame(FrameId(0))
        .map(|frame| Arc::clone(&frame.variables));
    seen
}

impl Observed {
    fn note(&mut self, machine: &Machine, event: &Event, number: u64) {
        self.coverage.note(machine, event);
        let Some(state) = event.state else {
            return;
        };
        let value = |stage| {
            let frame = machine.frame(event.frame);
            frame.map_or(Value::Null, |frame| frame.visit.data.latest(stage))
        };
        let at = |value| At {
            state,
            event: number,
            value,
        };
        match event.kind {
            EventKind::StateEntered => {
                *self.begun.entry(state).or_default() += 1;
                if self.visits.len() < MOST_VISITS {
                    self.visits.push(at(value(Stage::Input)));
                }
            }
            EventKind::Retried => *self.begun.entry(state).or_default() += 1,
            EventKind::TaskScheduled if self.calls.len() < MOST_VISITS => {
                self.calls.push(at(value(Stage::AfterArguments)));
            }
            EventKind::ErrorRaised => self.error = Some(at(Value::Null)),
            EventKind::StateExited if event.frame == FrameId(0) => {
                if self.outputs.len() >= MOST_OUTPUTS {
                    self.outputs.remove(0);
                }
                self.outputs.push(at(value(Stage::Output)));
            }
            _ => {}
        }
    }

    /// Where in the run a place of the output got the value that it has in the end.
    #[must_use]
    pub fn wrote(&self, place: &crate::json::Pointer, output: &Value) -> Option<&At> {
        let last = place.get(output);
        let same = |at: &&At| place.get(&at.value) == last;
        self.outputs.iter().rev().take_while(same).last()
    }

    /// The last event of a state of the machine itself, or of the error that ended it.
    #[must_use]
    pub fn last(&self) -> Option<&At> {
        match &self.end {
            End::Succeeded(_) => self.outputs.last(),
            _ => self.error.as_ref().or_else(|| self.visits.last()),
        }
    }
}
