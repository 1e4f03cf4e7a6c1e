//! Evaluates the nodes of an expression. Each cost is charged to the account before the work is done.

use super::account::{Account, CLOSURES, MEMORY, Outcome, STACK, bound, thrown};
use super::builtin;
use super::datum::{Datum, Held, Items, Letters};
use super::function::{Circles, Frame, Function};
use super::number::{float, index};
use super::plan::{Form, Node, Pair};
use super::service::Service;
use super::text::{shown_in_error, written};
use super::tracer::Tracer;
use crate::query::Profile;
use crate::query::jsonata::{AWS_LONGEST_RANGE, Failure, Operator, range_error};
use indexmap::IndexMap;
use std::rc::Rc;

/// Minimum free stack, in bytes, for entering a level. If less is free, the stack grows by `SEGMENT` bytes.
const RED_ZONE: usize = if cfg!(debug_assertions) {
    512 << 10
} else {
    128 << 10
};
const SEGMENT: usize = 4 << 20;

/// An evaluation in progress.
pub(super) struct Run {
    pub account: Account,
    pub circles: Circles,
    pub service: Rc<Service>,
    /// The text that a regular expression searched last, as UTF-16 code units.
    pub units: Option<(Letters, Rc<[u16]>)>,
    /// Records the evaluation; `None` if no trace is wanted.
    pub tracer: Option<Box<Tracer>>,
    root: Datum,
}

impl Run {
    pub(super) fn new(account: Account, service: Rc<Service>) -> Self {
        Self {
            account,
            circles: Circles::default(),
            service,
            units: None,
            tracer: None,
            root: Datum::Nothing,
        }
    }

    /// Evaluates a whole expression, without input. `bound` are its variables.
    pub(super) fn bound_to(
        &mut self,
        bound: Outcome<Vec<(Letters, Datum)>>,
        node: &Node,
    ) -> Outcome {
        let frame = Frame::outermost();
        for (name, value) in bound? {
            self.bind(&frame, &name, value)?;
        }
        self.value(node, &self.root.clone(), &frame)
    }

    /// Evaluates a node. If the result is rows, only their values are returned.
    pub(super) fn value(&mut self, node: &Node, input: &Datum, frame: &Frame) -> Outcome {
        match self.with_rows(node, input, frame)? {
            Datum::Rows(rows) => {
                let mut items = self.account.items(rows.len())?;
                for row in rows.iter() {
                    items.push(row.value.clone());
                }
                let made = self.account.sequence(items)?.unwrapped();
                Ok(match &mut self.tracer {
                    Some(tracer) => tracer.made(made),
                    None => made,
                })
            }
            value => Ok(value),
        }
    }

    /// Evaluates a node. If the node is a path that binds names for the path around it, the result is rows: the values
    /// together with these names.
    pub(super) fn with_rows(&mut self, node: &Node, input: &Datum, frame: &Frame) -> Outcome {
        let Some(tracer) = &mut self.tracer else {
            return self.evaluated(node, input, frame);
        };
        let around = tracer.begin(node);
        let value = self.evaluated(node, input, frame)?;
        Ok(match &mut self.tracer {
            Some(tracer) => tracer.end(node, around, value),
            None => value,
        })
    }

    fn evaluated(&mut self, node: &Node, input: &Datum, frame: &Frame) -> Outcome {
        self.account.take(1)?;
        match &node.form {
            Form::Literal(value) if node.predicates.is_empty() && node.group.is_none() => {
                self.leaf()?;
                return Ok(value.clone());
            }
            Form::Input if node.predicates.is_empty() && node.group.is_none() && !node.keep => {
                self.leaf()?;
                return Ok(input.clone());
            }
            Form::Variable(name) if node.is_plain() => {
                self.leaf()?;
                return Ok(variable(name, frame).unwrapped());
            }
            _ => {}
        }
        self.deeper(|run| run.finished(node, input, frame))
    }

    /// Counts a node that has no operands as a level, and fails if this level is too deep.
    pub(super) fn leaf(&mut self) -> Outcome<()> {
        self.account.down()?;
        self.account.up();
        Ok(())
    }

    /// Runs `work` with enough stack. For recursion that does not enter a level of nodes.
    pub(super) fn grown<T>(&mut self, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        stacker::maybe_grow(RED_ZONE, SEGMENT, || work(self))
    }

    /// Runs `work` one level deeper, with enough stack.
    pub(super) fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.account.down()?;
        let value = stacker::maybe_grow(RED_ZONE, SEGMENT, || work(self));
        self.account.up();
        value
    }

    fn finished(&mut self, node: &Node, input: &Datum, frame: &Frame) -> Outcome {
        let mut value = self.plain(node, input, frame)?;
        for predicate in &node.predicates {
            value = self.filtered(predicate, value, frame)?;
        }
        // If the node is a path, the evaluation of the path has already applied the node's `{...}`.
        if let Some(pairs) = &node.group
            && !matches!(node.form, Form::Path(_))
        {
            value = self.grouped(pairs, &value, frame)?;
        }
        if node.keep
            && let Datum::List(list) = &mut value
            && list.sequence
        {
            list.keep = true;
        }
        Ok(value.unwrapped())
    }

    fn plain(&mut self, node: &Node, input: &Datum, frame: &Frame) -> Outcome {
        match &node.form {
            Form::Literal(value) => Ok(value.clone()),
            Form::Pattern(pattern) => Ok(Datum::Function(Rc::new(Function::Pattern(Rc::clone(
                pattern,
            ))))),
            Form::Input => Ok(input.clone()),
            Form::Root => Ok(self.root.clone()),
            Form::Variable(name) | Form::Ancestor(name) => Ok(variable(name, frame)),
            Form::Member(name) => self.member(input, name),
            Form::Wildcard => self.wildcard(input),
            Form::Descendants => self.descendants(input),
            Form::Path(path) => self.path(path, node.group.as_deref(), input, frame),
            Form::Binary(operator, left, right) => {
                let left = self.value(left, input, frame)?;
                let right = self.value(right, input, frame)?;
                self.operation(*operator, &left, &right)
            }
            Form::Negate(operand) => match self.value(operand, input, frame)? {
                Datum::Nothing => Ok(Datum::Nothing),
                Datum::Number(number, _) if number.is_infinite() => {
                    thrown("D1001: Number out of range: null")
                }
                Datum::Number(number, _) => Ok(Datum::number(-number)),
                other => {
                    let value = self.shown_in_error(&other);
                    thrown(format!("D1002: Cannot negate a non-numeric value: {value}"))
                }
            },
            Form::Lazy(operator, left, right) => self.lazy(*operator, left, right, input, frame),
            Form::Bind(name, part) => {
                let value = self.value(part, input, frame)?;
                self.bind(frame, name, value.clone())?;
                Ok(value)
            }
            Form::Brackets { items, whole } => self.brackets(items, *whole, input, frame),
            Form::Record(pairs) => self.grouped(pairs, input, frame),
            Form::Block { parts, .. } => {
                let inner = frame.inner();
                let Some((last, before)) = parts.split_last() else {
                    return Ok(Datum::Nothing);
                };
                for part in before {
                    self.value(part, input, &inner)?;
                }
                self.with_rows(last, input, &inner)
            }
            Form::Choice {
                condition,
                then,
                other,
            } => {
                if self.holds(condition, input, frame)? {
                    return self.value(then, input, frame);
                }
                match other {
                    Some(other) => self.value(other, input, frame),
                    None => Ok(Datum::Nothing),
                }
            }
            Form::Lambda(plan) => {
                self.account.room(0)?;
                Ok(Datum::Function(Rc::new(Function::Lambda {
                    plan: Rc::clone(plan),
                    input: input.clone(),
                    frame: frame.clone(),
                    _held: Held::new(128),
                })))
            }
            Form::Call {
                function,
                arguments,
            } => {
                let (called, given) = self.prepared(function, arguments, None, input, frame)?;
                self.call_by(function, &called, given, input)
            }
            Form::Partial {
                function,
                arguments,
            } => self.partial(function, arguments, input, frame),
            Form::Transform(plan) => Ok(Datum::Function(Rc::new(Function::Transform {
                plan: Rc::clone(plan),
                frame: frame.clone(),
            }))),
        }
    }

    /// Applies `~>`, or an operator that does not always evaluate its right side.
    fn lazy(
        &mut self,
        operator: Operator,
        left: &Node,
        right: &Node,
        input: &Datum,
        frame: &Frame,
    ) -> Outcome {
        if operator == Operator::Chain {
            return self.chained(left, right, input, frame);
        }
        let value = self.value(left, input, frame)?;
        let decided = match operator {
            Operator::Coalesce => !value.is_nothing(),
            _ => self.account.truth(&value)?,
        };
        match operator {
            Operator::And | Operator::Or if decided == (operator == Operator::Or) => {
                Ok(Datum::bool(decided))
            }
            Operator::And | Operator::Or => Ok(Datum::bool(self.holds(right, input, frame)?)),
            _ if decided => Ok(value),
            _ => self.value(right, input, frame),
        }
    }

    /// True if JSONata treats the value of the node as true.
    pub(super) fn holds(&mut self, node: &Node, input: &Datum, frame: &Frame) -> Outcome<bool> {
        let value = self.value(node, input, frame)?;
        self.account.truth(&value)
    }

    /// Binds a name to a value in a scope, and fails if the scope's values become too deeply nested.
    pub(super) fn bind(&mut self, frame: &Frame, name: &Letters, value: Datum) -> Outcome<()> {
        frame.bind(name, value, &mut self.circles);
        if frame.depth() > CLOSURES {
            return bound(STACK);
        }
        Ok(())
    }

    fn brackets(&mut self, parts: &[Node], whole: bool, input: &Datum, frame: &Frame) -> Outcome {
        let mut items = Items::default();
        for part in parts {
            match self.value(part, input, frame)? {
                Datum::Nothing => {}
                Datum::List(list) if !matches!(part.form, Form::Brackets { .. }) => {
                    self.account.extend(&mut items, &list)?;
                }
                value => self.account.push(&mut items, value)?,
            }
        }
        let mut made = self.account.list(items)?;
        if let Datum::List(list) = &mut made {
            list.whole = whole;
        }
        Ok(made)
    }

    /// Builds a record from groups. For each item of the input, the name of each pair is evaluated; items with the same
    /// name form a group. Each group becomes a member, whose value is evaluated for the group.
    pub(super) fn grouped(&mut self, pairs: &[Pair], input: &Datum, frame: &Frame) -> Outcome {
        let single = [Datum::Nothing];
        let rows = match input {
            Datum::Rows(rows) => return self.grouped_rows(pairs, rows, frame),
            Datum::List(list) if list.is_empty() => &single[..],
            Datum::List(list) => &list[..],
            other => std::slice::from_ref(other),
        };
        let mut groups: IndexMap<Letters, (usize, Group)> = IndexMap::new();
        for item in rows {
            for (place, (name, _)) in pairs.iter().enumerate() {
                let Some(name) = self.group_name(name, item, frame)? else {
                    continue;
                };
                match groups.get_mut(&*name) {
                    Some((known_place, _)) if *known_place != place => return duplicate(&name),
                    Some((_, group)) => group.add(item, &mut self.account)?,
                    None => {
                        self.account.room(0)?;
                        groups.insert(name, (place, Group::One(item.clone())));
                    }
                }
            }
        }
        let mut members = IndexMap::with_capacity(groups.len().min(64));
        for (name, (place, group)) in groups {
            let context = group.value(&mut self.account)?;
            let Some((_, value)) = pairs.get(place) else {
                continue;
            };
            let value = self.value(value, &context, frame)?;
            if !value.is_nothing() {
                members.insert(name, value);
            }
        }
        self.account.record(members)
    }

    pub(super) fn group_name(
        &mut self,
        name: &Node,
        item: &Datum,
        frame: &Frame,
    ) -> Outcome<Option<Letters>> {
        match self.value(name, item, frame)? {
            Datum::Text(name, _) => Ok(Some(name)),
            Datum::Nothing => Ok(None),
            other => {
                let other = written(&other, &mut self.account).unwrap_or_default();
                thrown(format!(
                    "T1003: Key in object structure must evaluate to a string; got: {other}"
                ))
            }
        }
    }

    pub(super) fn operation(&mut self, operator: Operator, left: &Datum, right: &Datum) -> Outcome {
        use Operator as O;
        match operator {
            O::Add | O::Subtract | O::Multiply | O::Divide | O::Modulo => {
                arithmetic(operator, left, right)
            }
            O::Equal | O::NotEqual => {
                if left.is_nothing() || right.is_nothing() {
                    return Ok(Datum::bool(false));
                }
                self.account.scan(comparable_bytes(left, right))?;
                Ok(Datum::bool(left.equals(right) == (operator == O::Equal)))
            }
            O::Less | O::LessOrEqual | O::Greater | O::GreaterOrEqual => {
                self.account.scan(comparable_bytes(left, right))?;
                self.compared(operator, left, right)
            }
            O::In => {
                if left.is_nothing() || right.is_nothing() {
                    return Ok(Datum::bool(false));
                }
                self.is_in(left, right.items()).map(Datum::bool)
            }
            O::Concatenate => {
                let left = self.shown(left)?;
                let right = self.shown(right)?;
                self.account.room(left.len() + right.len())?;
                let mut text = String::with_capacity(left.len() + right.len());
                text.push_str(&left);
                text.push_str(&right);
                self.account.text(text)
            }
            // Only the range operator `..` is left: the other operators are handled above or have nodes of their own.
            _ => self.range(left, right),
        }
    }

    fn is_in(&mut self, wanted: &Datum, items: &[Datum]) -> Outcome<bool> {
        self.account.take(items.len() / 8)?;
        for item in items {
            // Texts of the same length must be compared byte by byte, which costs steps.
            if let (Datum::Text(item, _), Datum::Text(wanted, _)) = (item, wanted)
                && item.len() == wanted.len()
            {
                self.account.scan(wanted.len())?;
            }
            if identical(item, wanted) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A value converted to text for the operator `&`.
    fn shown(&mut self, value: &Datum) -> Outcome<Letters> {
        match value {
            Datum::Text(text, _) => Ok(text.clone()),
            Datum::Nothing => Ok(Letters::from("")),
            other => Ok(Letters::from(written(other, &mut self.account)?)),
        }
    }

    fn range(&mut self, left: &Datum, right: &Datum) -> Outcome {
        let whole = |side: &Datum, error: &str| match side {
            Datum::Nothing => Ok(None),
            Datum::Number(number, _) if number.fract() == 0.0 => Ok(Some(*number)),
            _ => thrown(error),
        };
        let first = whole(
            left,
            "T2003: The left side of the range operator (..) must evaluate to an integer",
        )?;
        let last = whole(
            right,
            "T2004: The right side of the range operator (..) must evaluate to an integer",
        )?;
        let (Some(first), Some(last)) = (first, last) else {
            return Ok(Datum::Nothing);
        };
        if first > last {
            return Ok(Datum::Nothing);
        }
        let count = last - first + 1.0;
        if let Some(error) = range_error(first, last) {
            return thrown(error);
        }
        if count > f64::from(AWS_LONGEST_RANGE) && self.account.profile() == Profile::Aws {
            return bound(MEMORY);
        }
        let count = index(count);
        let mut items = self.account.items(count)?;
        // Adding 1 to a number above 2^53 has no effect, so each item is computed from its index.
        for place in 0..count {
            items.push(Datum::number(first + float(place)));
        }
        self.account.sequence(items)
    }

    fn compared(&mut self, operator: Operator, left: &Datum, right: &Datum) -> Outcome {
        let comparable = |side: &Datum| {
            matches!(
                side,
                Datum::Nothing | Datum::Number(_, _) | Datum::Text(_, _)
            )
        };
        if !comparable(left) || !comparable(right) {
            return thrown(format!(
                "T2010: The expressions either side of operator \"{}\" must evaluate to numeric or string values",
                operator.sign()
            ));
        }
        let ordering = match (left, right) {
            (Datum::Nothing, _) | (_, Datum::Nothing) => return Ok(Datum::Nothing),
            (Datum::Number(left, _), Datum::Number(right, _)) => left.partial_cmp(right),
            (Datum::Text(left, _), Datum::Text(right, _)) => Some((**left).cmp(&**right)),
            _ => {
                let (left, right) = (self.shown_in_error(left), self.shown_in_error(right));
                return thrown(format!(
                    "T2009: The values {left} and {right} either side of operator \"{}\" must be of the same data type",
                    operator.sign()
                ));
            }
        };
        Ok(Datum::bool(match operator {
            Operator::Less => ordering.is_some_and(std::cmp::Ordering::is_lt),
            Operator::LessOrEqual => ordering.is_some_and(std::cmp::Ordering::is_le),
            Operator::Greater => ordering.is_some_and(std::cmp::Ordering::is_gt),
            _ => ordering.is_some_and(std::cmp::Ordering::is_ge),
        }))
    }

    /// A value as it appears in an error message.
    pub(super) fn shown_in_error(&mut self, value: &Datum) -> String {
        shown_in_error(value, &mut self.account)
    }
}

/// The items that belong to one member of a record that is built. A single item is stored without a list.
pub(super) enum Group {
    One(Datum),
    Many(Items),
}

impl Group {
    pub(super) fn add(&mut self, item: &Datum, account: &mut Account) -> Outcome<()> {
        account.take(1)?;
        if let Self::One(first) = self {
            let mut items = Items::default();
            account.extend(&mut items, first.items())?;
            *self = Self::Many(items);
        }
        if let Self::Many(items) = self {
            account.extend(items, item.items())?;
        }
        Ok(())
    }

    pub(super) fn value(self, account: &mut Account) -> Outcome {
        match self {
            Self::One(item) => Ok(item),
            Self::Many(items) => account.list(items),
        }
    }
}

pub(super) fn duplicate<T>(name: &str) -> Outcome<T> {
    thrown(format!(
        "D1009: Multiple key definitions evaluate to same key: \"{name}\""
    ))
}

/// The value that is bound to a name; if there is none, the built-in function with this name.
fn variable(name: &str, frame: &Frame) -> Datum {
    if let Some(value) = frame.get(name) {
        return value;
    }
    match builtin::named(name) {
        Some(builtin) => Datum::Function(Rc::new(Function::Builtin(builtin))),
        None => Datum::Nothing,
    }
}

/// Maximum number of bytes that a comparison of the two values examines.
pub(super) fn comparable_bytes(left: &Datum, right: &Datum) -> usize {
    let bytes = left.extent().bytes.min(right.extent().bytes);
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// True if both values are the same: lists and records if they are one object in memory, other values if they are
/// equal.
fn identical(left: &Datum, right: &Datum) -> bool {
    match (left, right) {
        (Datum::List(left), Datum::List(right)) => left.same(right),
        (Datum::Record(left, _), Datum::Record(right, _)) => Rc::ptr_eq(left, right),
        (Datum::List(_) | Datum::Record(_, _), _) | (_, Datum::List(_) | Datum::Record(_, _)) => {
            false
        }
        _ => left.equals(right),
    }
}

fn arithmetic(operator: Operator, left: &Datum, right: &Datum) -> Outcome {
    let number = |side: &Datum, is_left: bool| match side {
        Datum::Nothing => Ok(None),
        Datum::Number(number, _) if number.is_infinite() => {
            thrown("D1001: Number out of range: null")
        }
        Datum::Number(number, _) => Ok(Some(*number)),
        _ => Err(Failure::Operand {
            operator: operator.sign(),
            is_left,
        }),
    };
    let left = number(left, true)?;
    let right = number(right, false)?;
    let (Some(left), Some(right)) = (left, right) else {
        return Ok(Datum::Nothing);
    };
    Ok(Datum::number(match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        _ => left % right,
    }))
}
