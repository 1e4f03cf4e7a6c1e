//! Values that the user gives: as JSON, as a file name, or as the name of a service whose sample event becomes the
//! input.

use super::error::LaunchError;
use crate::json::{self, Value, parse};
use crate::source::{Diagnostic, Severity, SourceFile, SourceId, SourceMap, load, parse_json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A value that the user gives directly, in a file or as a sample event.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A value that is parsed already.
    Value(Value),
    /// JSON text that is not parsed yet.
    Json(String),
    /// A file with the value; `-` is standard input.
    File(PathBuf),
    /// A sample event, given as `event:NAME`.
    Event(&'static Trigger),
}

impl Given {
    /// Interprets user input as JSON or `event:NAME` if possible, otherwise as a file name.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let start = text.trim_start();
        if let Some(trigger) = start.strip_prefix("event:").and_then(Trigger::named) {
            return Self::Event(trigger);
        }
        let is_json = start.starts_with(['{', '[', '"'])
            || (json::parse(start).is_ok() && !Path::new(text).exists());
        if is_json {
            Self::Json(text.to_string())
        } else {
            Self::File(PathBuf::from(text))
        }
    }

    /// Path of the file; `None` if the value does not come from a file on disk.
    #[must_use]
    pub fn on_disk(&self) -> Option<&Path> {
        match self {
            Self::File(path) if path != Path::new("-") => Some(path),
            _ => None,
        }
    }

    /// The text of the value. If the text does not come from a file, error messages call it `place`.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn text(&self, place: &str) -> Result<SourceFile, load::LoadError> {
        match self {
            Self::Value(value) => Ok(SourceFile::new(place, &json::pretty(value))),
            Self::Json(text) => Ok(SourceFile::new(place, text)),
            Self::Event(trigger) => Ok(SourceFile::new(place, &json::pretty(&trigger.event))),
            Self::File(path) => load::load_argument(path),
        }
    }

    /// The parsed value. If the value does not come from a file, error messages call it `place`.
    ///
    /// # Errors
    /// If the file cannot be read or the text is not JSON.
    pub fn value(&self, place: &str) -> Result<Value, LaunchError> {
        match self {
            Self::Value(value) => return Ok(value.clone()),
            Self::Event(trigger) => return Ok(trigger.event.clone()),
            Self::Json(_) | Self::File(_) => {}
        }
        let text = self.text(place).map_err(|source| {
            let place = Some(place.to_string());
            LaunchError::Unreadable { place, source }
        })?;
        value_of(&text)
    }

    /// Like `value`, but only accepts an object.
    ///
    /// # Errors
    /// If the file cannot be read, the text is not JSON, or the value is not an object.
    pub fn object(&self, place: &str) -> Result<Value, LaunchError> {
        let value = self.value(place)?;
        match value.as_object() {
            Some(_) => Ok(value),
            None => Err(LaunchError::NoObject {
                place: place.to_string(),
                json_type: value.type_name(),
            }),
        }
    }
}

/// Reads a file that the user named, such as a script or theme; `-` is standard input.
///
/// # Errors
/// If the file cannot be read.
pub fn read_text(path: &Path) -> Result<SourceFile, LaunchError> {
    Ok(load::load_argument(path)?)
}

/// Parses JSON text.
///
/// # Errors
/// If the text is not valid JSON.
pub(super) fn value_of(file: &SourceFile) -> Result<Value, LaunchError> {
    let (node, mut diagnostics) = parse_json(file, SourceId(0));
    let failed = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error);
    match node {
        Some(node) if !failed => Ok(node.to_value()),
        _ => {
            diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
            for diagnostic in &mut diagnostics {
                *diagnostic = Diagnostic {
                    code: "INVALID_JSON",
                    help: None,
                    ..diagnostic.clone()
                };
            }
            let sources = Arc::new(SourceMap::of(file.clone()));
            Err(LaunchError::Invalid {
                diagnostics,
                sources,
            })
        }
    }
}

/// JSON with all sample events by name, and with the sender of each event in words.
const DATA: &str = include_str!("triggers.json");

/// Names of all sample events. They are repeated here so that the command line need not parse the JSON with the events.
pub const TRIGGER_NAMES: [&str; 10] = [
    "eventbridge",
    "s3",
    "schedule",
    "rule-schedule",
    "sqs",
    "dynamodb",
    "kinesis",
    "pipes",
    "apigateway",
    "stepfunctions",
];

/// A sample event of a service that starts executions.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Name of the sample event on the command line, for example `sqs`.
    pub name: String,
    /// The sender of the event, in words, for example `a queue of SQS by EventBridge Pipes`.
    pub from: String,
    /// The event, which becomes the input of the execution.
    pub event: Value,
}

/// All sample events, in the order of the help text.
#[must_use]
pub fn triggers() -> &'static [Trigger] {
    static ALL: OnceLock<Vec<Trigger>> = OnceLock::new();
    ALL.get_or_init(|| {
        let data = parse(DATA).unwrap_or_default();
        let members = data.as_object().map(|object| object.members());
        let members = members.unwrap_or_default().iter();
        let all = members.filter_map(|(name, sample)| {
            Some(Trigger {
                name: name.to_string(),
                from: sample.get("from")?.as_str()?.to_string(),
                event: sample.get("event")?.clone(),
            })
        });
        all.collect()
    })
}

impl Trigger {
    /// The sample event with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        triggers().iter().find(|trigger| trigger.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_read() {
        let data = parse(DATA).expect("JSON");
        let members = data.as_object().map_or(0, |all| all.members().len());
        assert_eq!(triggers().len(), members);
        let names: Vec<&str> = triggers()
            .iter()
            .map(|trigger| trigger.name.as_str())
            .collect();
        assert_eq!(names, TRIGGER_NAMES);
        assert!(Trigger::named("sqs").is_some_and(|trigger| trigger.event.is_array()));
    }
}
