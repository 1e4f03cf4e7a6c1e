//! What helps against a JSONata expression that failed: an operator for numbers, a condition that is no boolean, what is
//! there instead of a member that is not.
//!
//! It must not know how the expression is evaluated.

use crate::interpreter::{Frame, Machine, Stage};
use crate::json::Value;
use crate::query::{Bindings as _, jsonata};

/// In one sentence each.
pub(super) fn lines(machine: &Machine, frame: &Frame) -> Vec<String> {
    let fault = frame.visit.fault.as_ref();
    let cause = fault.map_or("", |(fault, _)| fault.cause_text());
    let mut lines = Vec::new();
    if cause.contains("side of the \"+\" operator must evaluate to a number") {
        lines.push("+ adds numbers; & joins strings".to_string());
    }
    if cause.contains("Expected 'boolean'") {
        lines.push("$count(...) > 0 or $exists(...) tests whether something is found".to_string());
    }
    let expression = cause
        .split_once("The JSONata expression '")
        .and_then(|(_, rest)| rest.split_once("' specified for the field '"));
    if let Some((expression, _)) = expression
        && cause.contains("returned nothing (undefined)")
    {
        lines.extend(held(machine, frame, expression));
    }
    lines
}

/// `$states.input.user is 7`: what is there instead of the first member that an expression does not find.
fn held(machine: &Machine, frame: &Frame, expression: &str) -> Option<String> {
    let null = Value::Null;
    let bindings = machine.inspect(frame, &null);
    jsonata::paths(expression).into_iter().find_map(|path| {
        let (name, members) = path.split_first()?;
        let (mut value, members, mut place) = match (name.as_str(), members.split_first()) {
            ("states", Some((own, members))) => {
                let stage = match own.as_str() {
                    "input" => Stage::Input,
                    "result" => Stage::Result,
                    _ => return None,
                };
                let value = frame.visit.data.get(stage).cloned()?;
                (value, members, format!("$states.{own}"))
            }
            ("states", None) => return None,
            (name, _) => (bindings.variable(name)?, members, format!("${name}")),
        };
        for member in members {
            // A name goes into every item of an array.
            if value.is_array() {
                return None;
            }
            let Some(inner) = value.get(member).cloned() else {
                return Some(format!("{place} is {}", instead(&value)));
            };
            place = format!("{place}.{member}");
            value = inner;
        }
        None
    })
}

/// A value by the names of its members, a scalar itself.
fn instead(value: &Value) -> String {
    let names = super::data::names(value);
    match value.as_object() {
        None => crate::query::abridged(value, 40),
        Some(_) if names.is_empty() => "an empty object".to_string(),
        Some(_) => {
            let shown: Vec<&str> = names.iter().take(12).map(|name| &**name).collect();
            let more = if names.len() > 12 { ", …" } else { "" };
            format!("{{ {}{more} }}", shown.join(", "))
        }
    }
}
