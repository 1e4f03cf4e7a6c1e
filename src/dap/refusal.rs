//! Why a request is not done.
//!
//! It must not know which request it was.

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

    /// The run has to stand for this.
    pub fn not_stopped() -> Self {
        Self {
            short: Some("notStopped"),
            ..Self::new("the run is under way; pause it first")
        }
    }

    /// What comes with the response.
    pub fn body(self) -> ErrorBody {
        // What is in braces would be filled in by the client.
        let format = self.text.replace('{', "(").replace('}', ")");
        ErrorBody {
            error: ErrorMessage {
                id: if self.short.is_some() { 2 } else { 1 },
                format,
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
