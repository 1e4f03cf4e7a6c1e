//! Describes the steps of a path that finds nothing: what is in place of the first step that finds nothing.

use crate::query::{Path, PathExplanation, There};
use crate::session::fault_view::AFTER_SEVERAL;
use crate::session::finding::Finding;

/// One sentence for each line; empty if the steps explain nothing.
pub(in crate::session) fn lines(path: &Path, walk: &PathExplanation) -> Vec<Finding> {
    let Some(there) = &walk.there else {
        return Vec::new();
    };
    let mut lines = vec![match after_several(path, walk, there) {
        Some(line) => Finding::new(AFTER_SEVERAL, line),
        None => {
            let says = format!("{} is {}", walk.deepest, whole(there));
            Finding::new("there-instead", says)
        }
    }];
    if let Some(near) = &walk.nearest {
        let says = format!("did you mean {near}?");
        lines.push(Finding::new("nearest-name", says));
    }
    lines
}

/// `$.phases[?(@.phase == 'FIXATION')] finds 1 of 3: { phase, seconds }; [0] is taken of each match, and an object has
/// no [0]`: after a step that may select several values, the next step applies to each of them.
fn after_several(path: &Path, walk: &PathExplanation, there: &There) -> Option<String> {
    let breaks = walk.steps.iter().position(|step| step.count == 0)?;
    let last = breaks.checked_sub(1)?;
    // Up to here, every step selects a single value.
    if walk.deepest.0.len() >= breaks {
        return None;
    }
    let found = walk.steps.get(last)?;
    let of = match last.checked_sub(1) {
        // If only this step may select several values, they are items of a known array.
        Some(before) if walk.deepest.0.len() == last => {
            let before = walk.steps.get(before)?.value.as_ref();
            before.and_then(|value| value.as_array().map(|array| array.len()))
        }
        _ => None,
    };
    let of = of.map_or_else(String::new, |all| format!(" of {all}"));
    let one = match found.count {
        1 => ":",
        _ => ", one of them",
    };
    let step = path.text().get(path.ranges().get(breaks)?.clone())?;
    let step = step.trim_start_matches("..");
    let kind = match there {
        There::Keys(_) if step.starts_with(['.']) || step.starts_with("['") => "this object",
        There::Keys(_) => "an object",
        There::Length(_) => "an array",
        There::Type(name) => name,
    };
    let kind = match there {
        There::Length(length) if step.starts_with('[') => format!("an array of {length}"),
        There::Type(name) if *name != "null" => format!("a {name}"),
        _ => kind.to_owned(),
    };
    Some(format!(
        "{} finds {}{of}{one} {}; {step} applies to each match, and {kind} has no {step}",
        beginning(path, last)?,
        found.count,
        whole(there),
    ))
}

/// The path up to and including a step.
fn beginning(path: &Path, step: usize) -> Option<&str> {
    path.text().get(..path.ranges().get(step)?.end)
}

/// Description of a value as a whole.
fn whole(there: &There) -> String {
    match there {
        There::Keys(keys) if keys.is_empty() => "an empty object".to_string(),
        There::Keys(keys) => {
            let shown: Vec<&str> = keys.iter().take(12).map(|key| &**key).collect();
            let more = if keys.len() > 12 { ", …" } else { "" };
            format!("{{ {}{more} }}", shown.join(", "))
        }
        There::Length(0) => "an empty array".to_string(),
        There::Length(length) => format!("an array of {length}"),
        There::Type("null") => "null".to_string(),
        There::Type(name) => format!("a {name}"),
    }
}
