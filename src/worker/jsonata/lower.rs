//! From the engine's tree of an expression to a plan: sorts and groups become part of the path that they stand behind.
//!
//! It must not know values.

use super::account::{Outcome, thrown};
use super::datum::{Datum, Letters};
use super::pattern::Pattern;
use super::plan::{
    Direction, Form, LambdaPlan, Logic, Node, Operator, Pair, Path, Stage, Step, StepForm,
    TransformPlan,
};
use super::signature::Signature;
use jsonata_core::ast::{AstNode, BinaryOp, PathStep, Stage as AstStage, UnaryOp};
use jsonata_core::value::with_stack;
use std::rc::Rc;

/// The plan of a tree.
pub(super) fn lower(tree: &AstNode) -> Outcome<Node> {
    with_stack(|| node(tree))
}

fn all(trees: &[AstNode]) -> Outcome<Vec<Node>> {
    trees.iter().map(lower).collect()
}

fn boxed(tree: &AstNode) -> Outcome<Box<Node>> {
    Ok(Box::new(lower(tree)?))
}

fn pairs(trees: &[(AstNode, AstNode)]) -> Outcome<Vec<Pair>> {
    let lowered = trees
        .iter()
        .map(|(name, value)| Ok((lower(name)?, lower(value)?)));
    lowered.collect()
}

fn letters(text: &str) -> Letters {
    Letters::from(text)
}

fn node(tree: &AstNode) -> Outcome<Node> {
    let form = match tree {
        AstNode::String(text) => Form::Literal(Datum::text(text.as_str())),
        AstNode::Number(number) => Form::Literal(Datum::Number(*number)),
        AstNode::Boolean(flag) => Form::Literal(Datum::Bool(*flag)),
        AstNode::Null => Form::Literal(Datum::Null),
        AstNode::Undefined => Form::Literal(Datum::Nothing),
        AstNode::Placeholder => {
            return thrown("S0211: The symbol \"?\" cannot be used as a unary operator");
        }
        AstNode::Regex { pattern, flags } => Form::Pattern(Rc::new(Pattern::new(pattern, flags)?)),
        AstNode::Variable(name) if name.is_empty() => Form::Input,
        AstNode::Variable(name) => Form::Variable(letters(name)),
        AstNode::ParentVariable(name) if name.is_empty() => Form::Root,
        AstNode::ParentVariable(name) => Form::Variable(letters(&format!("${name}"))),
        AstNode::Name(_) => return Ok(path_of(vec![map_step(member(tree)?)])),
        AstNode::Path { steps } => return path(steps),
        AstNode::Sort { input, terms } => return sort(input, terms),
        AstNode::ObjectTransform { input, pattern } => {
            let mut grouped = lower(input)?;
            grouped.group = Some(pairs(pattern)?);
            return Ok(grouped);
        }
        AstNode::Binary { op, lhs, rhs } => binary(*op, lhs, rhs)?,
        AstNode::Unary {
            op: UnaryOp::Negate,
            operand,
        } => match &**operand {
            AstNode::Number(number) => Form::Literal(Datum::Number(-number)),
            other => Form::Negate(boxed(other)?),
        },
        AstNode::Unary {
            op: UnaryOp::Not,
            operand,
        } => call("not", std::slice::from_ref(&**operand))?,
        AstNode::Function {
            name,
            args,
            is_builtin,
        } => {
            let function = if *is_builtin {
                Node::new(Form::Variable(letters(name)))
            } else {
                path_of(vec![map_step(Node::new(Form::Member(letters(name))))])
            };
            call_of(function, args)?
        }
        AstNode::Call { procedure, args } => call_of(lower(procedure)?, args)?,
        AstNode::Lambda {
            params,
            body,
            signature,
            ..
        } => Form::Lambda(Rc::new(LambdaPlan {
            parameters: params.iter().map(|name| letters(name)).collect(),
            signature: signature.as_deref().map(Signature::parse).transpose()?,
            body: lower(body)?,
        })),
        AstNode::Array(items) => Form::Brackets {
            items: all(items)?,
            whole: false,
        },
        AstNode::ArrayGroup(items) => Form::Brackets {
            items: all(items)?,
            whole: true,
        },
        AstNode::Object(members) => Form::Record(pairs(members)?),
        AstNode::Block(parts) => {
            let parts = all(parts)?;
            let whole = parts.iter().any(starts_whole);
            Form::Block { parts, whole }
        }
        AstNode::Conditional {
            condition,
            then_branch,
            else_branch,
        } => Form::Choice {
            condition: boxed(condition)?,
            then: boxed(then_branch)?,
            other: else_branch.as_deref().map(boxed).transpose()?,
        },
        AstNode::Wildcard => Form::Wildcard,
        AstNode::Descendant => Form::Descendants,
        AstNode::Parent(label) => Form::Ancestor(letters(label)),
        AstNode::FunctionApplication(inner) => return lower(inner),
        AstNode::Transform {
            location,
            update,
            delete,
        } => Form::Transform(Rc::new(TransformPlan {
            location: lower(location)?,
            update: lower(update)?,
            delete: delete.as_deref().map(lower).transpose()?,
        })),
    };
    Ok(Node::new(form))
}

fn call(name: &str, arguments: &[AstNode]) -> Outcome<Form> {
    call_of(Node::new(Form::Variable(letters(name))), arguments)
}

fn call_of(function: Node, arguments: &[AstNode]) -> Outcome<Form> {
    let function = Box::new(function);
    if !arguments
        .iter()
        .any(|argument| matches!(argument, AstNode::Placeholder))
    {
        return Ok(Form::Call {
            function,
            arguments: all(arguments)?,
        });
    }
    let arguments = arguments.iter().map(|argument| match argument {
        AstNode::Placeholder => Ok(None),
        given => lower(given).map(Some),
    });
    Ok(Form::Partial {
        function,
        arguments: arguments.collect::<Outcome<_>>()?,
    })
}

fn binary(op: BinaryOp, lhs: &AstNode, rhs: &AstNode) -> Outcome<Form> {
    let operator = match op {
        BinaryOp::Add => Operator::Add,
        BinaryOp::Subtract => Operator::Subtract,
        BinaryOp::Multiply => Operator::Multiply,
        BinaryOp::Divide => Operator::Divide,
        BinaryOp::Modulo => Operator::Modulo,
        BinaryOp::Equal => Operator::Equal,
        BinaryOp::NotEqual => Operator::NotEqual,
        BinaryOp::LessThan => Operator::Less,
        BinaryOp::LessThanOrEqual => Operator::LessOrEqual,
        BinaryOp::GreaterThan => Operator::Greater,
        BinaryOp::GreaterThanOrEqual => Operator::GreaterOrEqual,
        BinaryOp::Concatenate => Operator::Concatenate,
        BinaryOp::Range => Operator::Range,
        BinaryOp::In => Operator::In,
        BinaryOp::And => return Ok(Form::Logic(Logic::And, boxed(lhs)?, boxed(rhs)?)),
        BinaryOp::Or => return Ok(Form::Logic(Logic::Or, boxed(lhs)?, boxed(rhs)?)),
        BinaryOp::Coalesce => return Ok(Form::Coalesce(boxed(lhs)?, boxed(rhs)?)),
        BinaryOp::Default => return Ok(Form::Otherwise(boxed(lhs)?, boxed(rhs)?)),
        BinaryOp::ChainPipe => return Ok(Form::Chain(boxed(lhs)?, boxed(rhs)?)),
        BinaryOp::ColonEqual => {
            let AstNode::Variable(name) = lhs else {
                return thrown("S0212: The left side of := must be a variable name (start with $)");
            };
            return Ok(Form::Bind(letters(name), boxed(rhs)?));
        }
        BinaryOp::FocusBind | BinaryOp::IndexBind => {
            return thrown("S0214: The right side must be a variable name (start with $)");
        }
    };
    Ok(Form::Binary(operator, boxed(lhs)?, boxed(rhs)?))
}

fn path_of(steps: Vec<Step>) -> Node {
    Node::new(Form::Path(Path {
        steps,
        keep: false,
        rows: false,
    }))
}

fn map_step(node: Node) -> Step {
    Step {
        form: StepForm::Map(node),
        stages: Vec::new(),
        focus: None,
        index: None,
        ancestor: None,
        rows: false,
    }
}

/// The plan of a step's node: text names a member there.
fn member(tree: &AstNode) -> Outcome<Node> {
    match tree {
        AstNode::Name(name) | AstNode::String(name) => Ok(Node::new(Form::Member(letters(name)))),
        other => lower(other),
    }
}

fn keeps(step: &PathStep) -> bool {
    step.stages
        .iter()
        .any(|stage| matches!(stage, AstStage::KeepArray))
}

fn stages(step: &PathStep) -> Outcome<Vec<Stage>> {
    let mut made = Vec::new();
    for stage in &step.stages {
        match stage {
            AstStage::Filter(predicate) => made.push(Stage::Filter(lower(predicate)?)),
            AstStage::Index(name) => made.push(Stage::Index(letters(name))),
            AstStage::KeepArray => {}
        }
    }
    Ok(made)
}

fn path(steps: &[PathStep]) -> Outcome<Node> {
    let [first, rest @ ..] = steps else {
        return Ok(Node::new(Form::Input));
    };
    let alone = rest.is_empty();
    let plain = !matches!(first.node, AstNode::Name(_) | AstNode::Sort { .. });
    // What is no path has predicates of its own.
    if alone && plain && first.index_var.is_none() && first.ancestor_label.is_none() {
        return with_predicates(first);
    }
    let mut made = match &first.node {
        AstNode::Sort { .. } => {
            let mut sorted = lower(&first.node)?;
            if let Form::Path(path) = &mut sorted.form
                && let Some(last) = path.steps.last_mut()
            {
                last.stages.extend(stages(first)?);
                bind_step(last, first);
            }
            sorted.keep |= keeps(first);
            sorted
        }
        _ if plain && first.index_var.is_none() => {
            let mut step = map_step(with_predicates(first)?);
            bind_step(&mut step, first);
            let keep = keeps(first) && !alone;
            let mut made = path_of(vec![step]);
            set_keep(&mut made, keep);
            made
        }
        _ => {
            let mut made = path_of(vec![step(first)?]);
            set_keep(&mut made, keeps(first));
            made
        }
    };
    // A group before a further step belongs to its own step.
    if made.group.is_some() && !alone {
        made = path_of(vec![map_step(made)]);
    }
    if let Form::Path(path) = &mut made.form {
        for next in rest {
            path.steps.push(step(next)?);
            path.keep |= keeps(next);
        }
        if !alone
            && let Some(Step {
                form: StepForm::Map(node),
                ..
            }) = path.steps.first_mut()
        {
            mark_whole(node);
        }
    }
    Ok(made)
}

fn set_keep(node: &mut Node, keep: bool) {
    if let Form::Path(path) = &mut node.form {
        path.keep |= keep;
    }
}

fn mark_whole(node: &mut Node) {
    if let Form::Brackets { whole, .. } = &mut node.form {
        *whole = true;
    }
}

/// Whether a part of a block gives brackets as the first step of a path.
fn starts_whole(node: &Node) -> bool {
    match &node.form {
        Form::Block { whole, .. } => *whole,
        Form::Path(path) => match path.steps.first() {
            Some(Step {
                form: StepForm::Map(first),
                ..
            }) => evaluates_once(first),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a first step is evaluated for the whole input, not for each item.
pub(super) fn evaluates_once(node: &Node) -> bool {
    matches!(
        node.form,
        Form::Brackets { whole: true, .. } | Form::Block { whole: true, .. }
    )
}

fn with_predicates(step: &PathStep) -> Outcome<Node> {
    let mut made = lower(&step.node)?;
    if step.inner_tuple {
        hand_rows_on(&mut made);
    }
    for stage in &step.stages {
        if let AstStage::Filter(predicate) = stage {
            made.predicates.push(lower(predicate)?);
        }
    }
    made.keep |= keeps(step);
    Ok(made)
}

fn bind_step(made: &mut Step, step: &PathStep) {
    made.focus = step.focus.as_deref().map(letters);
    made.index = step.index_var.as_deref().map(letters);
    made.ancestor = step.ancestor_label.as_deref().map(letters);
    made.rows =
        step.is_tuple || made.focus.is_some() || made.index.is_some() || made.ancestor.is_some();
}

fn step(from: &PathStep) -> Outcome<Step> {
    let mut node = member(&from.node)?;
    if from.inner_tuple {
        hand_rows_on(&mut node);
    }
    let mut made = map_step(node);
    made.stages = stages(from)?;
    bind_step(&mut made, from);
    Ok(made)
}

/// Lets a block's last path give its rows with the names bound in them.
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

fn sort(input: &AstNode, terms: &[(AstNode, bool)]) -> Outcome<Node> {
    let mut lowered = lower(input)?;
    if !matches!(lowered.form, Form::Path(_)) || lowered.group.is_some() {
        lowered = path_of(vec![map_step(lowered)]);
    }
    let mut made = Vec::with_capacity(terms.len());
    for (term, ascending) in terms {
        let direction = if *ascending {
            Direction::Ascending
        } else {
            Direction::Descending
        };
        made.push((lower(term)?, direction));
    }
    if let Form::Path(path) = &mut lowered.form {
        path.steps.push(Step {
            form: StepForm::Sort(made),
            stages: Vec::new(),
            focus: None,
            index: None,
            ancestor: None,
            rows: false,
        });
    }
    Ok(lowered)
}
