//! The plan of an expression, which is what the evaluator works on. It is built from the expression's syntax tree. In a
//! plan, sorts and groups belong to the path that they follow.

use super::account::{Outcome, thrown};
use super::datum::{Datum, Letters};
use super::regular::Regular;
use super::value::deep;
use crate::query::jsonata as tree;
use crate::query::jsonata::{Form as Written, Operator, Signature};
use std::rc::Rc;

/// A node of a plan: an operation, and the suffixes (`[...]`, `{...}`, `[]`) that are applied to its value.
#[derive(Debug)]
pub(super) struct Node {
    /// Id of this node in the expression's syntax tree.
    pub id: u32,
    pub form: Form,
    /// True if the node's value only decides what is evaluated or selected, as the value of a condition does.
    pub decides: bool,
    /// The predicates `[...]` after the node, if the node is not a path. In a path, predicates belong to the steps.
    pub predicates: Vec<Node>,
    /// The group `{...}` after the node: the names and values of the members to build.
    pub group: Option<Vec<Pair>>,
    /// True if `[]` follows the node: a single item then stays a list.
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

/// A member of a record to build: the nodes of its name and of its value.
pub(super) type Pair = (Node, Node);

/// The operation of a node, with its operands.
#[derive(Debug)]
pub(super) enum Form {
    Literal(Datum),
    Pattern(Rc<Regular>),
    /// `$`
    Input,
    /// `$$`
    Root,
    Variable(Letters),
    /// The member with this name of the input. It occurs only as a step of a path.
    Member(Letters),
    Wildcard,
    Descendants,
    /// `%`: the input of an earlier step, which that step has bound to this internal name.
    Ancestor(Letters),
    Path(Path),
    Binary(Operator, Box<Node>, Box<Node>),
    Negate(Box<Node>),
    /// `~>`, or an operator that does not always evaluate its right side: `and`, `or`, `??`, `?:`.
    Lazy(Operator, Box<Node>, Box<Node>),
    /// `:=`
    Bind(Letters, Box<Node>),
    /// `[...]`; `whole` is true if the brackets are a step of a path with several steps. If they are its first step,
    /// the path evaluates them once for its whole input.
    Brackets {
        items: Vec<Node>,
        whole: bool,
    },
    Record(Vec<Pair>),
    /// `(...; ...)`; `whole` is true if an expression of the block is a path that evaluates its first step once for the
    /// whole input. A path that begins with this block then evaluates the block only once, too.
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
    /// A call with `?` among its arguments: it returns a function of the missing arguments.
    Partial {
        function: Box<Node>,
        arguments: Vec<Option<Node>>,
    },
    Transform(Rc<TransformPlan>),
}

/// A path: steps that are evaluated one after another, each for the results of the one before.
#[derive(Debug)]
pub(super) struct Path {
    pub steps: Vec<Step>,
    /// True if the path's result stays a list even if it has only one item.
    pub keep: bool,
    /// True if the path returns rows: values together with the names that its steps bound.
    pub rows: bool,
}

/// A step of a path, and the names that it binds.
#[derive(Debug)]
pub(super) struct Step {
    pub form: StepForm,
    pub stages: Vec<Stage>,
    /// `@$name`: the name to which the step binds each of its values.
    pub focus: Option<Letters>,
    /// `#$name`: the name to which the step binds the index of each value.
    pub index: Option<Letters>,
    /// The internal name to which the step binds its input, because a later step refers to the input by `%`.
    pub ancestor: Option<Letters>,
    /// True if this step and the later steps of the path produce rows: values together with bound names.
    pub rows: bool,
}

impl Step {
    /// A step that has no filter and binds no name.
    fn new(form: StepForm) -> Self {
        Self {
            form,
            stages: Vec::new(),
            focus: None,
            index: None,
            ancestor: None,
            rows: false,
        }
    }
}

/// The operation that a step applies to the values of the previous step.
#[derive(Debug)]
pub(super) enum StepForm {
    Map(Node),
    /// `^(...)`: sorts the values by these terms, each with its direction.
    Sort(Vec<(Node, Direction)>),
}

/// Sort direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

/// An operation on the results of one step of a path: a filter, or the binding of an index (`#$name`).
#[derive(Debug)]
pub(super) enum Stage {
    Filter(Node),
    Index(Letters),
}

/// The plan of a function that the expression defines.
#[derive(Debug)]
pub(super) struct LambdaPlan {
    pub parameters: Vec<Letters>,
    pub signature: Option<Signature>,
    pub body: Node,
}

/// The plan of a transform, `|location|update, delete|`.
#[derive(Debug)]
pub(super) struct TransformPlan {
    pub location: Node,
    pub update: Node,
    pub delete: Option<Node>,
}

/// Builds the plan of an expression from its syntax tree.
pub(super) fn lower(tree: &tree::Node) -> Outcome<Node> {
    deep(|| node(tree))
}

fn all(trees: &[tree::Node]) -> Outcome<Vec<Node>> {
    trees.iter().map(lower).collect()
}

fn boxed(tree: &tree::Node) -> Outcome<Box<Node>> {
    Ok(Box::new(lower(tree)?))
}

/// Builds the plan of a node whose value only decides what is evaluated or selected.
fn decider(tree: &tree::Node) -> Outcome<Node> {
    let mut made = lower(tree)?;
    made.decides = true;
    Ok(made)
}

fn pairs(trees: &[tree::Pair]) -> Outcome<Vec<Pair>> {
    let trees = trees.iter();
    trees
        .map(|(name, value)| Ok((decider(name)?, lower(value)?)))
        .collect()
}

fn letters(text: &str) -> Letters {
    Letters::from(text)
}

fn node(tree: &tree::Node) -> Outcome<Node> {
    let form = match &tree.form {
        Written::Text(text) => Form::Literal(Datum::text(text.as_str())),
        Written::Number(number) => Form::Literal(Datum::number(*number)),
        Written::Bool(flag) => Form::Literal(Datum::bool(*flag)),
        Written::Null => Form::Literal(Datum::null()),
        Written::Nothing => Form::Literal(Datum::Nothing),
        Written::Placeholder => {
            return thrown("S0211: The symbol \"?\" cannot be used as a unary operator");
        }
        Written::Regex { pattern, flags } => Form::Pattern(Rc::new(Regular::new(pattern, flags)?)),
        Written::Variable(name) if name.is_empty() => Form::Input,
        Written::Variable(name) => Form::Variable(letters(name)),
        Written::Root => Form::Root,
        Written::Name(_) => return Ok(path_of(tree.id, vec![map_step(member(tree)?)])),
        Written::Path(steps) => return path(tree.id, steps),
        Written::Sort(input, terms) => return sort(tree.id, input, terms),
        Written::Group(input, members) => {
            let mut grouped = lower(input)?;
            grouped.group = Some(pairs(members)?);
            return Ok(grouped);
        }
        Written::Binary(operator, left, right) => binary(*operator, left, right)?,
        Written::Negate(operand) => match operand.form {
            Written::Number(number) => Form::Literal(Datum::number(-number)),
            _ => Form::Negate(boxed(operand)?),
        },
        Written::Function {
            name,
            arguments,
            is_variable,
        } => {
            let function = match is_variable {
                true => Node::new(tree.id, Form::Variable(letters(name))),
                false => {
                    let member = Node::new(tree.id, Form::Member(letters(name)));
                    path_of(tree.id, vec![map_step(member)])
                }
            };
            call_of(function, arguments)?
        }
        Written::Call(function, arguments) => call_of(lower(function)?, arguments)?,
        Written::Lambda {
            parameters,
            body,
            signature,
        } => Form::Lambda(Rc::new(LambdaPlan {
            parameters: parameters.iter().map(|name| letters(name)).collect(),
            signature: signature.clone(),
            body: lower(body)?,
        })),
        Written::Array(items) => Form::Brackets {
            items: all(items)?,
            whole: false,
        },
        Written::ArrayStep(items) => Form::Brackets {
            items: all(items)?,
            whole: true,
        },
        Written::Object(members) => Form::Record(pairs(members)?),
        Written::Block(parts) => {
            let parts = all(parts)?;
            let whole = parts.iter().any(starts_whole);
            Form::Block { parts, whole }
        }
        Written::Conditional {
            condition,
            then,
            otherwise,
        } => Form::Choice {
            condition: Box::new(decider(condition)?),
            then: boxed(then)?,
            other: otherwise.as_deref().map(boxed).transpose()?,
        },
        Written::Wildcard => Form::Wildcard,
        Written::Descendants => Form::Descendants,
        Written::Parent(label) => Form::Ancestor(ancestor(*label)),
        Written::Transform {
            location,
            update,
            delete,
        } => Form::Transform(Rc::new(TransformPlan {
            location: lower(location)?,
            update: lower(update)?,
            delete: delete.as_deref().map(decider).transpose()?,
        })),
        // The parser makes every binding (`@$name` or `#$name`) part of a path step, so no other node is a binding.
        Written::Bound(inner, _) => return lower(inner),
    };
    Ok(Node::new(tree.id, form))
}

/// The internal name to which the value of a `%` is bound. No variable of an expression can have this name.
fn ancestor(label: u32) -> Letters {
    Letters::from(format!("!{label}").as_str())
}

fn call_of(function: Node, arguments: &[tree::Node]) -> Outcome<Form> {
    let function = Box::new(function);
    let is_left_out = |argument: &tree::Node| argument.form == Written::Placeholder;
    if !arguments.iter().any(is_left_out) {
        return Ok(Form::Call {
            function,
            arguments: all(arguments)?,
        });
    }
    let arguments = arguments
        .iter()
        .map(|argument| match is_left_out(argument) {
            true => Ok(None),
            false => lower(argument).map(Some),
        });
    Ok(Form::Partial {
        function,
        arguments: arguments.collect::<Outcome<_>>()?,
    })
}

fn binary(operator: Operator, left: &tree::Node, right: &tree::Node) -> Outcome<Form> {
    if operator == Operator::Bind {
        let name = left.variable().unwrap_or_default();
        return Ok(Form::Bind(letters(name), boxed(right)?));
    }
    use Operator as O;
    let left = match operator {
        O::And | O::Or | O::Coalesce | O::Default => decider(left)?,
        _ => lower(left)?,
    };
    let right = match operator {
        O::And | O::Or => decider(right)?,
        _ => lower(right)?,
    };
    let (left, right) = (Box::new(left), Box::new(right));
    Ok(match operator {
        O::And | O::Or | O::Coalesce | O::Default | O::Chain => Form::Lazy(operator, left, right),
        _ => Form::Binary(operator, left, right),
    })
}

fn path_of(id: u32, steps: Vec<Step>) -> Node {
    Node::new(
        id,
        Form::Path(Path {
            steps,
            keep: false,
            rows: false,
        }),
    )
}

fn map_step(node: Node) -> Step {
    Step::new(StepForm::Map(node))
}

/// Builds the plan of a path step. A name or a quoted text as a step means the member with this name.
fn member(tree: &tree::Node) -> Outcome<Node> {
    match &tree.form {
        Written::Name(name) | Written::Text(name) => {
            Ok(Node::new(tree.id, Form::Member(letters(name))))
        }
        _ => lower(tree),
    }
}

fn stages(step: &tree::Step) -> Outcome<Vec<Stage>> {
    let mut made = Vec::new();
    for stage in &step.stages {
        match stage {
            tree::Stage::Filter(predicate) => made.push(Stage::Filter(decider(predicate)?)),
            tree::Stage::Index(name) => made.push(Stage::Index(letters(name))),
            tree::Stage::KeepArray => {}
        }
    }
    Ok(made)
}

fn path(id: u32, steps: &[tree::Step]) -> Outcome<Node> {
    let [first, rest @ ..] = steps else {
        return Ok(Node::new(id, Form::Input));
    };
    let alone = rest.is_empty();
    let plain = !matches!(first.node.form, Written::Name(_) | Written::Sort(..));
    // If the whole path is this single step, it becomes an ordinary node with predicates instead of a path.
    if alone && plain && first.index.is_none() && first.ancestor.is_none() {
        return with_predicates(first);
    }
    let mut made = match &first.node.form {
        Written::Sort(..) => {
            let mut sorted = lower(&first.node)?;
            if let Form::Path(path) = &mut sorted.form
                && let Some(last) = path.steps.last_mut()
            {
                last.stages.extend(stages(first)?);
                bind_step(last, first);
            }
            sorted.keep |= first.keeps_array();
            sorted
        }
        _ if plain && first.index.is_none() => {
            let mut step = map_step(with_predicates(first)?);
            bind_step(&mut step, first);
            let keep = first.keeps_array() && !alone;
            let mut made = path_of(id, vec![step]);
            set_keep(&mut made, keep);
            made
        }
        _ => {
            let mut made = path_of(id, vec![step(first)?]);
            set_keep(&mut made, first.keeps_array());
            made
        }
    };
    // If another step follows a group `{...}`, the path with the group becomes the first step of a new path.
    if made.group.is_some() && !alone {
        made = path_of(id, vec![map_step(made)]);
    }
    if let Form::Path(path) = &mut made.form {
        for next in rest {
            path.steps.push(step(next)?);
            path.keep |= next.keeps_array();
        }
        let first = path.steps.first_mut().filter(|_| !alone);
        if let Some(StepForm::Map(node)) = first.map(|step| &mut step.form)
            && let Form::Brackets { whole, .. } = &mut node.form
        {
            *whole = true;
        }
    }
    Ok(made)
}

fn set_keep(node: &mut Node, keep: bool) {
    if let Form::Path(path) = &mut node.form {
        path.keep |= keep;
    }
}

/// True if a node in a block is a path that evaluates its first step once for the whole input, or is a block with such
/// a path.
fn starts_whole(node: &Node) -> bool {
    match &node.form {
        Form::Block { whole, .. } => *whole,
        Form::Path(path) => match path.steps.first().map(|step| &step.form) {
            Some(StepForm::Map(first)) => evaluates_once(first),
            _ => false,
        },
        _ => false,
    }
}

/// True if a path that begins with this node evaluates it once for the whole input, not for each item.
pub(super) fn evaluates_once(node: &Node) -> bool {
    matches!(
        node.form,
        Form::Brackets { whole: true, .. } | Form::Block { whole: true, .. }
    )
}

fn with_predicates(step: &tree::Step) -> Outcome<Node> {
    let mut made = lower(&step.node)?;
    if step.passes_on {
        hand_rows_on(&mut made);
    }
    for predicate in step.predicates() {
        made.predicates.push(decider(predicate)?);
    }
    made.keep |= step.keeps_array();
    Ok(made)
}

fn bind_step(made: &mut Step, step: &tree::Step) {
    made.focus = step.focus.as_deref().map(letters);
    made.index = step.index.as_deref().map(letters);
    made.ancestor = step.ancestor.map(ancestor);
    made.rows = step.binds;
}

fn step(from: &tree::Step) -> Outcome<Step> {
    let mut node = member(&from.node)?;
    if from.passes_on {
        hand_rows_on(&mut node);
    }
    let mut made = map_step(node);
    made.stages = stages(from)?;
    bind_step(&mut made, from);
    Ok(made)
}

/// Makes a path, or the last path of a block, return rows, so that later steps can use the names that it binds.
fn hand_rows_on(node: &mut Node) {
    match &mut node.form {
        Form::Block { parts, .. } => {
            if let Some(last) = parts.last_mut() {
                hand_rows_on(last);
            }
        }
        Form::Path(path) => path.rows = true,
        _ => {}
    }
}

fn sort(id: u32, input: &tree::Node, terms: &[(tree::Node, bool)]) -> Outcome<Node> {
    let mut lowered = lower(input)?;
    if !matches!(lowered.form, Form::Path(_)) || lowered.group.is_some() {
        lowered = path_of(id, vec![map_step(lowered)]);
    }
    let mut made = Vec::with_capacity(terms.len());
    for (term, ascending) in terms {
        let direction = match ascending {
            true => Direction::Ascending,
            false => Direction::Descending,
        };
        made.push((decider(term)?, direction));
    }
    if let Form::Path(path) = &mut lowered.form {
        path.steps.push(Step::new(StepForm::Sort(made)));
    }
    Ok(lowered)
}
