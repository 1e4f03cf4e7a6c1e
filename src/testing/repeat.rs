//! Runs a definition with the input and answers of a recorded execution, up to the first difference between the two.

use crate::coverage::Coverage;
use crate::interpreter::Want;
use crate::json::Text;
use crate::launch::{LaunchConfig, Loaded, Recorded};
use crate::session::Repeats;
use crate::session::recorded::{FirstDifference, Follower};
use crate::session::unattended::{Happened, Unattended};
use std::sync::Arc;

/// Result of comparing a run with the recorded execution that it repeats.
#[derive(Clone, Debug)]
pub enum ReplayOutcome {
    /// All events and values of the run agree with the recorded execution.
    Same,
    /// The run agrees with the execution up to this difference.
    Differs(Arc<FirstDifference>),
    /// The run agrees with the execution up to an event; the rest of the execution cannot be compared.
    Unknown {
        /// AWS's id of the last event that agrees with the run.
        after: u32,
        /// Why the rest cannot be compared.
        reason: String,
    },
    /// The recording could not be read, for this reason.
    Unreadable(String),
}

/// Result of running a definition against one recorded execution.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// The result of the comparison with the recorded execution.
    pub outcome: ReplayOutcome,
    /// Number of events in the recording that the run reproduced.
    pub events: usize,
    /// Coverage of the run.
    pub coverage: Coverage,
}

/// Repeats one recorded execution and compares the run with it.
#[must_use]
pub fn replay_one(loaded: &Loaded, config: &LaunchConfig, recorded: Recorded) -> Repeated {
    let mut coverage = Coverage::default();
    let no_input = recorded.execution.input.value().is_none() && config.input.is_none();
    let no_input =
        no_input.then_some("the execution's input was not recorded (--input gives an input)");
    if let Some(reason) = recorded.view_only.as_deref().or(no_input) {
        return Repeated {
            outcome: unknown(0, reason),
            events: 0,
            coverage,
        };
    }
    let mut follower = Follower::new(Arc::clone(&recorded.run));
    let setup = loaded.clone().repeating(recorded, config).setup();
    let answerer = setup.answerer(Repeats::Never);
    let mut run = Unattended::start(Arc::new(setup.run()), answerer, setup.memory_limit);
    let stopped = loop {
        match run.step() {
            Happened::Event(event) => {
                coverage.note(run.machine(), &event);
                if follower.follow(run.events(), run.machine(), &event) {
                    break None;
                }
            }
            Happened::Nothing => {}
            Happened::Done => {
                follower.finish(run.events());
                break None;
            }
            Happened::NoAnswer(ask, _) => {
                let state = setup.definition.state(ask.state);
                let state: Text = state.map_or_else(|| "?".into(), |state| state.name.clone());
                let data = match ask.want {
                    Want::Call { .. } => "the answer of the task",
                    _ => "the data that the state read or wrote",
                };
                break Some(format!("{state}: {data} was not recorded"));
            }
            Happened::Stuck => break None,
            Happened::TooLarge => {
                break Some("the values of the run take more memory than allowed".to_string());
            }
        }
    };
    let events = follower.count();
    let whole = follower.run().is_whole;
    let outcome = match (follower.difference(), stopped, follower.unseen_after()) {
        (Some(difference), ..) => match follower.run().guessed_from {
            Some(from) if difference.event.is_none_or(|event| event >= from) => unknown(
                from.saturating_sub(1),
                "the branch or item of an event was not recorded",
            ),
            _ => ReplayOutcome::Differs(Arc::clone(difference)),
        },
        (None, None, None) if whole => ReplayOutcome::Same,
        (None, Some(_), None) if follower.is_over() => ReplayOutcome::Same,
        (None, stopped, Some(after)) if whole || stopped.is_none() => {
            unknown(after, "some data was not recorded")
        }
        (None, stopped, _) => match (stopped, follower.run().log_level()) {
            (None, Some(level)) => {
                let text = format!(
                    "with log level {level}, the events before the failure are not recorded"
                );
                unknown(0, &text)
            }
            (stopped, _) => {
                let reason = stopped
                    .as_deref()
                    .unwrap_or("no further event was recorded");
                unknown(follower.last_id(), reason)
            }
        },
    };
    Repeated {
        outcome,
        events,
        coverage,
    }
}

fn unknown(after: u32, reason: &str) -> ReplayOutcome {
    ReplayOutcome::Unknown {
        after,
        reason: reason.to_string(),
    }
}
