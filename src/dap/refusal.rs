//! The reason why a request failed.

use super::protocol::{ErrorBody, ErrorMessage};

/// The reason why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Short reason for programs; the protocol defines `notStopped` and `cancelled`.
    pub short: Option<&'static str>,
    /// One sentence for the user.
    pub text: String,
    /// True if the client should show the sentence to the user at once.
    pub show: bool,
}

impl Refusal {
    /// A sentence that the client may show where the request was made.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            short: None,
            text: text.into(),
            show: false,
        }
    }

    /// A sentence that the client should show to the user.
    pub fn shown(text: impl Into<String>) -> Self {
        Self {
            show: true,
            ..Self::new(text)
        }
    }

    /// A failure without a message, because the user did not make the request.
    pub fn silent() -> Self {
        Self::new("")
    }

    /// The request needs a stopped run.
    pub fn not_stopped() -> Self {
        Self {
            short: Some("notStopped"),
            ..Self::new("the run is under way; pause it first")
        }
    }

    /// The body of the error response.
    pub fn body(self) -> ErrorBody {
        ErrorBody {
            error: ErrorMessage {
                id: if self.short.is_some() { 2 } else { 1 },
                // Clients replace `{name}` only if they have a variable of that name, so braces in the text are safe.
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
