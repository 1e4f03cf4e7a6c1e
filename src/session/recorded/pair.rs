//! Compares an event of a run with the recorded event of the same frame.

use super::event::{Payload, RecordedEvent};
use super::strand::{RecordedRun, Strand, Visit};
use crate::definition::{Integration, State, StateKind};
use crate::interpreter::{
    Event, EventKind, Fault, Frame, Machine, Origin, Stage, Status, Want, type_name,
};
use crate::json::{Text, Value};

/// Maximum difference between two times that count as equal, in milliseconds.
const CLOCK: u64 = 50;
/// Maximum difference between two waits that count as equal, in milliseconds.
const WAIT: u64 = 100;

/// How two events differ.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mismatch {
    /// Different kinds.
    Kind,
    /// Different states.
    State,
    /// Different values: input, output, parameters or a variable.
    Value {
        /// Name of the value: `input`, `output`, `parameters`, `$name`.
        what: Text,
        there: Value,
        here: Value,
    },
    /// Different resources are called.
    Resource { there: Text, here: Text },
    /// Different numbers of items.
    Length { there: u32, here: u32 },
    /// Different error names or causes.
    Error {
        what: &'static str,
        there: Text,
        here: Text,
    },
    /// Different times waited.
    Wait { there: u64, here: u64 },
    /// A limit that expired in the recording is different here.
    Limit { there: u64, here: Option<u64> },
}

/// An event of a run that repeats a recorded execution.
#[derive(Clone, Copy)]
pub(super) struct Met<'m> {
    pub run: &'m RecordedRun,
    pub machine: &'m Machine,
    pub event: &'m Event,
}

impl<'m> Met<'m> {
    /// The event's state.
    pub fn state(&self) -> Option<&'m State> {
        self.machine.definition().state(self.event.state?)
    }

    pub fn frame(&self) -> Option<&'m Frame> {
        self.machine.frame(self.event.frame)
    }

    /// The error that the event is about.
    pub fn fault(&self) -> Option<&'m Fault> {
        if let (EventKind::ExecutionFailed, Status::Failed(fault)) =
            (self.event.kind, self.machine.status())
        {
            return Some(fault);
        }
        let fault = self.frame()?.visit.fault.as_ref();
        fault.map(|(fault, _)| fault)
    }

    /// How the event differs from the recorded one of its strand; `None` if it does not.
    pub fn mismatch(&self, strand: &Strand, place: usize) -> Option<Mismatch> {
        let there = self.run.event(place)?;
        if there.kind != Some(self.event.kind) {
            return Some(Mismatch::Kind);
        }
        let course = self.machine.run().header.course.as_ref();
        let follows = course.is_some_and(|course| course.over.is_some());
        let kind = self.event.kind;
        if there.is_made || follows {
            // The run took its action from the recording.
            let is_state = matches!(kind, EventKind::StateEntered | EventKind::StateExited);
            return named(there, self.state()?).filter(|_| is_state && !there.is_made);
        }
        let visit = visit_at(strand, place);
        let latest = |stage| Some(self.frame()?.visit.data.latest(stage));
        match kind {
            EventKind::StateEntered => named(there, self.state()?)
                .or_else(|| value("input", &there.data, &latest(Stage::Input)?)),
            EventKind::StateExited => named(there, self.state()?)
                .or_else(|| value("output", &there.data, &latest(Stage::Output)?))
                .or_else(|| assigned(there, self.frame()?))
                .or_else(|| self.waited(visit?, place)),
            EventKind::TaskScheduled => kind_of_task(there, self.state()?)
                .or_else(|| resource(there, self.state()?))
                .or_else(|| value("parameters", &there.data, &latest(Stage::AfterArguments)?))
                .or_else(|| self.retried(visit?, place)),
            EventKind::TaskTimedOut => self.limit(visit?, place),
            EventKind::TaskFailed | EventKind::ExecutionFailed => {
                error(self.run, there, self.fault())
            }
            EventKind::ParallelStarted => self.retried(visit?, place),
            EventKind::MapStarted => {
                length(there, self.event, self.state()).or_else(|| self.retried(visit?, place))
            }
            EventKind::ExecutionSucceeded => match self.machine.status() {
                Status::Succeeded(output) => value("output", &there.data, output),
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
        let here = self.event.time.saturating_sub(frame.visit.entered_at);
        differ(left.saturating_sub(entered), here, left, self.event.time)
    }

    /// Compares the time between an error and the next attempt.
    fn retried(&self, visit: &Visit, place: usize) -> Option<Mismatch> {
        let run = self.run;
        let mut attempts = visit.attempts.iter();
        let at = attempts.position(|one| one.begun == Some(place))?;
        let failed = visit.attempts.get(at.checked_sub(1)?)?.ended?;
        if !run.has_times || !run.is_unbroken(visit.entered.unwrap_or(failed), place) {
            return None;
        }
        let (failed, begun) = (run.time(failed)?, run.time(place)?);
        let here = self.event.time.saturating_sub(failed);
        differ(begun.saturating_sub(failed), here, begun, self.event.time)
    }

    fn limit(&self, visit: &Visit, place: usize) -> Option<Mismatch> {
        let (run, frame) = (self.run, self.frame()?);
        let attempt = visit.attempts.iter().find(|one| one.ended == Some(place))?;
        let scheduled = attempt.begun?;
        let took = run.time(place)?.saturating_sub(run.time(scheduled)?);
        // The limit that expired; a service may also report a timeout by itself.
        let limits = &run.event(scheduled)?.limits;
        let passed = |limit: &&u64| took.saturating_add(1000) >= limit.saturating_mul(1000);
        let there = match run.has_times {
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
        let is_other = least != Some(there.saturating_mul(1000));
        (in_time && is_other).then_some(Mismatch::Limit {
            there,
            here: least.map(|millis| millis / 1000),
        })
    }
}

fn named(there: &RecordedEvent, state: &State) -> Option<Mismatch> {
    let same = there.name.as_ref().is_none_or(|name| *name == state.name)
        && there.state_type() == Some(state.type_name());
    (!same).then_some(Mismatch::State)
}

fn value(what: &str, there: &Payload, here: &Value) -> Option<Mismatch> {
    let there = there.value()?;
    (there != *here).then(|| Mismatch::Value {
        what: what.into(),
        there,
        here: here.clone(),
    })
}

fn assigned(there: &RecordedEvent, frame: &Frame) -> Option<Mismatch> {
    let there = there.assigned.as_ref()?.as_object()?;
    let own = &frame.visit.assigned;
    for (name, was) in there.members() {
        let is = own
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value);
        if is != Some(was) {
            return Some(Mismatch::Value {
                what: format!("${name}").into(),
                there: was.clone(),
                here: is.cloned().unwrap_or_default(),
            });
        }
    }
    None
}

fn kind_of_task(there: &RecordedEvent, state: &State) -> Option<Mismatch> {
    let own = type_name(EventKind::TaskScheduled, Some(state))?;
    (own != *there.type_name).then_some(Mismatch::Kind)
}

/// The callee of a task, as AWS writes it: name and action of a service, otherwise the ARN.
fn called(state: &State) -> Option<Text> {
    match &state.kind {
        StateKind::Task(task) => Some(match &task.integration {
            Integration::Service { service, api, .. } => format!("{service}:{api}").into(),
            _ => task.resource.clone(),
        }),
        _ => None,
    }
}

fn resource(there: &RecordedEvent, state: &State) -> Option<Mismatch> {
    let here = called(state)?;
    let there = match (&there.resource_type, &there.resource) {
        (Some(kind), Some(resource)) => format!("{kind}:{resource}").into(),
        (None, Some(resource)) => resource.clone(),
        (_, None) => return None,
    };
    // Placeholders of a template are not known; account and region depend on the deployment.
    let open = here.contains("${") || here.is_empty();
    (!open && part(&here) != part(&there)).then_some(Mismatch::Resource { there, here })
}

/// An ARN without partition, region, account and function version, which depend on the deployment.
fn part(resource: &str) -> &str {
    let Some(rest) = resource.strip_prefix("arn:") else {
        return resource;
    };
    let own = rest.splitn(5, ':').nth(4).unwrap_or(rest);
    let function = own
        .strip_prefix("function:")
        .and_then(|name| name.split(':').next());
    function.unwrap_or(own)
}

fn length(there: &RecordedEvent, event: &Event, state: Option<&State>) -> Option<Mismatch> {
    let reads =
        matches!(state.map(|state| &state.kind), Some(StateKind::Map(map)) if map.reader.is_some());
    let there = there.length.filter(|there| !reads && *there != event.arg)?;
    Some(Mismatch::Length {
        there,
        here: event.arg,
    })
}

/// Compares names, and causes that depend on the data; the interpreter's own causes are worded differently.
fn error(run: &RecordedRun, there: &RecordedEvent, here: Option<&Fault>) -> Option<Mismatch> {
    let here = here.filter(|here| here.origin != Origin::Fail || run.repeats_failures)?;
    let text = |part: &Option<Text>| part.clone().unwrap_or_default();
    let (was, is) = (text(&there.error), text(&here.error));
    if was != is {
        return Some(Mismatch::Error {
            what: "error",
            there: was,
            here: is,
        });
    }
    let by_data = matches!(here.origin, Origin::Task | Origin::Fail);
    let (was, is) = (text(&there.cause), text(&here.cause));
    let known = there.cause.is_some() || there.error.is_some();
    (by_data && known && was != is && !same_json(&was, &is)).then_some(Mismatch::Error {
        what: "cause",
        there: was,
        here: is,
    })
}

fn same_json(one: &str, other: &str) -> bool {
    let parsed = |text: &str| crate::json::parse(text).ok();
    parsed(one).is_some_and(|one| Some(one) == parsed(other))
}

fn differ(there: u64, here: u64, at_there: u64, at_here: u64) -> Option<Mismatch> {
    let is_other = at_there.abs_diff(at_here) > CLOCK && there.abs_diff(here) > WAIT;
    is_other.then_some(Mismatch::Wait { there, here })
}

/// The visit that an event of a strand belongs to.
pub(super) fn visit_at(strand: &Strand, place: usize) -> Option<&Visit> {
    let begun = |visit: &Visit| visit.entered.is_some_and(|entered| entered <= place);
    let after = strand.visits.partition_point(begun);
    strand.visits.get(after.checked_sub(1)?)
}
