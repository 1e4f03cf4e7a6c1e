//! Observations from the run of a case: its end, the states entered, their inputs, and coverage.

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

/// Maximum number of visits to record per run.
const MOST_VISITS: usize = 100_000;
/// Maximum number of outputs of top-level states to record.
const MOST_OUTPUTS: usize = 10_000;

/// End of a run.
#[derive(Clone, Debug)]
pub enum End {
    /// The run succeeded with this output.
    Succeeded(Value),
    /// The run failed with this error and cause.
    Failed(Fault),
    /// The execution's TimeoutSeconds expired.
    TimedOut,
    /// The machine asked for something that had no answer.
    NoAnswer(Box<Ask>, NoAnswer),
    /// The run did not end, but nothing is left to do.
    Stuck,
    /// The run was stopped after entering this number of states, the maximum.
    TooLong(u64),
    /// The run was stopped because its values use more than this number of bytes of memory.
    TooLarge(u64),
    /// The user interrupted the run.
    Interrupted,
}

impl End {
    /// `SUCCEEDED`, `FAILED` or `TIMED_OUT`; `None` if the execution did not end by itself.
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
    /// Event number, starting at 1.
    pub event: u64,
    /// Input, call input or output of the state; `null` if it was not recorded.
    pub value: Value,
}

/// Observations from a run.
#[derive(Clone, Debug)]
pub struct Observed {
    /// How the run ended.
    pub end: End,
    /// The first hundred thousand states, in the order in which they were entered.
    pub visits: Vec<At>,
    /// The calls of tasks.
    pub calls: Vec<At>,
    /// How often each state was started, including retries.
    pub begun: HashMap<StateId, u64>,
    /// Outputs of top-level states, in order.
    pub outputs: Vec<At>,
    /// The last error.
    pub error: Option<At>,
    /// Variables of the state machine at the end.
    pub variables: Option<Arc<Variables>>,
    /// Duration in virtual milliseconds.
    pub took: Millis,
    /// Number of events.
    pub events: u64,
    /// Coverage of the run.
    pub coverage: Coverage,
}

/// Limits that may stop a run early.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'l> {
    /// Maximum number of states to enter.
    pub max_steps: u64,
    /// Set when the user interrupts the run.
    pub interrupted: &'l AtomicBool,
}

/// Runs to the end, or until nothing more can be done or a limit is reached.
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

    /// The output in which this place first got the value that it has at the end of the run.
    #[must_use]
    pub fn wrote(&self, place: &crate::json::Pointer, output: &Value) -> Option<&At> {
        let last = place.get(output);
        let same = |at: &&At| place.get(&at.value) == last;
        self.outputs.iter().rev().take_while(same).last()
    }

    /// The last event of a top-level state, or the event of the error that ended the run.
    #[must_use]
    pub fn last(&self) -> Option<&At> {
        match &self.end {
            End::Succeeded(_) => self.outputs.last(),
            _ => self.error.as_ref().or_else(|| self.visits.last()),
        }
    }
}
