//! Values for the client: one line each, with children in pages on request.

use super::client::number;
use super::debuggee::Debuggee;
use super::handle::{Container, Node, Row};
use super::protocol::{Variable, VariablePresentationHint, VariablesArguments, VariablesBody};
use super::refusal::Refusal;
use super::scope::Part;
use crate::json::{Step, Value};
use crate::query::abridged;

/// Approximate maximum length of a displayed value, in bytes.
const SHOWN: usize = 200;
/// Maximum length of a displayed string, in characters.
pub(super) const TEXT_SHOWN: usize = 8_000;
/// Number of items per group of a long array, for clients that do not support paging.
const PART: usize = 1_000;
/// Maximum number of items per page.
const PAGE: usize = 100_000;

/// A value on one line.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let cut = text.char_indices().nth(TEXT_SHOWN);
            let kept = cut.and_then(|(at, _)| text.get(..at));
            match kept {
                Some(kept) => crate::json::one_line(&Value::string(kept)) + "…",
                None => crate::json::one_line(value),
            }
        }
        Value::Array(array) if array.len() > 8 => {
            format!("({}) {}", array.len(), abridged(value, SHOWN))
        }
        _ => abridged(value, SHOWN),
    }
}

/// Number of named and of indexed children of a value.
pub(super) fn counts(value: &Value) -> (Option<i64>, Option<i64>) {
    match value {
        Value::Array(array) => (None, Some(number(array.len()))),
        Value::Object(object) => (Some(number(object.members().len())), None),
        _ => (None, None),
    }
}

impl Debuggee {
    /// Reference for the children of a value; 0 if it has none.
    pub fn reference(&mut self, node: Node) -> i64 {
        let parts = match &node.value {
            Value::Array(array) => array.len(),
            Value::Object(object) => object.members().len(),
            _ => 0,
        };
        match parts {
            0 => 0,
            _ => self.handles.add(Container::Value(node)),
        }
    }

    /// A named value as a variable of the protocol.
    pub fn variable(&mut self, name: String, node: Node) -> Variable {
        let (named, indexed) = counts(&node.value);
        let attributes = match node.place {
            Some(_) => Vec::new(),
            None => vec!["readOnly"],
        };
        Variable {
            name,
            value: shown(&node.value),
            r#type: self.type_name(&node.value),
            presentation_hint: Some(VariablePresentationHint {
                kind: Some("data"),
                attributes,
            }),
            evaluate_name: node.expression.clone(),
            named_variables: named,
            indexed_variables: indexed,
            variables_reference: self.reference(node),
        }
    }

    /// Type of a value, if the client shows types.
    pub fn type_name(&self, value: &Value) -> Option<String> {
        self.client.types.then(|| value.type_name().to_string())
    }

    /// Returns the children of a scope or a value.
    pub fn variables(&mut self, arguments: &VariablesArguments) -> Result<VariablesBody, Refusal> {
        let from = |number: Option<i64>| number.and_then(|n| usize::try_from(n).ok());
        let start = from(arguments.start).unwrap_or(0);
        let count = from(arguments.count).filter(|count| *count > 0);
        let container = self
            .handles
            .container(arguments.variables_reference)?
            .clone();
        let (named, indexed) = match arguments.filter.as_deref() {
            Some("named") => (true, false),
            Some("indexed") => (false, true),
            _ => (true, true),
        };
        let variables = match container {
            Container::Scope(frame, kind) if named => {
                let parts = self.scope_parts(frame, kind)?;
                let most = count.unwrap_or(PAGE);
                let parts = parts.into_iter().skip(start).take(most);
                parts.map(|part| self.part(part)).collect()
            }
            Container::Range(node, first, length) if indexed => {
                self.page(&node, first, first.saturating_add(length))
            }
            Container::Value(node) => match &node.value {
                Value::Object(object) if named => {
                    let most = count.unwrap_or(PAGE);
                    let members: Vec<_> = object.members().iter().skip(start).take(most).collect();
                    let part = |(name, value): &(crate::json::Text, Value)| {
                        let step = Step::Member(name.clone());
                        let part = node.child(step, value.clone());
                        self.variable(name.to_string(), part)
                    };
                    members.into_iter().map(part).collect()
                }
                Value::Array(array) if indexed => {
                    let length = array.len();
                    match count {
                        None if !self.client.paging && length > PART => self.ranges(&node, length),
                        count => {
                            let most = count.unwrap_or(PAGE);
                            self.page(&node, start, start.saturating_add(most))
                        }
                    }
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        Ok(VariablesBody { variables })
    }

    fn part(&mut self, part: Part) -> Variable {
        match part {
            Part::Value(name, node) => self.variable(name, node),
            Part::Row(row) => row_variable(&row),
        }
    }

    /// A range of items of an array.
    fn page(&mut self, node: &Node, from: usize, to: usize) -> Vec<Variable> {
        let Value::Array(items) = &node.value else {
            return Vec::new();
        };
        let parts = (from..to.min(items.len())).filter_map(|index| {
            let part = node.child(Step::Item(index), items.item(index)?);
            Some(self.variable(index.to_string(), part))
        });
        parts.collect()
    }

    /// The groups of an array that is too long to be shown at once.
    fn ranges(&mut self, node: &Node, length: usize) -> Vec<Variable> {
        let starts = (0..length).step_by(PART);
        let parts = starts.map(|first| {
            let count = PART.min(length - first);
            let last = first.saturating_add(count).saturating_sub(1);
            let container = Container::Range(node.clone(), first, count);
            Variable {
                name: format!("[{first}..{last}]"),
                value: String::new(),
                presentation_hint: Some(VariablePresentationHint {
                    kind: Some("virtual"),
                    attributes: vec!["readOnly"],
                }),
                variables_reference: self.handles.add(container),
                indexed_variables: Some(number(count)),
                ..Variable::default()
            }
        });
        parts.collect()
    }
}

/// A row of text as a variable of the protocol.
fn row_variable(row: &Row) -> Variable {
    Variable {
        name: row.name.clone(),
        value: row.text.clone(),
        presentation_hint: Some(VariablePresentationHint {
            kind: Some("virtual"),
            attributes: vec!["readOnly"],
        }),
        ..Variable::default()
    }
}
