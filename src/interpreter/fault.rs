//! Errors as data: the name, the cause and the source of an error, and the behaviour of AWS if it differs. Also finds
//! the retrier or catcher that matches an error.

use super::event::Millis;
use super::reason::{Entered, Reason, UNRUNNABLE};
use crate::definition::{Catcher, Jitter, Retrier};
use crate::json::{Text, Value};
use crate::query::{Divergence, Profile};
use std::sync::Arc;

/// An error in a state. Not a Rust error, but data that Retry and Catch handle.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The error name; a Fail state may have none.
    pub error: Option<Text>,
    /// The text that describes the cause; `None` if the error has no cause.
    pub cause: Option<Text>,
    /// The part of the run that raised the error.
    pub origin: Origin,
    /// True if the error came out of a branch or an iteration. Under `spec`, `States.BranchFailed` matches errors with
    /// this flag.
    pub from_branch: bool,
    /// The behaviour of AWS, if the profile is `spec` and AWS differs.
    pub aws: Option<OnAws>,
    /// The reason for the error, with its details.
    pub reason: Arc<Reason>,
    /// History id of the StateEntered event whose number the cause contains.
    pub entered: Option<u32>,
}

/// The behaviour of AWS at a point where AWS does not raise this fault.
#[derive(Clone, Debug, PartialEq)]
pub enum OnAws {
    /// AWS raises another error, or the same error with other rules for Retry and Catch.
    Fault {
        /// The error name on AWS.
        error: Text,
        /// True if Retry and Catch can match the error on AWS.
        handled: bool,
    },
    /// AWS continues without an error.
    GoesOn(Difference),
}

impl OnAws {
    /// Describes AWS's behaviour in one line.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Fault { error, handled } => {
                let can_or_cannot = if *handled { "can" } else { "cannot" };
                format!("{error} ({can_or_cannot} be caught)")
            }
            Self::GoesOn(difference) => difference.text().to_string(),
        }
    }
}

/// The part of the run that raised a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A task failed.
    Task,
    /// A Fail state raised its error.
    Fail,
    /// The TimeoutSeconds of a task have passed.
    Timeout,
    /// The HeartbeatSeconds of a task have passed without a heartbeat.
    Heartbeat,
    /// The interpreter raised the error, for example for a path, an intrinsic function, a Choice or a limit.
    Interpreter,
    /// The interpreter raised an error that neither Retry nor Catch can match (AWS's `States.Runtime`).
    Runtime,
}

impl Fault {
    /// The error that the interpreter raises for `reason`, with the error name that this profile uses.
    pub(super) fn raised(profile: Profile, reason: Reason, prefix: Option<Entered<'_>>) -> Self {
        let (spec, aws, handled) = reason.names().unwrap_or(UNRUNNABLE);
        let (name, hidden) = match profile {
            Profile::Spec => (spec, spec == "States.Runtime"),
            Profile::Aws => (aws, !handled),
        };
        let differs = profile == Profile::Spec && (spec != aws || (hidden == handled));
        let origin = match hidden {
            true => Origin::Runtime,
            false => Origin::Interpreter,
        };
        let cause = reason.cause(prefix).map(Into::into);
        Self {
            aws: differs.then(|| OnAws::Fault {
                error: aws.into(),
                handled,
            }),
            entered: prefix.map(|entered| entered.event),
            ..Self::outside(origin, reason, Some(name.into()), cause)
        }
    }

    /// An error that a task or a user returned.
    #[must_use]
    pub fn task(error: impl Into<Text>, cause: impl Into<Text>) -> Self {
        let (error, cause) = (Some(error.into()), Some(cause.into()));
        Self::outside(Origin::Task, Reason::Answer, error, cause)
    }

    /// An error whose name and cause come from outside the interpreter.
    #[must_use]
    pub fn outside(
        origin: Origin,
        reason: Reason,
        error: Option<Text>,
        cause: Option<Text>,
    ) -> Self {
        Self {
            error,
            cause,
            origin,
            from_branch: false,
            aws: None,
            reason: Arc::new(reason),
            entered: None,
        }
    }

    /// The error name, or "" if there is none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.error.as_deref().unwrap_or("")
    }

    /// The cause, or "" if there is none.
    #[must_use]
    pub fn cause_text(&self) -> &str {
        self.cause.as_deref().unwrap_or("")
    }

    /// The cause without the prefix in which AWS names the state.
    #[must_use]
    pub fn bare_cause(&self) -> Text {
        let text = self.reason.cause(None).map(Text::from);
        text.or_else(|| self.cause.clone()).unwrap_or_default()
    }

    /// The Error Output: `{"Error": ..., "Cause": ...}` (11.4). The cause of a timeout is the empty string.
    #[must_use]
    pub fn error_output(&self) -> Value {
        let text = |part: &Option<Text>| part.clone().map_or(Value::Null, Value::String);
        let cause = match self.origin {
            Origin::Timeout | Origin::Heartbeat if self.cause.is_none() => Value::from(""),
            _ => text(&self.cause),
        };
        Value::object(vec![
            ("Error".into(), text(&self.error)),
            ("Cause".into(), cause),
        ])
    }
}

/// A point at which a run by the specification differs from a run on AWS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Difference {
    /// An expression has another value, or another error, on AWS.
    Query(Divergence),
    /// A task without TimeoutSeconds timed out after the specification's default timeout (C10).
    DefaultTimeout,
    /// `States.BranchFailed` in a Retry or Catch matched an error (C21).
    BranchFailed,
    /// A task's result exceeds the payload limit.
    ResultTooLarge,
    /// An output exceeds the payload limit.
    OutputTooLarge,
    /// The variables exceed AWS's size limits.
    VariablesTooLarge,
    /// ItemsPath was applied to the data of an ItemReader (C27).
    ItemsPathAfterReader,
    /// AWS rejects the task's parameters and does not start the task.
    Parameters,
    /// The members of an object are the items of an INLINE Map.
    MembersAsItems,
    /// The members of an object are the items of an INLINE Map whose Items is JSONata.
    MembersAsJsonataItems,
    /// The history has reached AWS's maximum number of events.
    HistoryFull,
}

impl Difference {
    /// True if a run by the specification fails at this point and a run on AWS continues.
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
                "a slice selects other items, because AWS compares the slice's start and end before AWS resolves negative numbers"
            }
            Self::Query(Divergence::Path) => {
                "AWS reads the path differently (Jayway JsonPath 2.0.0) and selects other values or none"
            }
            Self::Query(Divergence::NullDocument) => {
                "States.Runtime (cannot be caught): a path cannot be applied to null"
            }
            Self::Query(Divergence::ScalarFilter) => {
                "a filter with @ alone does not select strings, numbers, booleans or null"
            }
            Self::Query(Divergence::DeepMerge) => {
                "States.Runtime (cannot be caught): the third argument of States.JsonMerge must be false, which merges only the top level"
            }
            Self::Query(Divergence::MergeFlag) => {
                "the state does not fail: States.JsonMerge treats every value other than true as false"
            }
            Self::Query(Divergence::FormatOf) => {
                "the state does not fail: States.Format writes the value as Java does, as {name=value}"
            }
            Self::Query(Divergence::FractionalIndex) => {
                "the state does not fail: States.ArrayGetItem drops the fraction of the index"
            }
            Self::Query(Divergence::MapItemInside) => {
                "$$.Map.Item has a value only in ItemSelector, not in the states of the iteration"
            }
            Self::DefaultTimeout => {
                "the task continues to wait, because a task without TimeoutSeconds has no timeout"
            }
            Self::BranchFailed => {
                "States.BranchFailed does not match the error; only the name of the branch's error matches"
            }
            Self::ResultTooLarge => {
                "States.DataLimitExceeded (can be caught): the result has more than 262144 bytes"
            }
            Self::OutputTooLarge => {
                "States.DataLimitExceeded (cannot be caught): the output has more than 262144 bytes"
            }
            Self::VariablesTooLarge => {
                "States.DataLimitExceeded: one variable or one Assign has more than 262144 bytes, or all variables together have more than 10 MiB"
            }
            Self::ItemsPathAfterReader => {
                "AWS ignores ItemsPath, because the Map has an ItemReader: the items are all data that the ItemReader read"
            }
            Self::Parameters => {
                "States.Runtime (cannot be caught): the parameters could not be used to start the task"
            }
            Self::MembersAsItems => {
                "States.Runtime (cannot be caught): the items of an INLINE Map must be an array"
            }
            Self::MembersAsJsonataItems => {
                "States.QueryEvaluationError: the items of an INLINE Map must be an array"
            }
            Self::HistoryFull => {
                "States.Runtime (cannot be caught): the execution reached the maximum number of history events (25000)"
            }
        }
    }
}

/// The use of one retrier in the current visit of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RetrierUse {
    /// Number of retries that this retrier has made.
    pub used: u64,
    /// The delays before these retries, in milliseconds, oldest first; only the last `ATTEMPTS_KEPT` are kept.
    pub waited: Vec<Millis>,
}

/// True if `pattern`, a name in ErrorEquals, matches the error.
#[must_use]
pub fn matches(pattern: &str, fault: &Fault, profile: Profile) -> bool {
    if is_hidden(fault) {
        return false;
    }
    match pattern {
        "States.ALL" => true,
        "States.TaskFailed" => {
            fault.error.is_some() && !matches!(fault.origin, Origin::Timeout | Origin::Heartbeat)
        }
        "States.HeartbeatTimeout" => fault.name() == pattern || fault.origin == Origin::Heartbeat,
        "States.BranchFailed" if profile == Profile::Spec => {
            fault.name() == pattern || fault.from_branch
        }
        _ => fault.error.as_deref() == Some(pattern),
    }
}

/// True if no retrier or catcher can match the error, not even one that lists its name.
#[must_use]
pub fn is_hidden(fault: &Fault) -> bool {
    fault.origin == Origin::Runtime || fault.name() == "States.Runtime"
}

/// True if any name in the list matches the error.
#[must_use]
pub fn takes(names: &[Text], fault: &Fault, profile: Profile) -> bool {
    names.iter().any(|name| matches(name, fault, profile))
}

/// Returns the index of the first retrier that matches the error, and the delay in milliseconds before jitter. `None`
/// if no retrier matches, or if the matching retrier has no retries left.
#[must_use]
pub fn retrier_for(
    retriers: &[Retrier],
    used: &[RetrierUse],
    fault: &Fault,
    profile: Profile,
) -> Option<(usize, f64)> {
    let is_match = |retrier: &Retrier| takes(&retrier.error_equals, fault, profile);
    let place = retriers.iter().position(is_match)?;
    let retrier = retriers.get(place)?;
    let used = used.get(place).map_or(0, |counter| counter.used);
    (used < retrier.max_attempts).then(|| (place, delay_millis(retrier, used)))
}

/// The delay before the retry that follows `used` retries, in milliseconds, before jitter.
#[must_use]
pub fn delay_millis(retrier: &Retrier, used: u64) -> f64 {
    let power = i32::try_from(used).unwrap_or(i32::MAX);
    #[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^53")]
    let (interval, cap) = (
        retrier.interval_seconds as f64,
        retrier.max_delay_seconds.map(|cap| cap as f64),
    );
    // With an interval of 0, the delay is always 0. Multiplying 0 by an infinite backoff factor would give NaN.
    let delay = match retrier.interval_seconds {
        0 => 0.0,
        _ => interval * retrier.backoff_rate.powi(power),
    };
    // No delay is longer than AWS allows for a retrier.
    cap.map_or(delay, |cap| delay.min(cap)).min(99_999_999.0) * 1000.0
}

/// The delay with jitter, in whole milliseconds; `random` returns 64 random bits.
#[expect(
    clippy::cast_precision_loss,
    reason = "53 random bits fit exactly into an f64"
)]
pub fn jittered(retrier: &Retrier, delay: f64, random: impl FnOnce() -> u64) -> u64 {
    match retrier.jitter {
        Jitter::None => whole(delay),
        Jitter::Full => whole(delay * ((random() >> 11) as f64 / (1_u64 << 53) as f64)),
    }
}

/// Rounds a delay to whole milliseconds.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a delay is positive and below 2^53"
)]
pub fn whole(delay: f64) -> u64 {
    delay.round() as u64
}

/// Returns the index of the first catcher that matches the error.
#[must_use]
pub fn catcher_for(catchers: &[Catcher], fault: &Fault, profile: Profile) -> Option<usize> {
    let is_match = |catcher: &Catcher| takes(&catcher.error_equals, fault, profile);
    catchers.iter().position(is_match)
}
