//! Runs a machine to its end without a person, and gives back what came of it.
//!
//! It must not know how arguments are spelt, what is printed, nor how a machine works inside.

use super::missing::{Explained, failed, timed_out};
use super::output::Refusal;
use crate::definition::StatePath;
use crate::interpreter::{Ask, Event, Fault, Machine, Millis, Status};
use crate::json::Value;
use crate::session::no_answer::NoAnswer;
use crate::session::unattended::{Happened, Unattended};
use crate::session::{Answers, Remark, Repeats, Setup};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// So many remarks are kept of one run.
const MOST_REMARKS: usize = 1000;

/// What ends a run from outside.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits<'l> {
    /// At most so many states are entered, retries and child executions included.
    pub max_steps: u64,
    /// Whether what tasks are answered is wanted afterwards.
    pub keep_answers: bool,
    /// Set when a person wants it to end.
    pub interrupted: &'l AtomicBool,
}

/// Who is told of each event, right after the step that gave it.
pub trait Observer {
    /// Takes an event in.
    ///
    /// # Errors
    /// Where the run is of no more use, as its events cannot be written.
    fn note(&mut self, machine: &Machine, event: &Event) -> Result<(), Refusal>;
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How it ended.
    pub end: RunEnd,
    /// How many events there were.
    pub steps: u64,
    /// How many states were entered, those of child executions not included.
    pub transitions: u64,
    /// How long it took on the virtual clock, in milliseconds.
    pub took: Millis,
    /// How many events AWS's history of it has.
    pub history_events: u32,
    /// What a person should know besides, the first thousand remarks.
    pub remarks: Vec<Remark>,
    /// Why the value is missing that it failed for, in words.
    pub missing: Option<String>,
    /// What `check` finds about the state that it failed in, with its place.
    pub finding: Option<String>,
    /// What the time went to of a run that timed out, in words.
    pub timeout: Option<String>,
    /// How many tasks were really called.
    pub calls: u64,
    /// What tasks were answered, by state, where that was to be kept.
    pub answers: Answers,
    /// How many remarks there were besides those.
    pub more_remarks: u64,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum RunEnd {
    /// With this output.
    Succeeded(Value),
    /// With this error and cause.
    Failed(Fault),
    /// Its TimeoutSeconds passed.
    TimedOut,
    /// A question had no answer.
    NoAnswer(Box<Ask>, NoAnswer),
    /// The task of this state never answers, or nothing is left that could happen.
    Stuck(Option<StatePath>),
    /// More states were entered than it may enter.
    TooLong {
        /// How many it may.
        most: u64,
        /// Whether child executions took part in it.
        with_children: bool,
    },
    /// Its values take more than this many bytes of memory.
    TooLarge(u64),
    /// A person ended it.
    Interrupted,
}

/// Runs to the end, or as far as it can.
///
/// # Errors
/// Where an observer gave one.
pub fn run(
    setup: &Setup,
    limits: RunLimits<'_>,
    observers: &mut [&mut dyn Observer],
) -> Result<RunResult, Refusal> {
    let answerer = setup.answerer(Repeats::Never);
    let mut run = Unattended::start(Arc::new(setup.run()), answerer, setup.memory_limit);
    if limits.keep_answers {
        run = run.keeping_answers();
    }
    let mut remarks = Remarks::default();
    let mut history_events = 0;
    let end = loop {
        let happened = run.step();
        if run.has_remarks() {
            remarks.add(run.take_remarks());
        }
        match happened {
            Happened::Event(event) => {
                history_events = history_events.max(event.history_id);
                for observer in &mut *observers {
                    observer.note(run.machine(), &event)?;
                }
            }
            Happened::Nothing => {}
            Happened::TooLarge => break RunEnd::TooLarge(setup.memory_limit),
            Happened::NoAnswer(ask, why) => break RunEnd::NoAnswer(ask, why),
            Happened::Stuck => break RunEnd::Stuck(waiting(run.machine())),
            Happened::Done => break ended(run.machine().status()),
        }
        if run.steps() > limits.max_steps {
            break RunEnd::TooLong {
                most: limits.max_steps,
                with_children: run.has_children(),
            };
        }
        if limits.interrupted.load(Ordering::Relaxed) {
            break RunEnd::Interrupted;
        }
    };
    let explained = match &end {
        RunEnd::Failed(fault) => failed(setup, fault, run.events()),
        _ => Explained::default(),
    };
    let timeout = match &end {
        RunEnd::TimedOut => timed_out(setup, run.events()),
        _ => None,
    };
    Ok(RunResult {
        end,
        missing: explained.missing,
        finding: explained.finding,
        timeout,
        calls: run.calls(),
        answers: run.take_answers(),
        steps: run.events(),
        transitions: run.machine().transitions(),
        took: run.machine().now(),
        history_events,
        remarks: remarks.kept,
        more_remarks: remarks.besides,
    })
}

fn ended(status: &Status) -> RunEnd {
    match status {
        Status::Succeeded(output) => RunEnd::Succeeded(output.clone()),
        Status::Failed(fault) => RunEnd::Failed(fault.clone()),
        Status::TimedOut => RunEnd::TimedOut,
        Status::Running => RunEnd::Stuck(None),
    }
}

/// The state whose task never answers.
fn waiting(machine: &Machine) -> Option<StatePath> {
    machine.frames().find_map(|frame| {
        let state = machine.definition().state(frame.visit.state)?;
        let called = frame.visit.call.as_ref();
        called.map(|_| state.path.clone())
    })
}

/// Remarks up to a number, and how many there were besides.
#[derive(Debug, Default)]
struct Remarks {
    kept: Vec<Remark>,
    besides: u64,
}

impl Remarks {
    fn add(&mut self, remarks: Vec<Remark>) {
        for remark in remarks {
            if self.kept.len() < MOST_REMARKS {
                self.kept.push(remark);
            } else {
                self.besides += 1;
            }
        }
    }
}
