//! One finding about a source text: what is wrong, where it is, and how to mend it.
//!
//! It must not know how a diagnostic is drawn.

use super::{SourceMap, Span};
use std::fmt;

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Probably a mistake.
    Warning,
    /// Rejected by the language or by AWS.
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

/// One finding about a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How severe it is.
    pub severity: Severity,
    /// AWS's code where it has one (`SCHEMA_VALIDATION_FAILED`), otherwise one of ours in the same form.
    pub code: &'static str,
    /// Number of the rule of section 15.2; 0 where none applies.
    pub rule: u8,
    /// One sentence: lower case if the wording is ours, verbatim if AWS's wording is known.
    pub message: String,
    /// Slash path as AWS prints it: `/States/C/Choices[0]/Next`; empty if there is none.
    pub location: String,
    /// Source range it refers to.
    pub span: Option<Span>,
    /// Other relevant source ranges, each with a label.
    pub related: Vec<(Span, String)>,
    /// Suggested fix, one sentence.
    pub help: Option<String>,
    /// Whether it prevents a run or a reload.
    pub blocking: bool,
    /// The place of the finding that it follows from: it is gone when that is mended.
    pub follows: Option<Span>,
}

/// Maximum number of other places that are named on one line.
const RELATED: usize = 2;

impl Diagnostic {
    /// ` (line 12: the earlier rule)`: the other places that it concerns, for where only one line is shown.
    #[must_use]
    pub fn also(&self, sources: &SourceMap) -> String {
        let others = self
            .related
            .iter()
            .take(RELATED)
            .filter_map(|(span, label)| {
                let place = sources.place(*span)?;
                Some(format!("line {}: {label}", place.line))
            });
        let others: Vec<String> = others.collect();
        match others.is_empty() {
            true => String::new(),
            false => format!(" ({})", others.join(", ")),
        }
    }

    /// Creates a finding without a place or a suggested fix.
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
            follows: None,
        }
    }

    /// Creates an error.
    #[must_use]
    pub fn error(code: &'static str, rule: u8, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, rule, message)
    }

    /// Creates a warning.
    #[must_use]
    pub fn warning(code: &'static str, rule: u8, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, rule, message)
    }

    /// Creates an informational finding.
    #[must_use]
    pub fn info(code: &'static str, rule: u8, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, rule, message)
    }

    /// Sets the source range and the slash path.
    #[must_use]
    pub fn at(mut self, span: Span, location: impl Into<String>) -> Self {
        self.span = Some(span);
        self.location = location.into();
        self
    }

    /// Sets the suggested fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds another relevant source range with its label.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    /// Says that it follows from the finding at this place.
    #[must_use]
    pub fn following(mut self, from: Option<Span>) -> Self {
        self.follows = from;
        self
    }

    /// Makes the finding prevent a run or a reload.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }
}

/// Findings in the order they were made.
pub type Diagnostics = Vec<Diagnostic>;
