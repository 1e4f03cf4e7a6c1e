//! Runs a state machine to its end without interaction, and returns the result.

use super::explain::{Explained, failed, timed_out, unusual};
use super::output::Refusal;
use crate::interpreter::{Event, Machine, Millis};
use crate::json::Value;
use crate::session::unattended::Unattended;
use crate::session::{Answers, Remark, Repeats, Setup};
use crate::testing::{End, Limits, run_to_end};
use std::sync::Arc;

/// Maximum number of remarks to keep.
const MOST_REMARKS: usize = 1000;

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
    pub end: End,
    /// Number of events.
    pub steps: u64,
    /// Number of states entered, without the states of child executions.
    pub transitions: u64,
    /// Duration on the virtual clock, in milliseconds.
    pub took: Millis,
    /// Number of events in AWS's history of the run.
    pub history_events: u32,
    /// Remarks for the user, at most a thousand.
    pub remarks: Vec<Remark>,
    /// An explanation in addition to the error of a failed run: for example, why a value is missing.
    pub missing: Option<String>,
    /// The diagnostic of `check` for the state that failed, with its location.
    pub finding: Option<String>,
    /// The error with its place and reasons, as a JSON value for the output.
    pub why: Option<Value>,
    /// Summary of how a run that timed out spent its time.
    pub timeout: Option<String>,
    /// Remarks on a run that succeeded, one text each.
    pub unusual: Vec<String>,
    /// Number of times that tasks called real targets.
    pub calls: u64,
    /// Answers of tasks, by state; empty unless `keep_answers` was true.
    pub answers: Answers,
    /// Number of remarks that were not kept.
    pub more_remarks: u64,
}

/// Runs until the run ends, waits for something that never happens, or reaches a limit.
///
/// If `keep_answers` is true, the result has the answers of the tasks.
///
/// # Errors
/// If an observer returns an error.
pub fn run(
    setup: &Setup,
    limits: Limits<'_>,
    keep_answers: bool,
    observers: &mut [&mut dyn Observer],
) -> Result<RunResult, Refusal> {
    let answerer = setup.answerer(Repeats::Never);
    let mut run = Unattended::start(Arc::new(setup.run()), answerer, setup.memory_limit);
    if keep_answers {
        run = run.keeping_answers();
    }
    let (mut remarks, mut more_remarks, mut history_events) = (Vec::new(), 0, 0);
    let end = run_to_end(&mut run, setup.memory_limit, limits, |run, event| {
        if run.has_remarks() {
            remarks.extend(run.take_remarks());
            more_remarks += remarks.len().saturating_sub(MOST_REMARKS) as u64;
            remarks.truncate(MOST_REMARKS);
        }
        let Some(event) = event else { return Ok(()) };
        history_events = history_events.max(event.history_id);
        let mut observers = observers.iter_mut();
        observers.try_for_each(|observer| observer.note(run.machine(), event))
    })?;
    let (calls, answers, steps) = (run.calls(), run.take_answers(), run.events());
    let (transitions, took) = (run.machine().transitions(), run.machine().now());
    // The explanation repeats the run. The first run is dropped now, so that only one run is in memory at a time.
    drop(run);
    let explained = match &end {
        End::Failed(fault) => failed(setup, fault, steps),
        _ => Explained::default(),
    };
    let timeout = match &end {
        End::TimedOut => timed_out(setup, steps),
        _ => None,
    };
    // A run that called real targets is not repeated, because that would call them again.
    let unusual = match &end {
        End::Succeeded(_) if calls == 0 => unusual(setup, steps),
        _ => Vec::new(),
    };
    Ok(RunResult {
        end,
        missing: explained.missing,
        finding: explained.finding,
        why: explained.why,
        timeout,
        unusual,
        calls,
        answers,
        steps,
        transitions,
        took,
        history_events,
        remarks,
        more_remarks,
    })
}
