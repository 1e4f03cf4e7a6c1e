//! Checks messages against the published JSON schema of the Debug Adapter Protocol. Supports only those features of
//! JSON schema that this schema uses.
//!
//! Stricter than the schema in one way: a member that the schema does not name is an error.

use serde_json::{Map, Value};
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("schema/debugAdapterProtocol.json");
    serde_json::from_str(text).expect("the schema is JSON")
});

fn definition(name: &str) -> Option<&'static Value> {
    SCHEMA["definitions"].get(name)
}

/// Name of the schema definition for a message.
fn definition_of(message: &Value) -> String {
    let name = |field: &str| {
        let text = message[field].as_str().unwrap_or("");
        let mut letters = text.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    match message["type"].as_str() {
        Some("event") => name("event") + "Event",
        Some("request") => name("command") + "Request",
        Some("response") if message["success"] == false => "ErrorResponse".to_owned(),
        Some("response") => name("command") + "Response",
        other => panic!("no type of a message: {other:?}"),
    }
}

/// The differences between a message of the adapter and the schema; empty if there are none.
pub(crate) fn problems(message: &Value) -> Vec<String> {
    let name = definition_of(message);
    let mut problems = Vec::new();
    match definition(&name) {
        Some(schema) => check(schema, message, &name, &mut problems),
        None => problems.push(format!("the protocol has no {name}")),
    }
    problems
}

/// Collects the members of a schema, including those of the schemas that it combines. Returns true if the schema
/// describes additional members, which it does not name.
fn members(schema: &Value, all: &mut Map<String, Value>) -> bool {
    let mut open = schema.get("additionalProperties").is_some();
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        open |= members(resolve(reference), all);
    }
    for part in schema
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        open |= members(part, all);
    }
    for (name, value) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        all.insert(name.clone(), value.clone());
    }
    open
}

fn resolve(reference: &str) -> &'static Value {
    let name = reference.trim_start_matches("#/definitions/");
    definition(name).unwrap_or_else(|| panic!("the schema has no {name}"))
}

fn check(schema: &Value, value: &Value, at: &str, problems: &mut Vec<String>) {
    let mut all = Map::new();
    let open = members(schema, &mut all);
    if let (Some(object), false) = (value.as_object(), all.is_empty() || open) {
        for name in object.keys().filter(|name| !all.contains_key(*name)) {
            problems.push(format!("{at}.{name} is not of the protocol"));
        }
    }
    hold(schema, value, at, problems);
}

fn hold(schema: &Value, value: &Value, at: &str, problems: &mut Vec<String>) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        hold(resolve(reference), value, at, problems);
    }
    for part in schema
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        hold(part, value, at, problems);
    }
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_of(value, name)) {
        problems.push(format!("{at} is {value}, not of type {types:?}"));
    }
    let choices = schema.get("enum").and_then(Value::as_array);
    if choices.is_some_and(|choices| !choices.contains(value)) {
        problems.push(format!("{at} is {value}, none of {choices:?}"));
    }
    if let Some(object) = value.as_object() {
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                problems.push(format!("{at} has no {name}"));
            }
        }
        let named = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in named.into_iter().flatten() {
            // Nested objects are checked recursively.
            if let Some(value) = object.get(name) {
                check(schema, value, &format!("{at}.{name}"), problems);
            }
        }
    }
    if let (Some(items), Some(array)) = (schema.get("items"), value.as_array()) {
        for (place, item) in array.iter().enumerate() {
            check(items, item, &format!("{at}[{place}]"), problems);
        }
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        other => panic!("the schema has a type {other}"),
    }
}
