//! Finds the states that the compiler generated, as opposed to those that a person wrote.
//!
//! It must not know the text, only the tree.

use crate::json::Text;
use crate::source::{Node, Span};
use std::collections::HashMap;

/// Why a state was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratedKind {
    /// Jump from the end of a `while` back to its condition: "loop back".
    Loop,
    /// Target of a Choice at the end of a level if no rule matches: "no branch taken".
    Default,
    /// A `goto`.
    Goto,
}

impl GeneratedKind {
    /// Describes such a state in two or three words.
    #[must_use]
    pub fn caption(self) -> &'static str {
        match self {
            Self::Loop => "loop back",
            Self::Default => "no branch taken",
            Self::Goto => "goto",
        }
    }
}

/// A generated state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Its slash path in the definition: `/States/P/Branches[1]/States/XLoop`.
    pub location: String,
    /// Name of the state.
    pub name: Text,
    /// Why it was generated.
    pub kind: GeneratedKind,
    /// Range of the line it belongs to: the `while`, the Choice, the `goto`.
    pub span: Span,
}

/// Whether a tree was compiled from a program: only then do two fields of a machine share one span.
#[must_use]
pub fn is_compiled(root: &Node) -> bool {
    let place = |name| root.member(name).map(|member| member.key.span);
    place("StartAt").is_some() && place("StartAt") == place("States")
}

/// The generated states of a compiled program; empty for a tree that was read from JSON.
#[must_use]
pub fn generated(root: &Node) -> Vec<Generated> {
    let mut found = Vec::new();
    if !is_compiled(root) {
        return found;
    }
    let mut levels = vec![(root, String::new())];
    while let Some((level, location)) = levels.pop() {
        let states = level.get("States").and_then(Node::members).unwrap_or(&[]);
        let mut choices: HashMap<&str, Span> = HashMap::new();
        for member in states {
            let (name, state) = (&member.key.text, &member.value);
            let here = format!("{location}/States/{name}");
            if state.get("Type").and_then(Node::as_str) == Some("Choice") {
                choices.insert(name, state.span);
            }
            if let Some(kind) = kind(name, state, member.key.span, &choices) {
                found.push(Generated {
                    location: here.clone(),
                    name: name.clone(),
                    kind,
                    span: member.key.span,
                });
            }
            levels.extend(inner(state, &here));
        }
    }
    found
}

/// The levels inside a state.
fn inner<'n>(state: &'n Node, location: &str) -> Vec<(&'n Node, String)> {
    let branches = state.get("Branches").and_then(Node::items).unwrap_or(&[]);
    let iterator = state.get("Iterator");
    branches
        .iter()
        .enumerate()
        .map(|(index, branch)| (branch, format!("{location}/Branches[{index}]")))
        .chain(iterator.map(|inner| (inner, format!("{location}/Iterator"))))
        .collect()
}

/// A generated state shares the span of its Choice; the target of a goto lies within the state's own first line.
fn kind(
    name: &str,
    state: &Node,
    head: Span,
    choices: &HashMap<&str, Span>,
) -> Option<GeneratedKind> {
    let shares = |ending: &str| {
        let choice = name.strip_suffix(ending)?;
        (choices.get(choice) == Some(&state.span)).then_some(())
    };
    let next = state.get("Next").map(|next| next.span);
    match state.get("Type").and_then(Node::as_str)? {
        "Pass" if shares("Loop").is_some() => Some(GeneratedKind::Loop),
        "Succeed" if shares("Default").is_some() => Some(GeneratedKind::Default),
        "Pass" if next.is_some_and(|next| head.start < next.start && next.end <= head.end) => {
            Some(GeneratedKind::Goto)
        }
        _ => None,
    }
}
