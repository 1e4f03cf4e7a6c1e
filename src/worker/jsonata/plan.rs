//! The plan of an expression, the form in which it is evaluated.

use super::datum::{Datum, Letters};
use super::pattern::Pattern;
use crate::query::jsonata::{Operator, Signature};
use std::rc::Rc;

/// A node of an expression, with the suffixes applied to its value.
#[derive(Debug)]
pub(super) struct Node {
    /// Id of the node in the expression's tree.
    pub id: u32,
    pub form: Form,
    /// True if the value decides what is evaluated or selected, and is not part of the result.
    pub decides: bool,
    /// `[...]` after an expression that is not a path.
    pub predicates: Vec<Node>,
    /// `{...}` after the expression.
    pub group: Option<Vec<Pair>>,
    /// True if `[]` follows the expression.
    pub keep: bool,
}

impl Node {
    /// True if the node has no suffix.
    pub(super) fn is_plain(&self) -> bool {
        self.predicates.is_empty() && self.group.is_none() && !self.keep
    }

    pub(super) fn new(id: u32, form: Form) -> Self {
        Self {
            id,
            form,
            decides: false,
            predicates: Vec::new(),
            group: None,
            keep: false,
        }
    }
}

/// Name and value of a member.
pub(super) type Pair = (Node, Node);

/// The kind of a node.
#[derive(Debug)]
pub(super) enum Form {
    Literal(Datum),
    Pattern(Rc<Pattern>),
    /// `$`
    Input,
    /// `$$`
    Root,
    Variable(Letters),
    /// A member of the input, in a step of a path.
    Member(Letters),
    Wildcard,
    Descendants,
    /// `%`: the value is bound to this name by a step.
    Ancestor(Letters),
    Path(Path),
    Binary(Operator, Box<Node>, Box<Node>),
    Negate(Box<Node>),
    /// `and` or `or`.
    Logic(Logic, Box<Node>, Box<Node>),
    /// `??`
    Coalesce(Box<Node>, Box<Node>),
    /// `?:`
    Otherwise(Box<Node>, Box<Node>),
    /// `~>`
    Chain(Box<Node>, Box<Node>),
    /// `:=`
    Bind(Letters, Box<Node>),
    /// `[...]`; `whole` if it is a step.
    Brackets {
        items: Vec<Node>,
        whole: bool,
    },
    Record(Vec<Pair>),
    /// `(...; ...)`; `whole` if it returns brackets at the start of a path.
    Block {
        parts: Vec<Node>,
        whole: bool,
    },
    Choice {
        condition: Box<Node>,
        then: Box<Node>,
        other: Option<Box<Node>>,
    },
    Lambda(Rc<LambdaPlan>),
    Call {
        function: Box<Node>,
        arguments: Vec<Node>,
    },
    /// A call with `?` among its arguments.
    Partial {
        function: Box<Node>,
        arguments: Vec<Option<Node>>,
    },
    Transform(Rc<TransformPlan>),
}

/// Operators whose right side may not be evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Logic {
    And,
    Or,
}

/// A sequence of steps.
#[derive(Debug)]
pub(super) struct Path {
    pub steps: Vec<Step>,
    /// True if a single value stays in a list.
    pub keep: bool,
    /// True if the rows are returned with the names bound in them.
    pub rows: bool,
}

/// A step of a path.
#[derive(Debug)]
pub(super) struct Step {
    pub form: StepForm,
    pub stages: Vec<Stage>,
    /// `@$name`
    pub focus: Option<Letters>,
    /// `#$name`
    pub index: Option<Letters>,
    /// The name that binds the step's input for a `%`.
    pub ancestor: Option<Letters>,
    /// True if the path has rows from this step on.
    pub rows: bool,
}

/// The operation of a step.
#[derive(Debug)]
pub(super) enum StepForm {
    Map(Node),
    /// `^(...)`: each term with its direction.
    Sort(Vec<(Node, Direction)>),
}

/// Sort direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

/// An operation on the results of a step.
#[derive(Debug)]
pub(super) enum Stage {
    Filter(Node),
    Index(Letters),
}

/// A function that the expression defines.
#[derive(Debug)]
pub(super) struct LambdaPlan {
    pub parameters: Vec<Letters>,
    pub signature: Option<Signature>,
    pub body: Node,
}

/// `|where|update, delete|`
#[derive(Debug)]
pub(super) struct TransformPlan {
    pub location: Node,
    pub update: Node,
    pub delete: Option<Node>,
}
