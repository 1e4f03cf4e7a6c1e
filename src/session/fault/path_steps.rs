//! Describes the steps of a path that finds nothing, and the arguments of an intrinsic function that failed.

use crate::json::{Pointer, Step, Text, Value, parse};
use crate::query::trace::{Miss, Provenance, Spot};
use crate::query::{Bindings, Function, Parameter, Path};
use crate::session::finding::Finding;
use crate::session::place::AFTER_SEVERAL;
use crate::session::values_read::{self, braced, names};
use crate::source::{nearest, with_article};

/// Explains why a path found nothing, one sentence per line; empty if the data in which the path starts does not exist.
pub(in crate::session) fn lines(path: &Path, miss: &Miss, bindings: &dyn Bindings) -> Vec<Finding> {
    let Provenance::Copy(spot) = &miss.within else {
        return Vec::new();
    };
    let Some(value) = spot.value(bindings) else {
        return Vec::new();
    };
    let mut lines = vec![match after_several(path, (spot, &value), bindings) {
        Some(line) => Finding::new(AFTER_SEVERAL, line),
        None => {
            let says = format!("{path} is {value}", path = spot.at, value = whole(&value));
            Finding::new("there-instead", says)
        }
    }];
    if let (Some(Step::Member(name)), Some(object)) = (miss.steps.first(), value.as_object()) {
        let known = object.members().iter().map(|(name, _)| &**name);
        let near = nearest(name, known).map(|near| format!("did you mean {near}?"));
        lines.extend(near.map(|says| Finding::new("nearest-name", says)));
    }
    lines
}

/// Explains why a path finds nothing after a step that selected several values: the next step applies to each of these
/// values. Example: `$.phases[?(@.phase == 'FIXATION')] finds 1 of 3: { phase, seconds }; [0] applies to each match,
/// and an object has no [0]`.
fn after_several(
    path: &Path,
    (spot, value): (&Spot, &Value),
    bindings: &dyn Bindings,
) -> Option<String> {
    let mut steps = path.ranges().iter().enumerate();
    let (breaks, range) = steps.find(|(place, _)| path.count(place + 1, bindings) == 0)?;
    let last = breaks.checked_sub(1)?;
    // The steps before the first step that may select several values.
    let single = path.leading_steps();
    if path.is_definite() || single.len() >= breaks {
        return None;
    }
    let count = path.count(breaks, bindings);
    // If every step before the last step that found values selects a single value, the last step selected items of one
    // array, whose length is known.
    let array = (single.len() == last).then(|| Spot {
        base: spot.base.clone(),
        at: Pointer(single),
    });
    let all = array.and_then(|array| Some(array.value(bindings)?.as_array()?.len()));
    let of_all = all.map_or_else(String::new, |all| format!(" of {all}"));
    let among = match count {
        1 => ":",
        _ => ", one of them",
    };
    let step = path.text().get(range.clone())?;
    let step = step.trim_start_matches("..");
    let kind = match value {
        Value::Object(_) if step.starts_with(['.']) || step.starts_with("['") => {
            "this object".to_owned()
        }
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) if !step.starts_with('[') => "an array".to_owned(),
        other => whole(other),
    };
    Some(format!(
        "{path} finds {count}{of_all}{among} {matched}; {step} applies to each match, and {kind} has no {step}",
        path = beginning(path, last)?,
        matched = whole(value),
    ))
}

/// The text of a path up to and including this step.
fn beginning(path: &Path, step: usize) -> Option<&str> {
    path.text().get(..path.ranges().get(step)?.end)
}

/// Short description of a value: the names of its members, its length, or its type.
fn whole(value: &Value) -> String {
    match value {
        Value::Object(_) => braced(&names(value)),
        Value::Array(items) => match items.len() {
            0 => "an empty array".to_string(),
            length => format!("an array of length {length}"),
        },
        other => with_article(other.type_name()),
    }
}

/// Why an intrinsic function failed, if its arguments show the reason. `arguments` has the text and the value of each.
pub(in crate::session) fn intrinsic_hint(
    function: &Function,
    arguments: &[(Text, Value)],
) -> Option<Finding> {
    let name = function.name;
    for (index, (text, value)) in arguments.iter().enumerate() {
        let (fits, wanted) = match function.parameter(index) {
            Parameter::Any => (true, ""),
            Parameter::Text => (value.as_str().is_some(), "text"),
            Parameter::Number => (value.as_number().is_some(), "a number"),
            Parameter::Array => (value.as_array().is_some(), "an array"),
            Parameter::Object => (value.as_object().is_some(), "an object"),
        };
        if !fits {
            let value_type = with_article(value.type_name());
            let already = match name {
                "States.StringToJson" => ", which is already JSON",
                _ => "",
            };
            let says = format!("{name} needs {wanted}, but {text} is {value_type}{already}");
            return Some(Finding::new("wrong-argument", says));
        }
    }
    match (name, arguments) {
        ("States.ArrayGetItem", [array, index]) => {
            let says = no_item(array, index)?;
            Some(Finding::new("no-such-item", says))
        }
        ("States.StringToJson", [(text, value)]) => {
            let is_json = value.as_str().is_some_and(|text| parse(text).is_ok());
            (!is_json).then(|| Finding::new("no-json", format!("{text} is not JSON")))
        }
        _ => None,
    }
}

/// Why `States.ArrayGetItem` finds no item.
fn no_item((array, items): &(Text, Value), (argument, index): &(Text, Value)) -> Option<String> {
    let items = items.as_array()?.len();
    let number = index.as_number().and_then(crate::json::Number::as_i64);
    let Some(number) = number else {
        return Some(format!(
            "States.ArrayGetItem needs a whole number, but {argument} is {index}"
        ));
    };
    // If the index is written as a number, its value need not be shown again.
    let written = match parse(argument) {
        Ok(_) => String::new(),
        Err(_) => format!(" ({argument})"),
    };
    Some(values_read::no_item(array, items, number, &written))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::FUNCTIONS;

    #[test]
    fn arguments_tell_why_they_were_refused() {
        for (name, arguments, wanted) in [
            (
                "States.ArrayGetItem",
                &[("$.tiers", "[1, 2, 3]"), ("$.level", "3")][..],
                Some("$.tiers has 3 items, 0 to 2: there is no item 3 ($.level)"),
            ),
            (
                "States.ArrayGetItem",
                &[("$.tiers", "[1, 2, 3]"), ("-1", "-1")],
                Some("$.tiers has 3 items, 0 to 2: there is no item -1"),
            ),
            (
                "States.ArrayGetItem",
                &[("$.tiers", "[1]"), ("$.level", "0.5")],
                Some("States.ArrayGetItem needs a whole number, but $.level is 0.5"),
            ),
            (
                "States.StringToJson",
                &[("$.body", "{}")],
                Some(
                    "States.StringToJson needs text, but $.body is an object, which is already JSON",
                ),
            ),
            (
                "States.StringToJson",
                &[("$.text", r#""a, b""#)],
                Some("$.text is not JSON"),
            ),
            (
                "States.MathAdd",
                &[("$.text", r#""a, b""#), ("1", "1")],
                Some("States.MathAdd needs a number, but $.text is a string"),
            ),
            (
                "States.MathRandom",
                &[("1", "1"), ("9", "9"), ("$.seed", "null")],
                Some("States.MathRandom needs a number, but $.seed is null"),
            ),
            (
                "States.Format",
                &[("'{}, {}'", r#""{}, {}""#), ("$.text", r#""a, b""#)],
                None,
            ),
        ] {
            let function = FUNCTIONS
                .iter()
                .find(|function| function.name == name)
                .expect(name);
            let arguments = arguments.iter();
            let arguments: Vec<(Text, Value)> = arguments
                .map(|(text, value)| ((*text).into(), parse(value).expect("JSON")))
                .collect();
            let says = intrinsic_hint(function, &arguments).map(|finding| finding.to_string());
            assert_eq!(says.as_deref(), wanted, "{name} {arguments:?}");
        }
    }
}
