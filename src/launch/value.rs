//! Values that arguments are, or name: JSON as it is, or a file of it.
//!
//! It must not know what they are for.

use crate::headless::Refusal;
use crate::json::Value;
use crate::source::{Diagnostic, Severity, SourceFile, SourceId, SourceMap, load, parse_json};
use std::path::Path;

/// The JSON that an argument is, or that stands in the file that it names.
///
/// # Errors
/// Where the file cannot be read or the text is not JSON.
pub fn value(argument: &str, option: &str) -> Result<Value, Refusal> {
    value_of(&text_of(argument, option)?)
}

/// The same where only an object will do.
///
/// # Errors
/// Where it is something else, too.
pub fn object(argument: &str, option: &str) -> Result<Value, Refusal> {
    let value = value(argument, option)?;
    match value.as_object() {
        Some(_) => Ok(value),
        None => Err(Refusal::new(format!(
            "{option} is an object, not {} {}",
            if value.as_array().is_some() {
                "an"
            } else {
                "a"
            },
            value.type_name()
        ))),
    }
}

/// The text that an argument is, or that stands in the file that it names.
///
/// # Errors
/// Where the file cannot be read.
pub fn text_of(argument: &str, option: &str) -> Result<SourceFile, Refusal> {
    if is_json(argument) {
        return Ok(SourceFile::new(option, argument));
    }
    load::load_argument(Path::new(argument))
        .map_err(|error| Refusal::new(format!("{option}: {error}")))
}

/// Whether an argument is JSON and not the name of a file.
#[must_use]
pub fn is_json(argument: &str) -> bool {
    let text = argument.trim_start();
    text.starts_with(['{', '[', '"'])
        || (crate::json::parse(text).is_ok() && !Path::new(argument).exists())
}

/// The value of a text in JSON.
///
/// # Errors
/// Where it is none.
pub fn value_of(file: &SourceFile) -> Result<Value, Refusal> {
    let (node, mut found) = parse_json(file, SourceId(0));
    let failed = found
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error);
    match node {
        Some(node) if !failed => Ok(node.to_value()),
        _ => {
            found.retain(|diagnostic| diagnostic.severity == Severity::Error);
            for diagnostic in &mut found {
                *diagnostic = Diagnostic {
                    code: "INVALID_JSON",
                    help: None,
                    ..diagnostic.clone()
                };
            }
            Err(Refusal::of(&found, &SourceMap::of(file.clone())))
        }
    }
}
