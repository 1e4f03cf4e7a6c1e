//! What is wrong with a text: the thing, the place and the way out.
//!
//! It must not know how a diagnostic is drawn.

use super::Span;
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Probably not meant.
    Warning,
    /// Refused: by the language, or by AWS.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Info => "INFO",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
        })
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// AWS's code where it has one (`SCHEMA_VALIDATION_FAILED`), else our own in the same form.
    pub code: &'static str,
    /// The number of the rule of section 15.2, or 0 where none applies.
    pub rule: u8,
    /// One sentence, lower case where ours, AWS's own words where measured.
    pub message: String,
    /// Slash path as AWS prints it: `/States/C/Choices[0]/Next`; empty where there is none.
    pub location: String,
    /// Where it stands in the text.
    pub span: Option<Span>,
    /// Other places that matter, with a label.
    pub related: Vec<(Span, String)>,
    /// The way out, one sentence.
    pub help: Option<String>,
    /// Whether a run or a reload cannot start because of it.
    pub blocking: bool,
}

impl Diagnostic {
    /// A finding without place or help.
    #[must_use]
    pub fn new(
        severity: Severity,
        code: &'static str,
        rule: u8,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code,
            rule,
            message: message.into(),
            location: String::new(),
            span: None,
            related: Vec::new(),
            help: None,
            blocking: false,
        }
    }

    /// An ERROR.
    #[must_use]
    pub fn error(code: &'static str, rule: u8, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, rule, message)
    }

    /// A WARNING.
    #[must_use]
    pub fn warning(code: &'static str, rule: u8, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, rule, message)
    }

    /// An INFO.
    #[must_use]
    pub fn info(code: &'static str, rule: u8, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, rule, message)
    }

    /// The same at a place.
    #[must_use]
    pub fn at(mut self, span: Span, location: impl Into<String>) -> Self {
        self.span = Some(span);
        self.location = location.into();
        self
    }

    /// The same with the way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with another place that matters.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    /// The same, keeping a run from starting.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }
}

/// Findings in the order they were made.
pub type Diagnostics = Vec<Diagnostic>;
