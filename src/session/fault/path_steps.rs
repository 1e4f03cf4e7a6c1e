//! Describes the steps of a path that finds nothing, and the arguments of an intrinsic function that failed.

use crate::json::{Text, Value, parse};
use crate::query::{EvaluatedCall, Parameter, Path, PathExplanation, There};
use crate::session::finding::Finding;
use crate::session::place::AFTER_SEVERAL;
use crate::session::values_read::{self, braced, with_article};

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
        There::Keys(keys) => braced(keys),
        There::Length(0) => "an empty array".to_string(),
        There::Length(length) => format!("an array of {length}"),
        There::Type("null") => "null".to_string(),
        There::Type(name) => format!("a {name}"),
    }
}

/// Why a call failed, if the values of its arguments show it.
pub(in crate::session) fn intrinsic_hint(call: &EvaluatedCall) -> Option<Finding> {
    let name = call.function.name;
    for (index, (text, value)) in call.arguments.iter().enumerate() {
        let (fits, wanted) = match call.function.parameter(index) {
            Parameter::Any => (true, ""),
            Parameter::Text => (value.as_str().is_some(), "text"),
            Parameter::Number => (value.as_number().is_some(), "a number"),
            Parameter::Array => (value.as_array().is_some(), "an array"),
            Parameter::Object => (value.as_object().is_some(), "an object"),
        };
        if !fits {
            let is = with_article(value.type_name());
            let already = match name {
                "States.StringToJson" => ": it is already JSON",
                _ => "",
            };
            let says = format!("{name} needs {wanted}, but {text} is {is}{already}");
            return Some(Finding::new("wrong-argument", says));
        }
    }
    match (name, call.arguments.as_slice()) {
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
fn no_item((array, items): &(Text, Value), (place, index): &(Text, Value)) -> Option<String> {
    let items = items.as_array()?.len();
    let number = index.as_number().and_then(crate::json::Number::as_i64);
    let Some(number) = number else {
        return Some(format!(
            "States.ArrayGetItem needs a whole number, but {place} is {index}"
        ));
    };
    // An index that is written as a number need not be repeated.
    let written = match parse(place) {
        Ok(_) => String::new(),
        Err(_) => format!(" ({place})"),
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
                Some("States.StringToJson needs text, but $.body is an object: it is already JSON"),
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
            let arguments = arguments.iter();
            let call = EvaluatedCall {
                function: FUNCTIONS.iter().find(|own| own.name == name).expect(name),
                arguments: arguments
                    .map(|(text, value)| ((*text).into(), parse(value).expect("JSON")))
                    .collect(),
            };
            let says = intrinsic_hint(&call).map(|finding| finding.to_string());
            assert_eq!(says.as_deref(), wanted, "{call:?}");
        }
    }
}
