//! Explains why a JSONata expression failed: an operator that needs numbers, a condition that is not a boolean, the
//! value in place of a missing member, items whose member has another type.

use super::missing_in_items::{places, read_from};
use crate::interpreter::{Frame, Machine, Reason, Stage};
use crate::json::{Pointer, Value};
use crate::query::Bindings as _;
use crate::query::jsonata::{Failure, Index, Made, ReadPath, Tree};
use crate::session::fault_view::MAY_BE_ABSENT;
use crate::session::finding::Finding;
use crate::session::place::of_other_type;
use crate::session::values_read::{names, with_article};

/// One sentence for each explanation, and the one that says more than the error itself.
pub(in crate::session) fn help(
    machine: &Machine,
    frame: &Frame,
) -> (Option<Finding>, Vec<Finding>) {
    let reason = (frame.visit.fault.as_ref()).map(|(fault, _)| fault.reason.read());
    let (expression, failure) = match reason {
        Some(Reason::WrongType {
            wanted: "boolean", ..
        }) => {
            let line = "$count(...) > 0 or $exists(...) tests whether something is found";
            return (None, vec![Finding::new("test-for-presence", line)]);
        }
        Some(Reason::WrongType {
            wanted: "array",
            expression,
            ..
        }) => {
            let single = expression.parsed().and_then(single_value);
            return (None, single.into_iter().collect());
        }
        Some(Reason::Evaluation {
            expression,
            failure,
        }) => (expression.parsed(), failure),
        _ => return (None, Vec::new()),
    };
    let Some(expression) = expression else {
        return (None, Vec::new());
    };
    let mut lines = Vec::new();
    let first = match failure {
        Failure::Undefined => {
            let first = no_such_item(machine, frame, expression);
            lines.extend(first.clone());
            lines.extend(held(machine, frame, expression));
            let says = optional(expression);
            lines.extend(says.map(|says| Finding::new(MAY_BE_ABSENT, says)));
            return (first, lines);
        }
        Failure::Unsupported | Failure::Internal(_) => None,
        _ => other_types(machine, frame, expression),
    };
    if matches!(failure, Failure::Operand { operator: "+", .. }) {
        let says = "+ adds numbers; & joins strings";
        lines.push(Finding::new("plus-adds-numbers", says));
    }
    lines.extend(first.clone());
    (first, lines)
}

/// The finding `a filter found one value, which comes without an array: {% [$orders[open]] %} keeps the array`.
fn single_value(tree: &Tree) -> Option<Finding> {
    let Made::Each(what, _) = tree.made() else {
        return None;
    };
    let text = tree.text();
    let says = format!(
        "{what} found one value, which comes without an array: {{% [{text}] %}} keeps the array"
    );
    Some(Finding::new("single-value", says))
}

/// Suggests how to make the member optional if the expression only reads it: `$exists(X) ? X : null`.
fn optional(tree: &Tree) -> Option<String> {
    let (text, paths) = (tree.text(), tree.read_paths());
    let [path] = paths.as_slice() else {
        return None;
    };
    let root = usize::from(&*path.variable == "states");
    let reads_member = path.alone && path.steps.len() > root;
    reads_member.then(|| format!("$exists({text}) ? {text} : null gives null if it is missing"))
}

/// A finding such as `$states.input.lines[3].cents is "90", a string; the other 21 are numbers`.
fn other_types(machine: &Machine, frame: &Frame, tree: &Tree) -> Option<Finding> {
    tree.read_paths().into_iter().find_map(|path| {
        let (whole, name, steps) = read_from(machine, frame, &path)?;
        let places = places(&whole, steps).into_iter();
        let places = places.filter(|_| !path.goes_on);
        let found: Vec<(Pointer, &Value)> = places
            .filter_map(|at| {
                let value = at.get(&whole)?;
                Some((at, value))
            })
            .collect();
        let values: Vec<&Value> = found.iter().map(|(_, value)| *value).collect();
        let (others, usual) = of_other_type(&values)?;
        let (at, value) = found.get(*others.first()?)?;
        let at = at.to_string();
        let place = format!("{name}{}", at.strip_prefix('$').unwrap_or(&at));
        let shown = crate::query::abridged(value, 40);
        let rest = values.len() - others.len();
        let says = match others.len() {
            1 => format!(
                "{place} is {shown}, {}; the other {rest} are {usual}s",
                with_article(value.type_name())
            ),
            many => format!(
                "{many} of {} are not {usual}s, the first is {place}: {shown}",
                values.len()
            ),
        };
        Some(Finding::new("other-type", says))
    })
}

/// `$seals has 5 items, 0 to 4: there is no item 5 ($states.input.position)`: of an expression that is an array's item.
fn no_such_item(machine: &Machine, frame: &Frame, tree: &Tree) -> Option<Finding> {
    let asked = tree.item_asked()?;
    let value = |path: &ReadPath| {
        let (whole, _, steps) = read_from(machine, frame, path)?;
        let places = places(&whole, steps);
        let [only] = places.as_slice() else {
            return None;
        };
        only.get(&whole).filter(|_| path.alone).cloned()
    };
    let (array, items) = (asked.array, value(&asked.items)?);
    let items = items.as_array()?.len();
    let (asked, told) = match &asked.index {
        Index::Literal(index) => (*index, String::new()),
        Index::Read(text, path) => {
            let Value::Number(number) = value(path)? else {
                return None;
            };
            (number.as_i64()?, format!(" ({text})"))
        }
    };
    let is_there = usize::try_from(asked).map_or_else(
        |_| asked.unsigned_abs() <= items as u64,
        |asked| asked < items,
    );
    if is_there {
        return None;
    }
    let says = match items {
        0 => format!("{array} is empty: there is no item {asked}{told}"),
        1 => format!("{array} has 1 item, item 0: there is no item {asked}{told}"),
        _ => format!(
            "{array} has {items} items, 0 to {}: there is no item {asked}{told}",
            items - 1
        ),
    };
    Some(Finding::new("no-such-item", says))
}

/// The value in place of the first missing member of an expression, as a finding such as `$states.input.user is 7`.
fn held(machine: &Machine, frame: &Frame, tree: &Tree) -> Option<Finding> {
    let null = Value::Null;
    let bindings = machine.inspect(frame, &null);
    tree.root().paths().into_iter().find_map(|path| {
        let (name, members) = path.split_first()?;
        let (mut value, members, mut place) = match (name.as_str(), members.split_first()) {
            ("states", Some((own, members))) => {
                let stage = match own.as_str() {
                    "input" => Stage::Input,
                    "result" => Stage::Result,
                    _ => return None,
                };
                let value = frame.visit.data.get(stage).cloned()?;
                (value, members, format!("$states.{own}"))
            }
            ("states", None) => return None,
            (name, _) => (bindings.variable(name)?, members, format!("${name}")),
        };
        for member in members {
            // A member name applies to every item of an array.
            if value.is_array() {
                return None;
            }
            let Some(inner) = value.get(member).cloned() else {
                let says = format!("{place} is {}", instead(&value));
                return Some(Finding::new("there-instead", says));
            };
            place = format!("{place}.{member}");
            value = inner;
        }
        None
    })
}

/// Names of an object's members; other values as they are.
fn instead(value: &Value) -> String {
    let names = names(value);
    match value.as_object() {
        None => crate::query::abridged(value, 40),
        Some(_) if names.is_empty() => "an empty object".to_string(),
        Some(_) => {
            let shown: Vec<&str> = names.iter().take(12).map(|name| &**name).collect();
            let more = if names.len() > 12 { ", …" } else { "" };
            format!("{{ {}{more} }}", shown.join(", "))
        }
    }
}
