//! Values that are given as they are, or by the name of a file.
//!
//! It must not know what they are for.

use super::error::LaunchError;
use super::trigger::Trigger;
use crate::json::{self, Value};
use crate::source::{Diagnostic, Severity, SourceFile, SourceId, SourceMap, load, parse_json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Something that is given as it is or stands in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A value.
    Value(Value),
    /// A text in JSON.
    Json(String),
    /// The file of this name; `-` is standard input.
    File(PathBuf),
    /// What a service sends, as `event:NAME`.
    Event(&'static Trigger),
}

impl Given {
    /// What a person writes: JSON or `event:NAME` where it can be, else the name of a file.
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

    /// The file that holds it, where that can change.
    #[must_use]
    pub fn on_disk(&self) -> Option<&Path> {
        match self {
            Self::File(path) if path != Path::new("-") => Some(path),
            _ => None,
        }
    }

    /// The text; `place` is what it is called where it is in no file.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn text(&self, place: &str) -> Result<SourceFile, load::LoadError> {
        match self {
            Self::Value(value) => Ok(SourceFile::new(place, &json::pretty(value))),
            Self::Json(text) => Ok(SourceFile::new(place, text)),
            Self::Event(trigger) => Ok(SourceFile::new(place, &json::pretty(&trigger.event))),
            Self::File(path) => load::load_argument(path),
        }
    }

    /// The value; `place` is what it is called where it is in no file.
    ///
    /// # Errors
    /// Where the file cannot be read, which names the place, or the text is not JSON.
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

    /// The same where only an object will do.
    ///
    /// # Errors
    /// Where it is something else, too.
    pub fn object(&self, place: &str) -> Result<Value, LaunchError> {
        let value = self.value(place)?;
        match value.as_object() {
            Some(_) => Ok(value),
            None => Err(LaunchError::NoObject {
                place: place.to_string(),
                found: value.type_name(),
            }),
        }
    }
}

/// The text of a file that a person named: a script, a theme; `-` is standard input.
///
/// # Errors
/// Where it cannot be read.
pub fn read_text(path: &Path) -> Result<SourceFile, LaunchError> {
    Ok(load::load_argument(path)?)
}

/// The value of a text in JSON.
///
/// # Errors
/// Where it is none.
pub(super) fn value_of(file: &SourceFile) -> Result<Value, LaunchError> {
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
            let sources = Arc::new(SourceMap::of(file.clone()));
            Err(LaunchError::Invalid { found, sources })
        }
    }
}
