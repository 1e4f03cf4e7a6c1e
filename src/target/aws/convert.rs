//! Converts the names in parameters and results between the spelling in the integration and the spelling in the API.

use crate::json::{Text, Value, one_line};
use crate::query::{format_timestamp, parse_timestamp};
use crate::service::{Call, Kind, Member, Naming, Shape};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::HashMap;

/// Maps names to the API's spelling. The keys are the names with a capital first letter.
pub(super) type Spelling = HashMap<String, String>;

/// Collects the spelling of all names in `skeleton`, an example of parameters that the `aws` program prints.
pub(super) fn spelling(skeleton: &Value) -> Spelling {
    let mut spelling = Spelling::new();
    let mut waiting = vec![skeleton];
    while let Some(value) = waiting.pop() {
        for (name, value) in value.as_object().map_or(&[][..], |object| object.members()) {
            let capital = capital(name);
            if capital == **name || !spelling.contains_key(&capital) {
                spelling.insert(capital, name.to_string());
            }
            waiting.push(value);
        }
        waiting.extend(value.as_array().into_iter().flatten());
    }
    spelling
}

/// Converts the parameters of a task to the parameters that the API accepts.
pub(super) fn parameters(call: &Call, given: &Value, spelling: &Spelling) -> Value {
    let known = call.parameters.as_deref().unwrap_or_default();
    structure(
        given,
        &|name| {
            let member = known.iter().find(|member| member.is(name, call.naming));
            spelled(member, name, spelling)
        },
        &|kind, value| parameter(call, kind, value, spelling),
    )
}

fn parameter(call: &Call, kind: Kind, value: &Value, spelling: &Spelling) -> Value {
    let inner = |kind: Kind, value: &Value| parameter(call, kind, value, spelling);
    match (call.shape(kind), value) {
        (Some(Shape::Structure(members)), Value::Object(_)) => structure(
            value,
            &|name| {
                let member = members.iter().find(|member| member.is(name, call.naming));
                spelled(member, name, spelling)
            },
            &inner,
        ),
        (Some(Shape::List(_) | Shape::Map(_)), _) => items(call, kind, value, &inner),
        // The API requires a text or bytes, but the value has another type, so its JSON text is sent.
        _ if is_written(scalar(call, kind), value) => Value::string(one_line(value)),
        _ => value.clone(),
    }
}

/// True if the value has to be sent as JSON text: an object or array where the API requires a text, or a value other
/// than a string or null where it requires bytes.
fn is_written(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::Text => value.as_object().is_some() || value.is_array(),
        Kind::Blob => value.as_str().is_none() && *value != Value::Null,
        _ => false,
    }
}

fn spelled(member: Option<&Member>, name: &str, spelling: &Spelling) -> (String, Kind) {
    let plain = member.map_or(name, |member| member.name(Naming::Optimized));
    let spelled = spelling.get(plain).map_or(plain, String::as_str);
    (
        spelled.to_string(),
        member.map_or(Kind::Any, |member| member.kind),
    )
}

/// Converts the result of an API to the result of the integration.
pub(super) fn result(call: &Call, given: &Value) -> Value {
    let known = call.result.as_deref().unwrap_or_default();
    structure(
        given,
        &|name| named(known, name, call.naming),
        &|kind, value| returned(call, kind, value),
    )
}

fn returned(call: &Call, kind: Kind, value: &Value) -> Value {
    let inner = |kind: Kind, value: &Value| returned(call, kind, value);
    match (call.shape(kind), value) {
        (Some(Shape::Structure(members)), Value::Object(_)) => {
            structure(value, &|name| named(members, name, call.naming), &inner)
        }
        (Some(Shape::List(_) | Shape::Map(_)), _) => items(call, kind, value, &inner),
        (None, _) if kind == Kind::Timestamp => match (millis(value), call.naming) {
            (Some(millis), Naming::Sdk) => Value::string(format_timestamp(millis)),
            (Some(millis), Naming::Optimized) => Value::from(millis),
            (None, _) => value.clone(),
        },
        _ if scalar(call, kind) == Kind::Blob => text_of_bytes(value),
        _ => value.clone(),
    }
}

/// Bytes as text. The `aws` program prints bytes in base64; bytes that are no valid text are left in base64.
fn text_of_bytes(value: &Value) -> Value {
    let bytes = value.as_str().and_then(|text| STANDARD.decode(text).ok());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.map_or_else(|| value.clone(), Value::string)
}

/// Name of a member in the spelling of the integration, and its type. The argument `name` has the spelling of the API.
fn named(members: &[Member], name: &str, naming: Naming) -> (String, Kind) {
    let name = capital(name);
    let is_meant = |member: &&Member| capital(member.name(Naming::Optimized)) == name;
    match members.iter().find(is_meant) {
        Some(member) => (member.name(naming).to_string(), member.kind),
        None => (name, Kind::Any),
    }
}

/// Converts the members of a structure. A member that is null is left out, because the API's structures have no null.
fn structure(
    value: &Value,
    name: &dyn Fn(&str) -> (String, Kind),
    inner: &dyn Fn(Kind, &Value) -> Value,
) -> Value {
    let Some(object) = value.as_object() else {
        return value.clone();
    };
    let members = object.members().iter();
    let members = members.filter(|(_, value)| *value != Value::Null);
    let members = members.map(|(member, value)| {
        let (name, kind) = name(member);
        (Text::from(name), inner(kind, value))
    });
    Value::object(members.collect())
}

/// Converts the items of a list, or the values of a map. The names in a map are data and are not converted.
fn items(call: &Call, kind: Kind, value: &Value, inner: &dyn Fn(Kind, &Value) -> Value) -> Value {
    match (call.shape(kind), value) {
        (Some(Shape::List(item)), Value::Array(_)) => {
            let items = value.as_array().into_iter().flatten();
            Value::array(items.map(|value| inner(*item, value)).collect())
        }
        (Some(Shape::Map(item)), Value::Object(object)) => {
            let members = object.members().iter();
            let members = members.map(|(name, value)| (name.clone(), inner(*item, value)));
            Value::object(members.collect())
        }
        _ => value.clone(),
    }
}

/// Converts a time that the `aws` program printed to milliseconds since 1970: seconds in version 1, RFC 3339 in version
/// 2.
fn millis(value: &Value) -> Option<i64> {
    match value.as_str() {
        Some(text) => {
            let known = parse_timestamp(text).map(crate::query::Instant::millis);
            // Some times come from HTTP headers, which have this format.
            let header = || chrono::DateTime::parse_from_rfc2822(text).ok();
            known.or_else(|| Some(header()?.timestamp_millis()))
        }
        None => {
            let seconds: f64 = value.as_number()?.to_string().parse().ok()?;
            #[expect(clippy::cast_possible_truncation, reason = "a cast saturates")]
            Some((seconds * 1000.0).round() as i64)
        }
    }
}

/// If `kind` is a text, bytes or a number with limits, returns the same type without limits. Returns any other type
/// unchanged.
pub(super) fn scalar(call: &Call, kind: Kind) -> Kind {
    match call.shape(kind) {
        Some(Shape::Scalar(scalar)) => scalar.kind,
        _ => kind,
    }
}

fn capital(name: &str) -> String {
    let mut signs = name.chars();
    let first = signs.next().map(|sign| sign.to_ascii_uppercase());
    first.into_iter().chain(signs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn bytes_that_are_no_text_are_sent_as_json() {
        let call = Call::of_action("s3", "putObject", Naming::Sdk).expect("an action");
        for (body, wanted) in [
            ("null", "null"),
            (r#""text""#, r#""text""#),
            (r#"{"a":[1]}"#, r#""{\"a\":[1]}""#),
            ("false", r#""false""#),
            ("0", r#""0""#),
        ] {
            let given = format!(r#"{{"Bucket":"b","Key":"k","Body":{body}}}"#);
            let sent = parameters(&call, &parse(&given).expect("JSON"), &Spelling::new());
            let sent = sent.get("Body").map(one_line);
            assert_eq!(sent.unwrap_or("null".to_string()), wanted);
        }
    }

    #[test]
    fn bytes_come_back_as_text_if_they_are_text() {
        let call = Call::of_action("dynamodb", "getItem", Naming::Sdk).expect("an action");
        for (printed, wanted) in [("aGk=", "hi"), ("w7w=", "ü"), ("/w==", "/w=="), ("", "")] {
            let given =
                format!(r#"{{"Item":{{"a":{{"B":"{printed}"}},"b":{{"BS":["{printed}"]}}}}}}"#);
            let came = result(&call, &parse(&given).expect("JSON"));
            let wanted =
                format!(r#"{{"Item":{{"a":{{"B":"{wanted}"}},"b":{{"Bs":["{wanted}"]}}}}}}"#);
            assert_eq!(one_line(&came), wanted);
        }
    }
}
