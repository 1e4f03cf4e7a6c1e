//! An expression as it is evaluated.

use super::datum::{Datum, Letters};
use super::pattern::Pattern;
use crate::query::jsonata::{Operator, Signature};
use std::rc::Rc;

/// A part of an expression, and what is done with its value.
#[derive(Debug)]
pub(super) struct Node {
    /// The number of its node in the tree of the expression.
    pub id: u32,
    pub form: Form,
    /// True if its value decides what is evaluated or selected, and is no part of the result.
    pub decides: bool,
    /// `[...]` after something that is no path.
    pub predicates: Vec<Node>,
    /// `{...}` after it.
    pub group: Option<Vec<Pair>>,
    /// `[]` after it.
    pub keep: bool,
}

impl Node {
    /// Whether nothing stands behind it.
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

/// The name and the value of a member.
pub(super) type Pair = (Node, Node);

/// What a part of an expression is.
#[derive(Debug)]
pub(super) enum Form {
    Literal(Datum),
    Pattern(Rc<Pattern>),
    /// `$`
    Input,
    /// `$$`
    Root,
    Variable(Letters),
    /// A member of the input, as a step of a path.
    Member(Letters),
    Wildcard,
    Descendants,
    /// `%`: a name that a step bound.
    Ancestor(Letters),
    Path(Path),
    Binary(Operator, Box<Node>, Box<Node>),
    Negate(Box<Node>),
    /// `and`, or `or`.
    Logic(Logic, Box<Node>, Box<Node>),
    /// `??`
    Coalesce(Box<Node>, Box<Node>),
    /// `?:`
    Otherwise(Box<Node>, Box<Node>),
    /// `~>`
    Chain(Box<Node>, Box<Node>),
    /// `:=`
    Bind(Letters, Box<Node>),
    /// `[...]`; `whole` as a step.
    Brackets {
        items: Vec<Node>,
        whole: bool,
    },
    Record(Vec<Pair>),
    /// `(...; ...)`; `whole` where it gives brackets at the start of a path.
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

/// Operators whose right side may be left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Logic {
    And,
    Or,
}

/// Steps, one after the other.
#[derive(Debug)]
pub(super) struct Path {
    pub steps: Vec<Step>,
    /// One value stays a list.
    pub keep: bool,
    /// Its rows are handed on with the names bound in them.
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
    /// The name under which a `%` finds what the step started from.
    pub ancestor: Option<Letters>,
    /// From here on the path has rows.
    pub rows: bool,
}

/// What a step does.
#[derive(Debug)]
pub(super) enum StepForm {
    Map(Node),
    /// `^(...)`: each term and whether smaller values come first.
    Sort(Vec<(Node, Direction)>),
}

/// Which values come first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

/// What is done with what a step gives.
#[derive(Debug)]
pub(super) enum Stage {
    Filter(Node),
    Index(Letters),
}

/// A function of the expression.
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
