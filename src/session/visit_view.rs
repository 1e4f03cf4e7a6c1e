//! A state's visit for display: its time, its status, the stages still to come, and how the run would continue.

use crate::interpreter::{Millis, Stage};
use std::fmt;

/// The stages of a visit that are still to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToCome {
    /// All stages that have not been reached, in this attempt or the next.
    #[default]
    All,
    /// Only the output, which a catcher produces.
    Output,
    /// No stages: an error ends the visit, or the visit has ended.
    Nothing,
}

impl ToCome {
    /// Text for a stage that has no value.
    #[must_use]
    pub fn word(self, stage: Stage) -> &'static str {
        match self {
            Self::All => "not yet",
            Self::Output if stage == Stage::Output => "not yet",
            Self::Output | Self::Nothing => "not reached",
        }
    }
}

/// The shown visit of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitView {
    /// Virtual time at which the state was entered.
    pub entered: Millis,
    /// Duration so far.
    pub took: Millis,
    /// True if the visit has ended.
    pub is_over: bool,
    /// Status of this visit alone; other frames may be in the same state.
    pub status: StateStatus,
    /// Number of the visit within its frame, starting at 1.
    pub number: u32,
}

/// Status of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StateStatus {
    /// The state has not been reached.
    #[default]
    NotReached,
    /// The state was entered and is in progress.
    Running,
    /// The state succeeded.
    Succeeded,
    /// The state has an error that has not been handled yet.
    ErrorRaised,
    /// A retry is scheduled or running.
    Retrying,
    /// The state was left by a catcher.
    Caught,
    /// The state's error ended its scope.
    Failed,
    /// The state is waiting for virtual time.
    Waiting,
    /// The state is waiting for an answer.
    Asking,
    /// The state was aborted because a sibling failed.
    Aborted,
    /// The execution timed out in the state.
    TimedOut,
}

/// How the run would continue in one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The case.
    pub when: When,
    /// The continuation.
    pub follows: Follows,
}

/// How the run would continue from its current position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follows {
    /// Retriers that were tried before: `Retry[0] matches (States.ALL), used up: 2 of 2`; empty if there are none.
    pub spent: String,
    /// The continuation as text: `$.payment = result → Ship`.
    pub text: String,
    /// The reason, if it is not obvious; otherwise empty.
    pub why: String,
}

impl Follows {
    /// A consequence without further explanation.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

impl fmt::Display for Follows {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&*self.spent, &*self.text, &*self.why];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        write!(out, "{}", parts.join("; "))
    }
}

/// The case in which something follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In the current situation.
    Now,
    /// Once all retries are used up.
    AfterRetries,
    /// If the task succeeds.
    OnSuccess,
}

impl When {
    /// Text for the case, such as `on success`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::AfterRetries => "after retries",
            Self::OnSuccess => "on success",
        }
    }
}

impl Forecast {
    /// Short sentence without a full stop: `on success: $.payment = result → Ship`.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self.when {
            When::Now => self.follows.text.clone(),
            when => format!("{}: {}", when.words(), self.follows.text),
        }
    }
}

impl fmt::Display for Forecast {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:<10}  {}", self.when.words(), self.follows)
    }
}
