//! The reasons of faults. All Cause texts of AWS that the interpreter uses are made from these reasons.

use crate::definition::{FieldAt, Owner};
use crate::json::{Text, Value, bare};
use crate::query::jsonata::{Expression, Failure};
use crate::query::{Profile, QueryError, abridged};
use std::sync::Arc;

/// Maximum length of a value quoted in a cause, in bytes.
pub(super) const QUOTED: usize = 10_000;

/// The reason for a fault, with its details.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A path, an intrinsic function or a payload template has no value.
    Query {
        /// The field that contains the failed expression; `None` if only AWS's message is known.
        field: Option<FieldAt>,
        /// The error that the evaluation returned.
        error: QueryError,
    },
    /// The path of a Wait selects nothing.
    Reference {
        /// The field with the path: `SecondsPath` or `TimestampPath`.
        field: FieldAt,
        /// The path as it is written in the definition.
        path: Text,
    },
    /// A path of a Choice rule selects nothing.
    Condition {
        /// The path as written.
        path: Text,
        /// True if the path was applied to null, which AWS does not allow.
        on_null: bool,
    },
    /// A JSONata expression has no value.
    Evaluation {
        /// The expression that failed.
        expression: Arc<Expression>,
        /// The failure of the evaluation.
        failure: Failure,
    },
    /// The value of a JSONata expression is of a type that is not valid for its field.
    WrongType {
        /// The expression that returned the value.
        expression: Arc<Expression>,
        /// Name of the expected type.
        wanted: &'static str,
        /// Name of the actual type.
        found: &'static str,
        /// The value, abridged.
        value: Text,
    },
    /// The items of a Map are not an array.
    NotItems {
        /// The source of the items.
        from: ItemsFrom,
        /// The value that is not an array, as text.
        value: Text,
    },
    /// A number is missing or out of range.
    BadNumber {
        /// The field that sets the number.
        field: FieldAt,
        /// The form of the value in the definition: a literal, a path or an expression.
        given: Given,
        /// The invalid value as text.
        value: Text,
        /// The requirement that the number violates.
        needs: Needs,
    },
    /// A text is not a valid timestamp.
    BadTime {
        /// The field with the timestamp: `Timestamp` or `TimestampPath`.
        field: FieldAt,
        /// The form of the value in the definition: a literal, a path or an expression.
        given: Given,
        /// The invalid value as text.
        value: Text,
    },
    /// AWS does not start a task with these parameters.
    Parameters {
        /// The parameters as JSON text.
        parameters: Text,
        /// AWS's message about the parameters.
        why: Text,
    },
    /// A Wait is longer than AWS allows.
    WaitTooLong,
    /// The path of a Fail state selects something other than a string.
    NotText {
        /// The field with the path: `ErrorPath` or `CausePath`.
        field: FieldAt,
        /// The name of the selected value's type.
        type_name: &'static str,
    },
    /// No rule of a Choice matches, and the Choice has no Default.
    NoRule,
    /// The history has as many events as AWS allows.
    HistoryFull,
    /// More items of a Map failed than the Map tolerates.
    Tolerance {
        /// Number of failed items.
        failed: u32,
        /// Number of items that the Map processes.
        of: u32,
        /// Maximum number of items that may fail.
        count: Option<u64>,
        /// Maximum percentage of items that may fail.
        percentage: Option<f64>,
    },
    /// A value exceeds a limit of bytes or depth.
    TooLarge(TooLarge),
    /// The definition cannot be executed at this point. The text is the error that parsing the definition found.
    Broken(Text),
    /// The TimeoutSeconds of a task passed.
    Timeout,
    /// The HeartbeatSeconds of a task passed without a heartbeat.
    Heartbeat,
    /// A Fail state was executed.
    Fail {
        /// The reason of a caught error whose cause the Fail state passes on; `None` if it passes on none.
        handed_on: Option<Arc<Reason>>,
    },
    /// A task, a reader, a writer or the user returned an error.
    Answer,
    /// The recorded execution failed with this error.
    Recorded {
        /// The reason that was reconstructed from the text of the recorded cause; `None` if that is not possible.
        read: Option<Arc<Reason>>,
    },
}

/// The source of the items of a Map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemsFrom {
    /// The field `ItemsPath`, with this path.
    Path(Text),
    /// The field `Items` of a Map in JSONata mode.
    Items,
    /// The input of a Map in JSONata mode that has no `Items`.
    Input,
    /// A value that the user set in place of the items.
    Edit,
    /// The data that the `ItemReader` reads.
    Reader,
}

/// The form in which the definition gives the value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// The value is written in the definition.
    Literal,
    /// The value is read from the data with this path.
    Path(Text),
    /// A JSONata expression returns the value.
    Expression,
}

/// The requirement that a number in a field must meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The number must be an integer.
    Integer,
    /// Any number is allowed.
    Float,
    /// The number must be greater than 0.
    Positive,
    /// The number must not be less than 0.
    NotNegative,
    /// The number must be from 0 to 100.
    Percentage,
}

/// A value or resource that exceeds a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// The value of the variable with this name exceeds a limit of AWS.
    Variable(Text),
    /// The variables of one Assign together exceed a limit of AWS.
    Assign,
    /// The variables of the execution together exceed a limit of AWS.
    Variables,
    /// The payload that a state or a task returned exceeds a limit of AWS.
    Payload {
        /// Name of the state, or resource of the task, that returned the payload.
        by: Text,
        /// True if the payload is the result of a task; Retry and Catch can then handle the error.
        is_result: bool,
    },
    /// A value that exceeds the debugger's own limit of size or of nesting depth.
    Value {
        /// The stage or variable that the value belongs to.
        of: Text,
        /// Size of the value in bytes.
        bytes: u64,
        /// Nesting depth of the value.
        depth: u32,
        /// The limits: maximum size in bytes and maximum nesting depth.
        most: (u64, u32),
    },
}

/// The state that AWS names at the beginning of a cause.
#[derive(Clone, Copy, Debug)]
pub struct Entered<'s> {
    /// The state's name.
    pub state: &'s str,
    /// History id of the StateEntered event of this state.
    pub event: u32,
}

impl Reason {
    /// The reason for a value whose type is not valid for its field.
    pub(super) fn wrong_type(
        expression: &Arc<Expression>,
        wanted: &'static str,
        value: &Value,
    ) -> Self {
        // Numbers are rejected only if they have a fraction or are too large, so AWS names the type `integer`.
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

    /// The reason for a number that does not meet the requirement `needs`.
    pub(super) fn bad_number(field: FieldAt, given: Given, value: &Value, needs: Needs) -> Self {
        Self::BadNumber {
            field,
            given,
            value: bare(value).into(),
            needs,
        }
    }

    /// AWS's message for this reason, after the prefix that names the state; `None` if the cause comes from outside the
    /// interpreter.
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
                    // AWS prints a context path with a single dollar.
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
            Self::NotText { field, type_name } => {
                let name = field.name;
                format!("The {name} field refers to a {type_name} and not to a string")
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

    /// Error names that the interpreter uses for this reason; `None` if the error name comes from outside the
    /// interpreter.
    pub(super) fn names(&self) -> Option<Names> {
        Some(match self {
            Self::Query { error, .. } => match error.spec_name() {
                "States.IntrinsicFailure" => INTRINSIC_FAILURE,
                "States.ResultPathMatchFailure" => RESULT_PATH_MATCH_FAILURE,
                _ => PATH_FAILURE,
            },
            Self::Reference { .. } | Self::Condition { .. } => PATH_FAILURE,
            Self::Evaluation { .. } | Self::WrongType { .. } => QUERY_EVALUATION,
            Self::NotItems { from, .. } => match from {
                ItemsFrom::Items | ItemsFrom::Input => QUERY_EVALUATION,
                ItemsFrom::Path(_) | ItemsFrom::Edit => BAD_VALUE,
                ItemsFrom::Reader => return None,
            },
            Self::BadNumber { field, .. } if field.owner == Owner::Batcher => BAD_VALUE,
            Self::BadNumber {
                given: Given::Expression,
                ..
            }
            | Self::BadTime {
                given: Given::Expression,
                ..
            } => QUERY_EVALUATION,
            Self::BadNumber { .. }
            | Self::BadTime { .. }
            | Self::Parameters { .. }
            | Self::WaitTooLong
            | Self::NotText { .. } => BAD_VALUE,
            Self::NoRule => NO_CHOICE_MATCHED,
            Self::Tolerance { .. } => TOLERANCE,
            Self::TooLarge(_) => DATA_LIMIT_EXCEEDED,
            Self::HistoryFull | Self::Broken(_) => UNRUNNABLE,
            Self::Timeout
            | Self::Heartbeat
            | Self::Fail { .. }
            | Self::Answer
            | Self::Recorded { .. } => return None,
        })
    }

    /// A short code for the reason, such as `no-rule`.
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

    /// The reason from which the cause text was made. For a Fail state that passes on an error, the reason of that
    /// error; for a recorded error, the reason parsed from the recorded cause.
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

    /// This reason; for an error of a recorded execution, the reason that was reconstructed from the recorded cause.
    #[must_use]
    pub fn read(&self) -> &Self {
        match self {
            Self::Recorded { read: Some(read) } => read,
            reason => reason,
        }
    }

    /// The path that selects nothing and, if known, the field that contains it. `None` if a path is not the reason for
    /// the fault.
    #[must_use]
    pub fn missed(&self) -> Option<(&Text, Option<&str>)> {
        match self.read() {
            Self::Query { error, .. } => error.missed(),
            Self::Reference { field, path } => Some((path, Some(field.name))),
            Self::Condition { path, .. } => Some((path, None)),
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
            // These fields belong to the state itself, so their location is the field name.
            Self::BadNumber { field, given, .. } | Self::BadTime { field, given, .. } => {
                (*given == Given::Expression).then_some(field.name)
            }
            _ => None,
        }
    }

    /// The field with the invalid value, if a single field of the state is at fault.
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

    /// Size of the texts in the reason, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        // The cause quotes all texts of the reason, so its length is used as their size.
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

fn too_large(exceeded: &TooLarge) -> String {
    let limit = PAYLOAD_LIMIT;
    match exceeded {
        TooLarge::Variable(name) => {
            format!("The value of the variable '{name}' exceeds the limit of {limit} bytes.")
        }
        TooLarge::Assign => {
            format!("The variables of one Assign exceed the limit of {limit} bytes.")
        }
        TooLarge::Variables => {
            let limit = VARIABLES_LIMIT;
            format!("The variables of the execution exceed the limit of {limit} bytes.")
        }
        TooLarge::Payload { by, .. } => format!(
            "The state/task '{by}' returned a result with a size exceeding the maximum number of bytes service limit."
        ),
        TooLarge::Value {
            of: name,
            bytes,
            depth,
            most: (max_bytes, max_depth),
        } => format!(
            "the value of {name} has {bytes} bytes and {depth} levels; asldbg can run at most {max_bytes} bytes and {max_depth} levels"
        ),
    }
}

/// The name of an error in the specification, its name on AWS, and true if Retry and Catch can match the error on AWS.
type Names = (&'static str, &'static str, bool);

const RUNTIME: &str = "States.Runtime";
/// The names of the error for a path in Parameters, InputPath, a Choice, ... that selects nothing.
const PATH_FAILURE: Names = ("States.ParameterPathFailure", RUNTIME, false);
const RESULT_PATH_MATCH_FAILURE: Names = handled("States.ResultPathMatchFailure");
const INTRINSIC_FAILURE: Names = ("States.IntrinsicFailure", RUNTIME, false);
/// The names of the error for a Choice that has no matching rule and no Default.
const NO_CHOICE_MATCHED: Names = ("States.NoChoiceMatched", RUNTIME, false);
/// The names of the error for a value in the data that its field does not allow, such as a negative SecondsPath.
const BAD_VALUE: Names = UNRUNNABLE;
const TOLERANCE: Names = handled("States.ExceedToleratedFailureThreshold");
const DATA_LIMIT_EXCEEDED: Names = handled("States.DataLimitExceeded");
const QUERY_EVALUATION: Names = handled("States.QueryEvaluationError");
/// The names of the error for a definition that cannot be executed at this point.
pub(super) const UNRUNNABLE: Names = (RUNTIME, RUNTIME, false);

/// The names of an error that has the same name on AWS, and that Retry and Catch can match there.
const fn handled(name: &'static str) -> Names {
    (name, name, true)
}

/// The error name of a Choice in which no rule matches and that has no Default.
#[must_use]
pub fn no_choice_matched(profile: Profile) -> &'static str {
    match profile {
        Profile::Spec => NO_CHOICE_MATCHED.0,
        Profile::Aws => NO_CHOICE_MATCHED.1,
    }
}

/// Maximum size of a payload on AWS, in bytes; the specification has no limit.
pub const PAYLOAD_LIMIT: u64 = 262_144;

/// Maximum total size of an execution's variables on AWS, in bytes.
pub const VARIABLES_LIMIT: u64 = 10 << 20;

/// Maximum number of events in an execution history on AWS; the specification has no limit.
pub const HISTORY_LIMIT: u32 = 25_000;
