//! Sentences about a single value or type: how two strings differ, that a string was meant to be evaluated.

use crate::json::{Text, Value};
use crate::query::{Unevaluated, abridged};

/// How two texts differ, if the difference is easily overlooked.
pub(super) fn differing(value: &str, other: &str) -> Option<String> {
    if value.trim() == other.trim() {
        return Some("they differ only in spaces".to_string());
    }
    (value.to_lowercase() == other.to_lowercase())
        .then(|| "they differ only in upper and lower case".to_string())
}

/// Remark on text that was probably meant to be evaluated.
pub(super) fn not_evaluated(text: &str) -> Option<String> {
    let shown = abridged(&Value::from(text), 60);
    Some(match Unevaluated::of(text)? {
        Unevaluated::JsonPath => {
            format!("{shown} is text that was not evaluated: is .$ missing where it was written?")
        }
        Unevaluated::Bare => format!(
            "{shown} is text that was not evaluated: are {{% %}} missing where it was written?"
        ),
        Unevaluated::Delimited => {
            format!(
                "{shown} is text that was not evaluated: was it written in a state of JSONPath?"
            )
        }
    })
}

/// Name of a type in a sentence: `an array`, `a string`, `null`.
pub(super) fn with_article(name: &str) -> String {
    match name {
        "null" => name.to_string(),
        _ if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

pub(super) fn names(value: &Value) -> Vec<Text> {
    value.as_object().map_or_else(Vec::new, |object| {
        object
            .members()
            .iter()
            .take(64)
            .map(|(name, _)| name.clone())
            .collect()
    })
}
