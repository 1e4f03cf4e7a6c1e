//! Converts one event to AWS's form, however its keys are spelled and wherever its details are.

use super::reason;
use crate::interpreter::kind_of;
use crate::json::{Number, Text, Value, parse};
use crate::query::parse_timestamp;
use crate::session::recorded::{Payload, RecordedEvent};

/// Returns the first member that has one of these names; case, `_` and `-` in names are ignored.
pub(super) fn member<'v>(value: &'v Value, names: &[&str]) -> Option<&'v Value> {
    let object = value.as_object()?;
    if let Some(value) = names.iter().find_map(|name| object.get(name)) {
        return Some(value);
    }
    let mut members = object.members().iter();
    members
        .find(|(key, _)| names.iter().any(|name| same_name(key, name)))
        .map(|(_, value)| value)
}

fn same_name(name: &str, other: &str) -> bool {
    let plain = |byte: &u8| !matches!(byte, b'_' | b'-');
    let one_letters = name
        .bytes()
        .filter(plain)
        .map(|byte| byte.to_ascii_lowercase());
    let other_letters = other
        .bytes()
        .filter(plain)
        .map(|byte| byte.to_ascii_lowercase());
    name.len() <= other.len() + 4 && one_letters.eq(other_letters)
}

fn text(value: Option<&Value>) -> Option<Text> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string().into()),
    }
}

fn whole(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn small(value: Option<&Value>) -> Option<u32> {
    u32::try_from(whole(value)?).ok()
}

/// True if a value is an event of an execution.
pub(super) fn is_event(value: &Value) -> bool {
    let named = member(value, &["type", "eventType"]).and_then(Value::as_str);
    named.is_some_and(|name| {
        let known = kind_of(name).is_some()
            || name.starts_with("Execution")
            || name.starts_with("MapRun")
            || name.starts_with("MapIteration");
        let ends = [
            "Started",
            "Succeeded",
            "Failed",
            "TimedOut",
            "Aborted",
            "Redriven",
        ];
        known && (kind_of(name).is_some() || ends.iter().any(|end| name.ends_with(end)))
    })
}

/// The details of an event: its member `...EventDetails`, its member `details`, or the event itself.
pub(super) fn details(event: &Value) -> Option<&Value> {
    let object = event.as_object()?;
    let mut members = object.members().iter();
    let details = members.find(|(name, value)| {
        let plain = name.to_ascii_lowercase().replace('_', "");
        plain.ends_with("eventdetails") && value.as_object().is_some()
    });
    details
        .map(|(_, value)| value)
        .or_else(|| {
            member(event, &["details", "eventDetails"])
                .filter(|details| details.as_object().is_some())
        })
        .or(Some(event))
}

/// Parses an event; `None` if the value is not an event.
pub(super) fn event(value: &Value) -> Option<RecordedEvent> {
    if !is_event(value) {
        return None;
    }
    let type_name: Text = member(value, &["type", "eventType"])?.as_str()?.into();
    let details = details(value)?;
    let kind = kind_of(&type_name);
    let get = |name: &str| member(details, &[name]);
    let cause = text(get("cause"));
    let limits = [get("timeoutInSeconds"), get("heartbeatInSeconds")];
    let limits = limits
        .into_iter()
        .filter_map(|limit| u64::try_from(whole(limit)?).ok());
    Some(RecordedEvent {
        id: small(member(value, &["id", "eventId"])).unwrap_or(0),
        previous: small(member(value, &["previousEventId", "previous_event_id"])),
        time: member(
            value,
            &["timestamp", "event_timestamp", "eventTimestamp", "time"],
        )
        .and_then(time),
        kind,
        name: text(get("name").or_else(|| get("state"))),
        index: small(get("index")),
        length: small(get("length")),
        data: data(details, &type_name),
        assigned: get("assignedVariables").and_then(assigned),
        error: text(get("error")),
        mentioned: cause.as_deref().map(reason::read).unwrap_or_default(),
        cause,
        resource: text(get("resource")),
        resource_type: text(get("resourceType")),
        limits: limits.collect(),
        raw: raw(value, details, &type_name),
        is_made: false,
        type_name,
    })
}

/// Parses a time to milliseconds since 1970, from RFC 3339, Python's text form, or a number of seconds or milliseconds.
pub(super) fn time(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => Some(millis(number)),
        Value::String(text) => {
            let text = text.trim();
            if let Some(number) = Number::parse(text) {
                return Some(millis(&number));
            }
            let spaced = text.replacen(' ', "T", 1);
            let zoned = |text: &str| {
                let millis = parse_timestamp(text).map(crate::query::Instant::millis);
                millis.or_else(|| {
                    parse_timestamp(&format!("{text}Z")).map(crate::query::Instant::millis)
                })
            };
            // Inserts the colon that RFC 3339 requires: `+0000` becomes `+00:00`.
            let split = |at| {
                let (head, zone) = spaced.split_at_checked(at)?;
                let (hours, minutes) = zone.split_at_checked(3)?;
                Some(format!("{head}{hours}:{minutes}"))
            };
            let colon = spaced.len().checked_sub(5).and_then(split);
            zoned(&spaced).or_else(|| colon.and_then(|text| zoned(&text)))
        }
        _ => None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "milliseconds since 1970 are far below 2^63"
)]
fn millis(number: &Number) -> i64 {
    let number = number.as_f64();
    // Numbers below this limit are seconds, up to the year 5138; larger numbers are milliseconds.
    let millis = if number < 100_000_000_000.0 {
        number * 1000.0
    } else {
        number
    };
    millis.round() as i64
}

fn data(details: &Value, type_name: &str) -> Payload {
    let (name, has_one) = match type_name {
        name if name.ends_with("StateEntered") => ("input", true),
        name if name.ends_with("StateExited") => ("output", true),
        "ExecutionStarted" | "LambdaFunctionScheduled" | "ActivityScheduled" => ("input", true),
        "TaskScheduled" => ("parameters", true),
        name if name.ends_with("Succeeded") => (
            "output",
            matches!(
                name,
                "ExecutionSucceeded"
                    | "LambdaFunctionSucceeded"
                    | "ActivitySucceeded"
                    | "TaskSucceeded"
            ),
        ),
        "TaskSubmitted" => ("output", true),
        _ => ("", false),
    };
    if !has_one {
        return Payload::Absent;
    }
    let about = member(details, &[&format!("{name}Details")]);
    let about = about.and_then(|about| member(about, &["truncated"]));
    let truncated = about.is_some_and(|flag| {
        flag.as_bool() == Some(true)
            || flag
                .as_str()
                .is_some_and(|text| text.eq_ignore_ascii_case("true"))
    });
    match member(details, &[name]) {
        _ if truncated => Payload::Unknown,
        Some(Value::String(text)) => Payload::Text(text.clone()),
        Some(value) => Payload::Value(value.clone()),
        None => Payload::Unknown,
    }
}

/// The assigned variables by name. AWS writes each value as JSON text, which is parsed.
fn assigned(value: &Value) -> Option<Value> {
    let members = value.as_object()?.members().iter();
    let members = members.map(|(name, value)| {
        let value = match value {
            Value::String(text) => parse(text).unwrap_or_else(|_| value.clone()),
            other => other.clone(),
        };
        (name.clone(), value)
    });
    Some(Value::object(members.collect()))
}

/// The event in the form that GetExecutionHistory returns.
fn raw(value: &Value, details: &Value, type_name: &str) -> Value {
    let has_own = value.as_object().is_some_and(|object| {
        object.get("type").is_some()
            && object
                .members()
                .iter()
                .any(|(name, _)| name.ends_with("EventDetails"))
    });
    if has_own {
        return value.clone();
    }
    const ENVELOPE: [&str; 12] = [
        "type",
        "eventType",
        "id",
        "eventId",
        "previousEventId",
        "previous_event_id",
        "timestamp",
        "event_timestamp",
        "eventTimestamp",
        "execution_arn",
        "redrive_count",
        "details",
    ];
    let envelope = |name: &str| ENVELOPE.iter().any(|fields| same_name(name, fields));
    let mut members: Vec<(Text, Value)> = Vec::new();
    if let Some(time) = member(value, &["timestamp", "event_timestamp", "eventTimestamp"]) {
        members.push(("timestamp".into(), time.clone()));
    }
    members.push(("type".into(), Value::from(type_name)));
    for (name, names) in [
        ("id", ["id", "eventId"]),
        ("previousEventId", ["previousEventId", "previous_event_id"]),
    ] {
        if let Some(number) = whole(member(value, &names)) {
            members.push((name.into(), Value::from(number)));
        }
    }
    let fields = details
        .as_object()
        .map(|object| object.members())
        .unwrap_or_default();
    let fields: Vec<(Text, Value)> = fields
        .iter()
        .filter(|(name, _)| !envelope(name))
        .cloned()
        .collect();
    if !fields.is_empty() {
        members.push((key_of(type_name).into(), Value::object(fields)));
    }
    Value::object(members)
}

/// The name of the member with an event's details, such as `stateEnteredEventDetails`.
pub(super) fn key_of(type_name: &str) -> String {
    let stem = match type_name {
        name if name.ends_with("StateEntered") => "StateEntered",
        name if name.ends_with("StateExited") => "StateExited",
        name => name,
    };
    let mut letters = stem.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    let stem: String = first.into_iter().chain(letters).collect();
    format!("{stem}EventDetails")
}
