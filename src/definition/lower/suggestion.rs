//! Suggests what to write instead of a text that was meant to be evaluated, in a field that does not accept it.

use crate::definition::QueryLanguage;
use crate::query::jsonata::Tree;
use crate::query::{Path, Unevaluated, is_jsonpath};
use crate::source::Node;

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

/// Suggests a replacement for a text that looks like a path or an expression in a field with this name.
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

/// The `...Path` form of a field, which reads its value from the data.
pub(super) fn with_path(name: &str) -> Option<String> {
    WITH_PATH.contains(&name).then(|| format!("{name}Path"))
}

/// Help for a text in a field that accepts only a path: add the `$`, or use another field for a function.
pub(super) fn meant_path(text: &str) -> Option<String> {
    if text.starts_with('$') {
        return None;
    }
    if is_jsonpath(text) {
        let help = "a path is wanted here, no function: call it in a field that ends in .$";
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
                Some("a path is wanted here, no function: call it in a field that ends in .$"),
            ),
        ] {
            assert_eq!(meant_path(text).as_deref(), wanted, "{text}");
        }
    }
}
