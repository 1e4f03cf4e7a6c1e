//! Checks operands and path steps while a JSONata expression is parsed. After parsing, attaches the names bound with
//! `@` and `#` to the steps of paths, and finds the step that each `%` (parent) refers to.

use super::limit::{DEEPEST, JsonataError, too_deep, with_stack};
use super::tree::{Binding, Form, Node, Operator, Stage, Step, sign_behind};
use std::ops::Range;

/// Attaches all names that a tree binds with `@` or `#` to the steps of paths, and finds the step that each `%`
/// (parent) refers to.
pub(super) fn resolve(root: &mut Node, text: &str) -> Result<(), JsonataError> {
    let mut resolver = Resolver {
        text,
        labels: Vec::new(),
    };
    if let Some(open) = resolver.node(root, 0)?.first() {
        return underived(&open.range);
    }
    let labels = resolver.labels;
    let is_shared = (0..).zip(&labels).any(|(label, same)| label != *same);
    let mut open = if is_shared { vec![root] } else { Vec::new() };
    while let Some(node) = open.pop() {
        if let Form::Parent(label) = &mut node.form {
            let same = usize::try_from(*label).ok().and_then(|at| labels.get(at));
            *label = same.copied().unwrap_or(*label);
        }
        open.extend(node.children_mut());
    }
    Ok(())
}

fn underived<T>(range: &Range<usize>) -> Result<T, JsonataError> {
    let message = "The object representing the 'parent' cannot be derived from this expression";
    Err(JsonataError::new("S0217", message, range.clone()))
}

/// A `%` (the parent operator) whose step has not been found yet.
struct Open {
    label: u32,
    /// Number of path steps to go back from here to the step that the `%` refers to.
    level: usize,
    range: Range<usize>,
}

struct Resolver<'t> {
    text: &'t str,
    /// Maps the label of each `%` to the label of the step that the `%` refers to. Several `%` can refer to one step.
    labels: Vec<u32>,
}

type Resolved = Result<Vec<Open>, JsonataError>;

impl Resolver<'_> {
    /// Resolves the bindings and the `%` in a node. Returns each `%` that refers to an earlier step outside the node.
    fn node(&mut self, node: &mut Node, depth: usize) -> Resolved {
        let counts = !matches!(node.form, Form::Block(_) | Form::Parent(_));
        if depth + usize::from(counts) > DEEPEST {
            let doing = "post-processing the parsed expression";
            return Err(too_deep(doing, self.text));
        }
        with_stack(|| match &mut node.form {
            Form::Parent(label) => {
                *label = u32::try_from(self.labels.len()).unwrap_or(u32::MAX);
                self.labels.push(*label);
                Ok(vec![Open {
                    label: *label,
                    level: 1,
                    range: node.range.clone(),
                }])
            }
            Form::Path(steps) => self.path(steps, true, depth + 2),
            Form::Bound(..) => self.bound(node, true, depth + 1),
            Form::Sort(..) => self.sort(node, depth + 2),
            Form::Block(_) => self.children(node, usize::MAX, depth + 1),
            // A function in these operands may be called elsewhere in the expression. A `%` in the operands therefore
            // cannot refer to a step outside the operands.
            Form::Binary(Operator::Chain, ..) | Form::Lambda { .. } => {
                self.children(node, 0, depth + 2)
            }
            Form::Group(..) => self.children(node, 1, depth + 2),
            Form::Call(function, arguments) => {
                self.node(function, depth + 2)?;
                self.all(arguments.iter_mut(), usize::MAX, depth + 2)
            }
            _ => self.children(node, usize::MAX, depth + 2),
        })
    }

    fn children(&mut self, node: &mut Node, passing: usize, depth: usize) -> Resolved {
        self.all(node.children_mut().into_iter(), passing, depth)
    }

    /// Resolves several nodes. For the first `passing` nodes, returns each `%` that refers to a step outside its node.
    fn all<'n>(
        &mut self,
        nodes: impl Iterator<Item = &'n mut Node>,
        passing: usize,
        depth: usize,
    ) -> Resolved {
        let mut open = Vec::new();
        for (place, node) in nodes.enumerate() {
            let below = self.node(node, depth)?;
            if place < passing {
                open.extend(below);
            }
        }
        Ok(open)
    }

    /// Resolves the operand of an operator that makes its operand the beginning of a longer path, such as `#` or `^`.
    fn as_path(&mut self, node: &mut Node, depth: usize) -> Resolved {
        with_stack(|| match &mut node.form {
            Form::Path(steps) => self.path(steps, false, depth + 1),
            Form::Bound(..) => self.bound(node, false, depth),
            Form::Group(input, pairs) => {
                let open = self.as_path(input, depth)?;
                let pairs = pairs.iter_mut().flat_map(|(key, value)| [key, value]);
                self.all(pairs, 0, depth)?;
                Ok(open)
            }
            _ => self.node(node, depth),
        })
    }

    /// Turns a node that binds a name with `@` or `#` into a path, and resolves this path.
    fn bound(&mut self, node: &mut Node, is_value: bool, depth: usize) -> Resolved {
        let range = node.range.clone();
        let mut steps = vec![Step::new(std::mem::take(node))];
        let open = self.unbound(&mut steps, depth)?;
        if is_value {
            settle(&mut steps);
        }
        *node = Node::new(range, Form::Path(steps));
        Ok(open)
    }

    /// If the last step is a node that binds a name with `@` or `#`, replaces this step with the steps of the node's
    /// operand. The last of these steps then has the name.
    fn unbound(&mut self, steps: &mut Vec<Step>, depth: usize) -> Resolved {
        let Some(mut step) = steps.pop() else {
            return Ok(Vec::new());
        };
        let Form::Bound(inner, binding) = &mut step.node.form else {
            steps.push(step);
            return Ok(Vec::new());
        };
        let mut inner = std::mem::take(&mut **inner);
        let open = match binding {
            Binding::Focus(_) => self.node(&mut inner, depth)?,
            Binding::Index(_) => self.as_path(&mut inner, depth)?,
        };
        steps.extend(inner.into_steps());
        let Some(last) = steps.last_mut() else {
            return Ok(open);
        };
        last.binds = true;
        match binding {
            Binding::Focus(name) => {
                if let Some((code, message)) = misplaced_focus(&last.stages, &last.node) {
                    return Err(JsonataError::new(code, message, step.node.range.clone()));
                }
                last.focus = Some(std::mem::take(name));
            }
            Binding::Index(name) if last.stages.is_empty() && last.index.is_none() => {
                last.index = Some(std::mem::take(name));
            }
            Binding::Index(name) => last.stages.push(Stage::Index(std::mem::take(name))),
        }
        Ok(open)
    }

    /// Resolves the steps of a path. `is_value` is false if an operator after the path makes it the beginning of a
    /// longer path.
    fn path(&mut self, steps: &mut Vec<Step>, is_value: bool, depth: usize) -> Resolved {
        let given = std::mem::take(steps);
        // For each step, two lists of `%` that refer to a step not found yet: those in its predicates and those in its
        // node.
        let mut open_reads: Vec<(Vec<Open>, Vec<Open>)> = Vec::with_capacity(given.len());
        for mut step in given {
            let fresh = std::mem::take(&mut step.stages);
            let inner = match &step.node.form {
                Form::Bound(..) => {
                    steps.push(step);
                    self.unbound(steps, depth + 1)?
                }
                Form::Group(..) => {
                    let open = self.as_path(&mut step.node, depth + 1)?;
                    steps.push(step);
                    open
                }
                _ => {
                    let open = self.node(&mut step.node, depth + 1)?;
                    steps.push(step);
                    open
                }
            };
            let mut asked = Vec::new();
            if let Some(last) = steps.last_mut() {
                for mut stage in fresh {
                    if let Stage::Filter(predicate) = &mut stage {
                        asked.extend(self.node(predicate, depth)?);
                    }
                    last.stages.push(stage);
                }
            }
            open_reads.resize_with(steps.len().saturating_sub(1), Default::default);
            open_reads.push((asked, inner));
        }
        let is_no_path = is_value && matches!(steps.as_slice(), [step] if !is_path_step(step));
        let mut open = Vec::new();
        for (place, (asked, inner)) in open_reads.into_iter().enumerate() {
            let (before, from) = steps.split_at_mut(place);
            let Some(step) = from.first_mut() else {
                continue;
            };
            for mut open_read in asked {
                match open_read.level {
                    0 => {}
                    1 => self.seek(step, &mut open_read)?,
                    _ => open_read.level -= 1,
                }
                self.back(before, &mut open_read)?;
                open.extend((open_read.level > 0 || is_no_path).then_some(open_read));
            }
            for mut open_read in inner {
                self.back(before, &mut open_read)?;
                open.extend((open_read.level > 0 || is_no_path).then_some(open_read));
            }
        }
        if is_value {
            settle(steps);
        }
        Ok(open)
    }

    /// Resolves the operand and the terms of a sort. A `%` in a term can refer to a step of the operand.
    fn sort(&mut self, node: &mut Node, depth: usize) -> Resolved {
        let Form::Sort(input, terms) = &mut node.form else {
            return Ok(Vec::new());
        };
        let mut open = self.as_path(input, depth)?;
        let is_path = matches!(input.form, Form::Path(_));
        let range = input.range.clone();
        let mut steps = std::mem::take(&mut **input).into_steps();
        for (term, _) in terms {
            for mut open_read in self.node(term, depth)? {
                self.back(&mut steps, &mut open_read)?;
                open.extend((open_read.level > 0).then_some(open_read));
            }
        }
        match steps.pop() {
            Some(step) if !is_path && !step.binds && step.ancestor.is_none() => **input = step.node,
            step => {
                steps.extend(step);
                **input = Node::new(range, Form::Path(steps));
            }
        }
        Ok(open)
    }

    /// Goes back from the last of `steps` to the step that a `%` refers to.
    fn back(&mut self, mut steps: &mut [Step], open: &mut Open) -> Result<(), JsonataError> {
        while open.level > 0
            && let Some((last, before)) = std::mem::take(&mut steps).split_last_mut()
        {
            // Adjacent steps that bind a name with `@` count as a single step for a `%`.
            let next = before.last().is_some_and(|step| step.focus.is_some());
            if last.focus.is_none() || !next {
                self.seek(last, open)?;
            }
            steps = before;
        }
        Ok(())
    }

    /// Goes back over one step and updates the number of steps that are left for `open`. If none is left, the `%`
    /// refers to this step, and the step gets a label.
    fn seek(&mut self, step: &mut Step, open: &mut Open) -> Result<(), JsonataError> {
        let is_group_of = |is: &dyn Fn(&Form) -> bool| match &step.node.form {
            Form::Group(input, _) => match &input.form {
                Form::Path(steps) => matches!(steps.as_slice(), [only] if is(&only.node.form)),
                form => is(form),
            },
            form => is(form),
        };
        if is_group_of(&|form| matches!(form, Form::Name(_)))
            || matches!(&step.node.form, Form::Wildcard)
            || matches!(&step.node.form, Form::Group(input, _) if input.form == Form::Wildcard)
        {
            open.level -= 1;
            if open.level == 0 {
                let label = *step.ancestor.get_or_insert(open.label);
                let label_place = usize::try_from(open.label).ok();
                if let Some(same) = label_place.and_then(|at| self.labels.get_mut(at)) {
                    *same = label;
                }
                step.binds = true;
            }
            return Ok(());
        }
        if matches!(&step.node.form, Form::Group(input, _) if matches!(input.form, Form::Parent(_)))
        {
            open.level += 1;
            return Ok(());
        }
        if matches!(&step.node.form, Form::Block(_) | Form::Group(..)) {
            step.binds = true;
            step.passes_on = true;
        } else if !matches!(&step.node.form, Form::Parent(_)) {
            return underived(&open.range);
        }
        self.inside(&mut step.node, open)
    }

    /// Goes back over the steps inside a path in parentheses, to the step that a `%` refers to.
    fn inside(&mut self, node: &mut Node, open: &mut Open) -> Result<(), JsonataError> {
        with_stack(|| match &mut node.form {
            Form::Path(steps) => self.back(steps, open),
            Form::Block(parts) => match parts.last_mut() {
                Some(last) => self.inside(last, open),
                None => Ok(()),
            },
            Form::Wildcard => {
                open.level -= 1;
                Ok(())
            }
            Form::Parent(_) => {
                open.level += 1;
                Ok(())
            }
            Form::Group(input, _) => self.inside(input, open),
            _ => underived(&open.range),
        })
    }
}

/// If a step cannot have an `@`, returns the error code and message.
fn misplaced_focus(stages: &[Stage], node: &Node) -> Option<(&'static str, &'static str)> {
    if stages.iter().any(|stage| *stage != Stage::KeepArray) {
        let message = "A context variable binding must precede any predicates on a step";
        return Some(("S0215", message));
    }
    match &node.form {
        Form::Group(input, _) => match &input.form {
            Form::Path(steps) => {
                let last = steps.last()?;
                misplaced_focus(&last.stages, &last.node)
            }
            _ => misplaced_focus(&[], input),
        },
        Form::Sort(..) => {
            let message = "A context variable binding must precede the 'order-by' clause on a step";
            Some(("S0216", message))
        }
        _ => None,
    }
}

/// True if JSONata treats a path of this single step as a path: a name, a sort or a step with an index.
fn is_path_step(step: &Step) -> bool {
    let has_index = step
        .stages
        .iter()
        .any(|stage| matches!(stage, Stage::Index(_)));
    step.index.is_some() || has_index || is_path(&step.node)
}

fn is_path(node: &Node) -> bool {
    match &node.form {
        Form::Name(_) | Form::Sort(..) => true,
        Form::Path(steps) => match steps.as_slice() {
            [step] => is_path_step(step),
            _ => true,
        },
        Form::Group(input, _) => is_path(input),
        _ => false,
    }
}

/// Prepares a path of a single step whose node is not itself a path: JSONata evaluates the node as if it were not in a
/// path. Removes the parts of the step that have no effect outside of a path, such as `[]` before an index.
fn settle(steps: &mut [Step]) {
    let [step] = steps else {
        return;
    };
    if is_path(&step.node) {
        return;
    }
    if let Form::Group(input, _) = &mut step.node.form
        && let Form::Path(steps) = &mut input.form
    {
        settle(steps);
    }
    let is_index = |stage: &Stage| matches!(stage, Stage::Index(_));
    if let Some(index) = step.stages.iter().position(is_index) {
        let mut place = 0;
        step.stages.retain(|stage| {
            place += 1;
            place > index || *stage != Stage::KeepArray
        });
    } else if step.index.is_none() {
        step.focus = None;
        step.binds = step.ancestor.is_some() || step.passes_on;
    }
}

/// Finds an operator whose operands or position JSONata rejects.
pub(super) fn misplaced(root: &Node, text: &str) -> Option<JsonataError> {
    let range_outside = |node: &Node| match &node.form {
        Form::Binary(Operator::Range, left, _) => {
            let message = "Syntax error: \"..\"";
            Some(JsonataError::new("S0201", message, sign_behind(text, left)))
        }
        _ => None,
    };
    let mut error = range_outside(root);
    root.each(&mut |node| {
        if error.is_some() {
            return;
        }
        match &node.form {
            Form::Array(_) | Form::ArrayStep(_) => {}
            Form::Binary(Operator::Bind, left, _) if !matches!(left.form, Form::Variable(_)) => {
                let message = "The left side of := must be a variable name (start with $)";
                error = Some(JsonataError::new("S0212", message, sign_behind(text, left)));
            }
            _ => {
                error = node
                    .children()
                    .iter()
                    .find_map(|(child, _)| range_outside(child))
            }
        }
    });
    error
}

/// Removes all steps before the last one from a path and returns them. If the node binds a name (`@`, `#`), the path is
/// the node's operand.
pub(super) fn steps_before_last(node: &mut Node) -> Vec<Step> {
    match &mut node.form {
        Form::Bound(inner, _) => {
            let before = steps_before_last(inner);
            node.range.start = inner.range.start;
            before
        }
        Form::Path(steps) if steps.len() > 1 => {
            let last = steps.split_off(steps.len() - 1);
            let before = std::mem::replace(steps, last);
            if let Some(step) = steps.first() {
                node.range.start = step.node.range.start;
            }
            before
        }
        _ => Vec::new(),
    }
}

/// Turns a quoted path step into a name. If the node is a literal that cannot be a step, returns its text and byte
/// range.
pub(super) fn name_step(node: &mut Node) -> Option<(String, Range<usize>)> {
    let range = node.range.clone();
    match &mut node.form {
        Form::Bound(inner, _) | Form::Sort(inner, _) | Form::Group(inner, _) => name_step(inner),
        Form::Path(steps) => steps.iter_mut().find_map(|step| name_step(&mut step.node)),
        Form::Text(name) => {
            node.form = Form::Name(std::mem::take(name));
            None
        }
        Form::Bool(flag) => Some((flag.to_string(), range)),
        Form::Null => Some(("null".to_string(), range)),
        _ => number_of(node).map(|number| (number.to_string(), range)),
    }
}

/// Returns the value of a literal number, which may have minus signs before it.
fn number_of(mut node: &Node) -> Option<f64> {
    let mut sign = 1.0;
    while let Form::Negate(operand) = &node.form {
        sign = -sign;
        node = operand;
    }
    match node.form {
        Form::Number(number) => Some(sign * number),
        _ => None,
    }
}

/// True if a group (`{…}`) after this node applies to the whole path rather than to a step.
pub(super) fn is_group_path(node: &Node) -> bool {
    match &node.form {
        Form::Path(steps) => match steps.as_slice() {
            [step] => matches!(step.node.form, Form::Name(_)) || is_group_path(&step.node),
            _ => true,
        },
        Form::Sort(..) | Form::Bound(_, Binding::Index(_)) => true,
        Form::Bound(inner, Binding::Focus(_)) => is_group_path(inner),
        _ => false,
    }
}

/// True if a predicate after this node would follow a step that has a group (`{…}`).
pub(super) fn step_has_group(node: &Node) -> bool {
    match &node.form {
        Form::Group(..) => true,
        Form::Path(steps) => {
            let last = steps.last();
            last.is_some_and(|step| matches!(step.node.form, Form::Group(..)))
        }
        Form::Bound(inner, _) => step_has_group(inner),
        _ => false,
    }
}

/// True if the node has a group already. Another group after the node would be a second one, which is an error.
pub(super) fn has_group(node: &Node) -> bool {
    match &node.form {
        Form::Group(..) => true,
        Form::Path(steps) if !is_group_path(node) => {
            let first = steps.first();
            first.is_some_and(|step| matches!(step.node.form, Form::Group(..)))
        }
        Form::Bound(inner, Binding::Focus(_)) => has_group(inner),
        _ => false,
    }
}

/// True if the value of the node may be a function.
pub(super) fn can_be_called(node: &Node) -> bool {
    match &node.form {
        Form::Bound(inner, _) => {
            matches!(inner.form, Form::Sort(..) | Form::Group(..)) || can_be_called(inner)
        }
        Form::Path(steps) => match steps.as_slice() {
            [step] if step.stages.is_empty() => can_be_called(&step.node),
            _ => true,
        },
        Form::Lambda { .. }
        | Form::Block(_)
        | Form::Call(..)
        | Form::Function { .. }
        | Form::Regex { .. }
        | Form::Variable(_)
        | Form::Name(_) => true,
        _ => false,
    }
}
