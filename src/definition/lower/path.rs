//! The kinds of paths that fields accept, and the diagnostic for a path that does not parse.

use super::rules::{PATH, REFERENCE_PATH};
use super::suggestion::meant_path;
use crate::definition::rule::LintRule;
use crate::query::{Path, SyntaxError};
use crate::source::{Diagnostic, Node};

/// The kind of path that a field accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Any path.
    Path,
    /// A path to a single node (Reference Path).
    Reference,
}

impl Need {
    /// The lint rule that reports values which are not paths of this kind.
    pub(super) fn rule(self) -> LintRule {
        match self {
            Self::Path => PATH,
            Self::Reference => REFERENCE_PATH,
        }
    }
}

pub(super) const NO_DOLLAR: &str =
    "Value is not a Reference Path: Reference path didn't start with '$'";

/// Compiles a path of the required kind.
pub(super) fn compile_path(text: &str, need: Need) -> Result<Path, SyntaxError> {
    let path = Path::parse(text)?;
    if need == Need::Reference && !path.is_reference() {
        return Err(SyntaxError {
            message: "the path can select more than one value".to_string(),
            range: 0..text.len(),
            help: Some("name one value, without wildcards, slices, filters or '..'".to_string()),
        });
    }
    Ok(path)
}

/// The rule and the message for a path that does not parse.
pub(super) fn path_message(
    value: &Node,
    name: &str,
    need: Need,
    error: &SyntaxError,
) -> (LintRule, String) {
    let dollar = value.as_str().is_some_and(|text| text.starts_with('$'));
    match (need, dollar) {
        (Need::Reference, false) => (REFERENCE_PATH, NO_DOLLAR.to_string()),
        (Need::Reference, true) => (
            REFERENCE_PATH,
            format!("Value is not a Reference Path: {}", error.message),
        ),
        (Need::Path, _) => (
            PATH,
            format!(
                "The value for the field '{name}' must be a valid JSONPath: {}",
                error.message
            ),
        ),
    }
}

/// Places a diagnostic at the invalid bytes of a string, and explains the error in its help.
pub(super) fn at_error(
    diagnostic: Diagnostic,
    value: &Node,
    error: &SyntaxError,
    location: impl Into<String>,
) -> Diagnostic {
    let length = value.as_str().map_or(0, str::len);
    let span = if error.range.start < length && !error.range.is_empty() {
        value.inner_span(error.range.start..error.range.end.min(length))
    } else {
        value.span
    };
    let diagnostic = diagnostic.at(span, location);
    if let Some(help) = value.as_str().and_then(meant_path) {
        return diagnostic.help(help);
    }
    let said = diagnostic.message.contains(&error.message);
    match (said, &error.help) {
        (true, None) => diagnostic.help("such as $.order.items[0]"),
        (true, Some(help)) => diagnostic.help(help.as_str()),
        (false, None) => diagnostic.help(error.message.as_str()),
        (false, Some(help)) => diagnostic.help(format!("{}: {help}", error.message)),
    }
}
