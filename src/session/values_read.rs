//! Texts about values, for use in sentences: the values that a JSONata expression reads in a frame, how two strings
//! differ, and strings that were meant to be evaluated.

use crate::interpreter::{Frame, Stage};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::jsonata::{Node, Tree};
use crate::query::{Bindings, Unevaluated, abridged};

/// A part of a JSONata expression: the tree of the expression, and a node in it.
pub(super) type Part<'t> = (&'t Tree, &'t Node);

/// The variables and members that a part of an expression reads, with their values, such as ` with $states.input.total
/// = 115.5`.
pub(super) fn read_values(part: Part<'_>, frame: &Frame, bindings: &dyn Bindings) -> String {
    let values: Vec<String> = (part.1.paths())
        .iter()
        .filter_map(|path| named_value(path, frame, bindings))
        .collect();
    let unset = unset(part, bindings).into_iter();
    let unset_variables: String = unset
        .map(|variable| format!("; ${variable} is not set"))
        .collect();
    match values.is_empty() {
        true => unset_variables,
        false => format!(
            " with {values}{unset_variables}",
            values = values.join(", ")
        ),
    }
}

/// The variables that a part of an expression reads but that have no value.
pub(super) fn unset((tree, node): Part<'_>, bindings: &dyn Bindings) -> Vec<Text> {
    let mut names = tree.variables(node);
    names.retain(|name| &**name != "states" && bindings.variable(name).is_none());
    names
}

/// The paths that a part of an expression reads. A path is cut off after the first array, because the path may select
/// several values there.
pub(super) fn read_paths(part: Part<'_>, frame: &Frame, bindings: &dyn Bindings) -> Vec<String> {
    let unset = unset(part, bindings);
    let mut places: Vec<String> = Vec::new();
    for path in part.1.paths() {
        let variable = path
            .first()
            .map(|name| unset.iter().find(|variable| ***variable == **name));
        let place = match variable.flatten() {
            Some(name) => Some(format!("${name}")),
            None => named(&path, frame, bindings).map(|(place, _)| place),
        };
        places.extend(place.filter(|place| !places.contains(place)));
    }
    places
}

/// The value at a path as text, such as `$states.input.total = 115.5`; `None` if the expression itself binds the path's
/// first name.
fn named_value(path: &[String], frame: &Frame, bindings: &dyn Bindings) -> Option<String> {
    let (path, value) = named(path, frame, bindings)?;
    Some(match value {
        Some(value) => format!("{path} = {}", abridged(&value, 24)),
        None => format!("{path} = nothing"),
    })
}

/// A path as text, and the value at the path. The path is cut off after the first array. `None` if the path does not
/// begin with a member of `$states` or with a variable that has a value.
pub(super) fn named(
    path: &[String],
    frame: &Frame,
    bindings: &dyn Bindings,
) -> Option<(String, Option<Value>)> {
    let (name, members) = path.split_first()?;
    let (mut value, members, mut shown) = match (name.as_str(), members.split_first()) {
        ("states", Some((member, members))) => {
            let value = match member.as_str() {
                "input" => frame.visit.data.get(Stage::Input).cloned(),
                "result" => frame.visit.data.get(Stage::Result).cloned(),
                "context" => Some(bindings.context()),
                _ => None,
            };
            (value, members, format!("$states.{member}"))
        }
        ("states", None) => return None,
        (name, _) => (Some(bindings.variable(name)?), members, format!("${name}")),
    };
    for member in members {
        // In an array, the next name selects a member of every item. The array itself tells more, so the path ends
        // there.
        if matches!(value, Some(Value::Array(_)) | None) {
            break;
        }
        value = value.and_then(|value| value.get(member).cloned());
        shown = format!("{shown}.{member}");
    }
    Some((shown, value))
}

/// How two texts differ, if the difference is easily overlooked.
pub(super) fn differing(left: &str, right: &str) -> Option<String> {
    if left.trim() == right.trim() {
        return Some("only spaces differ".to_string());
    }
    (left.to_lowercase() == right.to_lowercase())
        .then(|| "only upper and lower case differ".to_string())
}

/// Remark on a text that the author probably meant to be evaluated.
pub(super) fn not_evaluated(text: &str) -> Option<String> {
    let quoted_text = abridged(&Value::from(text), 60);
    let question = Unevaluated::of(text)?.question();
    Some(format!(
        "{quoted_text} is text, so it was not evaluated ({question} in the field that wrote the text?)"
    ))
}

/// Names of members in braces, such as `{ id, total }`.
pub(super) fn braced(names: &[Text]) -> String {
    let shown: Vec<&str> = names.iter().take(12).map(|name| &**name).collect();
    let more = if names.len() > 12 { ", …" } else { "" };
    match shown.is_empty() {
        true => "an empty object".to_string(),
        false => format!("{{ {}{more} }}", shown.join(", ")),
    }
}

/// Why an array has no item with this index; `index_source` is text on where the index comes from.
pub(super) fn no_item(array: &str, items: usize, index: i64, index_source: &str) -> String {
    match items {
        0 => format!("{array} is empty: there is no item {index}{index_source}"),
        1 => format!("{array} has 1 item, item 0: there is no item {index}{index_source}"),
        _ => format!(
            "{array} has {items} items, 0 to {last}: there is no item {index}{index_source}",
            last = items - 1
        ),
    }
}

/// Names of the first members of an object.
pub(super) fn names(value: &Value) -> Vec<Text> {
    value.as_object().map_or_else(Vec::new, |object| {
        object
            .members()
            .iter()
            .take(64)
            .map(|(name, _)| name.clone())
            .collect()
    })
}

/// Visits a value and all values below it, each with its place, until `take` returns false.
pub(super) fn collect(value: &Value, take: &mut dyn FnMut(&Pointer, &Value) -> bool) {
    collect_at(value, &mut Pointer::root(), take);
}

fn collect_at(
    value: &Value,
    at: &mut Pointer,
    take: &mut dyn FnMut(&Pointer, &Value) -> bool,
) -> bool {
    if !take(at, value) {
        return false;
    }
    let mut below = |step: Step, value: &Value| {
        at.0.push(step);
        let goes_on = collect_at(value, at, take);
        at.0.pop();
        goes_on
    };
    match value {
        Value::Object(object) => {
            let mut members = object.members().iter();
            members.all(|(name, value)| below(Step::Member(name.clone()), value))
        }
        Value::Array(array) => {
            let mut items = array.items().iter().enumerate();
            items.all(|(place, value)| below(Step::Item(place), value))
        }
        _ => true,
    }
}
