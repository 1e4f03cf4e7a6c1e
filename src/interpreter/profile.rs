//! Where AWS and the specification differ in a run, as one table (ASL-SEMANTICS 20.1).
//!
//! It must not know which state asks.

use super::fault::{Fault, OnAws, Origin};
use crate::query::{Divergence, Profile, QueryError};

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

/// Where a run by the specification and one on AWS differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Difference {
    /// An expression comes to another value or error.
    Query(Divergence),
    /// A task without TimeoutSeconds was timed out (C10).
    DefaultTimeout,
    /// `States.BranchFailed` took an error (C21).
    BranchFailed,
    /// A task's result is over the limit for payloads.
    ResultTooLarge,
    /// An output is over the limit for payloads.
    OutputTooLarge,
    /// Variables are over their limit.
    VariablesTooLarge,
    /// ItemsPath chose from what an ItemReader read (C27).
    ItemsPathAfterReader,
    /// The members of an object are the items of an INLINE Map.
    MembersAsItems,
    /// The history holds as many events as AWS writes.
    HistoryFull,
}

impl Difference {
    /// Whether it is that the specification fails where AWS does not.
    #[must_use]
    pub fn goes_on(self) -> bool {
        matches!(
            self,
            Self::DefaultTimeout
                | Self::Query(
                    Divergence::MergeFlag | Divergence::FormatOf | Divergence::FractionalIndex
                )
        )
    }

    /// What AWS does, in a line.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Query(Divergence::Slice) => {
                "AWS: compares the ends of a slice as they are written, and selects other items"
            }
            Self::Query(Divergence::ScalarFilter) => {
                "AWS: @ alone means no text, number, boolean or null, and such items are not selected"
            }
            Self::Query(Divergence::DeepMerge) => {
                "AWS: States.Runtime, cannot be caught: States.JsonMerge merges only the top level, with false"
            }
            Self::Query(Divergence::MergeFlag) => {
                "AWS: goes on: States.JsonMerge takes what is not true for false"
            }
            Self::Query(Divergence::FormatOf) => {
                "AWS: goes on: States.Format writes it as Java does, {name=value}"
            }
            Self::Query(Divergence::FractionalIndex) => {
                "AWS: goes on: States.ArrayGetItem cuts the fraction off"
            }
            Self::Query(Divergence::MapItemInside) => {
                "AWS: $$.Map.Item is known to ItemSelector alone, and leads nowhere in the iteration's own states"
            }
            Self::DefaultTimeout => "AWS: goes on waiting: no TimeoutSeconds, no time-out",
            Self::BranchFailed => {
                "AWS: knows no States.BranchFailed; the name of the error inside is asked for"
            }
            Self::ResultTooLarge => {
                "AWS: States.DataLimitExceeded, can be caught: the result has more than 262144 bytes"
            }
            Self::OutputTooLarge => {
                "AWS: States.DataLimitExceeded, cannot be caught: the output has more than 262144 bytes"
            }
            Self::VariablesTooLarge => {
                "AWS: States.DataLimitExceeded: a variable has, or those of one Assign have, more than 262144 bytes, or all more than 10 MiB"
            }
            Self::ItemsPathAfterReader => {
                "AWS: heeds no ItemsPath beside an ItemReader; all that was read are the items"
            }
            Self::MembersAsItems => {
                "AWS: States.Runtime, cannot be caught: the items of an INLINE Map are an array"
            }
            Self::HistoryFull => {
                "AWS: States.Runtime, cannot be caught: the execution reached the maximum number of history events (25000)"
            }
        }
    }
}

impl OnAws {
    /// What AWS does, in a line.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Fault { error, handled } => {
                let handled = if *handled { "can" } else { "cannot" };
                format!("AWS: {error}, {handled} be caught")
            }
            Self::GoesOn(difference) => difference.text().to_string(),
        }
    }
}

/// The fault of a kind, as the profile names it.
#[must_use]
pub fn fault(profile: Profile, kind: FaultKind, cause: impl Into<String>) -> Fault {
    let row = NAMES.iter().find(|(own, ..)| *own == kind);
    debug_assert!(row.is_some(), "{kind:?} has no row");
    let (_, spec, aws, handled) =
        row.copied()
            .unwrap_or((kind, "States.Runtime", "States.Runtime", false));
    let (name, hidden) = match profile {
        Profile::Spec => (spec, spec == "States.Runtime"),
        Profile::Aws => (aws, !handled),
    };
    let differs = profile == Profile::Spec && (spec != aws || (hidden == handled));
    Fault {
        error: Some(name.into()),
        cause: Some(cause.into().into()),
        origin: if hidden {
            Origin::Runtime
        } else {
            Origin::Interpreter
        },
        from_branch: false,
        aws: differs.then(|| OnAws::Fault {
            error: aws.into(),
            handled,
        }),
    }
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
