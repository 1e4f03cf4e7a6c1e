//! Error names in the specification and on AWS, and the limits in which the two differ (ASL-SEMANTICS 20.1).

use crate::query::{Profile, QueryError};

/// A kind of error that the interpreter itself raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A path in Parameters, InputPath, a Choice, ... selects nothing.
    PathFailure,
    /// ResultPath cannot be applied.
    ResultPathMatchFailure,
    /// An intrinsic function fails.
    IntrinsicFailure,
    /// No Choice rule matches and there is no Default.
    NoChoiceMatched,
    /// A value in the data is not valid for its field (a negative SecondsPath, items that are not an array, ...).
    BadValue,
    /// More items failed than the Map tolerates.
    ExceedToleratedFailureThreshold,
    /// A value is too large or too deeply nested.
    DataLimitExceeded,
    /// A JSONata expression fails or returns a value that is not valid for its field.
    QueryEvaluation,
    /// The definition cannot be executed at this point.
    Unrunnable,
}

/// For each kind: its name under `spec`, its name under `aws`, and whether Retry and Catch can match it on AWS.
const NAMES: [(FaultKind, &str, &str, bool); 9] = [
    (
        FaultKind::PathFailure,
        "States.ParameterPathFailure",
        "States.Runtime",
        false,
    ),
    (
        FaultKind::ResultPathMatchFailure,
        "States.ResultPathMatchFailure",
        "States.ResultPathMatchFailure",
        true,
    ),
    (
        FaultKind::IntrinsicFailure,
        "States.IntrinsicFailure",
        "States.Runtime",
        false,
    ),
    (
        FaultKind::NoChoiceMatched,
        "States.NoChoiceMatched",
        "States.Runtime",
        false,
    ),
    (
        FaultKind::BadValue,
        "States.Runtime",
        "States.Runtime",
        false,
    ),
    (
        FaultKind::ExceedToleratedFailureThreshold,
        "States.ExceedToleratedFailureThreshold",
        "States.ExceedToleratedFailureThreshold",
        true,
    ),
    (
        FaultKind::DataLimitExceeded,
        "States.DataLimitExceeded",
        "States.DataLimitExceeded",
        true,
    ),
    (
        FaultKind::QueryEvaluation,
        "States.QueryEvaluationError",
        "States.QueryEvaluationError",
        true,
    ),
    (
        FaultKind::Unrunnable,
        "States.Runtime",
        "States.Runtime",
        false,
    ),
];

/// The error name of a Choice in which no rule matches and that has no Default.
#[must_use]
pub fn no_choice_matched(profile: Profile) -> &'static str {
    let (spec, aws, _) = names(FaultKind::NoChoiceMatched);
    match profile {
        Profile::Spec => spec,
        Profile::Aws => aws,
    }
}

/// The name of an error kind under `spec` and under `aws`, and whether Retry and Catch can match it on AWS.
#[must_use]
pub fn names(kind: FaultKind) -> (&'static str, &'static str, bool) {
    let row = NAMES.iter().find(|(own, ..)| *own == kind);
    debug_assert!(row.is_some(), "{kind:?} has no row");
    row.map_or(
        ("States.Runtime", "States.Runtime", false),
        |(_, spec, aws, handled)| (spec, aws, *handled),
    )
}

/// The error kind of a failed query.
#[must_use]
pub fn kind_of(error: &QueryError) -> FaultKind {
    match error.spec_name() {
        "States.IntrinsicFailure" => FaultKind::IntrinsicFailure,
        "States.ResultPathMatchFailure" => FaultKind::ResultPathMatchFailure,
        _ => FaultKind::PathFailure,
    }
}

/// Default TimeoutSeconds of a task: 60 in the specification, none on AWS (C10).
#[must_use]
pub fn default_timeout_seconds(profile: Profile) -> Option<u64> {
    match profile {
        Profile::Spec => Some(60),
        Profile::Aws => None,
    }
}

/// Maximum size of a payload on AWS, in bytes; the specification has no limit.
pub const PAYLOAD_LIMIT: u64 = 262_144;

/// Maximum total size of an execution's variables on AWS, in bytes.
pub const VARIABLES_LIMIT: u64 = 10 << 20;

/// Maximum number of events in an execution history on AWS; the specification has no limit.
pub const HISTORY_LIMIT: u32 = 25_000;
