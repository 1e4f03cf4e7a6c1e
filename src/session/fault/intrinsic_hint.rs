//! Why an intrinsic function refused its arguments, by their values: an index past the end, an object where text is wanted.
//!
//! It must not know how the function is evaluated.

use crate::json::{Value, parse};

/// What a function wants of an argument.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Text,
    Number,
    Array,
    Object,
    Any,
}

/// What each function wants of its arguments, as far as they are of one type.
const FUNCTIONS: [(&str, &[Wanted]); 14] = [
    ("States.StringToJson", &[Wanted::Text]),
    ("States.StringSplit", &[Wanted::Text, Wanted::Text]),
    ("States.Base64Encode", &[Wanted::Text]),
    ("States.Base64Decode", &[Wanted::Text]),
    ("States.Hash", &[Wanted::Any, Wanted::Text]),
    ("States.Format", &[Wanted::Text]),
    ("States.MathAdd", &[Wanted::Number, Wanted::Number]),
    ("States.MathRandom", &[Wanted::Number, Wanted::Number]),
    (
        "States.ArrayRange",
        &[Wanted::Number, Wanted::Number, Wanted::Number],
    ),
    ("States.ArrayPartition", &[Wanted::Array, Wanted::Number]),
    ("States.ArrayContains", &[Wanted::Array, Wanted::Any]),
    ("States.ArrayLength", &[Wanted::Array]),
    ("States.ArrayUnique", &[Wanted::Array]),
    ("States.JsonMerge", &[Wanted::Object, Wanted::Object]),
];

/// Why a call was refused, where its arguments tell; `known` has the values of those that are computed, by their texts.
pub(in crate::session) fn hint(call: &str, known: &[(String, Value)]) -> Option<String> {
    let (name, rest) = call.split_once('(')?;
    let inside = rest.trim_end().strip_suffix(')')?;
    let texts = arguments(inside);
    let value = |text: &str| {
        let computed = known.iter().find(|(own, _)| own == text);
        match (computed, text.strip_prefix('\'')) {
            (Some((_, value)), _) => Some(value.clone()),
            (None, Some(quoted)) => Some(Value::from(quoted.strip_suffix('\'')?)),
            (None, None) => parse(text).ok(),
        }
    };
    let values: Vec<(&str, Value)> = texts
        .iter()
        .filter_map(|text| Some((*text, value(text)?)))
        .collect();
    if values.len() < texts.len() {
        return None;
    }
    if name == "States.ArrayGetItem" {
        return item(&values);
    }
    let (_, wanted) = FUNCTIONS.iter().find(|(own, _)| *own == name)?;
    for ((text, value), wanted) in values.iter().zip(*wanted) {
        let (fits, what) = match wanted {
            Wanted::Any => (true, ""),
            Wanted::Text => (value.as_str().is_some(), "text"),
            Wanted::Number => (value.as_number().is_some(), "a number"),
            Wanted::Array => (value.as_array().is_some(), "an array"),
            Wanted::Object => (value.as_object().is_some(), "an object"),
        };
        if !fits {
            let is = kind(value);
            let already = match name {
                "States.StringToJson" => ": it is JSON already",
                _ => "",
            };
            return Some(format!("{name} wants {what}, but {text} is {is}{already}"));
        }
    }
    match (name, values.first()) {
        ("States.StringToJson", Some((text, value))) => {
            let is_json = value.as_str().is_some_and(|text| parse(text).is_ok());
            (!is_json).then(|| format!("{text} is not JSON"))
        }
        _ => None,
    }
}

/// Of `States.ArrayGetItem`.
fn item(values: &[(&str, Value)]) -> Option<String> {
    let [(array, items), (place, index)] = values else {
        return None;
    };
    let Some(items) = items.as_array() else {
        let is = kind(items);
        return Some(format!(
            "States.ArrayGetItem wants an array, but {array} is {is}"
        ));
    };
    let number = index.as_number().and_then(crate::json::Number::as_i64);
    let Some(number) = number else {
        let is = kind(index);
        return Some(format!(
            "States.ArrayGetItem wants a whole number, but {place} is {is}"
        ));
    };
    let is = match parse(place) {
        Ok(_) => String::new(),
        Err(_) => format!("{place} is {number}, but "),
    };
    Some(match items.len() {
        0 => format!("{is}{array} is empty"),
        1 => format!("{is}{array} has 1 item, item 0: there is no item {number}"),
        count => format!(
            "{is}{array} has {count} items, 0 to {}: there is no item {number}",
            count - 1
        ),
    })
}

/// `an object`, `null`, `a string`.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(_) | Value::Object(_) => format!("an {}", value.type_name()),
        _ => format!("a {}", value.type_name()),
    }
}

/// The arguments of a call, as they are written.
fn arguments(inside: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut escaped, mut start) = (0_usize, false, false, 0);
    let mut found = Vec::new();
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.extend(inside.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.extend(inside.get(start..));
    found.into_iter().map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_tell_why_they_were_refused() {
        let known = [
            ("$.tiers".to_owned(), parse("[1, 2, 3]").expect("JSON")),
            ("$.level".to_owned(), Value::from(3)),
            ("$.body".to_owned(), parse("{}").expect("JSON")),
            ("$.text".to_owned(), Value::from("a, b")),
        ];
        for (call, wanted) in [
            (
                "States.ArrayGetItem($.tiers, $.level)",
                Some("$.level is 3, but $.tiers has 3 items, 0 to 2: there is no item 3"),
            ),
            (
                "States.ArrayGetItem($.tiers, -1)",
                Some("$.tiers has 3 items, 0 to 2: there is no item -1"),
            ),
            (
                "States.StringToJson($.body)",
                Some("States.StringToJson wants text, but $.body is an object: it is JSON already"),
            ),
            ("States.StringToJson($.text)", Some("$.text is not JSON")),
            (
                "States.MathAdd($.text, 1)",
                Some("States.MathAdd wants a number, but $.text is a string"),
            ),
            ("States.MathAdd($.none, 1)", None),
            ("States.Format('{}, {}', $.text)", None),
        ] {
            assert_eq!(hint(call, &known).as_deref(), wanted, "{call}");
        }
    }
}
