//! What an SFN DSL text says, state by state, before the states are linked.
//!
//! It must not know where it was read from beyond spans, nor what comes after what.

use crate::json::Text;
use crate::source::{Member, Node, Span};

/// A whole text.
pub(super) struct Machine {
    /// All of the text.
    pub span: Span,
    /// `Comment`, `Version`, `TimeoutSeconds`.
    pub fields: Vec<Member>,
    /// The states of the outermost level.
    pub states: Vec<State>,
    /// Whether something was skipped in which a state may have stood.
    pub lost: bool,
}

/// A run of states that stand in one block.
#[derive(Default)]
pub(super) struct Block {
    /// The states.
    pub states: Vec<State>,
    /// From the first to the last.
    pub span: Span,
}

/// One state.
pub(super) struct State {
    /// Its name.
    pub name: Text,
    /// Its first line, without modifiers.
    pub head: Span,
    /// All of its text, inner blocks included.
    pub span: Span,
    /// `Comment`, `InputPath` and the like, as they will be written.
    pub fields: Vec<Member>,
    /// Its retriers.
    pub retry: Vec<Node>,
    /// Its catchers.
    pub catch: Vec<Catch>,
    /// What it does.
    pub kind: StatementKind,
}

/// What a state does.
pub(super) enum StatementKind {
    /// `Pass`, `Task`, `Wait`: goes on.
    Plain(&'static str),
    /// `Succeed` or `Fail`: ends.
    Terminal(&'static str),
    /// `if`, `while`, `switch`.
    Choice(Choice),
    /// `parallel`.
    Parallel(Vec<Branch>),
    /// `map` with its iterator.
    Map(Branch),
    /// `goto`: the label with its place.
    Goto(Text, Span),
}

/// `if`, `while` or `switch`.
pub(super) struct Choice {
    /// Whether the end of the block leads back.
    pub again: bool,
    /// `if`, `elif`, `case`, `while`.
    pub clauses: Vec<Clause>,
    /// `else`, `default`: the word and the block.
    pub otherwise: Option<(Span, Block)>,
}

/// One condition with its block.
pub(super) struct Clause {
    /// The line of the condition.
    pub head: Span,
    /// The rule without `Next`.
    pub rule: Vec<Member>,
    /// What happens where it holds.
    pub block: Block,
}

/// One `catch`.
pub(super) struct Catch {
    /// Its line.
    pub head: Span,
    /// The catcher without `Next`.
    pub fields: Vec<Member>,
    /// The handler.
    pub block: Block,
}

/// A branch of a `parallel`, or the iterator of a `map`.
#[derive(Default)]
pub(super) struct Branch {
    /// The word that begins it.
    pub head: Span,
    /// Its states.
    pub block: Block,
}
