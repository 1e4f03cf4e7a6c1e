//! Forecasts: how a run would continue from a state, by case.

use std::fmt;

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
