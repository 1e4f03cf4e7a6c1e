//! An event of a recorded execution, and the values that no run can compute again: random numbers, times, tokens.

use crate::definition::{Definition, StateId};
use crate::interpreter::{EventKind, Fault, Origin, Reason};
use crate::json::{Text, Value, parse};
use crate::query::jsonata::{Tree, inner};
use crate::source::Node;
use std::collections::HashMap;
use std::sync::Arc;

/// An event.
#[derive(Clone, Debug)]
pub struct RecordedEvent {
    /// AWS's id; for some generated events, a number that no recorded event has.
    pub id: u32,
    /// `previousEventId`; `None` if it was not recorded.
    pub previous: Option<u32>,
    /// Time in milliseconds since 1970; `None` if it was not recorded.
    pub time: Option<i64>,
    /// AWS's name of the type.
    pub type_name: Text,
    /// Kind of the event; `None` for a type that local runs do not have.
    pub kind: Option<EventKind>,
    /// Name of the state in the event.
    pub name: Option<Text>,
    /// Index of the iteration.
    pub index: Option<u32>,
    /// Number of items.
    pub length: Option<u32>,
    /// Input, output or parameters, depending on the type.
    pub data: Payload,
    /// Variables that were assigned, with their values.
    pub assigned: Option<Value>,
    /// Name of the error.
    pub error: Option<Text>,
    /// Cause of the error.
    pub cause: Option<Text>,
    /// History id of the StateEntered event that the cause mentions, and the reason parsed from the cause.
    pub told: (Option<u32>, Option<Arc<Reason>>),
    /// The member `resource`.
    pub resource: Option<Text>,
    /// The member `resourceType`.
    pub resource_type: Option<Text>,
    /// Values of `timeoutInSeconds` and `heartbeatInSeconds`.
    pub limits: Vec<u64>,
    /// The event in AWS's format.
    pub raw: Value,
    /// True if the event was not recorded, but must have preceded the first one that was.
    pub is_made: bool,
}

/// Lower bound of the ids of generated events whose id in AWS's history is not known.
pub(super) const UNKNOWN_IDS: u32 = 1 << 31;

/// Data of an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Payload {
    /// The event's type has no data.
    #[default]
    Absent,
    /// The data was not recorded, or not completely.
    Unknown,
    /// JSON text.
    Text(Text),
    /// A value, recorded as JSON rather than as text.
    Value(Value),
}

impl Payload {
    /// The value; `None` if it is absent or unknown. A text that is not JSON is returned as a string.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Absent | Self::Unknown => None,
            Self::Text(text) => Some(parse(text).unwrap_or_else(|_| Value::String(text.clone()))),
            Self::Value(value) => Some(value.clone()),
        }
    }
}

impl RecordedEvent {
    /// AWS's id; 0 if it is not known.
    pub(super) fn aws_id(&self) -> u32 {
        if self.id < UNKNOWN_IDS { self.id } else { 0 }
    }

    /// True if a local run may lack the event or have it additionally: services decide when a task is started and
    /// submitted, and the result of a Parallel follows from the next events.
    pub(super) fn is_optional(&self) -> bool {
        is_optional(self.kind)
    }

    /// The recorded error.
    pub(super) fn fault(&self, origin: Origin) -> Fault {
        let (entered, read) = self.told.clone();
        let (error, cause) = (self.error.clone(), self.cause.clone());
        Fault {
            entered,
            ..Fault::outside(origin, Reason::Recorded { read }, error, cause)
        }
    }

    /// True if the data to compare a run with was not recorded.
    pub(super) fn lacks_data(&self) -> bool {
        let has_some = matches!(
            self.kind,
            Some(
                EventKind::StateEntered
                    | EventKind::StateExited
                    | EventKind::TaskScheduled
                    | EventKind::ExecutionSucceeded
            )
        );
        has_some && self.data == Payload::Unknown
    }

    /// True for events about aborted work, whose order is not significant.
    pub(super) fn is_abort(&self) -> bool {
        is_abort(self.kind)
    }

    /// True if the execution ended with this event.
    #[must_use]
    pub fn is_end(&self) -> bool {
        matches!(
            &*self.type_name,
            "ExecutionSucceeded" | "ExecutionFailed" | "ExecutionTimedOut" | "ExecutionAborted"
        )
    }

    /// Type of the state that was entered or left: `Task`, `Pass`, ...
    #[must_use]
    pub fn state_type(&self) -> Option<&str> {
        let name = &*self.type_name;
        name.strip_suffix("StateEntered")
            .or_else(|| name.strip_suffix("StateExited"))
    }
}

pub(super) fn is_optional(kind: Option<EventKind>) -> bool {
    matches!(
        kind,
        Some(
            EventKind::TaskStarted
                | EventKind::TaskSubmitted
                | EventKind::ParallelSucceeded
                | EventKind::ParallelFailed
        )
    )
}

pub(super) fn is_abort(kind: Option<EventKind>) -> bool {
    kind.is_some_and(EventKind::is_abort)
}

/// Kind of the event for AWS's name of the type.
#[must_use]
pub fn kind_of(type_name: &str) -> Option<EventKind> {
    let kind = match type_name {
        "ExecutionStarted" => EventKind::ExecutionStarted,
        "ExecutionSucceeded" => EventKind::ExecutionSucceeded,
        "ExecutionFailed" => EventKind::ExecutionFailed,
        "ExecutionTimedOut" => EventKind::ExecutionTimedOut,
        "ParallelStateStarted" => EventKind::ParallelStarted,
        "ParallelStateSucceeded" => EventKind::ParallelSucceeded,
        "ParallelStateFailed" => EventKind::ParallelFailed,
        "ParallelStateAborted" => EventKind::ParallelAborted,
        "MapStateStarted" => EventKind::MapStarted,
        "MapStateSucceeded" => EventKind::MapSucceeded,
        "MapStateFailed" => EventKind::MapFailed,
        "MapStateAborted" => EventKind::MapAborted,
        "MapRunStarted" => EventKind::MapRunStarted,
        "MapRunSucceeded" => EventKind::MapRunSucceeded,
        "MapRunFailed" => EventKind::MapRunFailed,
        "MapRunAborted" => EventKind::MapRunAborted,
        "MapIterationStarted" => EventKind::IterationStarted,
        "MapIterationSucceeded" => EventKind::IterationSucceeded,
        "MapIterationFailed" => EventKind::IterationFailed,
        "MapIterationAborted" => EventKind::IterationAborted,
        "EvaluationFailed" => EventKind::EvaluationFailed,
        "TaskStateAborted" => EventKind::TaskAborted,
        "WaitStateAborted" => EventKind::WaitAborted,
        _ => return kind_by_ending(type_name),
    };
    Some(kind)
}

fn kind_by_ending(type_name: &str) -> Option<EventKind> {
    if type_name.ends_with("StateEntered") {
        return Some(EventKind::StateEntered);
    }
    if type_name.ends_with("StateExited") {
        return Some(EventKind::StateExited);
    }
    let families = ["LambdaFunction", "Activity", "Task"];
    let rest = families
        .iter()
        .find_map(|own| type_name.strip_prefix(own))?;
    Some(match rest {
        "Scheduled" => EventKind::TaskScheduled,
        "Started" => EventKind::TaskStarted,
        "Submitted" => EventKind::TaskSubmitted,
        "Succeeded" => EventKind::TaskSucceeded,
        "Failed" | "ScheduleFailed" | "StartFailed" | "SubmitFailed" => EventKind::TaskFailed,
        "TimedOut" => EventKind::TaskTimedOut,
        _ => return None,
    })
}

/// JSONPath texts that have a different value in each execution.
const MARKS: [&str; 3] = ["States.UUID", "States.MathRandom", "$$"];

/// Names of unrepeatable members by location; an empty name means the whole value.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub call: Arc<[Text]>,
    pub output: Arc<[Text]>,
    pub assigned: Arc<[Text]>,
    pub items: Arc<[Text]>,
    /// True if the error or cause of a Fail state is unrepeatable.
    pub failure: bool,
}

/// Unrepeatable members of all states that have some.
#[derive(Debug, Default)]
pub(super) struct Unrepeatable {
    states: HashMap<StateId, Names>,
}

impl Unrepeatable {
    pub fn of(definition: &Definition) -> Self {
        let states = definition.state_ids().filter_map(|id| {
            let state = definition.state(id)?;
            let node = definition.node_of(state)?;
            Some((id, names_of(node)?))
        });
        Self {
            states: states.collect(),
        }
    }

    /// True if the error or cause of any Fail state is unrepeatable.
    pub fn has_failure(&self) -> bool {
        self.states.values().any(|names| names.failure)
    }

    pub fn get(&self, id: StateId) -> Option<&Names> {
        self.states.get(&id)
    }
}

fn names_of(state: &Node) -> Option<Names> {
    let (mut call, mut output, mut assigned, mut items, mut failure) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for member in state.members()? {
        let value = &member.value;
        match &*member.key.text {
            "Branches" | "Iterator" | "ItemProcessor" => {}
            "ItemSelector" => collect(value, "", &mut items),
            "InputPath" | "Arguments" => {
                collect(value, "", &mut call);
                collect(value, "", &mut output);
            }
            "Parameters" => {
                collect(value, "", &mut call);
                collect(value, "", &mut output);
                collect(value, "", &mut items);
            }
            "Error" | "ErrorPath" | "Cause" | "CausePath" => collect(value, "", &mut failure),
            "Assign" => collect(value, "", &mut assigned),
            "Choices" | "Catch" => {
                for one in value.items().into_iter().flatten() {
                    collect_of(one, "Assign", &mut assigned);
                    collect_of(one, "Output", &mut output);
                }
            }
            "Output" | "ResultSelector" | "OutputPath" => collect(value, "", &mut output),
            _ => {}
        }
    }
    let is_nothing = failure.is_empty()
        && call.is_empty()
        && output.is_empty()
        && assigned.is_empty()
        && items.is_empty();
    (!is_nothing).then(|| Names {
        call: call.into(),
        output: output.into(),
        assigned: assigned.into(),
        items: items.into(),
        failure: !failure.is_empty(),
    })
}

fn collect_of(node: &Node, name: &str, into: &mut Vec<Text>) {
    if let Some(value) = node.get(name) {
        collect(value, "", into);
    }
}

/// Collects the names of members that contain unrepeatable text.
fn collect(node: &Node, name: &str, into: &mut Vec<Text>) {
    if let Some(text) = node.as_str() {
        let is_one = match inner(text) {
            Some(text) => Tree::parse(text).is_ok_and(|tree| tree.is_unrepeatable()),
            None => MARKS.iter().any(|mark| text.contains(mark)),
        };
        if is_one {
            into.push(name.strip_suffix(".$").unwrap_or(name).into());
        }
        return;
    }
    for member in node.members().into_iter().flatten() {
        collect(&member.value, &member.key.text, into);
    }
    for item in node.items().into_iter().flatten() {
        collect(item, name, into);
    }
}
