//! The syntax tree of an SFN DSL text, before its states are linked.

use crate::json::Text;
use crate::source::{Member, Node, Span};

/// A whole program.
pub(super) struct Machine {
    /// Range of the whole text.
    pub span: Span,
    /// `Comment`, `Version`, `TimeoutSeconds`.
    pub fields: Vec<Member>,
    /// The states of the outermost level.
    pub states: Vec<State>,
    /// True if skipped text may have contained a state.
    pub lost: bool,
}

/// Consecutive states of one block.
#[derive(Default)]
pub(super) struct Block {
    pub states: Vec<State>,
    /// Range from the first to the last state.
    pub span: Span,
}

/// One state.
pub(super) struct State {
    pub name: Text,
    /// Range of its first line, without modifiers.
    pub head: Span,
    /// Range of the whole state, including nested blocks.
    pub span: Span,
    /// Fields such as `Comment` and `InputPath`, in the form in which they are emitted.
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
    /// `if`, `while`, `switch`.
    Choice(Choice),
    /// `parallel`.
    Parallel(Vec<Branch>),
    /// `map` with its iterator.
    Map(Branch),
    /// `goto`: its label and the label's range.
    Goto(Text, Span),
}

/// `if`, `while` or `switch`.
pub(super) struct Choice {
    /// True if the end of the block leads back to the condition, as in `while`.
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

/// One `catch`.
pub(super) struct Catch {
    /// Range of its line.
    pub head: Span,
    /// Members of the catcher, without `Next`.
    pub fields: Vec<Member>,
    /// The block that handles the error.
    pub block: Block,
}

/// A branch of a `parallel`, or the iterator of a `map`.
#[derive(Default)]
pub(super) struct Branch {
    /// Range of the keyword at its beginning.
    pub head: Span,
    pub block: Block,
}
