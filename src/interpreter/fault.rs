//! An error as data: its name, its cause, and what is known of where it came from.
//!
//! It must not know retriers or catchers; `retry` asks it.

use super::difference::Difference;
use super::profile::{FaultKind, names};
use super::reason::{Entered, Reason};
use crate::json::{Text, Value};
use crate::query::Profile;
use std::sync::Arc;

/// What went wrong in a state. Never a Rust error: it is data that flows into Retry and Catch.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The error's name; a Fail state may have none.
    pub error: Option<Text>,
    /// The cause.
    pub cause: Option<Text>,
    /// Where it came from.
    pub origin: Origin,
    /// Whether it came out of a branch or an iteration (`States.BranchFailed` takes such under `spec`).
    pub from_branch: bool,
    /// What AWS would come to instead, where the profile is `spec` and AWS differs.
    pub aws: Option<OnAws>,
    /// Why it arose.
    pub reason: Arc<Reason>,
    /// The history id of the StateEntered that the cause names.
    pub entered: Option<u32>,
}

/// What AWS would have made of it.
#[derive(Clone, Debug, PartialEq)]
pub enum OnAws {
    /// Another error, or one that Retry and Catch see otherwise.
    Fault {
        /// Its name there.
        error: Text,
        /// Whether Retry and Catch see it there.
        handled: bool,
    },
    /// No error at all.
    GoesOn(Difference),
}

impl OnAws {
    /// What AWS does, in a line.
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
    /// A task's answer.
    Task,
    /// A Fail state.
    Fail,
    /// TimeoutSeconds passed.
    Timeout,
    /// HeartbeatSeconds passed.
    Heartbeat,
    /// The interpreter: a path, an intrinsic, a choice, a limit.
    Interpreter,
    /// The interpreter, and no Retry or Catch may see it (AWS's `States.Runtime`).
    Runtime,
}

impl Fault {
    /// The error that the interpreter makes for a reason, as the profile names it.
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

    /// An error that a task or a person gives.
    #[must_use]
    pub fn task(error: impl Into<Text>, cause: impl Into<Text>) -> Self {
        Self::outside(
            Origin::Task,
            Reason::Answer,
            Some(error.into()),
            Some(cause.into()),
        )
    }

    /// An error whose name and cause the interpreter does not make.
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

    /// The name, or "" where there is none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.error.as_deref().unwrap_or("")
    }

    /// The cause, or "" where there is none.
    #[must_use]
    pub fn cause_text(&self) -> &str {
        self.cause.as_deref().unwrap_or("")
    }

    /// The cause, without AWS's words that name the state.
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
