//! An event of a recorded execution, and the values that no run can compute again: random numbers, times, tokens.

use crate::definition::{Definition, StateId};
use crate::interpreter::{EventKind, Fault, Origin, Reason};
use crate::json::{Text, Value, parse};
use crate::query::jsonata::{Tree, inner};
use crate::source::Node;
use std::collections::HashMap;
use std::sync::Arc;

/// An event.
#[derive(Clone, Debug, Default)]
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

    /// True if a local run may lack the event or have it additionally.
    pub(super) fn is_optional(&self) -> bool {
        self.kind.is_some_and(is_optional)
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
        self.kind.is_some_and(EventKind::is_abort)
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

/// True if a local run may lack events of this kind or have them additionally: services decide when a task is started
/// and submitted, and the result of a Parallel follows from the next events.
pub(super) fn is_optional(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::TaskStarted
            | EventKind::TaskSubmitted
            | EventKind::ParallelSucceeded
            | EventKind::ParallelFailed
    )
}

/// JSONPath texts that have a different value in each execution.
const MARKS: [&str; 3] = ["States.UUID", "States.MathRandom", "$$"];

/// The part of a state's work that a field contributes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Call,
    Output,
    Assigned,
    /// The inputs of a Map's items.
    Items,
    /// The error and cause of a Fail state.
    Failure,
}

/// The parts that a field contributes to.
fn parts_of(field: &str) -> &'static [Part] {
    match field {
        "ItemSelector" => &[Part::Items],
        "InputPath" | "Arguments" => &[Part::Call, Part::Output],
        "Parameters" => &[Part::Call, Part::Output, Part::Items],
        "Error" | "ErrorPath" | "Cause" | "CausePath" => &[Part::Failure],
        "Assign" => &[Part::Assigned],
        "Output" | "ResultSelector" | "OutputPath" => &[Part::Output],
        _ => &[],
    }
}

/// Names of the unrepeatable members of each part of a state that has some; an empty name means the whole value.
pub(super) type Names = HashMap<Part, Arc<[Text]>>;

/// Unrepeatable members of all states that have some.
#[derive(Debug, Default)]
pub(super) struct Unrepeatable {
    states: HashMap<StateId, Names>,
}

impl Unrepeatable {
    pub fn of(definition: &Definition) -> Self {
        let states = definition.state_ids().filter_map(|id| {
            let names = names_of(definition.node_of(definition.state(id)?)?);
            (!names.is_empty()).then_some((id, names))
        });
        Self {
            states: states.collect(),
        }
    }

    /// True if the error or cause of any Fail state is unrepeatable.
    pub fn has_failure(&self) -> bool {
        let mut states = self.states.values();
        states.any(|names| names.contains_key(&Part::Failure))
    }

    pub fn get(&self, id: StateId) -> Option<&Names> {
        self.states.get(&id)
    }
}

fn names_of(state: &Node) -> Names {
    let lists = ["Choices", "Catch"].iter();
    let inside = lists.filter_map(|name| state.get(name)?.items()).flatten();
    let members = std::iter::once(state)
        .chain(inside)
        .filter_map(Node::members);
    let mut found: HashMap<Part, Vec<Text>> = HashMap::new();
    for member in members.flatten() {
        for part in parts_of(&member.key.text) {
            collect(&member.value, "", found.entry(*part).or_default());
        }
    }
    let found = found.into_iter().filter(|(_, names)| !names.is_empty());
    found.map(|(part, names)| (part, names.into())).collect()
}

/// Collects the names of members whose text may have another value in another execution, such as `States.UUID()`.
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
