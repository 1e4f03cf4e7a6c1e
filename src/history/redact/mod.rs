//! Replaces values in a recording but keeps its structure, so that users can give the recording to others.

mod finder;
mod pattern;
mod replacement;

use crate::json::{Text, Value, one_line, parse};
use pattern::Patterns;
use replacement::Replacements;

/// Members of AWS's responses whose text is JSON with data of the execution, such as its input.
const PAYLOADS: &[&str] = &[
    "input",
    "output",
    "parameters",
    "cause",
    "result",
    "taskCredentials",
];
/// The member of AWS's events that has the value of each assigned variable as JSON text.
const VARIABLES: &str = "assignedVariables";
/// Members of AWS's responses and logs whose text is JSON in AWS's own form.
const DOCUMENTS: &[&str] = &["message", "@message", "definition"];
/// Members whose values are kept, because they belong to the structure of a history or definition.
const SHAPE: &[&str] = &[
    "type",
    "timestamp",
    "event_timestamp",
    "startDate",
    "stopDate",
    "redriveDate",
    "updateDate",
    "creationDate",
    "ingestionTime",
    "status",
    "redriveStatus",
    "resourceType",
    "Type",
    "StartAt",
    "Next",
    "Default",
    "QueryLanguage",
    "JitterStrategy",
    "ProcessorConfig",
];
/// Fields of a definition whose values may contain data to replace.
const TEMPLATES: &[&str] = &[
    "Parameters",
    "Arguments",
    "Result",
    "ResultSelector",
    "Assign",
    "Output",
    "ItemSelector",
    "BatchInput",
    "Credentials",
];
/// Maximum nesting depth; anything deeper is removed.
const DEEPEST: usize = 100;

/// The patterns of values to replace, and the replacements found so far. A value has the same replacement everywhere,
/// so that the redacted recording can still be repeated.
#[derive(Clone, Debug)]
pub struct Redaction {
    patterns: Patterns,
    replacements: Replacements,
}

/// The part of a document in which a value occurs. It decides how the value is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The value is a member that AWS defines.
    Answer,
    /// The value is in the data of an execution.
    Data,
    /// The value is in a template of a definition, where strings may be expressions.
    Template,
    /// The value is inside a field whose whole content is replaced.
    Secret,
}

/// Handles the values that `walk` reaches: `Learning` collects the values to replace, `Replacing` replaces them.
trait Visit {
    /// Handles a value inside a field whose whole content is to be replaced; returns the value to write.
    fn secret(&mut self, value: &Value) -> Value;
    /// Handles a value that is not inside a field to be replaced as a whole; returns the value to write.
    fn other(&mut self, value: &Value) -> Value;
    /// Handles the name of a field; returns the name to write.
    fn name(&mut self, name: &Text) -> Text;
}

impl Redaction {
    /// Parses patterns: a field name (`email`, `*token*`), the end of a path (`customer.email`), or `/REGEX/` for
    /// substrings.
    ///
    /// # Errors
    /// If a pattern is invalid; the message says why.
    pub fn of(patterns: &[String]) -> Result<Self, String> {
        Ok(Self {
            patterns: Patterns::of(patterns)?,
            replacements: Replacements::default(),
        })
    }

    /// Collects the values to replace from a document; `replace` will replace them wherever they occur, in any
    /// document. Call this for all documents before the first call of `replace`.
    pub fn learn(&mut self, document: &Value) {
        let mut learning = Learning {
            patterns: &self.patterns,
            replacements: &mut self.replacements,
        };
        walk(
            document,
            &mut Vec::new(),
            Place::Answer,
            &self.patterns,
            &mut learning,
        );
    }

    /// Returns the document with replacements for all values that `learn` collected and for all values that match a
    /// pattern.
    pub fn replace(&mut self, document: &Value) -> Value {
        self.replacements.prepare();
        let mut replacing = Replacing {
            patterns: &self.patterns,
            replacements: &self.replacements,
        };
        walk(
            document,
            &mut Vec::new(),
            Place::Answer,
            &self.patterns,
            &mut replacing,
        )
    }

    /// Replaces in a text the same values that are replaced in documents.
    pub fn replace_text(&mut self, text: &str) -> String {
        let replaced = self.replace(&Value::string(text));
        replaced.as_str().unwrap_or_default().to_string()
    }
}

struct Learning<'r> {
    patterns: &'r Patterns,
    replacements: &'r mut Replacements,
}

impl Visit for Learning<'_> {
    fn secret(&mut self, value: &Value) -> Value {
        self.replacements.learn(value);
        value.clone()
    }

    fn other(&mut self, value: &Value) -> Value {
        if let Value::String(text) = value {
            self.name(text);
        }
        value.clone()
    }

    fn name(&mut self, name: &Text) -> Text {
        for place in self.patterns.found_in(name) {
            self.replacements
                .learn_text(name.get(place).unwrap_or_default());
        }
        name.clone()
    }
}

struct Replacing<'r> {
    patterns: &'r Patterns,
    replacements: &'r Replacements,
}

impl Visit for Replacing<'_> {
    fn secret(&mut self, value: &Value) -> Value {
        self.replacements.whole(value)
    }

    fn other(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.name(text)),
            Value::Number(number) => {
                let text = number.to_string();
                let is_secret = self.replacements.knows(number)
                    || self
                        .patterns
                        .found_in(&text)
                        .any(|place| place.len() == text.len());
                match is_secret {
                    true => self.replacements.whole(value),
                    false => value.clone(),
                }
            }
            other => other.clone(),
        }
    }

    fn name(&mut self, name: &Text) -> Text {
        self.replacements
            .within(name, self.patterns.found_in(name).collect())
    }
}

/// Passes a value and everything inside it to `visit`; returns the result. `path` has the names of the enclosing fields
/// that are part of the data.
fn walk<'v>(
    value: &'v Value,
    path: &mut Vec<&'v str>,
    place: Place,
    patterns: &Patterns,
    visit: &mut impl Visit,
) -> Value {
    if path.len() > DEEPEST {
        return Value::Null;
    }
    match value {
        Value::Array(array) => {
            let items = array.items().iter();
            // An array counts as a level of the path, so that the maximum depth applies to nested arrays, too.
            path.push("");
            let items = items
                .map(|item| walk(item, path, place, patterns, visit))
                .collect();
            path.pop();
            Value::array(items)
        }
        Value::Object(object) => {
            let is_execution =
                object.get("executionArn").is_some() || object.get("mapRunArn").is_some();
            let members = object.members().iter();
            let members = members
                .map(|(name, member)| {
                    path.push(name);
                    let member = match place {
                        Place::Answer if SHAPE.contains(&&**name) => member.clone(),
                        // The name of a state is kept. The name of an execution is replaced, because it is also a part
                        // of the ARN.
                        Place::Answer if &**name == "name" && !is_execution => member.clone(),
                        Place::Answer => answer(name, member, path, patterns, visit),
                        Place::Data | Place::Template if patterns.name(path) => {
                            walk(member, path, secret_in(place, member), patterns, visit)
                        }
                        other => walk(member, path, other, patterns, visit),
                    };
                    path.pop();
                    let name = match place {
                        Place::Answer => name.clone(),
                        _ => visit.name(name),
                    };
                    (name, member)
                })
                .collect();
            Value::object(members)
        }
        Value::String(text) if place != Place::Answer => match nested(text) {
            // The path is copied, because the parsed value does not live as long as the names in `path`.
            Some(inner) => {
                let walked = walk(&inner, &mut path.to_vec(), place, patterns, visit);
                rewritten(text, &inner, &walked)
            }
            None if place == Place::Secret => visit.secret(value),
            None => visit.other(value),
        },
        Value::Null => Value::Null,
        leaf if place == Place::Secret => visit.secret(leaf),
        leaf if place == Place::Answer && leaf.as_str().is_none() => leaf.clone(),
        leaf => visit.other(leaf),
    }
}

/// Visits the value of a member that AWS defines, according to the member's name.
fn answer<'v>(
    name: &str,
    member: &'v Value,
    path: &mut Vec<&'v str>,
    patterns: &Patterns,
    visit: &mut impl Visit,
) -> Value {
    let place = match name {
        name if name == VARIABLES && member.as_object().is_some() => {
            return variables(member, patterns, visit);
        }
        name if PAYLOADS.contains(&name) => Place::Data,
        name if TEMPLATES.contains(&name) => Place::Template,
        name if DOCUMENTS.contains(&name) => {
            let inner = member.as_str().and_then(nested);
            return match (member, inner) {
                (Value::String(text), Some(inner)) => {
                    let walked = walk(&inner, &mut Vec::new(), Place::Answer, patterns, visit);
                    rewritten(text, &inner, &walked)
                }
                _ => walk(member, path, Place::Answer, patterns, visit),
            };
        }
        _ => Place::Answer,
    };
    // AWS defines the name of this member, so the name does not belong to a path in the data.
    let mut path = match place {
        Place::Answer => unnamed(path),
        _ => Vec::new(),
    };
    walk(member, &mut path, place, patterns, visit)
}

/// Visits the member with the assigned variables: an object with the name of each variable and its value as JSON text.
fn variables(member: &Value, patterns: &Patterns, visit: &mut impl Visit) -> Value {
    let members = member.as_object().map(|object| object.members());
    let walked = members.unwrap_or_default().iter().map(|(name, value)| {
        let place = match patterns.name(&[name]) {
            true => Place::Secret,
            false => Place::Data,
        };
        let inner = value.as_str().and_then(|text| parse(text).ok());
        let after = match (value, inner) {
            (Value::String(text), Some(inner)) => {
                let walked = walk(&inner, &mut vec![name], place, patterns, visit);
                rewritten(text, &inner, &walked)
            }
            _ => walk(value, &mut vec![name], place, patterns, visit),
        };
        (visit.name(name), after)
    });
    Value::object(walked.collect())
}

/// Returns a path of the same length in which all names are empty. AWS defines these names, so the user's patterns must
/// not match them.
fn unnamed<'v>(path: &[&str]) -> Vec<&'v str> {
    vec![""; path.len()]
}

/// Says how to handle the content of a field that is to be replaced: as [`Place::Secret`], except for an expression in
/// a template, which is kept.
fn secret_in(place: Place, member: &Value) -> Place {
    let is_expression =
        |text: &str| text.starts_with('$') || text.starts_with("{%") || text.starts_with("States.");
    match member {
        Value::String(text) if place == Place::Template && is_expression(text) => place,
        _ => Place::Secret,
    }
}

/// Parses a text that is a JSON object or array; `None` for any other text.
fn nested(text: &str) -> Option<Value> {
    let start = text.trim_start();
    if !start.starts_with(['{', '[']) {
        return None;
    }
    parse(text).ok()
}

/// The value after a visit as JSON text; the original text if nothing in the value was replaced.
fn rewritten(text: &Text, before: &Value, after: &Value) -> Value {
    match before == after {
        true => Value::String(text.clone()),
        false => Value::string(one_line(after)),
    }
}

#[cfg(test)]
mod tests;
