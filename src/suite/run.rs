//! Runs cases on all cores and reports their results in the order of the files; repeats recorded executions.

use super::plan::Unit;
use super::result::{CaseResult, Outcome, unstarted};
use crate::coverage::Coverage;
use crate::definition::StateKind;
use crate::headless::{self, replay_children};
use crate::launch::{Given, LaunchConfig, Prepared, read_history, recorded_beside};
use crate::query::Profile;
use crate::session::Setup;
use crate::session::recorded::FirstDifference;
use crate::testing::{
    Answering, Case, End, Failure, Limits, ReplayOutcome, TestFile, Written, judge, misshapen,
    observe, replay_one,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum time to wait for a result before reporting that none has arrived.
const PATIENCE: Duration = Duration::from_millis(500);

/// Runs cases on `jobs` threads; a case is given as (index of its unit, index within the unit). `report` receives each
/// result, in the order of `cases`, or `None` if no result arrived for half a second. If `report` returns false, no
/// more cases are run.
pub(super) fn run_all(
    units: &[Unit],
    cases: &[(usize, usize)],
    jobs: usize,
    interrupted: &AtomicBool,
    mut report: impl FnMut(Option<CaseResult>) -> bool,
) {
    let (next, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, cases.len().max(1)) {
            let (sender, next, ended) = (sender.clone(), &next, &ended);
            scope.spawn(move || {
                while !ended.load(Ordering::Relaxed) && !interrupted.load(Ordering::Relaxed) {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some((unit, case)) = cases.get(place) else {
                        return;
                    };
                    let unit = units.get(*unit);
                    let case = unit.and_then(|unit| Some((unit, unit.file.cases.get(*case)?)));
                    let Some((unit, case)) = case else { return };
                    // Sending fails if the user has stopped the tests, because then the receiver no longer exists. The
                    // error is ignored.
                    let _ = sender.send((place, run_one(unit, case, interrupted)));
                }
            });
        }
        drop(sender);
        let (mut waiting, mut expected) = (BTreeMap::new(), 0);
        loop {
            match results.recv_timeout(PATIENCE) {
                Ok((place, result)) => waiting.insert(place, result),
                Err(RecvTimeoutError::Timeout) => {
                    report(None);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            while let Some(result) = waiting.remove(&expected) {
                expected += 1;
                if !report(Some(result)) {
                    ended.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    });
}

fn run_one(unit: &Unit, case: &Case, interrupted: &AtomicBool) -> CaseResult {
    let file = &unit.file;
    let place = file.sources.place(case.span);
    let mut result = CaseResult {
        file: file.path.clone(),
        line: place.map_or(0, |place| place.line),
        program: file.program.file.clone(),
        machine: file.program.state_machine.clone(),
        name: case.name.to_string(),
        written: file.written,
        expects: file.written == Written::Histories || !case.expect.is_empty(),
        refused: None,
        outcome: Outcome::Passed,
        observed: None,
        repeated: None,
        definition: None,
        took: Duration::ZERO,
    };
    if let Some(reason) = &case.skip {
        result.outcome = Outcome::Skipped(reason.to_string());
        return result;
    }
    let Some(prepared) = unit.of(case) else {
        result.outcome = Outcome::Failed(vec![unstarted(
            "asldbg could not read the definition of the case".into(),
        )]);
        return result;
    };
    let begun = Instant::now();
    result.definition = Some(prepared.definition.clone());
    if file.written == Written::Histories {
        repeat(file, prepared, &mut result);
        result.took = begun.elapsed();
        return result;
    }
    match setup(file, case, prepared) {
        Err(problem) => result.outcome = Outcome::Failed(vec![unstarted(problem)]),
        Ok(setup) => {
            result.refused = headless::refused(&setup);
            let observed = observe(&setup, Limits::of_case(interrupted));
            let mut failures = shapes(file, case, &setup);
            failures.extend(judge(case, &observed, &setup.definition));
            if let (End::NoAnswer(ask, why), Some(end)) = (&observed.end, find_end(&mut failures)) {
                end.actual = match &case.answers {
                    Answering::Inline(_) => headless::unanswered_in_test_case(&setup, ask, why),
                    _ => headless::unanswered(&setup, ask, why),
                };
            }
            if !failures.is_empty() {
                result.outcome = Outcome::Failed(failures);
            }
            result.observed = Some(Box::new(observed));
        }
    }
    result.took = begun.elapsed();
    result
}

fn find_end(failures: &mut [Failure]) -> Option<&mut Failure> {
    failures.iter_mut().find(|failure| failure.what == "end")
}

/// The setup of the session that runs a case.
fn setup(file: &TestFile, case: &Case, prepared: &Prepared) -> Result<Setup, String> {
    let known = prepared.cases(&file.config());
    let loaded = prepared.load(&file.config_of(case, &known));
    Ok(loaded.map_err(|error| error.to_string())?.setup())
}

/// Compares the mocked answers of each Task with the results that the Task's resource returns. Returns a failure for
/// each Task with an answer whose members or types do not match these results.
fn shapes(file: &TestFile, case: &Case, setup: &Setup) -> Vec<Failure> {
    let validation = case.validation.unwrap_or(file.validation);
    let Some(mock) = &setup.mock else {
        return Vec::new();
    };
    let mut failures = Vec::new();
    for id in setup.definition.state_ids() {
        let Some((state, StateKind::Task(task))) =
            (setup.definition.state(id)).map(|state| (state, &state.kind))
        else {
            continue;
        };
        let mut answers = mock.answers_for(state);
        if let Some(problem) = answers.find_map(|answer| misshapen(task, answer, validation)) {
            let what = format!("answers {}", state.name);
            let expected = "an answer in the form that the resource returns (to accept any form, set field_validation: none)";
            failures.push(Failure {
                state: Some(id),
                ..Failure::new(what, expected, problem)
            });
        }
    }
    failures
}

/// Repeats all recorded executions in the case's file.
fn repeat(file: &TestFile, prepared: &Prepared, result: &mut CaseResult) {
    let mut config = file.config();
    config.rules.profile = Profile::Aws;
    config.start_time = None;
    let base = LaunchConfig {
        input: Some(Given::Json("{}".to_string())),
        ..config.clone()
    };
    let path = file.path.join(&result.name);
    let loaded = prepared.load(&base);
    let (loaded, imported) = match loaded.and_then(|loaded| Ok((loaded, read_history(&path)?))) {
        Ok(both) => both,
        Err(error) => {
            result.outcome = Outcome::Failed(vec![unstarted(error.to_string())]);
            return;
        }
    };
    let (mut reached, mut failures, mut untold) = (Coverage::default(), Vec::new(), None);
    let several = imported.executions.len() > 1;
    for execution in imported.executions {
        let name = execution.name.clone().or_else(|| execution.arn.clone());
        let name = name.filter(|_| several);
        let recorded = recorded_beside(execution, Vec::new(), &loaded.definition);
        let repeated = replay_one(&loaded, &config, recorded);
        reached.add(&repeated.coverage);
        match repeated.outcome {
            ReplayOutcome::Same => {}
            ReplayOutcome::Differs(difference) => {
                let mut failure = differs(&difference, prepared);
                if let Some(name) = name {
                    failure.what = format!("history {name}");
                }
                failures.push(failure);
            }
            ReplayOutcome::Unknown { after, reason } => {
                let after = match after {
                    0 => String::new(),
                    id => format!(" after #{id}"),
                };
                untold = Some(format!("unknown{after}: {reason}"));
            }
            ReplayOutcome::Unreadable(reason) => failures.push(unstarted(reason)),
        }
    }
    for child in replay_children(&config, &path) {
        if let ReplayOutcome::Differs(difference) = &child.outcome {
            let mut failure = differs(difference, prepared);
            // The line number of this failure belongs to the text of the item processor, not to the definition, so it
            // is not shown.
            (failure.what, failure.blame) = (format!("history {}", child.file), None);
            failures.push(failure);
        }
    }
    result.repeated = Some(Box::new(reached));
    result.outcome = match (failures.is_empty(), untold) {
        (false, _) => Outcome::Failed(failures),
        (true, Some(reason)) => Outcome::Skipped(reason),
        (true, None) => Outcome::Passed,
    };
}

/// The failure that reports the first difference between a run and the recorded execution that it repeats.
fn differs(difference: &FirstDifference, prepared: &Prepared) -> Failure {
    let name = difference.state.as_deref().unwrap_or_default();
    let why = difference.reason.as_ref();
    let why = why.map_or_else(String::new, |reason| format!("; {}", reason.text));
    let actual = format!("{}: {}{why}", difference.here, difference.what);
    Failure {
        event: Some(difference.number),
        state: prepared.definition.find_by_name(name),
        blame: difference.reason.as_ref().and_then(|reason| reason.span),
        ..Failure::new("history", &difference.there, actual)
    }
}
