//! Determines how long a Task can take, and which of its limits have an effect.

use super::task::{HEARTBEAT, NO_HEARTBEAT, NO_TIMEOUT};
use super::{Checker, StateAt};
use crate::definition::{
    CallPattern, Integration, MachineType, MapMode, Quantity, StateKind, Task,
};
use crate::query::Profile;
use std::fmt;

/// Default timeout of a Task by the specification, in seconds.
const BY_SPEC: u64 = 60;
/// Maximum time that AWS waits for the response of `http:invoke`, in seconds.
const HTTP: u64 = 60;
/// Maximum duration of a Lambda function, in seconds.
const FUNCTION: u64 = 900;

/// The limit on AWS that ends a Task without a timeout of its own.
enum End {
    /// The timeout of the whole execution, in seconds.
    Execution(u64),
    /// The maximum duration of an EXPRESS execution.
    Express,
    Http,
    Function,
    /// The service itself, whose response time is not limited.
    Service,
    /// The maximum duration of any execution on AWS.
    Year,
}

impl fmt::Display for End {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Execution(seconds) => write!(out, "the machine's {seconds} s"),
            Self::Express => write!(out, "the {} s of EXPRESS", MachineType::EXPRESS_SECONDS),
            Self::Http => write!(out, "{HTTP} s"),
            Self::Function => write!(out, "up to {} min", FUNCTION / 60),
            Self::Service => out.write_str("as long as the service takes"),
            Self::Year => out.write_str("up to a year"),
        }
    }
}

impl Checker<'_> {
    pub(super) fn timeouts(&mut self, at: StateAt<'_>, task: &Task) {
        let written = |name: &str| at.field(name);
        if let (Some(Quantity::Constant(timeout)), Some(Quantity::Constant(heartbeat))) =
            (&task.timeout, &task.heartbeat)
            && heartbeat >= timeout
            && let Some(field) = written("HeartbeatSeconds")
        {
            let message =
                format!("HeartbeatSeconds {heartbeat} is not less than TimeoutSeconds {timeout}");
            let help = "otherwise the timeout comes before a heartbeat can be missed";
            self.report(HEARTBEAT, message, field.value(), help);
        }
        let heartbeat = written("HeartbeatSeconds").or_else(|| written("HeartbeatSecondsPath"));
        let timeout = written("TimeoutSeconds").or_else(|| written("TimeoutSecondsPath"));
        let pattern = match &task.integration {
            Integration::Service { pattern, .. } => Some(*pattern),
            Integration::Lambda => Some(CallPattern::RequestResponse),
            _ => None,
        };
        if let Some(field) = &heartbeat
            && pattern == Some(CallPattern::RequestResponse)
        {
            let message = "nothing sends a heartbeat in this kind of task";
            let help = "heartbeats come from activities and .waitForTaskToken tasks";
            self.report(NO_HEARTBEAT, message, field.key(), help);
        }
        let (None, Some(resource)) = (timeout, at.field("Resource")) else {
            return;
        };
        let end = self.end(at, task);
        let by_spec = self.profile == Profile::Spec && !matches!(end, End::Execution(..=BY_SPEC));
        let location = &*at.state.location;
        if heartbeat.is_none() && pattern == Some(CallPattern::Callback) {
            // Nothing limits the time until the callback.
            let (message, help) = match by_spec {
                true => (
                    format!("without TimeoutSeconds the callback has {BY_SPEC} s (AWS: {end})"),
                    "set TimeoutSeconds",
                ),
                false => (
                    format!("the callback may never come, and the state waits for {end}"),
                    "set TimeoutSeconds or HeartbeatSeconds",
                ),
            };
            self.report(NO_HEARTBEAT, message, (resource.node.span, location), help);
            return;
        }
        let words = match by_spec {
            true => format!("it times out after {BY_SPEC} s (AWS: {end})"),
            false => format!("it may run for {end}"),
        };
        let message = format!("without TimeoutSeconds {words}");
        let place = (resource.key().0, location);
        self.report(NO_TIMEOUT, message, place, "set TimeoutSeconds");
    }

    /// The limit that ends a Task without a timeout of its own.
    fn end(&self, at: StateAt<'_>, task: &Task) -> End {
        let execution = self.execution_seconds(at);
        let service = match &task.integration {
            Integration::Lambda => Some(FUNCTION),
            Integration::Service {
                service,
                pattern: CallPattern::RequestResponse,
                ..
            } => match &**service {
                "lambda" => Some(FUNCTION),
                "http" => Some(HTTP),
                _ => None,
            },
            _ => None,
        };
        match (service, execution) {
            (service, Some((seconds, is_express))) if service.is_none_or(|own| seconds <= own) => {
                match is_express {
                    true => End::Express,
                    false => End::Execution(seconds),
                }
            }
            (Some(HTTP), _) => End::Http,
            (Some(_), _) => End::Function,
            (None, _) => match &task.integration {
                Integration::Service {
                    pattern: CallPattern::RequestResponse,
                    ..
                } => End::Service,
                _ => End::Year,
            },
        }
    }

    /// The maximum duration of the execution that a state runs in, and true if that is the limit of type EXPRESS. Each
    /// child of a distributed Map is an execution of its own.
    fn execution_seconds(&self, at: StateAt<'_>) -> Option<(u64, bool)> {
        let around = self.definition.around(at.id);
        let mut around = around.filter_map(|id| self.definition.state(id));
        let child = around.find_map(|state| match &state.kind {
            StateKind::Map(map) if map.mode == MapMode::Distributed => Some(map),
            _ => None,
        });
        if let Some(map) = child {
            let express = (MachineType::EXPRESS_SECONDS, true);
            return map.is_express.then_some(express);
        }
        let seconds = self.definition.deadline_seconds()?;
        Some((seconds, self.definition.timeout_seconds != Some(seconds)))
    }
}
