//! Values of placeholders by name, and the files they are read from: JSON, YAML or `NAME=VALUE` lines.

use crate::json::{Text, Value};
use crate::source::yaml::parse_yaml;
use crate::source::{
    Diagnostic, Diagnostics, Node, Severity, SourceFile, SourceId, Span, parse_json,
};
use std::collections::HashMap;

/// Values by name. If several values are added for a name, the first one is used.
#[derive(Clone, Debug, Default)]
pub struct Values {
    known: HashMap<Text, Value>,
}

impl Values {
    /// The value for a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.known.get(name)
    }

    /// True if there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Adds a value, unless there is already one for the name.
    pub fn add(&mut self, name: &str, value: Value) {
        self.known.entry(name.into()).or_insert(value);
    }
}

impl FromIterator<(String, Value)> for Values {
    fn from_iter<T: IntoIterator<Item = (String, Value)>>(values: T) -> Self {
        let mut all = Self::default();
        for (name, value) in values {
            all.add(&name, value);
        }
        all
    }
}

/// Reads a file of values: an object in JSON or YAML, CloudFormation's list of parameters, or `NAME=VALUE` lines.
///
/// # Errors
/// A diagnostic if the file has none of these forms.
pub fn read_values(file: &SourceFile, id: SourceId) -> Result<Vec<(String, Value)>, Diagnostics> {
    let text = file.text.trim_start();
    if !text.starts_with(['{', '[']) && is_lines(text) {
        return lines(file, id);
    }
    let (node, mut found) = if text.starts_with(['{', '[']) {
        parse_json(file, id)
    } else {
        parse_yaml(file, id)
    };
    found.retain(|found| found.severity == Severity::Error);
    let Some(node) = node.filter(|_| found.is_empty()) else {
        return Err(found);
    };
    let inner = node.get("Parameters").unwrap_or(&node);
    if let Some(members) = inner.members() {
        return Ok(members
            .iter()
            .map(|member| (member.key.text.to_string(), member.value.to_value()))
            .collect());
    }
    let listed: Option<Vec<(String, Value)>> = inner
        .items()
        .and_then(|items| items.iter().map(parameter).collect());
    listed.ok_or_else(|| {
        let message =
            "values are an object, a list of ParameterKey and ParameterValue, or NAME=VALUE lines";
        vec![Diagnostic::error("INVALID_VALUES", 0, message).at(node.span, "")]
    })
}

fn parameter(item: &Node) -> Option<(String, Value)> {
    let name = item.get("ParameterKey")?.as_str()?;
    Some((name.to_string(), item.get("ParameterValue")?.to_value()))
}

/// True if the first line with content is `NAME=VALUE`.
fn is_lines(text: &str) -> bool {
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| pair(line).is_some())
}

fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let good = !name.is_empty()
        && !name.contains(": ")
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "_-.:".contains(c));
    good.then(|| (name, value.trim()))
}

fn lines(file: &SourceFile, id: SourceId) -> Result<Vec<(String, Value)>, Diagnostics> {
    let mut values = Vec::new();
    for number in 1..=file.line_count() {
        let line = file.line(number).trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((name, value)) = pair(line) else {
            let range = file.line_range(number).unwrap_or_default();
            let end = range.start + file.line(number).len();
            let found = Diagnostic::error("INVALID_VALUES", 0, "the line is not NAME=VALUE")
                .at(Span::new(id, range.start..end), "");
            return Err(vec![found]);
        };
        values.push((name.to_string(), Value::string(unquoted(value))));
    }
    Ok(values)
}

/// The value of a `NAME=VALUE` line, without quotes, or without a comment at the end.
fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote)
            && let Some((inner, _)) = rest.split_once(quote)
        {
            return inner.to_string();
        }
    }
    let bare = value.split_once(" #").map_or(value, |(value, _)| value);
    bare.trim().to_string()
}
