//! Compares an event of a run with the recorded event at the same position in the same frame.

use super::event::{Payload, RecordedEvent};
use super::frame::{RecordedFrame, RecordedRun, Visit};
use crate::definition::{Integration, State, StateKind};
use crate::interpreter::{
    Event, EventKind, Fault, Frame, Machine, Origin, Stage, Status, Want, type_name,
};
use crate::json::{Text, Value};

/// Two times since the start of the execution count as equal up to this difference in milliseconds.
const CLOCK: u64 = 50;
/// Two waiting times count as equal up to this difference in milliseconds.
const WAIT: u64 = 100;

/// How an event of a run (`actual`) differs from the recorded event (`recorded`).
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mismatch {
    /// The events have different kinds.
    Kind,
    /// The events name different states.
    State,
    /// The events have different values: input, output, parameters or a variable.
    Value {
        /// Name of the value: `input`, `output`, `parameters`, `$name`.
        name: Text,
        recorded: Value,
        actual: Value,
    },
    /// The tasks call different resources.
    Resource { recorded: Text, actual: Text },
    /// The Maps have different numbers of items.
    Length { recorded: u32, actual: u32 },
    /// The error names or causes are different; `part` says which.
    Error {
        part: &'static str,
        recorded: Text,
        actual: Text,
    },
    /// A Wait or the delay before a retry took different times, in milliseconds.
    Wait { recorded: u64, actual: u64 },
    /// A time limit in seconds expired in the recorded execution, and the run has another limit or none.
    Limit { recorded: u64, actual: Option<u64> },
}

/// An event of a run that is compared directly after it happened, with the recorded execution that the run repeats.
#[derive(Clone, Copy)]
pub(super) struct Met<'m> {
    pub run: &'m RecordedRun,
    pub machine: &'m Machine,
    pub event: &'m Event,
}

impl<'m> Met<'m> {
    /// The state that the event belongs to.
    pub fn state(&self) -> Option<&'m State> {
        self.machine.definition().state(self.event.state?)
    }

    pub fn frame(&self) -> Option<&'m Frame> {
        self.machine.frame(self.event.frame)
    }

    /// The error that the event reports.
    pub fn fault(&self) -> Option<&'m Fault> {
        if let (EventKind::ExecutionFailed, Status::Failed(fault)) =
            (self.event.kind, self.machine.status())
        {
            return Some(fault);
        }
        let fault = self.frame()?.visit.fault.as_ref();
        fault.map(|(fault, _)| fault)
    }

    /// How the event differs from the recorded event with the index `place` in `recorded_frame`; `None` if it does not
    /// differ.
    pub fn mismatch(&self, recorded_frame: &RecordedFrame, place: usize) -> Option<Mismatch> {
        let recorded = self.run.event(place)?;
        if recorded.kind != Some(self.event.kind) {
            return Some(Mismatch::Kind);
        }
        let course = self.machine.run().header.course.as_ref();
        let follows = course.is_some_and(|course| course.over.is_some());
        let kind = self.event.kind;
        if recorded.is_made || follows {
            // The run took its data from the recorded event, so only the names of states can differ.
            let is_state = matches!(kind, EventKind::StateEntered | EventKind::StateExited);
            return named(recorded, self.state()?).filter(|_| is_state && !recorded.is_made);
        }
        let visit = visit_at(recorded_frame, place);
        let latest = |stage| Some(self.frame()?.visit.data.latest(stage));
        match kind {
            EventKind::StateEntered => named(recorded, self.state()?)
                .or_else(|| value("input", &recorded.data, &latest(Stage::Input)?)),
            EventKind::StateExited => named(recorded, self.state()?)
                .or_else(|| value("output", &recorded.data, &latest(Stage::Output)?))
                .or_else(|| assigned(recorded, self.frame()?))
                .or_else(|| self.waited(visit?, place)),
            EventKind::TaskScheduled => kind_of_task(recorded, self.state()?)
                .or_else(|| resource(recorded, self.state()?))
                .or_else(|| {
                    value(
                        "parameters",
                        &recorded.data,
                        &latest(Stage::AfterArguments)?,
                    )
                })
                .or_else(|| self.retried(visit?, place)),
            EventKind::TaskTimedOut => self.limit(visit?, place),
            EventKind::TaskFailed | EventKind::ExecutionFailed => {
                error(self.run, recorded, self.fault())
            }
            EventKind::ParallelStarted => self.retried(visit?, place),
            EventKind::MapStarted => {
                length(recorded, self.event, self.state()).or_else(|| self.retried(visit?, place))
            }
            EventKind::ExecutionSucceeded => match self.machine.status() {
                Status::Succeeded(output) => value("output", &recorded.data, output),
                _ => None,
            },
            _ => None,
        }
    }

    fn waited(&self, visit: &Visit, place: usize) -> Option<Mismatch> {
        let (run, frame) = (self.run, self.frame()?);
        if !run.has_times || !matches!(self.state()?.kind, StateKind::Wait(_)) {
            return None;
        }
        let left = run.time(place)?;
        let entered = visit.entered?;
        if !run.is_unbroken(entered, place) {
            return None;
        }
        let entered = run.time(entered)?;
        let actual = self.event.time.saturating_sub(frame.visit.entered_at);
        differ(left.saturating_sub(entered), actual, left, self.event.time)
    }

    /// Compares the recorded delay before a retry with the delay in the run. Both delays count from the failed attempt.
    /// `place` is the index of the recorded event that starts the retry.
    fn retried(&self, visit: &Visit, place: usize) -> Option<Mismatch> {
        let run = self.run;
        let mut attempts = visit.attempts.iter();
        let at = attempts.position(|attempt| attempt.begun == Some(place))?;
        let failed = visit.attempts.get(at.checked_sub(1)?)?.ended?;
        if !run.has_times || !run.is_unbroken(visit.entered.unwrap_or(failed), place) {
            return None;
        }
        let (failed, begun) = (run.time(failed)?, run.time(place)?);
        let actual = self.event.time.saturating_sub(failed);
        differ(begun.saturating_sub(failed), actual, begun, self.event.time)
    }

    fn limit(&self, visit: &Visit, place: usize) -> Option<Mismatch> {
        let (run, frame) = (self.run, self.frame()?);
        let attempt = visit
            .attempts
            .iter()
            .find(|attempt| attempt.ended == Some(place))?;
        let scheduled = attempt.begun?;
        let took = run.time(place)?.saturating_sub(run.time(scheduled)?);
        // Finds the time limit that expired in the recorded execution. There may be none, because a service can report
        // a timeout by itself.
        let limits = &run.event(scheduled)?.limits;
        let passed = |limit: &&u64| took.saturating_add(1000) >= limit.saturating_mul(1000);
        let recorded = match run.has_times {
            true => *limits.iter().filter(passed).max()?,
            false => *limits.iter().min()?,
        };
        let begun = frame.visit.attempts.last().map(|attempt| attempt.started)?;
        let Want::Call {
            timeout_at,
            heartbeat,
            ..
        } = &frame.visit.call.as_ref()?.ask.want
        else {
            return None;
        };
        let timeout = timeout_at.map(|at| at.saturating_sub(begun));
        let least = timeout.into_iter().chain(*heartbeat).min();
        let took = self.event.time.saturating_sub(begun);
        let in_time = least.is_none_or(|limit| limit > took.saturating_add(1000));
        let is_other = least != Some(recorded.saturating_mul(1000));
        (in_time && is_other).then_some(Mismatch::Limit {
            recorded,
            actual: least.map(|millis| millis / 1000),
        })
    }
}

fn named(recorded: &RecordedEvent, state: &State) -> Option<Mismatch> {
    let same = recorded
        .name
        .as_ref()
        .is_none_or(|name| *name == state.name)
        && recorded.state_type() == Some(state.type_name());
    (!same).then_some(Mismatch::State)
}

fn value(name: &str, recorded: &Payload, actual: &Value) -> Option<Mismatch> {
    let recorded = recorded.value()?;
    (recorded != *actual).then(|| Mismatch::Value {
        name: name.into(),
        recorded,
        actual: actual.clone(),
    })
}

fn assigned(recorded: &RecordedEvent, frame: &Frame) -> Option<Mismatch> {
    let recorded = recorded.assigned.as_ref()?.as_object()?;
    let assigned = &frame.visit.assigned;
    for (name, was) in recorded.members() {
        let is = assigned
            .iter()
            .find(|(variable, _)| variable == name)
            .map(|(_, value)| value);
        if is != Some(was) {
            return Some(Mismatch::Value {
                name: format!("${name}").into(),
                recorded: was.clone(),
                actual: is.cloned().unwrap_or_default(),
            });
        }
    }
    None
}

fn kind_of_task(recorded: &RecordedEvent, state: &State) -> Option<Mismatch> {
    let type_name = type_name(EventKind::TaskScheduled, Some(state))?;
    (type_name != *recorded.type_name).then_some(Mismatch::Kind)
}

/// The resource that a task calls, in the form that AWS records: name and action of a service (`sqs:sendMessage`),
/// otherwise the ARN.
fn called(state: &State) -> Option<Text> {
    match &state.kind {
        StateKind::Task(task) => Some(match &task.integration {
            Integration::Service { service, api, .. } => format!("{service}:{api}").into(),
            _ => task.resource.clone(),
        }),
        _ => None,
    }
}

fn resource(recorded: &RecordedEvent, state: &State) -> Option<Mismatch> {
    let actual = called(state)?;
    let recorded = match (&recorded.resource_type, &recorded.resource) {
        (Some(kind), Some(resource)) => format!("{kind}:{resource}").into(),
        (None, Some(resource)) => resource.clone(),
        (_, None) => return None,
    };
    // A resource with a placeholder, such as `${Fn.Arn}`, cannot be compared. Parts of an ARN that depend on the
    // deployment are ignored.
    let open = actual.contains("${") || actual.is_empty();
    (!open && part(&actual) != part(&recorded)).then_some(Mismatch::Resource { recorded, actual })
}

/// The part of an ARN that does not depend on the deployment: without partition, region, account and function version.
fn part(resource: &str) -> &str {
    let Some(rest) = resource.strip_prefix("arn:") else {
        return resource;
    };
    let resource = rest.splitn(5, ':').nth(4).unwrap_or(rest);
    let function = resource
        .strip_prefix("function:")
        .and_then(|name| name.split(':').next());
    function.unwrap_or(resource)
}

fn length(recorded: &RecordedEvent, event: &Event, state: Option<&State>) -> Option<Mismatch> {
    let reads =
        matches!(state.map(|state| &state.kind), Some(StateKind::Map(map)) if map.reader.is_some());
    let recorded = recorded
        .length
        .filter(|recorded| !reads && *recorded != event.arg)?;
    Some(Mismatch::Length {
        recorded,
        actual: event.arg,
    })
}

/// Compares the error names, and the causes of tasks and Fail states. Other causes are not compared, because the
/// interpreter words them differently than AWS.
fn error(run: &RecordedRun, recorded: &RecordedEvent, actual: Option<&Fault>) -> Option<Mismatch> {
    let actual = actual.filter(|actual| actual.origin != Origin::Fail || run.repeats_failures)?;
    let text = |part: &Option<Text>| part.clone().unwrap_or_default();
    let (was, is) = (text(&recorded.error), text(&actual.error));
    if was != is {
        return Some(Mismatch::Error {
            part: "error",
            recorded: was,
            actual: is,
        });
    }
    let by_data = matches!(actual.origin, Origin::Task | Origin::Fail);
    let (was, is) = (text(&recorded.cause), text(&actual.cause));
    let known = recorded.cause.is_some() || recorded.error.is_some();
    (by_data && known && was != is && !same_json(&was, &is)).then_some(Mismatch::Error {
        part: "cause",
        recorded: was,
        actual: is,
    })
}

fn same_json(left: &str, right: &str) -> bool {
    let parsed = |text: &str| crate::json::parse(text).ok();
    parsed(left).is_some_and(|left| Some(left) == parsed(right))
}

fn differ(recorded: u64, actual: u64, at_there: u64, at_here: u64) -> Option<Mismatch> {
    let is_other = at_there.abs_diff(at_here) > CLOCK && recorded.abs_diff(actual) > WAIT;
    is_other.then_some(Mismatch::Wait { recorded, actual })
}

/// The visit that the event with the index `place` in a recorded frame belongs to.
pub(super) fn visit_at(recorded_frame: &RecordedFrame, place: usize) -> Option<&Visit> {
    let begun = |visit: &Visit| visit.entered.is_some_and(|entered| entered <= place);
    let after = recorded_frame.visits.partition_point(begun);
    recorded_frame.visits.get(after.checked_sub(1)?)
}
