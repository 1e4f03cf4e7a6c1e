//! An event of a recorded execution. Also the unrepeatable members of states, which are members whose values differ in
//! each execution, such as random numbers, times and task tokens.

use crate::definition::{Definition, StateId};
use crate::interpreter::{EventKind, Fault, Origin, Reason};
use crate::json::{Text, Value, parse};
use crate::query::jsonata::{Tree, inner};
use crate::source::Node;
use std::collections::HashMap;
use std::sync::Arc;

/// An event of a recorded execution.
#[derive(Clone, Debug, Default)]
pub struct RecordedEvent {
    /// AWS's id of the event. If the id of a generated event (see `is_made`) is unknown, a number that no recorded
    /// event has.
    pub id: u32,
    /// The member `previousEventId`; `None` if it was not recorded.
    pub previous: Option<u32>,
    /// Time in milliseconds since 1970; `None` if it was not recorded.
    pub time: Option<i64>,
    /// Type of the event in AWS's history, such as `TaskStateEntered`.
    pub type_name: Text,
    /// Kind of the event in a local run; `None` for a type that local runs do not have.
    pub kind: Option<EventKind>,
    /// Name of the state, if the event contains one.
    pub name: Option<Text>,
    /// Index of the item, for an event about an item of a Map.
    pub index: Option<u32>,
    /// Number of items, for the start of a Map.
    pub length: Option<u32>,
    /// Input, output or parameters, depending on the type of the event.
    pub data: Payload,
    /// Variables that were assigned, with their values.
    pub assigned: Option<Value>,
    /// Name of the error.
    pub error: Option<Text>,
    /// Cause of the error.
    pub cause: Option<Text>,
    /// Data that the text of the cause contains: the id of the StateEntered event that it mentions, and the reason of
    /// the error.
    pub mentioned: (Option<u32>, Option<Arc<Reason>>),
    /// The member `resource`: the action or ARN that a task calls.
    pub resource: Option<Text>,
    /// The member `resourceType`: the service that a task calls.
    pub resource_type: Option<Text>,
    /// Time limits of a task in seconds: the values of `timeoutInSeconds` and `heartbeatInSeconds`.
    pub limits: Vec<u64>,
    /// The whole event in AWS's format.
    pub raw: Value,
    /// True for a generated event: it was not recorded, but must have happened before the first recorded event.
    pub is_made: bool,
}

/// Smallest id of generated events whose id in AWS's history is not known.
pub(super) const UNKNOWN_IDS: u32 = 1 << 31;

/// The input, output or parameters in an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Payload {
    /// The event's type has no data.
    #[default]
    Absent,
    /// The data was not recorded or was truncated.
    Unknown,
    /// The data, recorded as a string that contains JSON.
    Text(Text),
    /// The data, recorded as a JSON value.
    Value(Value),
}

impl Payload {
    /// The data as a value; `None` if it is absent or unknown. A string that does not contain JSON is returned
    /// unchanged.
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
    /// AWS's id of the event; 0 if it is not known.
    pub(super) fn aws_id(&self) -> u32 {
        if self.id < UNKNOWN_IDS { self.id } else { 0 }
    }

    /// True if the event may be missing in a local run that repeats the execution.
    pub(super) fn is_optional(&self) -> bool {
        self.kind.is_some_and(is_optional)
    }

    /// The error in the event; `origin` says where the error came from.
    pub(super) fn fault(&self, origin: Origin) -> Fault {
        let (entered, read) = self.mentioned.clone();
        let (error, cause) = (self.error.clone(), self.cause.clone());
        Fault {
            entered,
            ..Fault::outside(origin, Reason::Recorded { read }, error, cause)
        }
    }

    /// True if events of this kind have data (an input, an output or parameters), but the data of this event was not
    /// recorded and cannot be compared with a run.
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

    /// True if the event reports aborted work. The order of such events does not matter.
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

/// True if an event of this kind may be in the run but not in the recorded execution, or vice versa. Services decide
/// whether a task is reported as started and submitted, and the next events show the result of a Parallel anyway.
pub(super) fn is_optional(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::TaskStarted
            | EventKind::TaskSubmitted
            | EventKind::ParallelSucceeded
            | EventKind::ParallelFailed
    )
}

/// Texts in JSONPath fields that make the field's value differ in each execution.
const MARKS: [&str; 3] = ["States.UUID", "States.MathRandom", "$$"];

/// Data in a state's events, such as the input of its call, its output, or the assigned variables. Each field of the
/// state contributes to some of the data.
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

/// The data that the field with this name contributes to.
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

/// For each kind of data in a state's events: names of the members whose values differ in each execution. An empty name
/// means the whole value.
pub(super) type Names = HashMap<Part, Arc<[Text]>>;

/// The members of each state whose values differ in each execution.
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

    /// True if the error or cause of at least one Fail state differs in each execution.
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
    let mut names_by_part: HashMap<Part, Vec<Text>> = HashMap::new();
    for member in members.flatten() {
        for part in parts_of(&member.key.text) {
            collect(&member.value, "", names_by_part.entry(*part).or_default());
        }
    }
    let names_by_part = names_by_part
        .into_iter()
        .filter(|(_, names)| !names.is_empty());
    names_by_part
        .map(|(part, names)| (part, names.into()))
        .collect()
}

/// Collects the names of the members whose values differ in each execution, such as a member with the expression
/// `States.UUID()`.
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
