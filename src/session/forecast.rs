//! What would follow in a state, by the case in which it would.

use std::fmt;

/// What would follow in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The case.
    pub when: When,
    /// What would follow.
    pub follows: Follows,
}

/// What follows from where a run stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follows {
    /// What was tried before: `Retry[0] matches (States.ALL), used up: 2 of 2`; empty where nothing was.
    pub spent: String,
    /// `$.payment = result → Ship`.
    pub text: String,
    /// Why, where that is not plain; else empty.
    pub why: String,
}

impl Follows {
    /// With nothing beside it.
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

/// The case in which something would follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// As things stand.
    Now,
    /// Once the retries are used up.
    AfterRetries,
    /// If the work succeeds.
    OnSuccess,
}

impl When {
    /// `on success`
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
    /// What follows in short, as a sentence without its end: `$.payment = result → Ship` after `on success: `.
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
