//! Differences between the specification and AWS, each with a one-line description of AWS's behaviour.

use crate::query::Divergence;

/// A point at which a run by the specification differs from one on AWS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Difference {
    /// An expression has another value or error.
    Query(Divergence),
    /// A task without TimeoutSeconds timed out (C10).
    DefaultTimeout,
    /// `States.BranchFailed` matched an error (C21).
    BranchFailed,
    /// A task's result exceeds the payload limit.
    ResultTooLarge,
    /// An output exceeds the payload limit.
    OutputTooLarge,
    /// Variables exceed their limit.
    VariablesTooLarge,
    /// ItemsPath was applied to the data of an ItemReader (C27).
    ItemsPathAfterReader,
    /// AWS does not start a task with the parameters.
    Parameters,
    /// The members of an object are the items of an INLINE Map.
    MembersAsItems,
    /// The members of an object are the items of an INLINE Map whose Items is JSONata.
    MembersAsJsonataItems,
    /// The history has reached AWS's maximum number of events.
    HistoryFull,
}

impl Difference {
    /// True if the specification fails at this point and AWS does not.
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

    /// Describes AWS's behaviour in one line.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Query(Divergence::Slice) => {
                "compares the ends of a slice as they are written, and selects other items"
            }
            Self::Query(Divergence::Path) => {
                "reads the path otherwise (Jayway JsonPath 2.0.0), and selects something else or nothing"
            }
            Self::Query(Divergence::NullDocument) => {
                "States.Runtime, cannot be caught: no path is applied to null"
            }
            Self::Query(Divergence::ScalarFilter) => {
                "@ alone means no text, number, boolean or null, and such items are not selected"
            }
            Self::Query(Divergence::DeepMerge) => {
                "States.Runtime, cannot be caught: States.JsonMerge merges only the top level, with false"
            }
            Self::Query(Divergence::MergeFlag) => {
                "goes on: States.JsonMerge takes what is not true for false"
            }
            Self::Query(Divergence::FormatOf) => {
                "goes on: States.Format writes it as Java does, {name=value}"
            }
            Self::Query(Divergence::FractionalIndex) => {
                "goes on: States.ArrayGetItem cuts the fraction off"
            }
            Self::Query(Divergence::MapItemInside) => {
                "$$.Map.Item is known to ItemSelector alone, and leads nowhere in the iteration's own states"
            }
            Self::DefaultTimeout => "goes on waiting: no TimeoutSeconds, no time-out",
            Self::BranchFailed => {
                "knows no States.BranchFailed; the name of the error inside is asked for"
            }
            Self::ResultTooLarge => {
                "States.DataLimitExceeded, can be caught: the result has more than 262144 bytes"
            }
            Self::OutputTooLarge => {
                "States.DataLimitExceeded, cannot be caught: the output has more than 262144 bytes"
            }
            Self::VariablesTooLarge => {
                "States.DataLimitExceeded: a variable has, or those of one Assign have, more than 262144 bytes, or all more than 10 MiB"
            }
            Self::ItemsPathAfterReader => {
                "heeds no ItemsPath beside an ItemReader; all that was read are the items"
            }
            Self::Parameters => {
                "States.Runtime, cannot be caught: the parameters could not be used to start the task"
            }
            Self::MembersAsItems => {
                "States.Runtime, cannot be caught: the items of an INLINE Map are an array"
            }
            Self::MembersAsJsonataItems => {
                "States.QueryEvaluationError: the items of an INLINE Map are an array"
            }
            Self::HistoryFull => {
                "States.Runtime, cannot be caught: the execution reached the maximum number of history events (25000)"
            }
        }
    }
}
