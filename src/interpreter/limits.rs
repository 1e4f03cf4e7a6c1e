//! Limits on values: those of AWS, and those beyond which nothing can be run (ASL-SEMANTICS 7, AWS-RECORDED 12).

use super::difference::Difference;
use super::event::{FrameId, Stage};
use super::fault::{Fault, Origin};
use super::frame::Frame;
use super::machine::Machine;
use super::profile;
use super::reason::{Reason, TooLarge};
use super::run::MAX_DEPTH;
use super::stage::{Done, Raised};
use crate::definition::{Integration, State, StateKind, Task};
use crate::json::{Text, Value};
use crate::query::Profile;

impl Machine {
    /// Checks AWS's size limits for variables: each one, all of one Assign, and all of the execution (7).
    pub(super) fn check_variables(&self, frame: &Frame, assigned: &[(Text, Value)]) -> Done {
        if assigned.is_empty() {
            return Ok(());
        }
        let limit = profile::PAYLOAD_LIMIT;
        let total: u64 = assigned
            .iter()
            .fold(0, |sum, (_, value)| sum.saturating_add(value.size()));
        let all = frame.variables.size().saturating_add(total);
        let what = if let Some((name, _)) = assigned.iter().find(|(_, value)| value.size() > limit)
        {
            TooLarge::Variable(name.clone())
        } else if total > limit {
            TooLarge::Assign
        } else if all > profile::VARIABLES_LIMIT {
            TooLarge::Variables
        } else {
            return Ok(());
        };
        if self.profile() == Profile::Spec {
            self.diverge(Difference::VariablesTooLarge);
            return Ok(());
        }
        let reason = Reason::TooLarge(what);
        Err(self.own_fault(frame.id, reason, Some(Stage::Output)))
    }

    /// Checks that a value is not too large or too deeply nested to be run.
    pub(super) fn check_bounds(&self, value: &Value, what: &str, stage: Stage) -> Done {
        let most = self.run().header.max_value;
        if value.depth() <= MAX_DEPTH && self.fits(value.size()) {
            return Ok(());
        }
        let reason = Reason::TooLarge(TooLarge::Value {
            of: what.into(),
            bytes: value.size(),
            depth: value.depth(),
            most: (most, MAX_DEPTH),
        });
        let mut fault = Fault::own(self.profile(), reason, None);
        fault.aws = None;
        Err((fault, Some(stage)))
    }

    /// Checks AWS's size limit for payloads; an oversized one can be caught only as a task's result (AWS-RECORDED 12).
    pub(super) fn check_payload(
        &self,
        id: FrameId,
        state: &State,
        value: &Value,
        stage: Stage,
    ) -> Done {
        if value.size() <= profile::PAYLOAD_LIMIT {
            return Ok(());
        }
        if self.profile() == Profile::Spec {
            // Reported when the value first becomes too large, not in each state that passes it on.
            let grew = self.frame(id).is_some_and(|frame| {
                let small = |own: Stage| {
                    let size = frame.visit.data.get(own).map_or(0, Value::size);
                    size <= profile::PAYLOAD_LIMIT
                };
                let told = matches!(state.kind, StateKind::Task(_)) && stage > Stage::Result;
                small(Stage::Input) && (!told || small(Stage::Result))
            });
            if grew {
                self.diverge(match stage {
                    Stage::Result => Difference::ResultTooLarge,
                    _ => Difference::OutputTooLarge,
                });
            }
            return Ok(());
        }
        Err(self.limit_fault(state, stage))
    }

    fn limit_fault(&self, state: &State, stage: Stage) -> Raised {
        let is_result = stage == Stage::Result;
        let by = match &state.kind {
            StateKind::Task(task) if is_result => resource_name(task).into(),
            _ => state.name.clone(),
        };
        let reason = Reason::TooLarge(TooLarge::Payload { by, is_result });
        let mut fault = Fault::own(self.profile(), reason, None);
        if !is_result {
            fault.origin = Origin::Runtime;
        }
        (fault, Some(stage))
    }
}

fn resource_name(task: &Task) -> &str {
    match &task.integration {
        Integration::Service { service, .. } => service,
        _ => &task.resource,
    }
}
