//! Why a fault arose, as data. AWS's Cause is worded from it here and nowhere else.

use super::profile::{self, FaultKind, HISTORY_LIMIT};
use crate::definition::{FieldAt, Owner};
use crate::json::{Text, Value, bare};
use crate::query::jsonata::{Expression, Failure};
use crate::query::{Missed, QueryError, abridged};
use std::sync::Arc;

/// Longest quotation of a value in a cause, in bytes.
pub(super) const QUOTED: usize = 10_000;

/// Why a fault arose.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A path, an intrinsic function or a payload template has no value.
    Query {
        /// The field that contains it; `None` if only AWS's message is known.
        field: Option<FieldAt>,
        /// What went wrong.
        error: QueryError,
    },
    /// The path of a Wait selects nothing.
    Reference {
        /// `SecondsPath` or `TimestampPath`.
        field: FieldAt,
        /// The path as written.
        path: Text,
    },
    /// A path of a Choice rule selects nothing.
    Condition {
        /// The index of the rule; `None` if only AWS's message is known.
        rule: Option<u32>,
        /// The path as written.
        path: Text,
        /// Whether the document is null, to which AWS applies no path.
        on_null: bool,
    },
    /// A JSONata expression has no value.
    Evaluation {
        /// The expression.
        expression: Arc<Expression>,
        /// What went wrong.
        failure: Failure,
    },
    /// The value of a JSONata expression is of a type that its field does not take.
    WrongType {
        /// The expression.
        expression: Arc<Expression>,
        /// The name of the type that the field takes.
        wanted: &'static str,
        /// The name of the value's type.
        found: &'static str,
        /// The value, abridged.
        value: Text,
    },
    /// The items of a Map are no array.
    NotItems {
        /// Where the items come from.
        from: ItemsFrom,
        /// The value as text.
        value: Text,
    },
    /// A number is missing or out of range.
    BadNumber {
        /// The field that contains it.
        field: FieldAt,
        /// How the field gives it.
        given: Given,
        /// The value as text.
        value: Text,
        /// What the number has to be.
        needs: Needs,
    },
    /// A text is no timestamp.
    BadTime {
        /// `Timestamp` or `TimestampPath`.
        field: FieldAt,
        /// How the field gives it.
        given: Given,
        /// The value as text.
        value: Text,
    },
    /// AWS does not start a task with these parameters.
    Parameters {
        /// The parameters as JSON text.
        parameters: Text,
        /// What AWS says of them.
        why: Text,
    },
    /// A Wait is longer than AWS waits.
    WaitTooLong,
    /// The path of a Fail state selects something other than a string.
    NotText {
        /// `ErrorPath` or `CausePath`.
        field: FieldAt,
        /// The name of the value's type.
        found: &'static str,
    },
    /// No rule of a Choice matches, and it has no Default.
    NoRule,
    /// The history has as many events as AWS allows.
    HistoryFull,
    /// More items of a Map failed than it tolerates.
    Tolerance {
        /// How many failed.
        failed: u32,
        /// How many there are.
        of: u32,
        /// How many may fail.
        count: Option<u64>,
        /// What percentage may fail.
        percentage: Option<f64>,
    },
    /// A value exceeds a limit of bytes or depth.
    TooLarge(TooLarge),
    /// The definition cannot be run at this place, as lowering it said.
    Broken(Text),
    /// TimeoutSeconds passed.
    Timeout,
    /// HeartbeatSeconds passed.
    Heartbeat,
    /// A Fail state.
    Fail {
        /// The reason of the caught error whose cause the state hands on.
        handed_on: Option<Arc<Reason>>,
    },
    /// A task, a reader, a writer or a person answered with an error.
    Answer,
    /// A recorded execution failed so.
    Recorded {
        /// What its cause says, if it could be read.
        read: Option<Arc<Reason>>,
    },
}

/// Where the items of a Map come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemsFrom {
    /// From `ItemsPath` with this path.
    Path(Text),
    /// From a JSONata `Items`.
    Items,
    /// From the input of a state in JSONata mode.
    Input,
    /// From the value that a person put in their place.
    Edit,
    /// From `ItemReader`.
    Reader,
}

/// How a field gives its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// It is written in the definition.
    Literal,
    /// It is read from the data with this path.
    Path(Text),
    /// A JSONata expression returns it.
    Expression,
}

/// What a number has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// An integer.
    Integer,
    /// Any number.
    Float,
    /// More than 0.
    Positive,
    /// Not less than 0.
    NotNegative,
    /// From 0 to 100.
    Percentage,
}

/// What exceeds a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// The value of this variable, on AWS.
    Variable(Text),
    /// All variables of one Assign, on AWS.
    Assign,
    /// All variables of the execution, on AWS.
    Variables,
    /// The payload that this state or task returned, on AWS.
    Payload {
        /// The name of the state, or the resource of the task.
        by: Text,
        /// True if it is the result of a task, which can be caught.
        is_result: bool,
    },
    /// A value that is too large or too deep for any run.
    Value {
        /// What the value is of: a stage or a variable.
        of: Text,
        /// Its size in bytes.
        bytes: u64,
        /// Its depth.
        depth: u32,
        /// The largest size in bytes, and the largest depth.
        most: (u64, u32),
    },
}

/// The state that AWS names at the beginning of a cause.
#[derive(Clone, Copy, Debug)]
pub struct Entered<'s> {
    /// Its name.
    pub state: &'s str,
    /// The history id of its StateEntered.
    pub event: u32,
}

impl Reason {
    /// A value that its field does not take.
    pub(super) fn wrong_type(
        expression: &Arc<Expression>,
        wanted: &'static str,
        value: &Value,
    ) -> Self {
        // A number is unsuitable if it has a fraction, or is too large for what it counts.
        let wanted = match (wanted, value) {
            ("number", Value::Number(_)) => "integer",
            _ => wanted,
        };
        Self::WrongType {
            expression: Arc::clone(expression),
            wanted,
            found: value.type_name(),
            value: abridged(value, QUOTED).into(),
        }
    }

    /// A number that does not do.
    pub(super) fn bad_number(field: FieldAt, given: Given, value: &Value, needs: Needs) -> Self {
        Self::BadNumber {
            field,
            given,
            value: bare(value).into(),
            needs,
        }
    }

    /// AWS's message, after the words that name the state; `None` if the cause is what somebody answered or wrote.
    #[must_use]
    pub fn cause(&self, prefix: Option<Entered<'_>>) -> Option<String> {
        let text = self.text()?;
        Some(match prefix {
            Some(Entered { state, event }) => format!(
                "An error occurred while executing the state '{state}' (entered at the event id #{event}). {text}"
            ),
            None => text,
        })
    }

    fn text(&self) -> Option<String> {
        Some(match self {
            Self::Query { error, .. } => error.reason(),
            Self::Reference { field, path } => {
                let name = field.name;
                format!("The {name} parameter does not reference an input value: {path}")
            }
            Self::Condition {
                path,
                on_null: true,
                ..
            } => {
                let path = path.clone();
                QueryError::NullDocument { path }.reason()
            }
            Self::Condition { path, .. } => format!(
                "Invalid path '{path}': The choice state's condition path references an invalid value."
            ),
            Self::Evaluation {
                expression,
                failure,
            } => format!(
                "The JSONata expression '{}' specified for the field '{}' {failure}",
                expression.text, expression.location
            ),
            Self::WrongType {
                expression,
                wanted,
                found,
                value,
            } => format!(
                "The JSONata expression '{}' specified for the field '{}' returned an unexpected result type. Expected '{wanted}', but was '{found}' for value: {value}",
                expression.text, expression.location
            ),
            Self::NotItems { from, value } => match from {
                ItemsFrom::Path(path) => {
                    // AWS prints a context path without one of its dollars (AWS-RECORDED 2).
                    let path = path.replacen("$$", "$", 1);
                    format!("Reference path \"{path}\" must point to array.")
                }
                ItemsFrom::Items => format!("Map state Items must be an array but was: {value}"),
                ItemsFrom::Input | ItemsFrom::Edit => {
                    format!("Map state input must be an array but was: {value}")
                }
                ItemsFrom::Reader => "Attempting to map over non-iterable node.".to_string(),
            },
            Self::BadNumber {
                field,
                given,
                value,
                needs,
            } => bad_number(*field, given, value, *needs),
            Self::BadTime {
                given: Given::Path(path),
                value,
                ..
            } => format!(
                "The TimestampPath parameter does not reference a valid ISO-8601 extended offset date-time format string: {path} == {value}"
            ),
            Self::BadTime { value, .. } => format!(
                "The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: {value}"
            ),
            Self::Parameters { parameters, why } => format!(
                "The Parameters '{parameters}' could not be used to start the Task: [{why}]"
            ),
            Self::WaitTooLong => "Wait state delay is too long.".to_string(),
            Self::NotText { field, found } => {
                let name = field.name;
                format!("The {name} field refers to a {found} and not to a string")
            }
            Self::NoRule => {
                "Failed to transition out of the state. The state does not point to a next state."
                    .to_string()
            }
            Self::HistoryFull => format!(
                "The execution reached the maximum number of history events ({HISTORY_LIMIT})."
            ),
            Self::Tolerance { .. } => {
                "The specified tolerated failure threshold was exceeded".to_string()
            }
            Self::TooLarge(what) => too_large(what),
            Self::Broken(why) => why.to_string(),
            Self::Recorded { read } => return read.as_ref()?.text(),
            Self::Fail { handed_on } => return handed_on.as_ref()?.text(),
            Self::Timeout | Self::Heartbeat | Self::Answer => return None,
        })
    }

    /// What kind of error the interpreter makes of it; `None` if somebody else named the error.
    #[must_use]
    pub fn kind(&self) -> Option<FaultKind> {
        Some(match self {
            Self::Query { error, .. } => profile::kind_of(error),
            Self::Reference { .. } | Self::Condition { .. } => FaultKind::PathFailure,
            Self::Evaluation { .. } | Self::WrongType { .. } => FaultKind::QueryEvaluation,
            Self::NotItems { from, .. } => match from {
                ItemsFrom::Items | ItemsFrom::Input => FaultKind::QueryEvaluation,
                ItemsFrom::Path(_) | ItemsFrom::Edit => FaultKind::BadValue,
                ItemsFrom::Reader => return None,
            },
            Self::BadNumber { field, .. } if field.owner == Owner::Batcher => FaultKind::BadValue,
            Self::BadNumber {
                given: Given::Expression,
                ..
            }
            | Self::BadTime {
                given: Given::Expression,
                ..
            } => FaultKind::QueryEvaluation,
            Self::BadNumber { .. }
            | Self::BadTime { .. }
            | Self::Parameters { .. }
            | Self::WaitTooLong
            | Self::NotText { .. } => FaultKind::BadValue,
            Self::NoRule => FaultKind::NoChoiceMatched,
            Self::Tolerance { .. } => FaultKind::ExceedToleratedFailureThreshold,
            Self::TooLarge(_) => FaultKind::DataLimitExceeded,
            Self::HistoryFull | Self::Broken(_) => FaultKind::Unrunnable,
            Self::Timeout
            | Self::Heartbeat
            | Self::Fail { .. }
            | Self::Answer
            | Self::Recorded { .. } => return None,
        })
    }

    /// What kind it is, as a code: `no-rule`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.read() {
            Self::Query { .. } => "no-value",
            Self::Reference { .. } | Self::Condition { .. } => "path-finds-nothing",
            Self::Evaluation { .. } => "expression-failed",
            Self::WrongType { .. } => "wrong-type",
            Self::NotItems { .. } => "no-array",
            Self::BadNumber { .. } => "bad-number",
            Self::BadTime { .. } => "bad-time",
            Self::WaitTooLong => "wait-too-long",
            Self::NotText { .. } => "no-text",
            Self::NoRule => "no-rule",
            Self::HistoryFull => "history-full",
            Self::Tolerance { .. } => "too-many-failed",
            Self::TooLarge(_) => "too-large",
            Self::Broken(_) => "broken-definition",
            Self::Timeout => "timed-out",
            Self::Heartbeat => "no-heartbeat",
            Self::Fail { .. } => "fail-state",
            Self::Answer => "answered",
            Self::Parameters { .. } => "refused-parameters",
            Self::Recorded { .. } => "recorded",
        }
    }

    /// The reason that the cause tells: that of the error which a Fail state hands on, or what was read from a recorded
    /// cause.
    #[must_use]
    pub fn innermost(&self) -> &Self {
        let mut reason = self;
        while let Self::Fail {
            handed_on: Some(inner),
        }
        | Self::Recorded { read: Some(inner) } = reason
        {
            reason = inner;
        }
        reason
    }

    /// The reason of this very fault: what was read from a recorded cause.
    #[must_use]
    pub fn read(&self) -> &Self {
        match self {
            Self::Recorded { read: Some(read) } => read,
            own => own,
        }
    }

    /// The path that selects nothing, if that is the reason.
    #[must_use]
    pub fn missed(&self) -> Option<Missed> {
        match self.read() {
            Self::Query { error, .. } => error.missed(),
            Self::Reference { field, path } => Some(Missed {
                path: path.clone(),
                field: Some(field.name.into()),
            }),
            Self::Condition { path, .. } => Some(Missed {
                path: path.clone(),
                field: None,
            }),
            _ => None,
        }
    }

    /// The location within the state, as AWS prints it, of the JSONata expression whose evaluation failed.
    #[must_use]
    pub fn location(&self) -> Option<&str> {
        match self.read() {
            Self::Evaluation { expression, .. } | Self::WrongType { expression, .. } => {
                Some(&expression.location)
            }
            // These stand in the state itself, where a field's location is its name.
            Self::BadNumber { field, given, .. } | Self::BadTime { field, given, .. } => {
                (*given == Given::Expression).then_some(field.name)
            }
            _ => None,
        }
    }

    /// The field of the state whose value does not do, if a single one is at fault.
    #[must_use]
    pub fn field(&self) -> Option<FieldAt> {
        match self.read() {
            Self::Query { field, .. } => *field,
            Self::Reference { field, .. }
            | Self::BadNumber { field, .. }
            | Self::BadTime { field, .. }
            | Self::NotText { field, .. } => Some(*field),
            _ => None,
        }
    }

    /// Bytes that its texts take.
    #[must_use]
    pub fn size(&self) -> usize {
        // The texts are quoted in the cause.
        self.text().map_or(0, |text| text.len())
    }
}

fn bad_number(field: FieldAt, given: &Given, value: &str, needs: Needs) -> String {
    let name = field.name;
    let short = name.strip_suffix("Path").unwrap_or(name);
    match (field.owner, short, given, needs) {
        (Owner::ReaderConfig, _, _, Needs::Positive) => {
            "field MaxItems must be positive".to_string()
        }
        (Owner::Batcher, _, _, Needs::Positive) => format!(
            "The {short}Path field refers to value \"{value}\" which is not a positive integer"
        ),
        (_, "Seconds", Given::Path(path), Needs::NotNegative) => {
            format!("The SecondsPath parameter references a negative value: {path} == {value}")
        }
        (_, "Seconds", Given::Path(path), _) => {
            format!("The SecondsPath parameter cannot be parsed as a long value: {path} == {value}")
        }
        (_, "Seconds", ..) => format!("The Seconds field must not be negative: {value}"),
        (.., Needs::NotNegative) => format!("{short} cannot be negative."),
        (.., Needs::Percentage) => format!("{short} must be between 0 and 100."),
        (.., Given::Path(path), _) => {
            let needs = match needs {
                Needs::Positive => "positive integer",
                Needs::Float => "valid float",
                _ => "valid integer",
            };
            format!("The {name} field refers to value \"{value}\" which is not a {needs}: {path}")
        }
        _ => format!("The {short} field must be a positive integer: {value}"),
    }
}

fn too_large(what: &TooLarge) -> String {
    let limit = profile::PAYLOAD_LIMIT;
    match what {
        TooLarge::Variable(name) => {
            format!("The value of the variable '{name}' exceeds the limit of {limit} bytes.")
        }
        TooLarge::Assign => {
            format!("The variables of one Assign exceed the limit of {limit} bytes.")
        }
        TooLarge::Variables => {
            let limit = profile::VARIABLES_LIMIT;
            format!("The variables of the execution exceed the limit of {limit} bytes.")
        }
        TooLarge::Payload { by, .. } => format!(
            "The state/task '{by}' returned a result with a size exceeding the maximum number of bytes service limit."
        ),
        TooLarge::Value {
            of,
            bytes,
            depth,
            most: (most, levels),
        } => format!(
            "the value of {of} has {bytes} bytes and is {depth} deep; at most {most} bytes and {levels} levels are run"
        ),
    }
}
