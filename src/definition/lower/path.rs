//! The kinds of paths that fields accept, the diagnostic for a path that does not parse, and help for a text that was
//! probably meant as a path or an expression.

use super::rules::{PATH, REFERENCE_PATH};
use crate::definition::QueryLanguage;
use crate::definition::rule::LintRule;
use crate::query::jsonata::Tree;
use crate::query::{Path, SyntaxError, Unevaluated, is_jsonpath};
use crate::source::{Diagnostic, Node};

/// The kind of path that a field accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Any path, even one that selects several values.
    Path,
    /// A Reference Path: a path that always leads to a single node.
    Reference,
}

impl Need {
    /// The lint rule for a value that is not a path of this kind.
    pub(super) fn rule(self) -> LintRule {
        match self {
            Self::Path => PATH,
            Self::Reference => REFERENCE_PATH,
        }
    }
}

const NO_DOLLAR: &str = "Value is not a Reference Path: Reference path didn't start with '$'";

/// Compiles a path of the required kind.
pub(super) fn compile_path(text: &str, need: Need) -> Result<Path, SyntaxError> {
    let path = Path::parse(text)?;
    if need == Need::Reference && !path.is_reference() {
        return Err(SyntaxError {
            message: "the path can select more than one value".to_string(),
            range: 0..text.len(),
            help: Some(
                "write a path to one value, without wildcards, slices, filters or '..'".to_string(),
            ),
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
            format!(
                "Value is not a Reference Path: {reason}",
                reason = error.message
            ),
        ),
        (Need::Path, _) => (
            PATH,
            format!(
                "The value for the field '{name}' must be a valid JSONPath: {reason}",
                reason = error.message
            ),
        ),
    }
}

/// Places a diagnostic at the invalid bytes of a string, and adds help for the syntax error.
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
    let is_explained = diagnostic.message.contains(&error.message);
    match (is_explained, &error.help) {
        (true, None) => diagnostic.help("write a path such as $.order.items[0]"),
        (true, Some(help)) => diagnostic.help(help.as_str()),
        (false, None) => diagnostic.help(error.message.as_str()),
        (false, Some(help)) => diagnostic.help(format!("{}: {help}", error.message)),
    }
}

/// Fields that have a `...Path` form.
const WITH_PATH: [&str; 10] = [
    "Seconds",
    "Timestamp",
    "TimeoutSeconds",
    "HeartbeatSeconds",
    "MaxConcurrency",
    "ToleratedFailureCount",
    "ToleratedFailurePercentage",
    "MaxItems",
    "MaxItemsPerBatch",
    "MaxInputBytesPerBatch",
];

/// Help for a text that is not evaluated in the field `name`, although it looks like a path or an expression.
pub(in crate::definition) fn meant(
    value: &Node,
    name: &str,
    language: QueryLanguage,
) -> Option<String> {
    let text = value.as_str()?;
    if name == "Condition" && text.starts_with('$') && Tree::parse(text).is_ok() {
        return Some(format!("write {{% {text} %}}"));
    }
    match (language, Unevaluated::of(text)?) {
        (QueryLanguage::Jsonata, Unevaluated::Bare) => Some(format!("write {{% {text} %}}")),
        (QueryLanguage::Jsonata, Unevaluated::JsonPath) => {
            Some("write an expression such as {% $states.input.order %}".to_owned())
        }
        (QueryLanguage::JsonPath, Unevaluated::JsonPath) if WITH_PATH.contains(&name) => {
            Some(format!("name the field {name}Path"))
        }
        _ => None,
    }
}

/// The name of the `...Path` form of a field, if there is one. That form reads its value from the data.
pub(super) fn with_path(name: &str) -> Option<String> {
    WITH_PATH.contains(&name).then(|| format!("{name}Path"))
}

/// Help for a text in a field that accepts only a path: to add the missing `$`, or to call an intrinsic function in
/// another field.
fn meant_path(text: &str) -> Option<String> {
    if text.starts_with('$') {
        return None;
    }
    if is_jsonpath(text) {
        let help = "a path is needed here, not a function: call the function in a field whose name ends in .$";
        return Some(help.to_owned());
    }
    let text = text.trim_start_matches('.');
    let whole = format!("$.{text}");
    (!text.is_empty() && Path::parse(&whole).is_ok()).then(|| format!("write {whole}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_its_dollar_gets_it() {
        for (text, wanted) in [
            ("x.y", Some("write $.x.y")),
            (".y", Some("write $.y")),
            ("", None),
            ("$.x", None),
            ("$x..", None),
            (
                "States.Format('{}', $.x)",
                Some(
                    "a path is needed here, not a function: call the function in a field whose name ends in .$",
                ),
            ),
        ] {
            assert_eq!(meant_path(text).as_deref(), wanted, "{text}");
        }
    }
}
