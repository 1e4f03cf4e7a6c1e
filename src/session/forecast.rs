//! What would follow in a state, by the case in which it would.

use std::fmt;

/// What would follow in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The case.
    pub when: When,
    /// What would follow: `$.payment = result → Ship`.
    pub text: String,
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
    /// A line as a sentence without its end: `$.payment = result → Ship` after `on success: `.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self.when {
            When::Now => self.text.clone(),
            when => format!("{}: {}", when.words(), self.text),
        }
    }
}

impl fmt::Display for Forecast {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:<10}  {}", self.when.words(), self.text)
    }
}
