//! Searches a text for events and data of executions in any form: JSON documents, log lines, log groups, notebooks.

use super::execution::RecordedExecution;
use super::lenient::{self, Read};
use super::normal::{self, member};
use crate::json::{Text, Value};
use crate::session::recorded::{Payload, RecordedEvent};
use crate::source::yaml::parse_yaml;
use crate::source::{Diagnostic, Severity, SourceFile, SourceId};

/// The result of a search of a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Events in the order found, each with the ARN of its execution if known.
    pub events: Vec<(Option<Text>, RecordedEvent)>,
    /// Data about executions, such as ARN, name and input; these entries need not contain events.
    pub executions: Vec<RecordedExecution>,
    /// The definition, if the text contains it.
    pub definition: Option<Text>,
    /// The state machine's ARN, if the text contains it.
    pub machine_arn: Option<Text>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Maximum nesting depth of values that are searched.
const DEEPEST: usize = 24;

/// True if the beginning of a text indicates a history of executions rather than a definition.
#[must_use]
pub fn is_history(bytes: &[u8]) -> bool {
    let head = super::decode::decode(bytes).text;
    let mut results = Found::default();
    let is_definition =
        |value: &Value| value.get("StartAt").is_some() || value.get("States").is_some();
    if lenient::read(&head).is_some_and(|read| read.is_whole && is_definition(&read.value)) {
        return false;
    }
    find_in(&head, &mut results);
    !results.events.is_empty() || says_events(&head)
}

/// True if a text has keywords that only histories have. The text need not contain a whole event, because it may be cut
/// off or examined only in part.
pub(super) fn says_events(text: &str) -> bool {
    let says = |word: &&str| text.contains(*word);
    let is_definition = ["\"StartAt\"", "StartAt:"].iter().any(says) && !text.contains("nbformat");
    let words = [
        "\"previousEventId\"",
        "'previousEventId'",
        "\\\"previousEventId\\\"",
        "previous_event_id",
        "\"ExecutionStarted\"",
        "executionStartedEventDetails",
    ];
    let is_empty = || {
        let value = crate::json::parse(text).ok();
        let events = value.as_ref().and_then(|value| value.get("events"));
        events
            .and_then(Value::as_array)
            .is_some_and(<[Value]>::is_empty)
    };
    !is_definition && words.iter().any(says) || is_empty()
}

/// Searches a text for events and other data of executions, and adds them to `results`.
pub(super) fn find_in(text: &str, results: &mut Found) {
    let text = text.trim_start_matches('\u{feff}');
    if let Ok(value) = crate::json::parse(text) {
        return walk(&value, 0, results);
    }
    // CSV doubles every quotation mark inside a cell.
    let table = is_table(text).then(|| text.replace("\"\"", "\""));
    find_in_text(table.as_deref().unwrap_or(text), results);
    if results.events.is_empty() {
        find_in_yaml(text, results);
    }
}

fn is_table(text: &str) -> bool {
    let mut cells = text.match_indices("{\"\"");
    cells.any(|(at, cell)| {
        let after = text.get(at + cell.len()..).unwrap_or_default();
        after.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

/// Searches the output of `aws --output yaml`. If the output was cut off, only the last event is lost.
fn find_in_yaml(text: &str, results: &mut Found) {
    let says = ["previousEventId:", "type: ExecutionStarted"];
    if !says.iter().any(|word| text.contains(word)) {
        return;
    }
    let tree = |text: &str| {
        let file = SourceFile::new("", text);
        let (node, problems) = parse_yaml(&file, SourceId(0));
        let is_broken = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        node.filter(|_| !problems.iter().any(is_broken))
    };
    if let Some(node) = tree(text) {
        return walk(&node.to_value(), 0, results);
    }
    let last = text.rfind("\n- ").or_else(|| text.rfind("\n  - "));
    let whole = last.and_then(|last| text.get(..last));
    if let Some(node) = whole.and_then(tree) {
        let line = whole.map_or(0, |whole| whole.lines().count() + 1);
        results.notes.push(cut_off(line));
        walk(&node.to_value(), 0, results);
    }
}

fn cut_off(line: usize) -> String {
    format!(
        "the recording is cut off or broken at line {line}; asldbg read all complete events before this line"
    )
}

fn find_in_text(text: &str, results: &mut Found) {
    let mut rest = text;
    let mut broken = 0_usize;
    while let Some(start) = rest.find(['{', '[']) {
        let from = rest.get(start..).unwrap_or("");
        let line_end = from.find('\n').unwrap_or(from.len());
        match whole(from).or_else(|| lenient::read(from)) {
            Some(read) if read.is_whole || is_part(&read.value) => {
                walk(&read.value, 0, results);
                if !read.is_whole {
                    let line = text.len() - from.len() + read.end;
                    let line = text.get(..line).unwrap_or("").lines().count();
                    results.notes.push(cut_off(line));
                }
                rest = from.get(read.end.max(1)..).unwrap_or("");
            }
            _ => {
                // If no value begins at this bracket, continue at the next bracket of the line, or at the next line.
                broken += 1;
                let next = from
                    .get(1..)
                    .and_then(|rest| rest.find('{'))
                    .map(|at| at + 1);
                let step = next.filter(|at| *at < line_end).unwrap_or(line_end).max(1);
                rest = from.get(step..).unwrap_or("");
            }
        }
        if broken > 100_000 {
            return;
        }
    }
}

/// Parses the value at the beginning of a text as strict JSON; `None` if this fails.
fn whole(text: &str) -> Option<Read> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    let value = stream.next()?.ok()?;
    Some(Read {
        value: Value::from(value),
        is_whole: true,
        end: stream.byte_offset(),
    })
}

/// True if a truncated value contains complete events; an event that is itself truncated does not count.
fn is_part(value: &Value) -> bool {
    !normal::is_event(value) && holds_events(value)
}

fn holds_events(value: &Value) -> bool {
    let mut results = Found::default();
    walk(value, 0, &mut results);
    !results.events.is_empty()
}

fn walk(value: &Value, depth: usize, results: &mut Found) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Array(array) => {
            if insights_row(array.items(), results) {
                return;
            }
            let lines: Option<Vec<&str>> = array.items().iter().map(Value::as_str).collect();
            if let Some(lines) = lines {
                // The output of a notebook is a list of lines, which are joined.
                return note_text("", &lines.concat(), depth, results);
            }
            for item in array.items() {
                walk(item, depth + 1, results);
            }
        }
        Value::Object(_) if normal::is_event(value) => note_event(value, results),
        Value::Object(object) => {
            note_machine(value, results);
            note_execution(value, results);
            for (name, member) in object.members() {
                match member {
                    Value::String(text) => note_text(name, text, depth, results),
                    other => walk(other, depth + 1, results),
                }
            }
        }
        Value::String(text) => note_text("", text, depth, results),
        _ => {}
    }
}

fn note_event(value: &Value, results: &mut Found) {
    let arn = member(value, &["execution_arn", "executionArn"]).and_then(Value::as_str);
    if let Some(event) = normal::event(value) {
        results.events.push((arn.map(Text::from), event));
    }
}

/// Searches a string inside a document, such as a log message or a notebook's output.
fn note_text(name: &str, text: &str, depth: usize, results: &mut Found) {
    let is_payload = ["input", "output", "parameters", "cause", "definition"].contains(&name);
    if is_payload || text.len() < 20 || depth > DEEPEST {
        return;
    }
    let says = [
        "previousEventId",
        "previous_event_id",
        "execution_arn",
        "ExecutionStarted",
    ];
    if !says.iter().any(|word| text.contains(word)) {
        return;
    }
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let from = rest.get(start..).unwrap_or("");
        match lenient::read(from).filter(|read| read.is_whole || is_part(&read.value)) {
            Some(read) => {
                walk(&read.value, depth + 1, results);
                rest = from.get(read.end.max(1)..).unwrap_or("");
            }
            None => rest = from.get(1..).unwrap_or(""),
        }
    }
}

/// Searches a row of CloudWatch Logs Insights: `[{"field": "@message", "value": "{...}"}]`.
fn insights_row(items: &[Value], results: &mut Found) -> bool {
    let message = items
        .iter()
        .find(|item| member(item, &["field"]).and_then(Value::as_str) == Some("@message"));
    let Some(text) = message.and_then(|item| member(item, &["value"])?.as_str()) else {
        return false;
    };
    find_in(text, results);
    true
}

fn note_machine(value: &Value, results: &mut Found) {
    let definition = match member(value, &["definition"]) {
        Some(Value::String(text)) if text.contains("StartAt") => Some(text.clone()),
        Some(definition) if definition.get("StartAt").is_some() => {
            Some(definition.to_string().into())
        }
        _ => None,
    };
    if definition.is_some() && results.definition.is_none() {
        results.definition = definition;
        if let Some(arn) = member(value, &["stateMachineArn"]).and_then(Value::as_str) {
            results.machine_arn = Some(arn.into());
        }
    }
}

fn note_execution(value: &Value, results: &mut Found) {
    let text = |names: &[&str]| member(value, names).and_then(Value::as_str).map(Text::from);
    let Some(arn) = text(&["executionArn"]) else {
        return;
    };
    let input = match member(value, &["input"]) {
        Some(Value::String(text)) => Payload::Text(text.clone()),
        Some(value) => Payload::Value(value.clone()),
        None => Payload::Unknown,
    };
    let count = member(value, &["redriveCount"]).and_then(Value::as_number);
    results.executions.push(RecordedExecution {
        name: text(&["name"]),
        machine_arn: text(&["stateMachineArn"]),
        role_arn: text(&["roleArn"]),
        status: text(&["status"]),
        input,
        start: member(value, &["startDate"]).and_then(normal::time),
        redrive_count: count
            .and_then(|count| u32::try_from(count.as_i64()?).ok())
            .unwrap_or(0),
        arn: Some(arn),
        ..RecordedExecution::default()
    });
}
