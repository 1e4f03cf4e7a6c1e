//! Runs a state machine to its end without interaction, and returns the result.

use super::explain::{Explained, failed, timed_out};
use super::output::Refusal;
use crate::definition::StatePath;
use crate::interpreter::{Ask, Event, Fault, Machine, Millis, Status};
use crate::json::Value;
use crate::session::no_answer::NoAnswer;
use crate::session::unattended::{Happened, Unattended};
use crate::session::{Answers, Remark, Repeats, Setup};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum number of remarks to keep.
const MOST_REMARKS: usize = 1000;

/// Limits that may stop a run early.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits<'l> {
    /// Maximum number of states to enter, including retries and child executions.
    pub max_steps: u64,
    /// True if the answers of tasks are needed after the run.
    pub keep_answers: bool,
    /// Set when the user interrupts the run.
    pub interrupted: &'l AtomicBool,
}

/// Receives each event, right after the step that returned it.
pub trait Observer {
    /// Handles an event.
    ///
    /// # Errors
    /// If the run should be stopped, because its events cannot be written.
    fn note(&mut self, machine: &Machine, event: &Event) -> Result<(), Refusal>;
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How the run ended.
    pub end: RunEnd,
    /// Number of events.
    pub steps: u64,
    /// Number of states entered, not including those of child executions.
    pub transitions: u64,
    /// Duration on the virtual clock, in milliseconds.
    pub took: Millis,
    /// Number of events in AWS's history of the run.
    pub history_events: u32,
    /// Remarks for the user, at most a thousand.
    pub remarks: Vec<Remark>,
    /// Why a value is missing, as text, if that failed the run.
    pub missing: Option<String>,
    /// The diagnostic of `check` for the state that failed, with its location.
    pub finding: Option<String>,
    /// The error with its place and reasons, as a JSON value for the output.
    pub why: Option<Value>,
    /// Summary of how a run that timed out spent its time.
    pub timeout: Option<String>,
    /// Number of real calls of tasks.
    pub calls: u64,
    /// Answers of tasks, by state; empty unless `keep_answers` was set.
    pub answers: Answers,
    /// Number of remarks that were not kept.
    pub more_remarks: u64,
}

/// The end of a run.
#[derive(Clone, Debug)]
pub enum RunEnd {
    /// The run succeeded with this output.
    Succeeded(Value),
    /// The run failed with this error and cause.
    Failed(Fault),
    /// The execution's TimeoutSeconds expired.
    TimedOut,
    /// The machine asked for something that had no answer.
    NoAnswer(Box<Ask>, NoAnswer),
    /// The task of this state never answers, or nothing is left to do.
    Stuck(Option<StatePath>),
    /// The run was stopped because it entered more states than allowed.
    TooLong {
        /// Maximum number of states.
        most: u64,
        /// True if child executions contributed to the count.
        with_children: bool,
    },
    /// The run was stopped because its values use more than this number of bytes of memory.
    TooLarge(u64),
    /// The user interrupted the run.
    Interrupted,
}

/// Runs to the end, or until nothing more can be done or a limit is reached.
///
/// # Errors
/// If an observer returns one.
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
    let (calls, answers, steps) = (run.calls(), run.take_answers(), run.events());
    let (transitions, took) = (run.machine().transitions(), run.machine().now());
    // The explanation repeats the run. The first run is dropped before, so that memory for two runs is not needed.
    drop(run);
    let explained = match &end {
        RunEnd::Failed(fault) => failed(setup, fault, steps),
        _ => Explained::default(),
    };
    let timeout = match &end {
        RunEnd::TimedOut => timed_out(setup, steps),
        _ => None,
    };
    Ok(RunResult {
        end,
        missing: explained.missing,
        finding: explained.finding,
        why: explained.why,
        timeout,
        calls,
        answers,
        steps,
        transitions,
        took,
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

/// The first remarks, and the number of further ones.
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
