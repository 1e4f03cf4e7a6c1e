//! Explains from the argument values why an intrinsic function failed: an index past the end, an object instead of
//! text.

use crate::json::{Text, Value, parse};
use crate::query::{EvaluatedCall, Parameter};
use crate::session::finding::Finding;
use crate::session::values_read::with_article;

/// Why a call failed, if the values of its arguments tell.
pub(in crate::session) fn hint(call: &EvaluatedCall) -> Option<Finding> {
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
    let is = match parse(place) {
        Ok(_) => String::new(),
        Err(_) => format!("{place} is {number}, but "),
    };
    Some(match items {
        0 => format!("{is}{array} is empty"),
        1 => format!("{is}{array} has 1 item, item 0: there is no item {number}"),
        count => format!(
            "{is}{array} has {count} items, 0 to {}: there is no item {number}",
            count - 1
        ),
    })
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
                Some("$.level is 3, but $.tiers has 3 items, 0 to 2: there is no item 3"),
            ),
            (
                "States.ArrayGetItem",
                &[("$.tiers", "[1, 2, 3]"), ("-1", "-1")],
                Some("$.tiers has 3 items, 0 to 2: there is no item -1"),
            ),
            (
                "States.ArrayGetItem",
                &[("$.tiers", "[1]"), ("$.level", "0.5")],
                Some("States.ArrayGetItem wants a whole number, but $.level is 0.5"),
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
                Some("States.MathAdd wants a number, but $.text is a string"),
            ),
            (
                "States.MathRandom",
                &[("1", "1"), ("9", "9"), ("$.seed", "null")],
                Some("States.MathRandom wants a number, but $.seed is null"),
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
            let says = hint(&call).map(|finding| finding.to_string());
            assert_eq!(says.as_deref(), wanted, "{call:?}");
        }
    }
}
