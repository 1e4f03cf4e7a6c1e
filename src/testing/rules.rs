//! Reads expected values; rules may replace any value inside them.

use super::expected::{Expected, Rule};
use super::form::{MATCHER_KEYS, is_rules};
use super::reader::Reader;
use crate::source::{Node, NodeKind};
use regex::RegexBuilder;

/// Maximum memory of a compiled regular expression, in bytes.
const REGEX_BYTES: usize = 1 << 20;

impl Reader {
    /// Reads a value that may contain rules.
    pub(super) fn expected(&mut self, node: &Node) -> Expected {
        match &node.kind {
            NodeKind::Object(members) if is_rules(node) => {
                let mut rules = Vec::new();
                for member in members {
                    if self.known(&member.key, &MATCHER_KEYS, "a rule for a value") {
                        rules.extend(self.rule(&member.key.text, &member.value));
                    }
                }
                Expected::Rules(rules)
            }
            NodeKind::Object(members) if holds_rules(node) => {
                let members = members.iter();
                let members =
                    members.map(|member| (member.key.text.clone(), self.expected(&member.value)));
                Expected::Object(members.collect())
            }
            NodeKind::Array(items) if holds_rules(node) => {
                Expected::Array(items.iter().map(|item| self.expected(item)).collect())
            }
            _ => Expected::Value(node.to_value()),
        }
    }

    fn rule(&mut self, key: &str, node: &Node) -> Option<Rule> {
        let number = node.as_number().map(crate::json::Number::as_f64);
        Some(match key {
            "$any" | "$absent" => {
                if node.as_bool() != Some(true) {
                    self.wants(node, key, "true");
                }
                if key == "$any" {
                    Rule::Any
                } else {
                    Rule::Absent
                }
            }
            "$type" => {
                let known = [
                    "null", "boolean", "number", "integer", "string", "array", "object",
                ];
                let names = known.map(|name| (name, name));
                Rule::Type(self.one_of(key, node, &names)?.into())
            }
            "$min" | "$max" => {
                let Some(number) = number else {
                    self.wants(node, key, "a number");
                    return None;
                };
                if key == "$min" {
                    Rule::Min(number)
                } else {
                    Rule::Max(number)
                }
            }
            "$length" => self.length(node)?,
            "$matches" => {
                let text = self.text(key, node)?;
                let built = RegexBuilder::new(&text).size_limit(REGEX_BYTES).build();
                match built {
                    Ok(regex) => Rule::Matches(regex),
                    Err(error) => {
                        // The last line is the message; the lines before it only mark the position.
                        let error = error.to_string();
                        let last = error.lines().last().unwrap_or("");
                        let last = last.strip_prefix("error:").unwrap_or(last).trim_start();
                        self.refuse(node.span, format!("not a regular expression: {last}"));
                        return None;
                    }
                }
            }
            "$contains" => Rule::Contains(node.to_value()),
            "$includes" => Rule::Includes(Box::new(self.expected(node))),
            "$one_of" => {
                let Some(items) = node.items() else {
                    self.wants(node, key, "a list of values");
                    return None;
                };
                Rule::OneOf(items.iter().map(|item| self.expected(item)).collect())
            }
            _ => Rule::Equals(node.to_value()),
        })
    }

    /// Reads `3`, or `{min: 1, max: 4}`.
    fn length(&mut self, node: &Node) -> Option<Rule> {
        let whole = |node: &Node| {
            let number = node.as_number().and_then(crate::json::Number::as_i64)?;
            u64::try_from(number).ok()
        };
        if let Some(length) = whole(node) {
            return Some(Rule::Length(length, length));
        }
        let bound = |name: &str, default| match node.get(name) {
            None => Some(default),
            Some(node) => whole(node),
        };
        let known = node.members().is_some_and(|members| {
            let mut names = members.iter().map(|member| &*member.key.text);
            names.all(|name| ["min", "max"].contains(&name))
        });
        match (known, bound("min", 0), bound("max", u64::MAX)) {
            (true, Some(least), Some(most)) => Some(Rule::Length(least, most)),
            _ => {
                self.refuse(node.span, "\"$length\" is a number, or {min: N, max: N}");
                None
            }
        }
    }
}

/// True if a value contains rules at any depth.
fn holds_rules(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Object(members) => {
            is_rules(node) || members.iter().any(|member| holds_rules(&member.value))
        }
        NodeKind::Array(items) => items.iter().any(holds_rules),
        _ => false,
    }
}
