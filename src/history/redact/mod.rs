//! Replaces values in what was recorded, shapes kept, so that it can be shown to others.
//!
//! It must not know where it is read or written.

mod finder;
mod pattern;
mod plain;
mod replacement;

use crate::json::{Text, Value, one_line, parse};
use pattern::Patterns;
use replacement::Replacements;

/// Members of AWS's whose text is JSON of the execution's data.
const PAYLOADS: &[&str] = &[
    "input",
    "output",
    "parameters",
    "cause",
    "result",
    "taskCredentials",
];
/// The member of AWS's that holds each variable's value as JSON text.
const VARIABLES: &str = "assignedVariables";
/// Members of AWS's whose text is AWS's own JSON.
const DOCUMENTS: &[&str] = &["message", "@message", "definition"];
/// Members of AWS's that are the shape of a history or of a definition.
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
/// Fields of a definition that hold data.
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
/// Deeper than this nothing is looked at, and nothing is let through.
const DEEPEST: usize = 100;

/// What is replaced, and by what: the same value by the same name wherever it stands, so that a replaced recording can
/// still be repeated.
#[derive(Clone, Debug)]
pub struct Redaction {
    patterns: Patterns,
    replacements: Replacements,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Among AWS's own members.
    Answer,
    /// In the data of an execution.
    Data,
    /// In a template of a definition, where texts may be expressions.
    Template,
    /// Below a field that is replaced.
    Secret,
}

/// What becomes of the values that a walk finds.
trait Visit {
    /// A value that is replaced as a whole.
    fn secret(&mut self, value: &Value) -> Value;
    /// A value that may hold one in a part.
    fn other(&mut self, value: &Value) -> Value;
    /// A name of a field.
    fn name(&mut self, name: &Text) -> Text;
}

impl Redaction {
    /// Reads patterns: the name of a field (`email`, `*token*`), the end of a path (`customer.email`), or `/REGEX/` for
    /// parts of texts.
    ///
    /// # Errors
    /// Why one of them is none.
    pub fn of(patterns: &[String]) -> Result<Self, String> {
        Ok(Self {
            patterns: Patterns::of(patterns)?,
            replacements: Replacements::default(),
        })
    }

    /// Notes the values of a document that are to be replaced, here and wherever else they stand. All documents are
    /// learnt before the first is replaced.
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

    /// The document with its values replaced.
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

    /// A name with its values replaced, as it stands in documents.
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

/// Walks a value; `path` are the names of the fields around it, as far as they are data.
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
            // An array of arrays is as deep as an object of objects.
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
                        // The name of a state; that of an execution stands in its ARN, too.
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
            // A text inside the value lives shorter than the names around it.
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

/// A member of AWS's.
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
    // Names of AWS's are no part of a path into the data.
    let mut path = match place {
        Place::Answer => own(path),
        _ => Vec::new(),
    };
    walk(member, &mut path, place, patterns, visit)
}

/// Variables by their names, each with its value as JSON text.
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

/// The path for what stands inside a text of its own.
fn own<'v>(path: &[&str]) -> Vec<&'v str> {
    vec![""; path.len()]
}

/// How what stands below a field that is replaced is seen: expressions of a template stay.
fn secret_in(place: Place, member: &Value) -> Place {
    let is_expression =
        |text: &str| text.starts_with('$') || text.starts_with("{%") || text.starts_with("States.");
    match member {
        Value::String(text) if place == Place::Template && is_expression(text) => place,
        _ => Place::Secret,
    }
}

/// The object or array that a text is.
fn nested(text: &str) -> Option<Value> {
    let start = text.trim_start();
    if !start.starts_with(['{', '[']) {
        return None;
    }
    parse(text).ok()
}

/// The text of a value that was walked; untouched where nothing was replaced.
fn rewritten(text: &Text, before: &Value, after: &Value) -> Value {
    match before == after {
        true => Value::String(text.clone()),
        false => Value::string(one_line(after)),
    }
}

#[cfg(test)]
mod tests;
