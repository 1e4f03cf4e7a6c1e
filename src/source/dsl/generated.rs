//! Finds the states that the compiler generated, as opposed to those written in the source.

use crate::json::Text;
use crate::source::{Node, Span};
use std::collections::HashMap;

/// The reason why a state was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratedKind {
    /// The jump from the end of a `while` back to its condition: "loop back".
    Loop,
    /// The target of a Choice at the end of a level for the case that no rule matches: "no branch taken".
    Default,
    /// A `goto`.
    Goto,
}

impl GeneratedKind {
    /// Describes the state in two or three words.
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
    /// Slash path in the definition: `/States/P/Branches[1]/States/XLoop`.
    pub location: String,
    /// Name of the state.
    pub name: Text,
    /// The reason why it was generated.
    pub kind: GeneratedKind,
    /// Range of the source line it belongs to: the `while`, the Choice or the `goto`.
    pub span: Span,
}

/// True if the tree was compiled from a DSL program. Only in such a tree do `StartAt` and `States` have the same span.
#[must_use]
pub fn is_compiled(root: &Node) -> bool {
    let place = |name| root.member(name).map(|member| member.key.span);
    place("StartAt").is_some() && place("StartAt") == place("States")
}

/// The generated states of a compiled program; empty for any other tree.
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

/// The nested levels inside a state.
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

/// Returns which kind of generated state a state is; `None` if its author wrote it. A generated state has the span of its
/// Choice; the target of a goto has a span within the first line of the state.
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
