//! A diagnostic about a source text: what is wrong, where, and how to fix it.

use super::{SourceMap, Span};
use std::fmt;

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Useful information.
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

/// A diagnostic about a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How severe it is.
    pub severity: Severity,
    /// AWS's code if it has one (`SCHEMA_VALIDATION_FAILED`); otherwise one of ours in the same style.
    pub code: &'static str,
    /// Number of the rule in section 15.2; 0 if no rule applies.
    pub rule: u8,
    /// A single sentence: AWS's wording if it is known; otherwise ours, which starts in lower case.
    pub message: String,
    /// Slash path in the form that AWS prints: `/States/C/Choices[0]/Next`; empty if there is none.
    pub location: String,
    /// The source range in question.
    pub span: Option<Span>,
    /// Other relevant source ranges, each with a label.
    pub related: Vec<(Span, String)>,
    /// Suggested fix, in one sentence.
    pub help: Option<String>,
    /// True if it prevents a run or a reload.
    pub blocking: bool,
    /// Source range of the diagnostic that causes this one. Fixing that one fixes this one, too.
    pub follows: Option<Span>,
}

/// Maximum number of related places listed on a line.
const RELATED: usize = 2;

impl Diagnostic {
    /// Related places in the form ` (line 12: the earlier rule)`, for output that shows only one line per diagnostic.
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

    /// Creates a diagnostic without a place or a suggested fix.
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

    /// Creates an informational diagnostic.
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

    /// Marks this diagnostic as caused by the one at `from`.
    #[must_use]
    pub fn following(mut self, from: Option<Span>) -> Self {
        self.follows = from;
        self
    }

    /// Marks this diagnostic as preventing a run or a reload.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }
}

/// Diagnostics in the order in which they were found.
pub type Diagnostics = Vec<Diagnostic>;
