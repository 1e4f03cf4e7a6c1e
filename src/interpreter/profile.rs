//! What an error is called by the specification and on AWS, and the limits that differ, as one table (ASL-SEMANTICS 20.1).
//!
//! It must not know which state asks.

use crate::query::{Profile, QueryError};

/// A kind of error that the interpreter itself makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A path in Parameters, InputPath, a Choice, ... finds nothing.
    PathFailure,
    /// ResultPath cannot be applied.
    ResultPathMatchFailure,
    /// An intrinsic function fails.
    IntrinsicFailure,
    /// No rule of a Choice holds and there is no Default.
    NoChoiceMatched,
    /// A value of the data is not what a field needs (a negative SecondsPath, items that are no array, ...).
    BadValue,
    /// More items failed than are tolerated.
    ExceedToleratedFailureThreshold,
    /// A value is too large or too deep.
    DataLimitExceeded,
    /// A JSONata expression fails or gives what its field does not take.
    QueryEvaluation,
    /// The definition cannot be run at this place.
    Unrunnable,
}

/// What each kind is called under `spec`, under `aws`, and whether Retry and Catch see it on AWS.
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

/// The error of a Choice in which no rule holds and that has no Default, as the profile names it.
#[must_use]
pub fn no_choice_matched(profile: Profile) -> &'static str {
    let (spec, aws, _) = names(FaultKind::NoChoiceMatched);
    match profile {
        Profile::Spec => spec,
        Profile::Aws => aws,
    }
}

/// What an error of a kind is called under `spec` and under `aws`, and whether Retry and Catch see it on AWS.
#[must_use]
pub fn names(kind: FaultKind) -> (&'static str, &'static str, bool) {
    let row = NAMES.iter().find(|(own, ..)| *own == kind);
    debug_assert!(row.is_some(), "{kind:?} has no row");
    row.map_or(
        ("States.Runtime", "States.Runtime", false),
        |(_, spec, aws, handled)| (spec, aws, *handled),
    )
}

/// Which kind a failed query is.
#[must_use]
pub fn kind_of(error: &QueryError) -> FaultKind {
    match error.spec_name() {
        "States.IntrinsicFailure" => FaultKind::IntrinsicFailure,
        "States.ResultPathMatchFailure" => FaultKind::ResultPathMatchFailure,
        _ => FaultKind::PathFailure,
    }
}

/// The TimeoutSeconds of a task that states none: 60 by the specification, none on AWS (C10).
#[must_use]
pub fn default_timeout_seconds(profile: Profile) -> Option<u64> {
    match profile {
        Profile::Spec => Some(60),
        Profile::Aws => None,
    }
}

/// The largest payload in bytes that AWS takes; the specification knows no limit.
pub const PAYLOAD_LIMIT: u64 = 262_144;

/// Bytes of all variables of an execution on AWS.
pub const VARIABLES_LIMIT: u64 = 10 << 20;

/// Events that AWS writes at the most; the specification knows no limit.
pub const HISTORY_LIMIT: u32 = 25_000;
