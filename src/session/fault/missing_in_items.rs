//! Arrays in which some items lack what a JSONata path reads from them, so that the result is shorter than the array.

use crate::interpreter::{Frame, Machine, Stage};
use crate::json::{Pointer, Step, Value};
use crate::query::Bindings as _;
use crate::query::jsonata::{ReadPath, ReadStep, Tree};

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

/// Maximum number of places to distinguish per path.
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
        "context" => machine.inspect(frame, &Value::Null).context(),
        _ => return None,
    };
    Some((value, format!("$states.{own}"), steps))
}
