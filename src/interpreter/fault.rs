//! An error as data: its name, its cause and its origin.

use super::difference::Difference;
use super::profile::{FaultKind, names};
use super::reason::{Entered, Reason};
use crate::json::{Text, Value};
use crate::query::Profile;
use std::sync::Arc;

/// An error in a state. Not a Rust error, but data that Retry and Catch handle.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The error name; a Fail state may have none.
    pub error: Option<Text>,
    /// The cause.
    pub cause: Option<Text>,
    /// Where the error came from.
    pub origin: Origin,
    /// True if the error came out of a branch or an iteration. Under `spec`, `States.BranchFailed` matches errors with
    /// this flag.
    pub from_branch: bool,
    /// The behaviour of AWS, if the profile is `spec` and AWS differs.
    pub aws: Option<OnAws>,
    /// Why the error occurred.
    pub reason: Arc<Reason>,
    /// History id of the StateEntered event that the cause mentions.
    pub entered: Option<u32>,
}

/// The behaviour of AWS where it does not raise the fault.
#[derive(Clone, Debug, PartialEq)]
pub enum OnAws {
    /// Raise another error, or the same one with other rules for Retry and Catch.
    Fault {
        /// The error name on AWS.
        error: Text,
        /// True if Retry and Catch can match the error on AWS.
        handled: bool,
    },
    /// Continue without an error.
    GoesOn(Difference),
}

impl OnAws {
    /// Describes AWS's behaviour in one line.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Fault { error, handled } => {
                let handled = if *handled { "can" } else { "cannot" };
                format!("{error}, {handled} be caught")
            }
            Self::GoesOn(difference) => difference.text().to_string(),
        }
    }
}

/// Where a fault came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A failed task.
    Task,
    /// A Fail state.
    Fail,
    /// TimeoutSeconds have passed.
    Timeout,
    /// HeartbeatSeconds have passed.
    Heartbeat,
    /// The interpreter itself: a path, an intrinsic function, a Choice, a limit.
    Interpreter,
    /// The interpreter itself, and neither Retry nor Catch can match the error (AWS's `States.Runtime`).
    Runtime,
}

impl Fault {
    /// The error that the interpreter raises for a reason, with its name in this profile.
    pub(super) fn own(profile: Profile, reason: Reason, prefix: Option<Entered<'_>>) -> Self {
        let kind = reason.kind().unwrap_or(FaultKind::Unrunnable);
        let (spec, aws, handled) = names(kind);
        let (name, hidden) = match profile {
            Profile::Spec => (spec, spec == "States.Runtime"),
            Profile::Aws => (aws, !handled),
        };
        let differs = profile == Profile::Spec && (spec != aws || (hidden == handled));
        Self {
            error: Some(name.into()),
            cause: reason.cause(prefix).map(Into::into),
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
            reason: Arc::new(reason),
            entered: prefix.map(|entered| entered.event),
        }
    }

    /// An error that a task or a user returned.
    #[must_use]
    pub fn task(error: impl Into<Text>, cause: impl Into<Text>) -> Self {
        Self::outside(
            Origin::Task,
            Reason::Answer,
            Some(error.into()),
            Some(cause.into()),
        )
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

    /// The cause, without AWS's prefix that names the state.
    #[must_use]
    pub fn bare_cause(&self) -> Text {
        let text = self.reason.cause(None).map(Text::from);
        let cause = || self.cause.clone().unwrap_or_default();
        text.unwrap_or_else(cause)
    }

    /// Error Output: `{"Error": ..., "Cause": ...}` (11.4); a timeout's cause is the empty string.
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
