//! Describes a difference between a run and the recorded execution that it repeats: what was recorded, what the run
//! does, and why.

use super::event::RecordedEvent;
use super::frame::RecordedRun;
use super::other_path::{FirstDifference, Reason};
use super::pair::{Met, Mismatch};
use crate::interpreter::{EventKind, Stage, type_name};
use crate::json::{Change, ChangeKind, Text, Value, diff};
use crate::query::abridged;
use crate::session::duration;

/// Maximum number of differing positions of a value to name.
const NAMED: usize = 3;
/// Maximum length in bytes of a value in a sentence.
const VALUE: usize = 80;
/// Maximum length in bytes of each of two values that are shown side by side.
const SIDE: usize = 400;

impl Met<'_> {
    /// Describes how an event of the run differs from a recorded event. `number` is the number of the run's event, and
    /// `place` is the index of the recorded event.
    pub(super) fn difference(
        &self,
        number: u64,
        place: usize,
        mismatch: &Mismatch,
    ) -> FirstDifference {
        let (run, event) = (self.run, self.event);
        let recorded = run.event(place);
        let mut difference = FirstDifference {
            here: self.happens(),
            ..at(run, number, place)
        };
        if difference.state.is_none() {
            difference.state = self.state().map(|state| state.name.clone());
        }
        let by = |names: &[&str], why: &str| self.field_reason(names, why);
        match mismatch {
            Mismatch::Kind | Mismatch::State => {
                let (run_event, aws_event) = (self.short_here(), short_there(recorded));
                difference.what = format!("{run_event} in this run, but {aws_event} on AWS");
                let types = self
                    .state()
                    .zip(recorded.and_then(|recorded| recorded.state_type()));
                if let Some((state, aws_type)) = types.filter(|(state, was)| {
                    difference.state.as_ref() == Some(&state.name) && state.type_name() != *was
                }) {
                    let (name, run_type) = (&state.name, state.type_name());
                    difference.what =
                        format!("{name} is a {run_type} in this run, but a {aws_type} on AWS");
                }
                difference.reason = self.other_way(place);
            }
            Mismatch::Value {
                name,
                recorded,
                actual,
            } => {
                difference.what = format!("{name} {}", changes(recorded, actual));
                difference.there.push_str(&side(name, recorded));
                difference.here.push_str(&side(name, actual));
                difference.reason = self.field_behind(name, recorded, actual);
                difference.values = Some((recorded.clone(), actual.clone()));
            }
            Mismatch::Resource {
                recorded: aws_resource,
                actual: resource,
            } => {
                difference.what =
                    format!("the task calls {resource} in this run, but {aws_resource} on AWS");
                difference.reason = by(&["Resource"], "the resource differs from the recording");
            }
            Mismatch::Length {
                recorded: aws_count,
                actual: count,
            } => {
                difference.what =
                    format!("the Map has {count} items in this run, but {aws_count} on AWS");
                difference.reason = by(
                    &["ItemsPath", "Items"],
                    "the items differ from the recording",
                );
            }
            Mismatch::Error {
                part,
                recorded: aws_text,
                actual: text,
            } => {
                difference.what =
                    format!("the {part} is {text} in this run, but {aws_text} on AWS");
                difference.there = format!("{}: {aws_text}", difference.there);
                difference.here = format!("{}: {text}", difference.here);
                let names = ["Error", "ErrorPath", "Cause", "CausePath"];
                difference.reason = by(&names, "the error or cause differs from the recording");
            }
            Mismatch::Wait { recorded, actual } => {
                let waits = event.kind == EventKind::StateExited;
                let (aws_wait, wait) = (duration(*recorded), duration(*actual));
                difference.what = match waits {
                    true => format!("the state waits {wait} in this run, but {aws_wait} on AWS"),
                    false => format!("the retry waits {wait} in this run, but {aws_wait} on AWS"),
                };
                let names = ["Seconds", "SecondsPath", "Timestamp", "TimestampPath"];
                difference.reason = match waits {
                    true => by(&names, "the waiting time differs from the recording"),
                    false => self.retrier_used(),
                };
            }
            Mismatch::Limit {
                recorded: aws_limit,
                actual,
            } => {
                let limit =
                    actual.map_or_else(|| "none".to_owned(), |seconds| format!("{seconds} s"));
                difference.what = format!(
                    "the task timed out on AWS after {aws_limit} s; the task's limit in this run is {limit}, and a later answer was not recorded"
                );
                let names = [
                    "TimeoutSeconds",
                    "HeartbeatSeconds",
                    "TimeoutSecondsPath",
                    "HeartbeatSecondsPath",
                ];
                difference.reason = by(&names, "the time limit differs from the recording");
            }
        }
        difference
    }

    /// Describes that the run has an event although no more events were recorded for its frame.
    pub(super) fn unexpected(&self, number: u64, recorded_frame: usize) -> FirstDifference {
        let last = self.run.events_of(recorded_frame).last().copied();
        let last = last
            .map(|place| at(self.run, number, place))
            .unwrap_or_default();
        let run_event = self.short_here();
        FirstDifference {
            number,
            state: self.state().map(|state| state.name.clone()),
            what: format!("{run_event} in this run, but no event follows on AWS"),
            there: match &*last.recorded {
                "" => "no event".to_string(),
                last_event => format!("no event after {last_event}"),
            },
            here: self.happens(),
            ..last
        }
    }

    /// The run's event as text, such as `TaskStateEntered Ship`.
    fn happens(&self) -> String {
        let state = self.state();
        let kind = type_name(self.event.kind, state).unwrap_or_default();
        let name = state.map(|state| format!(" {}", state.name));
        kind + &name.unwrap_or_default()
    }

    fn short_here(&self) -> String {
        let name = self.state().map_or("", |state| &state.name);
        let error = self.fault().and_then(|fault| fault.error.as_ref());
        words(self.event.kind, name, error)
    }

    /// Names the field that is the reason of a difference: the first of the fields `names` that the event's state has.
    /// `why` is the explanation.
    fn field_reason(&self, names: &[&str], why: &str) -> Option<Reason> {
        let state = self.state()?;
        let field = names.iter().find_map(|name| state.field(name))?;
        let (field_name, name) = (&field.name, &state.name);
        Some(Reason {
            text: format!("{field_name} of {name}: {why}"),
            span: Some(field.key),
        })
    }

    /// Names the field that produced a different value, as the reason of a difference. `value_name` says which value
    /// differs, such as `output`.
    fn field_behind(&self, value_name: &str, recorded: &Value, actual: &Value) -> Option<Reason> {
        let names: &[&str] = match (self.event.kind, value_name) {
            (EventKind::TaskScheduled, _) => &["Parameters", "Arguments", "InputPath"],
            (EventKind::StateExited, "output") => match self.caught() {
                Some(reason) => return Some(reason),
                None if self.is_moved(recorded, actual) => &[
                    "ResultPath",
                    "OutputPath",
                    "Output",
                    "ResultSelector",
                    "Parameters",
                    "Result",
                ],
                None => &[
                    "Output",
                    "ResultSelector",
                    "Parameters",
                    "Result",
                    "OutputPath",
                    "ResultPath",
                    "InputPath",
                ],
            },
            (EventKind::StateExited, _) => &["Assign"],
            (EventKind::StateEntered, _) => return self.entered_by(),
            _ => return None,
        };
        self.field_reason(names, "the value differs from the recording").or_else(|| {
            let state = self.state()?;
            let name = &state.name;
            Some(Reason {
                text: match self.event.kind {
                    EventKind::TaskScheduled => format!(
                        "{name} has neither Parameters nor InputPath: the task gets the whole input"
                    ),
                    _ => format!("{name} has no ResultPath: the result replaces the input"),
                },
                span: Some(state.name_span),
            })
        })
    }

    /// True if the state has a result and the two outputs differ in their structure: members were added or removed, or
    /// the whole output is another value.
    fn is_moved(&self, recorded: &Value, actual: &Value) -> bool {
        let result = (self.frame()).and_then(|frame| frame.visit.data.get(Stage::Result));
        let is_elsewhere =
            |change: &Change| change.kind != ChangeKind::Changed || change.at.0.is_empty();
        result.is_some() && diff(recorded, actual, 2).iter().any(is_elsewhere)
    }

    /// If the input of a Map's item differs: names, as the reason, the field of the Map that produces this input.
    fn entered_by(&self) -> Option<Reason> {
        let map = self.machine.frame(self.frame()?.parent?)?;
        let state = self.machine.definition().state(map.visit.state)?;
        let names = [
            "ItemSelector",
            "Parameters",
            "ItemsPath",
            "Items",
            "InputPath",
        ];
        let field = names.iter().find_map(|name| state.field(name))?;
        let (field_name, name) = (&field.name, &state.name);
        Some(Reason {
            text: format!("{field_name} of {name}: the value differs from the recording"),
            span: Some(field.key),
        })
    }
}

/// A difference at the recorded event with the index `place`, without a description.
fn at(run: &RecordedRun, number: u64, place: usize) -> FirstDifference {
    let event = run.event(place);
    let recorded = event.map_or_else(String::new, |event| said(run, place, event));
    FirstDifference {
        number,
        // A generated event has no id of AWS.
        event: event.filter(|event| !event.is_made).map(|event| event.id),
        state: run.state_at(place).cloned(),
        there: recorded.clone(),
        recorded,
        ..FirstDifference::default()
    }
}

/// Describes that the run has ended although a further event was recorded.
pub(super) fn missing(run: &RecordedRun, number: u64, place: usize) -> FirstDifference {
    let aws_event = short_there(run.event(place));
    FirstDifference {
        what: format!("this run has ended, but the next event on AWS is: {aws_event}"),
        here: "this run has ended".to_string(),
        ..at(run, number, place)
    }
}

/// A recorded event as text, such as `#41 TaskStateEntered Ship`.
fn said(run: &RecordedRun, place: usize, event: &RecordedEvent) -> String {
    let name = run.state_at(place).map(|name| format!(" {name}"));
    let error = event.error.as_ref().map(|error| format!(" {error}"));
    let index = event.index.map(|index| format!(" [{index}]"));
    let details = [name, index, error]
        .into_iter()
        .flatten()
        .collect::<String>();
    let (id, type_name) = (event.id, &event.type_name);
    match event.is_made {
        true => format!("{type_name}{details} (not recorded)"),
        false => format!("#{id} {type_name}{details}"),
    }
}

fn short_there(event: Option<&RecordedEvent>) -> String {
    let Some(event) = event else {
        return "no event".to_string();
    };
    let name = event.name.as_deref().unwrap_or("");
    match event.kind {
        Some(kind) => words(kind, name, event.error.as_ref()),
        None => event.type_name.to_string(),
    }
}

/// An event in words, such as `Pay is entered` or `the task fails with Pay.Declined`.
pub(in crate::session) fn words(kind: EventKind, state: &str, error: Option<&Text>) -> String {
    let with_error = error
        .map(|error| format!(" with {error}"))
        .unwrap_or_default();
    match kind {
        EventKind::StateEntered => format!("{state} is entered"),
        EventKind::StateExited => format!("{state} is exited"),
        EventKind::TaskScheduled => "the task is called".to_string(),
        EventKind::TaskSucceeded => "the task succeeds".to_string(),
        EventKind::TaskFailed => format!("the task fails{with_error}"),
        EventKind::TaskTimedOut => "the task times out".to_string(),
        EventKind::MapStarted | EventKind::ParallelStarted => {
            "the Parallel or Map starts".to_string()
        }
        EventKind::MapSucceeded | EventKind::ParallelSucceeded => {
            "the Parallel or Map succeeds".to_string()
        }
        EventKind::MapFailed | EventKind::ParallelFailed => {
            format!("the Parallel or Map fails{with_error}")
        }
        EventKind::IterationStarted => "an iteration starts".to_string(),
        EventKind::IterationSucceeded => "the iteration succeeds".to_string(),
        EventKind::IterationFailed => format!("the iteration fails{with_error}"),
        EventKind::ExecutionSucceeded => "the execution succeeds".to_string(),
        EventKind::ExecutionFailed => format!("the execution fails{with_error}"),
        EventKind::ExecutionTimedOut => "the execution times out".to_string(),
        EventKind::EvaluationFailed => "an expression fails".to_string(),
        EventKind::ErrorRaised => format!("an error is raised{with_error}"),
        _ => "the run continues".to_string(),
    }
}

/// The differences between a recorded value and the value in the run, such as `$.order.total 4200 → 42, $.x is gone`.
pub(in crate::session) fn changes(recorded: &Value, actual: &Value) -> String {
    let differences = diff(recorded, actual, NAMED + 1);
    let mut parts: Vec<String> = differences
        .iter()
        .take(NAMED)
        .map(|difference| change(difference, recorded, actual))
        .collect();
    if differences.len() > NAMED {
        parts.push("and more differences".to_string());
    }
    parts.join(", ")
}

fn change(change: &Change, recorded: &Value, actual: &Value) -> String {
    let at = |value: &Value| change.at.get(value).map(|value| abridged(value, VALUE));
    let (aws_value, value) = (
        at(recorded).unwrap_or_default(),
        at(actual).unwrap_or_default(),
    );
    let path = &change.at;
    match change.kind {
        ChangeKind::Added => format!("{path} {value} is new"),
        ChangeKind::Removed => format!("{path} {aws_value} is gone"),
        ChangeKind::Changed => format!("{path} {aws_value} → {value}"),
    }
}

fn side(name: &str, value: &Value) -> String {
    format!("  {name} {}", abridged(value, SIDE))
}
