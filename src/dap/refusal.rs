//! Why a request is not done.

use super::protocol::{ErrorBody, ErrorMessage};

/// Why a request is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// In short, for programs; the protocol knows `notStopped` and `cancelled`.
    pub short: Option<&'static str>,
    /// One sentence for a person.
    pub text: String,
    /// Whether the person is to be told at once.
    pub show: bool,
}

impl Refusal {
    /// A sentence that the client may show where it asked.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            short: None,
            text: text.into(),
            show: false,
        }
    }

    /// A sentence that a person has to see.
    pub fn shown(text: impl Into<String>) -> Self {
        Self {
            show: true,
            ..Self::new(text)
        }
    }

    /// Nothing is to be said: nobody asked for it.
    pub fn silent() -> Self {
        Self::new("")
    }

    /// The run has to stand for this.
    pub fn not_stopped() -> Self {
        Self {
            short: Some("notStopped"),
            ..Self::new("the run is under way; pause it first")
        }
    }

    /// What comes with the response.
    pub fn body(self) -> ErrorBody {
        ErrorBody {
            error: ErrorMessage {
                id: if self.short.is_some() { 2 } else { 1 },
                // A client fills in what it has a variable for; without one it leaves braces as they are.
                format: self.text,
                show_user: self.show,
            },
        }
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Refusal {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
