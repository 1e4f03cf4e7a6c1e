//! Responses of operations: results that are ready or pending, and errors with AWS's codes and texts. Also converts
//! requests and results for `aws-sdk:sfn` tasks.

use crate::json::{self, Text};
use crate::query::format_timestamp;
use serde_json::{Value, json};
use std::time::Duration;

/// Response of an operation.
pub(super) enum Reply {
    /// A body that is ready.
    Now(String),
    /// A body that will be available later.
    Later(Box<dyn Pending>),
}

/// A response that is not ready yet, because its operation waits for something.
pub(super) trait Pending: Send {
    /// Waits for the body for at most `patience`; returns `None` if it is not ready then.
    fn wait(&mut self, patience: Duration) -> Option<String>;

    /// Called directly before the response is sent. `heard` is false if the client has gone; the result is then given
    /// back, so that another client can receive it.
    fn is_heard(&mut self, heard: bool) {
        let _ = heard;
    }
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self::Now(body_of(value))
    }
}

/// Serializes a value as a body; AWS omits members that are null.
pub(super) fn body_of(value: Value) -> String {
    rebuilt(value, &|name, value| {
        (!value.is_null()).then_some((name, value))
    })
    .to_string()
}

/// Rebuilds a value by changing the members of all its objects, outer objects first: `change` returns the new name and
/// value of a member, or `None` to omit the member.
fn rebuilt(value: Value, change: &impl Fn(String, Value) -> Option<(String, Value)>) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter();
            let members = members.filter_map(|(name, value)| change(name, value));
            Value::Object(
                members
                    .map(|(name, value)| (name, rebuilt(value, change)))
                    .collect(),
            )
        }
        Value::Array(items) => {
            let items = items.into_iter();
            Value::Array(items.map(|item| rebuilt(item, change)).collect())
        }
        other => other,
    }
}

/// Converts milliseconds since 1970 to the API's time format: seconds with three decimals.
pub(super) fn timestamp(millis: i64) -> Value {
    let text = format!("{}.{:03}", millis.div_euclid(1000), millis.rem_euclid(1000));
    serde_json::from_str(&text).unwrap_or_default()
}

/// An error response; its HTTP status is always 400.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ApiError {
    #[error("Activity Does Not Exist: '{0}'")]
    ActivityDoesNotExist(String),
    #[error("{0}")]
    ConflictException(String),
    #[error("Execution Already Exists: '{0}'")]
    ExecutionAlreadyExists(String),
    #[error("Execution Does Not Exist: '{0}'")]
    ExecutionDoesNotExist(String),
    #[error("{0}")]
    ExecutionLimitExceeded(String),
    #[error("{0}")]
    ExecutionNotRedrivable(String),
    #[error("Invalid Arn: '{0}'")]
    InvalidArn(String),
    #[error("{0}")]
    InvalidDefinition(String),
    #[error("Invalid State Machine Execution Input: '{0}'")]
    InvalidExecutionInput(String),
    #[error("Invalid Logging Configuration: {0}")]
    InvalidLoggingConfiguration(String),
    #[error("Invalid Name: '{0}'")]
    InvalidName(String),
    #[error("Invalid Output: '{0}'")]
    InvalidOutput(String),
    #[error("Invalid Token: 'Invalid token'")]
    InvalidToken,
    #[error(
        "Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified"
    )]
    MissingRequiredParameter,
    #[error("{0}")]
    NoTestCase(String),
    #[error("{0}")]
    ResourceNotFound(String),
    #[error("{0}")]
    SerializationException(String),
    #[error("State Machine Already Exists: '{0}'")]
    StateMachineAlreadyExists(String),
    #[error("State Machine Does Not Exist: '{0}'")]
    StateMachineDoesNotExist(String),
    #[error("{0}")]
    StateMachineLimitExceeded(String),
    #[error("This operation is not supported by this type of state machine")]
    StateMachineTypeNotSupported,
    #[error("Task Does Not Exist: 'Task does not exist'")]
    TaskDoesNotExist,
    #[error("Task Timed Out: 'Provided task does not exist anymore'")]
    TaskTimedOut,
    #[error("{0}")]
    TooManyTags(String),
    #[error("Step Functions has no operation {0}")]
    UnknownOperationException(String),
    #[error("{0}")]
    ValidationException(String),
}

impl ApiError {
    /// The error code, which is the name of the exception class in clients.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::ActivityDoesNotExist(_) => "ActivityDoesNotExist",
            Self::ConflictException(_) => "ConflictException",
            Self::ExecutionAlreadyExists(_) => "ExecutionAlreadyExists",
            Self::ExecutionDoesNotExist(_) => "ExecutionDoesNotExist",
            Self::ExecutionLimitExceeded(_) => "ExecutionLimitExceeded",
            Self::ExecutionNotRedrivable(_) => "ExecutionNotRedrivable",
            Self::InvalidArn(_) => "InvalidArn",
            Self::InvalidDefinition(_) => "InvalidDefinition",
            Self::InvalidExecutionInput(_) => "InvalidExecutionInput",
            Self::InvalidLoggingConfiguration(_) => "InvalidLoggingConfiguration",
            Self::InvalidName(_) | Self::NoTestCase(_) => "InvalidName",
            Self::InvalidOutput(_) => "InvalidOutput",
            Self::InvalidToken => "InvalidToken",
            Self::MissingRequiredParameter => "MissingRequiredParameter",
            Self::ResourceNotFound(_) => "ResourceNotFound",
            Self::SerializationException(_) => "SerializationException",
            Self::StateMachineAlreadyExists(_) => "StateMachineAlreadyExists",
            Self::StateMachineDoesNotExist(_) => "StateMachineDoesNotExist",
            Self::StateMachineLimitExceeded(_) => "StateMachineLimitExceeded",
            Self::StateMachineTypeNotSupported => "StateMachineTypeNotSupported",
            Self::TaskDoesNotExist => "TaskDoesNotExist",
            Self::TaskTimedOut => "TaskTimedOut",
            Self::TooManyTags(_) => "TooManyTags",
            Self::UnknownOperationException(_) => "UnknownOperationException",
            Self::ValidationException(_) => "ValidationException",
        }
    }

    /// Body of the error response.
    pub(super) fn body(&self) -> String {
        body_of(json!({"__type": self.code(), "message": self.to_string()}))
    }
}

/// Result of an operation.
pub(super) type Answered<T> = Result<T, ApiError>;

/// Converts the input of an `aws-sdk:sfn` task to a request of the API. In the input, names start with a capital
/// letter.
pub(super) fn sdk_request(input: &json::Value) -> Value {
    rebuilt(input.to_serde(), &|name, value| {
        let name = with_first(&name, |first| first.to_ascii_lowercase());
        Some((name, value))
    })
}

/// Converts a response of the API to the result of an `aws-sdk:sfn` task. In the result, names start with a capital
/// letter and times are strings.
pub(super) fn sdk_result(body: &str) -> json::Value {
    let value = serde_json::from_str(body).unwrap_or_default();
    let value = rebuilt(value, &|name, value| {
        let is_date = name.ends_with("Date") || name == "timestamp";
        let seconds = value.as_f64().filter(|_| is_date);
        let value = seconds.map_or(value, |seconds| Value::String(text_of(seconds)));
        Some((with_first(&name, |first| first.to_ascii_uppercase()), value))
    });
    json::parse(&value.to_string()).unwrap_or_default()
}

fn with_first(name: &str, change: impl Fn(char) -> char) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(change);
    first.into_iter().chain(letters).collect()
}

fn text_of(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number of milliseconds since 1970 is far below 2^53"
    )]
    let millis = (seconds * 1000.0).round() as i64;
    format_timestamp(millis)
}

/// Name of the operation that a task calls; `None` if this server does not have the operation.
pub(super) fn sdk_operation(service: &Text, api: &Text) -> Option<String> {
    (&**service == "aws-sdk:sfn" && !api.contains('.'))
        .then(|| with_first(api, |first| first.to_ascii_uppercase()))
}
