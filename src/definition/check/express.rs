//! Checks what an EXPRESS workflow must not contain, both for a whole machine and for the child executions of a Map.

use super::map::processor;
use super::{Checker, StateAt};
use crate::definition::rule::{Severities, rules};
use crate::definition::{CallPattern, Integration, MachineType, StateKind, WaitUntil};

rules! {
    EXPRESS = 29, "express", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS,
        "a .sync, .waitForTaskToken or activity task, or a DISTRIBUTED Map, in an EXPRESS workflow" {
            ENDLESS_WAIT = Severities::WARNING, "where a Wait is longer than the workflow may last";
        };
}

impl<'d> Checker<'d> {
    /// Checks the whole machine if its type is EXPRESS.
    pub(super) fn express(&mut self) {
        if self.definition.machine_type != MachineType::Express {
            return;
        }
        for at in self.states.clone() {
            self.express_state(at, "create the state machine with type STANDARD");
            self.express_map(at);
            self.express_wait(at);
        }
    }

    /// Checks the states of a distributed Map whose child executions are of type EXPRESS.
    pub(super) fn express_children(&mut self, at: StateAt<'d>) {
        let config = processor(at).and_then(|processor| processor.get("ProcessorConfig"));
        let kind = config.and_then(|config| config.get("ExecutionType"));
        let kind = kind.and_then(|kind| kind.text());
        // If the machine itself is of type EXPRESS, this has already been reported.
        if kind != Some("EXPRESS") || self.definition.machine_type == MachineType::Express {
            return;
        }
        let mut waiting = at.state.inner().to_vec();
        while let Some(scope) = waiting.pop().and_then(|id| self.definition.scope(id)) {
            for inner in self.states_of(scope) {
                waiting.extend(inner.state.inner());
                self.express_state(inner, "set ExecutionType to STANDARD");
            }
        }
    }

    fn express_state(&mut self, at: StateAt<'_>, help: &str) {
        let StateKind::Task(task) = &at.state.kind else {
            return;
        };
        let message = match &task.integration {
            Integration::Activity => "Express state machine does not support Activity ARN",
            Integration::Service {
                pattern: CallPattern::RunJob,
                ..
            } => "Express state machine does not support '.sync' service integration",
            Integration::Service {
                pattern: CallPattern::Callback,
                ..
            } => "Express state machine does not support '.waitForTaskToken' service integration ",
            _ => return,
        };
        if let Some(resource) = at.field("Resource") {
            self.report(EXPRESS, message, resource.value(), help);
        }
    }

    fn express_map(&mut self, at: StateAt<'_>) {
        if let Some(processor) = processor(at).filter(|_| at.state.is_distributed()) {
            let config = processor.get("ProcessorConfig");
            let mode = config.and_then(|config| config.get("Mode"));
            let span = mode.map_or(at.node.span, |mode| mode.node.span);
            let location = format!("{}/ProcessorConfig/Mode", processor.location);
            let message = "Express state machine does not support a DISTRIBUTED Map";
            let help = "set Mode to INLINE, or create the state machine with type STANDARD";
            self.report(EXPRESS, message, (span, &location), help);
        }
    }

    /// Reports a wait that is longer than the maximum duration of an execution.
    fn express_wait(&mut self, at: StateAt<'_>) {
        let StateKind::Wait(WaitUntil::Seconds(seconds)) = &at.state.kind else {
            return;
        };
        // A shorter timeout of the machine is checked by another rule.
        let own = self.definition.timeout_seconds;
        if *seconds >= MachineType::EXPRESS_SECONDS
            && own.is_none_or(|own| *seconds <= own)
            && let Some(field) = at.field("Seconds")
        {
            let message = format!(
                "an EXPRESS execution ends after {} s, before this wait is over",
                MachineType::EXPRESS_SECONDS
            );
            let help = "shorten it, or create the state machine with type STANDARD";
            self.report(ENDLESS_WAIT, message, field.value(), help);
        }
    }
}
