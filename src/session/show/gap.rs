//! Items of an array that a JSONata path goes through and that have nothing where it leads: what it gives is shorter than
//! the array.
//!
//! It must not know what is made of the values.

use super::evaluation::read_from;
use crate::interpreter::{Frame, Machine};
use crate::json::{Pointer, Step, Value};
use crate::query::jsonata::{self, ReadStep};
use crate::session::origin::places;

/// Some items of an array have nothing at the end of the steps behind it.
struct Gap<'s> {
    /// The array.
    at: Pointer,
    /// What is asked of each item.
    rest: &'s [ReadStep],
    first: usize,
    missing: usize,
    all: usize,
}

/// `seals lacks 1 of 6: $states.input.wagons[2] has no seal.number; what stands behind moves to the front`: of the
/// expression of a field, where it is a path and nothing else.
pub(super) fn remark(machine: &Machine, frame: &Frame, text: &str, field: &str) -> Option<String> {
    let paths = jsonata::read_paths(text);
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
        "{field} lacks {} of {}: {name}{at}{first} has no {rest}; what stands behind moves to the front",
        gap.missing, gap.all
    ))
}

/// The first array on the way of which some items have nothing there, and others have.
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
