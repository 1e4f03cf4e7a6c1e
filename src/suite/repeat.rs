//! A recorded execution as a test: the definition has to take the same path as in production.

use super::result::unstarted;
use super::result::{CaseResult, Outcome};
use crate::coverage::Coverage;
use crate::headless::{ReplayOutcome, replay_children, replay_one};
use crate::launch::{Given, LaunchConfig, Prepared, read_history, recorded_beside};
use crate::query::Profile;
use crate::session::recorded::FirstDifference;
use crate::testing::{Failure, TestFile};

/// Repeats all executions in the case's file.
pub(super) fn repeat(file: &TestFile, prepared: &Prepared, result: &mut CaseResult) {
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
            ReplayOutcome::Differs(found) => {
                let mut failure = differs(&found, prepared);
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
                untold = Some(format!("could not tell{after}: {reason}"));
            }
            ReplayOutcome::Unreadable(reason) => failures.push(unstarted(reason)),
        }
    }
    for child in replay_children(&config, &path) {
        if let ReplayOutcome::Differs(found) = &child.outcome {
            let mut failure = differs(found, prepared);
            // Line numbers of this failure refer to the item processor alone, so they are dropped.
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

/// The failure for the first difference between the run and the recorded execution.
fn differs(found: &FirstDifference, prepared: &Prepared) -> Failure {
    let name = found.state.as_deref().unwrap_or_default();
    let why = found.reason.as_ref();
    let why = why.map_or_else(String::new, |reason| format!("; {}", reason.text));
    Failure {
        what: "history".to_string(),
        expected: found.there.clone(),
        actual: format!("{}: {}{why}", found.here, found.what),
        differences: Vec::new(),
        event: Some(found.number),
        state: prepared.definition.find_by_name(name),
        span: None,
        blame: found.reason.as_ref().and_then(|reason| reason.span),
    }
}
