//! Finds values of a state that cannot be computed again: random numbers, times, tokens, names that AWS generated.

use crate::definition::{Definition, StateId};
use crate::json::Text;
use crate::query::jsonata::{Tree, inner};
use crate::source::Node;
use std::collections::HashMap;
use std::sync::Arc;

/// JSONPath texts that have a different value in each execution.
const MARKS: [&str; 3] = ["States.UUID", "States.MathRandom", "$$"];

/// Names of unrepeatable members by location; an empty name means the whole value.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub call: Arc<[Text]>,
    pub output: Arc<[Text]>,
    pub assigned: Arc<[Text]>,
    pub items: Arc<[Text]>,
    /// True if the error or cause of a Fail state is unrepeatable.
    pub failure: bool,
}

/// Unrepeatable members of all states that have some.
#[derive(Debug, Default)]
pub(super) struct Unrepeatable {
    states: HashMap<StateId, Names>,
}

impl Unrepeatable {
    pub fn of(definition: &Definition) -> Self {
        let states = definition.state_ids().filter_map(|id| {
            let state = definition.state(id)?;
            let node = definition.node.at(state.span)?;
            Some((id, names_of(node)?))
        });
        Self {
            states: states.collect(),
        }
    }

    /// True if the error or cause of any Fail state is unrepeatable.
    pub fn has_failure(&self) -> bool {
        self.states.values().any(|names| names.failure)
    }

    pub fn get(&self, id: StateId) -> Option<&Names> {
        self.states.get(&id)
    }
}

fn names_of(state: &Node) -> Option<Names> {
    let (mut call, mut output, mut assigned, mut items, mut failure) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for member in state.members()? {
        let value = &member.value;
        match &*member.key.text {
            "Branches" | "Iterator" | "ItemProcessor" => {}
            "ItemSelector" => collect(value, "", &mut items),
            "InputPath" | "Arguments" => {
                collect(value, "", &mut call);
                collect(value, "", &mut output);
            }
            "Parameters" => {
                collect(value, "", &mut call);
                collect(value, "", &mut output);
                collect(value, "", &mut items);
            }
            "Error" | "ErrorPath" | "Cause" | "CausePath" => collect(value, "", &mut failure),
            "Assign" => collect(value, "", &mut assigned),
            "Choices" | "Catch" => {
                for one in value.items().into_iter().flatten() {
                    collect_of(one, "Assign", &mut assigned);
                    collect_of(one, "Output", &mut output);
                }
            }
            "Output" | "ResultSelector" | "OutputPath" => collect(value, "", &mut output),
            _ => {}
        }
    }
    let is_nothing = failure.is_empty()
        && call.is_empty()
        && output.is_empty()
        && assigned.is_empty()
        && items.is_empty();
    (!is_nothing).then(|| Names {
        call: call.into(),
        output: output.into(),
        assigned: assigned.into(),
        items: items.into(),
        failure: !failure.is_empty(),
    })
}

fn collect_of(node: &Node, name: &str, into: &mut Vec<Text>) {
    if let Some(value) = node.get(name) {
        collect(value, "", into);
    }
}

/// Collects the names of members that contain unrepeatable text.
fn collect(node: &Node, name: &str, into: &mut Vec<Text>) {
    if let Some(text) = node.as_str() {
        let is_one = match inner(text) {
            Some(text) => Tree::parse(text).is_ok_and(|tree| tree.is_unrepeatable()),
            None => MARKS.iter().any(|mark| text.contains(mark)),
        };
        if is_one {
            into.push(name.strip_suffix(".$").unwrap_or(name).into());
        }
        return;
    }
    for member in node.members().into_iter().flatten() {
        collect(&member.value, &member.key.text, into);
    }
    for item in node.items().into_iter().flatten() {
        collect(item, name, into);
    }
}
