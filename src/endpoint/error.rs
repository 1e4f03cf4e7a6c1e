//! Errors of the API, with AWS's codes and texts.

use super::reply::body_of;
use serde_json::json;

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
    /// Name of the exception class that clients raise.
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
        body_of(&json!({"__type": self.code(), "message": self.to_string()}))
    }
}

/// Result of an operation.
pub(super) type Answered<T> = Result<T, ApiError>;
