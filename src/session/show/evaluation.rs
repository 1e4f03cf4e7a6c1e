//! What helps against a JSONata expression that failed: a variable that is not there yet, an operator for numbers, a
//! condition that is no boolean.
//!
//! It must not know how the expression is evaluated.

use crate::definition::{Definition, State};
use crate::interpreter::{Frame, Machine};
use crate::json::Value;
use crate::query::{Bindings as _, jsonata};
use crate::source::Node;

/// In one sentence each.
pub(super) fn lines(
    machine: &Machine,
    definition: &Definition,
    state: &State,
    frame: &Frame,
) -> Vec<String> {
    let Some((fault, _)) = frame.visit.fault.as_ref() else {
        return Vec::new();
    };
    let cause = fault.cause_text();
    let expression = cause
        .split_once("The JSONata expression '")
        .and_then(|(_, rest)| rest.split_once("' specified for the field '"));
    let Some((expression, _)) = expression else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    if cause.contains("side of the \"+\" operator must evaluate to a number") {
        lines.push("+ adds numbers; & joins strings".to_string());
    }
    if cause.contains("Expected 'boolean'") {
        lines.push("$count(...) > 0 or $exists(...) tests whether something is found".to_string());
    }
    if cause.contains("returned nothing (undefined)") {
        lines.extend(unassigned(machine, definition, state, frame, expression));
    }
    lines
}

/// The variables that an expression reads and that have no value.
fn unassigned(
    machine: &Machine,
    definition: &Definition,
    state: &State,
    frame: &Frame,
    expression: &str,
) -> Vec<String> {
    let null = Value::Null;
    let bindings = machine.inspect(frame, &null);
    let mut names: Vec<String> = Vec::new();
    for path in jsonata::paths(expression) {
        let name = path.into_iter().next().unwrap_or_default();
        let is_new = name != "states" && !names.contains(&name);
        if is_new && bindings.variable(&name).is_none() {
            names.push(name);
        }
    }
    // What is bound in the expression itself is no variable of the run.
    names.retain(|name| !expression.contains(&format!("${name} :=")));
    let node = definition.node.at(state.span);
    let own = |name: &str| -> Option<&Node> { node?.get("Assign")?.get(name) };
    let told = names.into_iter().map(|name| match own(&name) {
        Some(node) => {
            let line = definition.sources.place(node.span).map(|place| place.line);
            let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
            format!(
                "${name} is assigned by this state{line}: it has that value from the next state on"
            )
        }
        None => format!("${name} is not assigned here"),
    });
    told.collect()
}
