//! Explains why a Map had no items: which expression produced its array, and why no item matched a filter.

use super::in_state::InState;
use super::values_read::{differing, named};
use crate::definition::{self, Ask, PathField, StateKind, Term};
use crate::interpreter::{Event, EventKind, Frame, Machine, Stage};
use crate::json::{Number, Text, Value};
use crate::query::jsonata::{Form, Node, Operator, Stage as Behind, Tree};
use crate::query::trace::{Provenance, Role};
use crate::query::{Bindings, Evaluate as _, Path, abridged};
use crate::source::with_article;
use std::cmp::Ordering;

/// Maximum number of items that are compared to find what they have in common.
const MOST: usize = 1_000;
/// Maximum number of different values to list for a member of the items.
const VALUES: usize = 4;

/// Why a Map had no items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoItems {
    /// Expression that produced the array: a path, or a JSONata expression with its delimiters. Empty if the array is
    /// the Map's input.
    pub expression: Text,
    /// True if an ItemReader returned no items.
    pub is_read: bool,
    /// The value to which a filter was applied, and why no item matched; empty without a filter.
    pub why: Text,
}

/// Why a Map had no items, if the event is the exit of that Map; otherwise `None`.
pub fn no_items(event: &Event, machine: &Machine) -> Option<NoItems> {
    if event.kind != EventKind::StateExited {
        return None;
    }
    let frame = machine.frame(event.frame)?;
    let group = frame.visit.group.as_ref()?;
    let is_over = group.total == 0 && frame.visit.fault.is_none();
    of_frame(InState::of(machine, frame).filter(|_| is_over)?)
}

/// Why the Map that the frame is in has no items. Known as soon as the Map's array was computed and is empty; `None`
/// until then, or if the Map has items.
pub(super) fn of_frame(at: InState<'_>) -> Option<NoItems> {
    let (machine, frame) = (at.machine, at.frame);
    let StateKind::Map(map) = &at.state.kind else {
        return None;
    };
    let made = frame.visit.data.get(Stage::AfterItemsPath);
    let is_empty = made.is_some_and(|made| made.as_array().is_some_and(|items| items.is_empty()));
    let group = frame.visit.group.as_ref();
    if !is_empty && group.is_none_or(|group| group.total > 0) {
        return None;
    }
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let bindings = machine.inspect(frame, &data);
    let (expression, picked) = match (&map.items_path, &map.items) {
        _ if map.reader.is_some() => (Text::from(""), None),
        (_, Some(items)) => match items.whole() {
            Some(expression) => {
                let tree = expression.tree.as_deref().ok();
                let picked = tree.and_then(|tree| picked_by_jsonata(tree, frame, &bindings));
                (format!("{{% {} %}}", expression.text).into(), picked)
            }
            None => ("Items".into(), None),
        },
        (PathField::Path(path), None) => (path.text().into(), picked_by_path(path, &bindings)),
        (PathField::Whole | PathField::Null, None) => (Text::from(""), None),
    };
    let why = picked.map_or_else(String::new, |picked| picked.why());
    Some(NoItems {
        expression,
        is_read: map.reader.is_some(),
        why: why.into(),
    })
}

/// A text such as `selects 2 of the 5 items of $states.input.orders`, for an expression that is a path with a filter at
/// its end; `count` is the number of selected items. `None` for other expressions, or if the filter selected all items.
pub(super) fn selected(
    machine: &Machine,
    frame: &Frame,
    tree: &Tree,
    count: usize,
) -> Option<String> {
    let Form::Path(steps) = &tree.root().form else {
        return None;
    };
    let is_filtered_last = steps.last().is_some_and(|step| !step.is_plain());
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let picked = picked_by_jsonata(tree, frame, &machine.inspect(frame, &data));
    let picked = picked.filter(|picked| is_filtered_last && count < picked.items.len())?;
    let (total, array) = (picked.items.len(), picked.from);
    Some(format!("selects {count} of the {total} items of {array}"))
}

/// A value to which a filter was applied, and the comparisons in the filter.
struct Picked {
    from: String,
    items: Vec<Value>,
    tests: Vec<Asked>,
}

/// A comparison in a filter: the path of an item's member, and the value with which that member is compared.
struct Asked {
    member: Vec<String>,
    /// The operator as written: `==`, `<=`.
    operator: String,
    wanted: Value,
    /// Source text of the right side, if the right side is not a literal.
    written: Option<String>,
}

impl Picked {
    /// Why no item matches, such as `none of the 3 items of $.orders matches: open is a string in each item, compared
    /// with true, a boolean`.
    fn why(&self) -> String {
        let (array, items) = (&self.from, &self.items);
        let summary = match items.len() {
            0 => return format!("{array} is empty"),
            1 => format!("the only item of {array} does not match"),
            count => format!("none of the {count} items of {array} matches"),
        };
        let mut tests = self.tests.iter();
        let reason = tests.clone().find_map(|test| test.misses(items));
        let reason = reason.or_else(|| tests.find_map(|test| test.compared(items)));
        reason.map_or_else(|| summary.clone(), |reason| format!("{summary}: {reason}"))
    }
}

impl Asked {
    /// The values that the compared member has in the items.
    fn members<'i>(&self, items: &'i [Value]) -> Vec<&'i Value> {
        let member = |item: &'i Value| {
            let mut names = self.member.iter();
            names.try_fold(item, |value, name| value.get(name))
        };
        items.iter().take(MOST).filter_map(member).collect()
    }

    /// Lists the values of the compared member, if none of them matches: `cloudCover is 8.4, 2.9, 41, 7 and 1 more,
    /// and none of these values is <= 0.2`.
    fn compared(&self, items: &[Value]) -> Option<String> {
        let compared = self.members(items);
        let fits = |value: &&Value| order(value, &self.wanted).map(|order| self.is_met(order));
        let is_met: Option<Vec<bool>> = compared.iter().map(fits).collect();
        if is_met?.contains(&true) {
            return None;
        }
        let mut distinct: Vec<String> = Vec::new();
        for value in compared {
            let value = abridged(value, 40);
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        let more = distinct.split_off(distinct.len().min(VALUES)).len();
        let values = distinct.join(", ");
        let values = match more {
            0 => values,
            more => format!("{values} and {more} more"),
        };
        let wanted = abridged(&self.wanted, 40);
        let wanted = match &self.written {
            Some(expression) => format!("{expression} ({wanted})"),
            None => wanted,
        };
        let (member, operator) = (self.member.join("."), &self.operator);
        Some(match items.len() {
            1 => format!("{member} is {values}, which is not {operator} {wanted}"),
            _ => format!("{member} is {values}, and none of these values is {operator} {wanted}"),
        })
    }

    /// True if the comparison is true when its left value is less than, equal to or greater than its right value, as
    /// `order` says.
    fn is_met(&self, order: Ordering) -> bool {
        match &*self.operator {
            "=" | "==" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            _ => true,
        }
    }

    /// Why the comparison is false: no item has the member, its values have another type, or a text differs from the
    /// wanted text in a way that is easily overlooked.
    fn misses(&self, items: &[Value]) -> Option<String> {
        let member = self.member.join(".");
        let compared = self.members(items);
        let Some(first) = compared.first() else {
            return Some(format!("no item has {member}"));
        };
        let wanted = abridged(&self.wanted, 40);
        let (value_type, wanted_type) = (first.type_name(), self.wanted.type_name());
        let in_each = if compared.len() > 1 {
            " in each item"
        } else {
            ""
        };
        let is_alike = |value: &&Value| value.type_name() == value_type;
        if compared.iter().all(is_alike) && value_type != wanted_type {
            let (value_type, wanted_type) = (with_article(value_type), with_article(wanted_type));
            return Some(match self.wanted {
                Value::Null => {
                    format!("{member} is {value_type}{in_each}, but is compared with null")
                }
                _ => format!(
                    "{member} is {value_type}{in_each}, but is compared with {wanted}, {wanted_type}"
                ),
            });
        }
        let is_equality = matches!(&*self.operator, "=" | "==");
        let text = self.wanted.as_str().filter(|_| is_equality)?;
        compared.iter().find_map(|value| {
            let difference = differing(value.as_str()?, text)?;
            let value = abridged(value, 40);
            Some(format!(
                "{member} is {value}, but is compared with {wanted}: {difference}"
            ))
        })
    }
}

/// The array to which a filter in the path was applied, and the filter's comparisons. `None` if no filter was applied
/// or the filter selected an item.
fn picked_by_path(path: &Path, bindings: &dyn Bindings) -> Option<Picked> {
    let (_, trace) = path.trace(bindings);
    let filter = trace.acts.iter().find(|act| act.role == Role::Decides)?;
    let place = usize::try_from(filter.node.node.checked_sub(1)?).ok()?;
    let Provenance::Reads(spots) = &filter.from else {
        return None;
    };
    let array = spots.first()?.value(bindings)?;
    let selects = path.count(place + 1, bindings) > 0;
    let tests = path.filter_tests(place).filter(|_| !selects)?.iter();
    let begins = path.ranges().get(place)?.start;
    let asked = tests.map(|test| Asked {
        member: test.member.iter().map(ToString::to_string).collect(),
        operator: test.operator.to_string(),
        wanted: test.wanted.clone(),
        written: None,
    });
    Some(Picked {
        from: path.text().get(..begins)?.to_string(),
        items: array.as_array()?.to_vec(),
        tests: asked.collect(),
    })
}

/// The value to which the last filter in an expression was applied, if the expression before the filter is a path.
fn picked_by_jsonata(tree: &Tree, frame: &Frame, bindings: &dyn Bindings) -> Option<Picked> {
    let node = match &tree.root().form {
        Form::Array(items) => items.first()?,
        _ => tree.root(),
    };
    let Form::Path(steps) = &node.form else {
        return None;
    };
    let last = steps.iter().rposition(|step| !step.is_plain())?;
    let before = steps.get(..=last)?;
    before.first()?.node.variable()?;
    let [Behind::Filter(filter)] = steps.get(last)?.stages.as_slice() else {
        return None;
    };
    let names: Option<Vec<&str>> = before.iter().map(|step| step.node.last_name()).collect();
    let path: Vec<String> = names?.into_iter().map(str::to_owned).collect();
    let (_, value) = named(&path, frame, bindings)?;
    let items = match value? {
        Value::Array(array) => array.items().to_vec(),
        single => vec![single],
    };
    let condition = definition::Asked::of_node(tree, filter);
    let tests = match &condition.ask {
        Ask::All(tests) => tests.as_slice(),
        _ => std::slice::from_ref(&condition),
    };
    let asked = tests.iter().filter_map(|test| match &test.ask {
        Ask::Compare {
            left: Term::Node(_, left),
            relation,
            right,
            ..
        } => {
            let (wanted, written) = match right.literal() {
                Some(literal) => (literal.into_owned(), None),
                None => {
                    let Term::Node(_, right) = right else {
                        return None;
                    };
                    let wanted = computed(right, frame, bindings)?;
                    (wanted, Some(tree.text_of(right).to_owned()))
                }
            };
            Some(Asked {
                member: member_names(left)?,
                operator: relation.sign().to_owned(),
                wanted,
                written,
            })
        }
        _ => None,
    });
    Some(Picked {
        from: tree
            .text()
            .get(node.range.start..before.last()?.node.range.end)?
            .to_string(),
        items,
        tests: asked.collect(),
    })
}

/// Value of one side of a comparison, if the side is a literal, a path, or arithmetic on two of these; otherwise
/// `None`.
fn computed(node: &Node, frame: &Frame, bindings: &dyn Bindings) -> Option<Value> {
    let value = |node: &Node| match node.literal() {
        Some(literal) => Some(literal),
        None => {
            let names = node.names()?.into_iter();
            let path: Vec<String> = names.map(str::to_owned).collect();
            named(&path, frame, bindings)?.1
        }
    };
    let Form::Binary(operator, left, right) = &node.form else {
        return value(node);
    };
    let (left, right) = (value(left)?, value(right)?);
    let (left, right) = (left.as_number()?.as_f64(), right.as_number()?.as_f64());
    let value = match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        _ => return None,
    };
    Number::from_f64(value).map(Value::Number)
}

/// The order of two numbers or two texts; `None` for other values.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64().partial_cmp(&right.as_f64()),
        _ => Some(left.as_str()?.cmp(right.as_str()?)),
    }
}

/// The names in a member path such as `status.code`; `None` if the node is not a path that consists of names.
fn member_names(node: &Node) -> Option<Vec<String>> {
    let steps = match &node.form {
        Form::Name(name) => return Some(vec![name.clone()]),
        Form::Path(steps) => steps,
        _ => return None,
    };
    let names = steps.iter().map(|step| match &step.node.form {
        Form::Name(name) if step.is_plain() => Some(name.clone()),
        _ => None,
    });
    names.collect()
}
