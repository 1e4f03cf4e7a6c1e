//! A visit of a state, for display: its time, its status, the stages that still get a value, and how the run would
//! continue.

use crate::interpreter::{Millis, Stage};
use std::fmt;

/// Tells which stages of a visit will still get a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToCome {
    /// All stages that have no value yet, in this attempt or the next.
    #[default]
    All,
    /// Only the output, because a catcher produces it.
    Output,
    /// No stage, because an error ends the visit or the visit has ended.
    Nothing,
}

impl ToCome {
    /// Text to show in place of the value of a stage that has none.
    #[must_use]
    pub fn word(self, stage: Stage) -> &'static str {
        match self {
            Self::All => "not yet",
            Self::Output if stage == Stage::Output => "not yet",
            Self::Output | Self::Nothing => "not reached",
        }
    }
}

/// The visit of a state that the view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitView {
    /// Virtual time at which the state was entered.
    pub entered: Millis,
    /// Duration of the visit up to now or up to its end.
    pub took: Millis,
    /// True if the visit has ended.
    pub is_over: bool,
    /// Status of this visit only; other frames may also be in the state.
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
    /// The state failed, which ended the list of states it belongs to: the branch, the item or the machine.
    Failed,
    /// The state is waiting for time to pass on the virtual clock.
    Waiting,
    /// The state is waiting for an answer.
    Asking,
    /// The state was ended because a branch or item beside it failed.
    Aborted,
    /// The execution timed out in the state.
    TimedOut,
}

/// A condition on which the next event depends, and what happens if the condition is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The condition.
    pub when: When,
    /// The next step of the run if the condition is met.
    pub follows: Follows,
}

/// The next step of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follows {
    /// Retriers that match but do not retry any more: `Retry[0] matches (States.ALL), used up: 2 of 2`; empty if there
    /// are none.
    pub spent: String,
    /// The step as text: `$.payment = result → Ship`.
    pub text: String,
    /// The reason, if it is not obvious; otherwise empty.
    pub why: String,
}

impl Follows {
    /// Creates a step with this text and without a reason.
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

/// The condition under which a forecast is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// No condition: the run continues this way now.
    Now,
    /// Once all retries are used up.
    AfterRetries,
    /// If the task succeeds.
    OnSuccess,
}

impl When {
    /// The condition as text, such as `on success`.
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
    /// The condition and what happens then, without a full stop: `on success: $.payment = result → Ship`.
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
