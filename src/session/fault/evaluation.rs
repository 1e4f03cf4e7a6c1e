//! Explains why a JSONata expression failed: an operator that needs numbers, a condition that is not a boolean, the
//! value in place of a missing member, items that lack it or whose member has another type.

use crate::definition::Unit;
use crate::interpreter::{Frame, GroupWork, Item, Machine, Reason, Stage};
use crate::json::{Pointer, Step, Value};
use crate::query::Bindings as _;
use crate::query::jsonata::{Failure, Index, Made, ReadPath, ReadStep, Tree};
use crate::session::finding::Finding;
use crate::session::place::{MAY_BE_ABSENT, of_other_type};
use crate::session::values_read::{braced, named, names, no_item, with_article};

/// Returns the explanation that is more precise than the text of the error, if there is one, and all the others.
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

/// For an expression that selects an item of an array: `$seals has 5 items, 0 to 4: there is no item 5
/// ($states.input.position)`.
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
    // If a Map reads an item for each of its items, both arrays should have the same length.
    let of_map = frame.visit.item_to_select().and_then(|_| {
        let work = GroupWork::of(frame.visit.data.get(Stage::AfterItemsPath)?)?;
        Some(format!(
            "; the Map has {}",
            Unit::Item.counted(work.count())
        ))
    });
    let says = no_item(array, items, asked, &told) + &of_map.unwrap_or_default();
    Some(Finding::new("no-such-item", says))
}

/// The value in place of the first missing member of an expression, as a finding such as `$states.input.user is 7`.
fn held(machine: &Machine, frame: &Frame, tree: &Tree) -> Option<Finding> {
    let null = Value::Null;
    let bindings = machine.inspect(frame, &null);
    tree.root().paths().into_iter().find_map(|path| {
        (1..path.len()).find_map(|count| {
            let (place, value) = named(path.get(..count)?, frame, &bindings)?;
            // A member name applies to every item of an array.
            let value = value.filter(|value| !value.is_array())?;
            let says = format!("{place} is {}", instead(&value));
            let is_missing = value.get(path.get(count)?).is_none();
            is_missing.then(|| Finding::new("there-instead", says))
        })
    })
}

/// Names of an object's members; other values as they are.
fn instead(value: &Value) -> String {
    match value.as_object() {
        None => crate::query::abridged(value, 40),
        Some(_) => braced(&names(value)),
    }
}

/// An array in which some items lack a value.
struct Gap<'s> {
    /// Position of the array.
    at: Pointer,
    /// Path steps within each item.
    rest: &'s [ReadStep],
    first: usize,
    missing: usize,
    all: usize,
}

/// `seals lacks 1 of 6: $states.input.wagons[2] has no seal.number; later values move up`: remark on
/// a field's expression that is a single path.
pub(in crate::session) fn remark(
    machine: &Machine,
    frame: &Frame,
    tree: &Tree,
    field: &str,
) -> Option<String> {
    let paths = tree.read_paths();
    let [path] = paths.as_slice() else {
        return None;
    };
    if !path.alone || path.goes_on {
        return None;
    }
    let (whole, name, steps) = read_from(machine, frame, path)?;
    let gap = gap(&whole, steps)?;
    let at = gap.at.child(Step::Item(gap.first)).to_string();
    let at = at.strip_prefix('$').unwrap_or(&at);
    let rest: Vec<String> = gap
        .rest
        .iter()
        .map(|step| match step {
            ReadStep::Name(name) => name.to_string(),
            ReadStep::Index(index) => format!("[{index}]"),
        })
        .collect();
    let rest = rest.join(".").replace(".[", "[");
    let first = if gap.missing > 1 { ", the first," } else { "" };
    Some(format!(
        "{field} lacks {} of {}: {name}{at}{first} has no {rest}; later values move up",
        gap.missing, gap.all
    ))
}

/// The first array along the path in which some items have the value and others do not.
fn gap<'s>(whole: &Value, steps: &'s [ReadStep]) -> Option<Gap<'s>> {
    let (mut at, mut value) = (Pointer::root(), whole);
    for (place, step) in steps.iter().enumerate() {
        if let Value::Array(items) = value {
            let rest = steps.get(place..)?;
            if !matches!(step, ReadStep::Name(_)) {
                return None;
            }
            let has: Vec<bool> = items
                .items()
                .iter()
                .map(|item| !places(item, rest).is_empty())
                .collect();
            let first = has.iter().position(|has| !has)?;
            let missing = has.iter().filter(|has| !**has).count();
            return (missing < has.len()).then_some(Gap {
                at,
                rest,
                first,
                missing,
                all: has.len(),
            });
        }
        let ReadStep::Name(name) = step else {
            return None;
        };
        value = value.get(name)?;
        at = at.child(Step::Member(name.clone()));
    }
    None
}

/// Maximum number of places that are examined per path.
const PLACES: usize = 1_000;

/// The item of a value at an index; a single value counts as its own only item.
fn indexed(value: &Value, index: i64) -> Option<Option<Step>> {
    let Some(items) = value.as_array() else {
        return matches!(index, 0 | -1).then_some(None);
    };
    let index = usize::try_from(index).ok().or_else(|| {
        let back = usize::try_from(index.unsigned_abs()).ok()?;
        items.len().checked_sub(back)
    })?;
    (index < items.len()).then_some(Some(Step::Item(index)))
}

/// The places in a value that the steps lead to, applying names to each item of an array; empty if there are too many.
pub(in crate::session) fn places(value: &Value, steps: &[ReadStep]) -> Vec<Pointer> {
    let mut found = Vec::new();
    spread(value, Pointer::root(), steps, &mut found);
    if found.len() > PLACES {
        found.clear();
    }
    found
}

fn spread(value: &Value, at: Pointer, steps: &[ReadStep], found: &mut Vec<Pointer>) {
    if found.len() > PLACES {
        return;
    }
    let Some((step, rest)) = steps.split_first() else {
        return found.push(at);
    };
    match (step, value) {
        (ReadStep::Name(_), Value::Array(items)) => {
            for (place, item) in items.items().iter().enumerate() {
                spread(item, at.child(Step::Item(place)), steps, found);
            }
        }
        (ReadStep::Name(name), _) => {
            if let Some(inner) = value.get(name) {
                spread(inner, at.child(Step::Member(name.clone())), rest, found);
            }
        }
        (ReadStep::Index(index), _) => match indexed(value, *index) {
            Some(None) => spread(value, at, rest, found),
            Some(Some(step)) => {
                let below = at.child(step.clone());
                if let Some(inner) = Pointer(vec![step]).get(value) {
                    spread(inner, below, rest, found);
                }
            }
            None => {}
        },
    }
}

/// The item whose input the frame's ItemSelector is producing.
pub(super) fn item_selected(frame: &Frame) -> Option<Item> {
    let index = frame.visit.item_to_select()?;
    GroupWork::of(frame.visit.data.get(Stage::AfterItemsPath)?)?.item(index)
}

/// The document that a path reads, its name in expressions, and the steps within it.
pub(in crate::session) fn read_from<'p>(
    machine: &Machine,
    frame: &Frame,
    path: &'p ReadPath,
) -> Option<(Value, String, &'p [ReadStep])> {
    let data = &frame.visit.data;
    if &*path.variable != "states" {
        let frame = frame.before_assign();
        let value = frame.variables.get(&path.variable).cloned()?;
        return Some((value, format!("${}", path.variable), &path.steps));
    }
    let (ReadStep::Name(own), steps) = path.steps.split_first()? else {
        return None;
    };
    let value = match &**own {
        "input" => data.latest(Stage::Input),
        "result" => data.get(Stage::Result).cloned()?,
        "context" => {
            let item = item_selected(frame);
            let bindings = machine.inspect(frame, &Value::Null);
            match &item {
                Some(item) => bindings.for_item(item).context(),
                None => bindings.context(),
            }
        }
        _ => return None,
    };
    Some((value, format!("$states.{own}"), steps))
}
