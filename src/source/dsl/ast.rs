//! The syntax tree of an SFN DSL text, before its states are linked, and constructors of its nodes and diagnostics.

use crate::json::Text;
use crate::source::{Diagnostic, Key, Member, Node, NodeKind, OffsetMap, Span};
use std::collections::HashMap;

/// A program: the state machine that a DSL text describes.
pub(super) struct Machine {
    /// Range of the whole text.
    pub span: Span,
    /// The fields `Comment`, `Version` and `TimeoutSeconds`, as members of the definition.
    pub fields: Vec<Member>,
    /// The states of the outermost level.
    pub states: Vec<State>,
    /// True if the parser skipped text that may have contained a state.
    pub lost: bool,
}

/// Consecutive states of one block.
#[derive(Default)]
pub(super) struct Block {
    pub states: Vec<State>,
    /// Range from the first to the last state.
    pub span: Span,
}

/// A state as it is written in a program, not linked to the next state yet.
pub(super) struct State {
    pub name: Text,
    /// Range of the state's first line, without modifiers.
    pub head: Span,
    /// Range of the whole state, including nested blocks.
    pub span: Span,
    /// Fields such as `Comment` and `InputPath`, as members of the definition that is emitted.
    pub fields: Vec<Member>,
    pub retry: Vec<Node>,
    pub catch: Vec<Catch>,
    pub kind: StatementKind,
}

/// A kind of state statement.
pub(super) enum StatementKind {
    /// A `Pass`, `Task` or `Wait` state, which may be followed by another state.
    Plain(&'static str),
    /// A `Succeed` or `Fail` state, after which nothing follows.
    Terminal(&'static str),
    /// An `if`, `while` or `switch`, which becomes a Choice state.
    Choice(Choice),
    /// A `parallel` with its branches.
    Parallel(Vec<Branch>),
    /// `map` with its iterator.
    Map(Branch),
    /// `goto`: its label and the label's range.
    Goto(Text, Span),
}

/// `if`, `while` or `switch`.
#[derive(Default)]
pub(super) struct Choice {
    /// True if the run returns to the condition after the block, as it does in a `while`.
    pub again: bool,
    /// The `if`, `elif`, `case` or `while` clauses.
    pub clauses: Vec<Clause>,
    /// `else` or `default`: range of the keyword, and the block.
    pub otherwise: Option<(Span, Block)>,
}

/// One condition with its block.
pub(super) struct Clause {
    /// Range of the condition's line.
    pub head: Span,
    /// Members of the choice rule, without `Next`.
    pub rule: Vec<Member>,
    /// The block that runs if the condition holds.
    pub block: Block,
}

/// One `catch`: the errors and the block that handles them.
pub(super) struct Catch {
    /// Range of the first line of the `catch`.
    pub head: Span,
    /// Members of the catcher, without `Next`.
    pub fields: Vec<Member>,
    /// The block that handles the error.
    pub block: Block,
}

/// A branch of a `parallel`, or the iterator of a `map`.
#[derive(Default)]
pub(super) struct Branch {
    /// Range of the keyword at the beginning of the branch.
    pub head: Span,
    pub block: Block,
}

/// A string node whose text does not occur in the source. All positions in the text refer to the beginning of `span`.
pub(super) fn made(text: &str, span: Span) -> Node {
    Node::of_text(text, OffsetMap::plain(span.ends().0), span)
}

/// A node with the source range `span`.
pub(super) fn node(kind: NodeKind, span: Span) -> Node {
    Node { span, kind }
}

/// An array node with the source range `span`.
pub(super) fn array(items: Vec<Node>, span: Span) -> Node {
    node(NodeKind::Array(items), span)
}

/// An object node with the source range `span`.
pub(super) fn object(members: Vec<Member>, span: Span) -> Node {
    node(NodeKind::Object(members), span)
}

/// A member whose name has the source range `span`.
pub(super) fn member(name: impl Into<Text>, span: Span, value: Node) -> Member {
    Member {
        key: Key {
            text: name.into(),
            span,
        },
        value,
    }
}

/// Members of an object. Their names are unique.
#[derive(Default)]
pub(super) struct Members {
    /// The members, each at the position where its name first occurred.
    pub list: Vec<Member>,
    places: HashMap<Text, usize>,
}

impl Members {
    /// Adds a member. If the object already has a member with this name, replaces it and returns the span of the
    /// replaced name.
    pub fn set(&mut self, new: Member) -> Option<Span> {
        let name = new.key.text.clone();
        let place = *self.places.entry(name).or_insert(self.list.len());
        match self.list.get_mut(place) {
            Some(old) => Some(std::mem::replace(old, new).key.span),
            None => {
                self.list.push(new);
                None
            }
        }
    }
}

/// The span from the beginning of `from` to the end of `to`.
pub(super) fn from_to(from: Span, to: Span) -> Span {
    Span {
        end: to.end.max(from.end),
        ..from
    }
}

/// Maximum number of errors reported for a text. The number of warnings has the same limit.
pub(super) const MAX_FINDINGS: usize = 1000;

const INVALID: &str = "INVALID_DSL";

/// An excerpt of the text for use in a message, shortened and on a single line.
pub(super) fn brief(text: &str) -> String {
    let mut chars = text.chars();
    let mut kept: String = chars.by_ref().take(60).collect();
    if chars.next().is_some() {
        kept.push('…');
    }
    crate::json::visible(&kept).into_owned()
}

pub(super) fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    let error = Diagnostic::error(INVALID, 0, message);
    error.at(span, "").blocking()
}

pub(super) fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(INVALID, 0, message).at(span, "")
}

pub(super) fn note(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::info(INVALID, 0, message).at(span, "")
}
