//! The syntax tree of an expression. Each node has a number and a byte range in the expression.

use super::function::Signature;
use super::lexer::Lexer;
use crate::json::Text;
use std::ops::Range;

/// A parsed expression. Trees are equal if their texts are equal.
#[derive(Clone, Debug)]
pub struct Tree {
    text: Text,
    root: Node,
    count: u32,
}

impl Tree {
    /// Creates a tree and numbers its nodes.
    pub(super) fn new(text: &str, mut root: Node) -> Self {
        let mut count = 0;
        let mut open = vec![&mut root];
        while let Some(node) = open.pop() {
            node.id = count;
            count += 1;
            let mut below = node.children_mut();
            below.reverse();
            open.extend(below);
        }
        Self {
            text: text.into(),
            root,
            count,
        }
    }

    /// The root node, which is the whole expression.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Number of nodes. The nodes are numbered from 0, outer nodes first.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The text of the whole expression.
    #[must_use]
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Returns the outermost node that has exactly this byte range.
    #[must_use]
    pub fn at(&self, range: &Range<usize>) -> Option<&Node> {
        let mut node_there = None;
        self.root.each(&mut |node| {
            if node_there.is_none() && node.range == *range {
                node_there = Some(node);
            }
        });
        node_there
    }

    /// A node as it is written.
    #[must_use]
    pub fn text_of(&self, node: &Node) -> &str {
        self.text.get(node.range.clone()).unwrap_or_default()
    }

    /// Returns the byte range of the operator that follows the operand `left`.
    #[must_use]
    pub fn sign_behind(&self, left: &Node) -> Range<usize> {
        sign_behind(&self.text, left)
    }
}

/// Returns the byte range of the token that follows the node `left`.
pub(super) fn sign_behind(text: &str, left: &Node) -> Range<usize> {
    let token = Lexer::new(text, left.range.end).next(true);
    token.map_or(0..text.len(), |(_, range)| range)
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// A part of an expression. Nodes are equal if they are equal as expressions; their positions do not matter.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Number of the node in the tree.
    pub id: u32,
    /// Byte range in the expression.
    pub range: Range<usize>,
    /// The kind of expression that the node is, with its operands.
    pub form: Form,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form
    }
}

/// Drops the nodes in a loop: with recursion, a deep tree could overflow the stack.
impl Drop for Node {
    fn drop(&mut self) {
        let mut open: Vec<Self> = self
            .children_mut()
            .into_iter()
            .map(std::mem::take)
            .collect();
        while let Some(mut node) = open.pop() {
            open.extend(node.children_mut().into_iter().map(std::mem::take));
        }
    }
}

/// A key and its value in an object constructor or a group.
pub type Pair = (Node, Node);

/// The kinds of expressions.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Form {
    /// `undefined` or `()`.
    #[default]
    Nothing,
    /// `null`
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without a sign.
    Number(f64),
    /// A quoted string.
    Text(String),
    /// `/pattern/flags`
    Regex {
        /// The text between the slashes.
        pattern: String,
        /// The text after the last slash.
        flags: String,
    },
    /// A member name, as a step of a path.
    Name(String),
    /// `$name`; empty for `$`.
    Variable(String),
    /// `$$`
    Root,
    /// `?` in place of an argument.
    Placeholder,
    /// `*`
    Wildcard,
    /// `**`
    Descendants,
    /// `%` (the parent operator), with a label: it refers to the step that has the same label. If no step has the
    /// label, it refers to none.
    Parent(u32),
    /// Steps joined by `.`, or a single step with its predicates.
    Path(Vec<Step>),
    /// An operator with its operands.
    Binary(Operator, Box<Node>, Box<Node>),
    /// `-value`
    Negate(Box<Node>),
    /// A call of a function by its name.
    Function {
        /// The name without `$`.
        name: String,
        /// The arguments.
        arguments: Vec<Node>,
        /// True for `$name()`, false for the member call `name()`.
        is_variable: bool,
    },
    /// A call of a function that is the value of another expression.
    Call(Box<Node>, Vec<Node>),
    /// `function($a, $b) { … }`
    Lambda {
        /// Parameter names without `$`.
        parameters: Vec<String>,
        /// The signature, if there is one.
        signature: Option<Signature>,
        /// The expression between the braces.
        body: Box<Node>,
    },
    /// `[…]`
    Array(Vec<Node>),
    /// `.[…]`: a path step that makes a new array for each item.
    ArrayStep(Vec<Node>),
    /// `(…; …)`
    Block(Vec<Node>),
    /// `{…}`
    Object(Vec<Pair>),
    /// `value{…}`: groups the items of the value by the keys.
    Group(Box<Node>, Vec<Pair>),
    /// `value^(…)`: sorts the items by the terms. Each term has a flag that is true for ascending order.
    Sort(Box<Node>, Vec<(Node, bool)>),
    /// `condition ? then : otherwise`
    Conditional {
        /// The expression before `?`.
        condition: Box<Node>,
        /// The expression after `?`.
        then: Box<Node>,
        /// The expression after `:`, if there is one.
        otherwise: Option<Box<Node>>,
    },
    /// `|location|update, delete|`
    Transform {
        /// Selects the objects to change.
        location: Box<Node>,
        /// The object that is merged into each of these objects.
        update: Box<Node>,
        /// Names of the members to remove.
        delete: Option<Box<Node>>,
    },
    /// `value@$name` or `value#$name`, until the parser has moved the name to the last step of `value`.
    Bound(Box<Node>, Binding),
}

/// A name that a step binds.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// `@$name` binds the name to the current item of the step.
    Focus(String),
    /// `#$name` binds the name to the index of the current item.
    Index(String),
}

/// A step of a path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The expression that is evaluated for each item.
    pub node: Node,
    /// Predicates and other suffixes of the step, in order.
    pub stages: Vec<Stage>,
    /// The name that `@` binds to the current item of this step.
    pub focus: Option<String>,
    /// The name that `#` binds to the index of the current item of this step.
    pub index: Option<String>,
    /// The label of this step, if a `%` refers to it; the `%` then returns the input of this step.
    pub ancestor: Option<u32>,
    /// True if, from this step on, every item of the path has to carry values with it: those bound by `@` or `#`, or
    /// those that a `%` needs.
    pub binds: bool,
    /// True if names bound inside the step's parentheses are visible in later steps.
    pub passes_on: bool,
}

impl Step {
    /// A step without suffixes.
    #[must_use]
    pub fn new(node: Node) -> Self {
        Self {
            node,
            ..Self::default()
        }
    }

    /// The expressions in the step's `[…]` suffixes: filters and item indexes.
    pub fn predicates(&self) -> impl Iterator<Item = &Node> {
        self.stages.iter().filter_map(|stage| match stage {
            Stage::Filter(node) => Some(node),
            _ => None,
        })
    }

    /// True if the node has no suffixes and no bindings.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.stages.is_empty() && self.focus.is_none() && self.index.is_none()
    }

    /// True if the step has the suffix `[]`.
    #[must_use]
    pub fn keeps_array(&self) -> bool {
        self.stages.contains(&Stage::KeepArray)
    }
}

/// A suffix of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// `[…]`
    Filter(Node),
    /// `#$name` after another suffix: binds the name to the index of the current item.
    Index(String),
    /// `[]`
    KeepArray,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `in`
    In,
    /// `and`
    And,
    /// `or`
    Or,
    /// `&`
    Concatenate,
    /// `..`
    Range,
    /// `:=`
    Bind,
    /// `??`
    Coalesce,
    /// `?:`
    Default,
    /// `~>`
    Chain,
}

/// All operators with their text and their left and right binding power.
const OPERATORS: [(Operator, &str, (u8, u8)); 20] = [
    (Operator::Add, "+", (50, 51)),
    (Operator::Subtract, "-", (50, 51)),
    (Operator::Multiply, "*", (60, 61)),
    (Operator::Divide, "/", (60, 61)),
    (Operator::Modulo, "%", (60, 61)),
    (Operator::Equal, "=", (40, 41)),
    (Operator::NotEqual, "!=", (40, 41)),
    (Operator::Less, "<", (40, 41)),
    (Operator::LessOrEqual, "<=", (40, 41)),
    (Operator::Greater, ">", (40, 41)),
    (Operator::GreaterOrEqual, ">=", (40, 41)),
    (Operator::In, "in", (40, 41)),
    (Operator::And, "and", (30, 31)),
    (Operator::Or, "or", (25, 26)),
    (Operator::Concatenate, "&", (50, 51)),
    (Operator::Range, "..", (20, 21)),
    (Operator::Bind, ":=", (10, 9)),
    (Operator::Coalesce, "??", (15, 16)),
    (Operator::Default, "?:", (15, 16)),
    (Operator::Chain, "~>", (40, 41)),
];

impl Operator {
    /// The operator as written.
    #[must_use]
    pub fn sign(self) -> &'static str {
        let operator = OPERATORS.iter().find(|(key, ..)| *key == self);
        operator.map_or("", |(_, sign, _)| sign)
    }

    /// The operator written as `sign`, with its left and right binding power.
    pub(super) fn of(sign: &str) -> Option<(Self, (u8, u8))> {
        let known = OPERATORS.iter().find(|(_, written, _)| *written == sign);
        known.map(|(operator, _, power)| (*operator, *power))
    }

    /// Returns the comparison that has the same result if its operands are exchanged: `>` for `<`. Returns `in`, and
    /// operators that do not compare, unchanged.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }

    /// True for operators that compare their operands.
    #[must_use]
    pub fn compares(self) -> bool {
        self.orders() || matches!(self, Self::Equal | Self::NotEqual | Self::In)
    }

    /// True for `<`, `<=`, `>` and `>=`.
    #[must_use]
    pub fn orders(self) -> bool {
        matches!(
            self,
            Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual
        )
    }
}

impl Node {
    /// Creates a node without a number.
    pub(super) fn new(range: Range<usize>, form: Form) -> Self {
        Self { id: 0, range, form }
    }

    /// The steps of a path; for any other node, a single step.
    pub(super) fn into_steps(mut self) -> Vec<Step> {
        match &mut self.form {
            Form::Path(steps) => std::mem::take(steps),
            _ => vec![Step::new(self)],
        }
    }

    /// Returns the direct children. The flag of a child is true if the child is evaluated in another context (`$`) than
    /// this node.
    #[must_use]
    pub fn children(&self) -> Vec<(&Self, bool)> {
        let mut below: Vec<(&Self, bool)> = Vec::new();
        match &self.form {
            Form::Path(steps) => {
                for (place, step) in steps.iter().enumerate() {
                    below.push((&step.node, place > 0));
                    below.extend(step.predicates().map(|node| (node, true)));
                }
            }
            Form::Binary(_, left, right) => below.extend([(&**left, false), (&**right, false)]),
            Form::Negate(operand) | Form::Bound(operand, _) => below.push((operand, false)),
            Form::Lambda { body, .. } => below.push((body, true)),
            Form::Function { arguments, .. } => {
                below.extend(arguments.iter().map(|node| (node, false)));
            }
            Form::Call(function, arguments) => {
                below.push((function, false));
                below.extend(arguments.iter().map(|node| (node, false)));
            }
            Form::Array(items) | Form::ArrayStep(items) | Form::Block(items) => {
                below.extend(items.iter().map(|node| (node, false)));
            }
            Form::Object(pairs) => {
                let pairs = pairs.iter();
                below.extend(pairs.flat_map(|(key, value)| [(key, false), (value, false)]));
            }
            Form::Group(input, pairs) => {
                below.push((input, false));
                let pairs = pairs.iter();
                below.extend(pairs.flat_map(|(key, value)| [(key, true), (value, true)]));
            }
            Form::Sort(input, terms) => {
                below.push((input, false));
                below.extend(terms.iter().map(|(term, _)| (term, true)));
            }
            Form::Conditional {
                condition,
                then,
                otherwise,
            } => {
                below.extend([(&**condition, false), (&**then, false)]);
                below.extend(otherwise.iter().map(|node| (&**node, false)));
            }
            Form::Transform {
                location,
                update,
                delete,
            } => {
                below.extend([(&**location, true), (&**update, true)]);
                below.extend(delete.iter().map(|node| (&**node, true)));
            }
            _ => {}
        }
        below
    }

    /// The direct children, mutable.
    pub(super) fn children_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.form {
            Form::Path(steps) => {
                let mut below = Vec::new();
                for step in steps {
                    below.push(&mut step.node);
                    below.extend(step.stages.iter_mut().filter_map(|stage| match stage {
                        Stage::Filter(node) => Some(node),
                        _ => None,
                    }));
                }
                below
            }
            Form::Binary(_, left, right) => vec![left, right],
            Form::Negate(operand) | Form::Bound(operand, _) => vec![operand],
            Form::Lambda { body, .. } => vec![body],
            Form::Function { arguments, .. } => arguments.iter_mut().collect(),
            Form::Call(function, arguments) => {
                std::iter::once(&mut **function).chain(arguments).collect()
            }
            Form::Array(items) | Form::ArrayStep(items) | Form::Block(items) => {
                items.iter_mut().collect()
            }
            Form::Object(pairs) => {
                let pairs = pairs.iter_mut();
                pairs.flat_map(|(key, value)| [key, value]).collect()
            }
            Form::Group(input, pairs) => {
                let pairs = pairs.iter_mut().flat_map(|(key, value)| [key, value]);
                std::iter::once(&mut **input).chain(pairs).collect()
            }
            Form::Sort(input, terms) => {
                let terms = terms.iter_mut().map(|(term, _)| term);
                std::iter::once(&mut **input).chain(terms).collect()
            }
            Form::Conditional {
                condition,
                then,
                otherwise,
            } => {
                let both = [&mut **condition, &mut **then].into_iter();
                both.chain(otherwise.as_deref_mut()).collect()
            }
            Form::Transform {
                location,
                update,
                delete,
            } => {
                let both = [&mut **location, &mut **update].into_iter();
                both.chain(delete.as_deref_mut()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Visits this node and all nodes below it in the order of the text, outer nodes first.
    pub fn each<'t>(&'t self, see: &mut dyn FnMut(&'t Self)) {
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            see(node);
            let below = node.children().into_iter().rev();
            open.extend(below.map(|(child, _)| child));
        }
    }

    /// The names that the expression binds with parameters, `:=`, `@` and `#`, in no particular order.
    #[must_use]
    pub fn bound(&self) -> Vec<&str> {
        let mut bound: Vec<&str> = Vec::new();
        self.each(&mut |node| match &node.form {
            Form::Lambda { parameters, .. } => {
                bound.extend(parameters.iter().map(String::as_str));
            }
            Form::Binary(Operator::Bind, left, _) => bound.extend(left.variable()),
            Form::Path(steps) => {
                for step in steps {
                    bound.extend(step.focus.as_deref());
                    bound.extend(step.index.as_deref());
                    bound.extend(step.stages.iter().filter_map(|stage| match stage {
                        Stage::Index(name) => Some(name.as_str()),
                        _ => None,
                    }));
                }
            }
            _ => {}
        });
        bound
    }

    /// The name of the variable without `$`, if the node is a variable.
    #[must_use]
    pub fn variable(&self) -> Option<&str> {
        match &self.form {
            Form::Variable(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the node inside the parentheses if this node is just one expression in parentheses, otherwise this node.
    #[must_use]
    pub fn bare(&self) -> &Self {
        let mut node = self;
        while let Form::Block(parts) = &node.form
            && let [only] = parts.as_slice()
        {
            node = only;
        }
        node
    }

    /// The number, if the node is a numeric literal with or without a minus sign.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match &self.form {
            Form::Number(number) => Some(*number),
            Form::Negate(operand) => match operand.form {
                Form::Number(number) => Some(-number),
                _ => None,
            },
            _ => None,
        }
    }
}
