//! Tests of the formats of recorded executions. Every format is tested with the same events of one execution.

use super::*;
use crate::json::Value;

/// The events in the format of the AWS CLI.
const PLAIN: &str = r#"{"events":[
 {"timestamp":"2024-05-01T12:00:00.000+02:00","type":"ExecutionStarted","id":1,"previousEventId":0,"executionStartedEventDetails":{"input":"{\"n\":1}","inputDetails":{"truncated":false},"roleArn":"arn:aws:iam::111111111111:role/r"}},
 {"timestamp":"2024-05-01T12:00:00.010+02:00","type":"PassStateEntered","id":2,"previousEventId":0,"stateEnteredEventDetails":{"name":"é","input":"{\"n\":1}","inputDetails":{"truncated":false}}},
 {"timestamp":"2024-05-01T12:00:00.020+02:00","type":"PassStateExited","id":3,"previousEventId":2,"stateExitedEventDetails":{"name":"é","output":"{\"n\":1}","outputDetails":{"truncated":false}}},
 {"timestamp":"2024-05-01T12:00:00.030+02:00","type":"ExecutionSucceeded","id":4,"previousEventId":3,"executionSucceededEventDetails":{"output":"{\"n\":1}","outputDetails":{"truncated":false}}}]}"#;

fn read(text: &str) -> RecordedExecution {
    let imported = import(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    imported
        .executions
        .into_iter()
        .next()
        .expect("an execution")
}

/// One line of `id type time name data` per event.
fn event_lines(execution: &RecordedExecution) -> Vec<String> {
    let events = execution.events.iter();
    events
        .map(|event| {
            let data = event
                .data
                .value()
                .map_or_else(|| "-".to_string(), |value| value.to_string());
            let name = event.name.as_deref().unwrap_or("-");
            let time = event.time.map_or(-1, |time| time - 1_714_557_600_000);
            format!("{} {} {time} {name} {data}", event.id, event.type_name)
        })
        .collect()
}

/// The expected lines for every format that contains all data of the events.
fn whole() -> Vec<String> {
    [
        "1 ExecutionStarted 0 - {\"n\":1}",
        "2 PassStateEntered 10 é {\"n\":1}",
        "3 PassStateExited 20 é {\"n\":1}",
        "4 ExecutionSucceeded 30 - {\"n\":1}",
    ]
    .map(str::to_string)
    .to_vec()
}

fn check(text: &str) {
    assert_eq!(event_lines(&read(text)), whole(), "{text}");
}

fn events() -> Vec<serde_json::Value> {
    let parsed: serde_json::Value = serde_json::from_str(PLAIN).expect("JSON");
    parsed["events"].as_array().expect("events").clone()
}

#[test]
fn documents_of_programs() {
    let events = events();
    check(PLAIN);
    check(&serde_json::Value::Array(events.clone()).to_string());
    let mut reversed = events.clone();
    reversed.reverse();
    check(&serde_json::json!({ "events": reversed, "nextToken": "x" }).to_string());
    let (first, second) = events.split_at(2);
    let pages = [first, second].map(|page| serde_json::json!({ "events": page, "nextToken": "x" }));
    check(&format!("{:#}\n{:#}\n", pages[0], pages[1]));
    check(&serde_json::json!(pages).to_string());
    // The first page occurs twice, and its events must be imported once.
    check(&format!("{0}{0}{1}", pages[0], pages[1]));
    check(&serde_json::json!({ "execution": { "executionArn": "arn:aws:states:us-east-1:1:execution:m:e", "status": "SUCCEEDED" }, "executionHistory": { "events": events } }).to_string());
}

#[test]
fn spellings_of_keys_and_times() {
    let lines: Vec<String> = events().iter().map(ToString::to_string).collect();
    check(&lines.join("\n"));
    check(
        &PLAIN
            .replace("\"type\"", "\"eventType\"")
            .replace("previousEventId", "PreviousEventId")
            .replace("\"id\"", "\"Id\""),
    );
    let mut text = PLAIN.to_string();
    for (place, seconds) in ["000", "010", "020", "030"]
        .iter()
        .zip(["0", "0.010", "0.02", "0.0301"])
    {
        let number = format!(
            "{:.4}",
            1_714_557_600.0 + seconds.parse::<f64>().expect("a number")
        );
        text = text.replace(&format!("\"2024-05-01T12:00:00.{place}+02:00\""), &number);
    }
    check(&text);
    check(&PLAIN.replace("T12:00:00", " 12:00:00"));
    check(&PLAIN.replace("+02:00", "+0200"));
    check(&PLAIN.replace("T12:", "T10:").replace("+02:00", "Z"));
    // The events as Python prints them.
    let python = PLAIN
        .replace("\\\"", "\u{1}")
        .replace('"', "'")
        .replace('\u{1}', "\"")
        .replace("false", "False");
    check(&python);
    let python = python
        .replace(
            "'2024-05-01T12:00:00.0",
            "datetime.datetime(2024, 5, 1, 10, 0, 0, 0",
        )
        .replace("0+02:00'", "0000, tzinfo=tzutc())");
    check(&python);
    check(&format!("var events = {python};\n"));
    // The details are members of the event itself.
    let flat = events().into_iter().map(|mut event| {
        let members = event.as_object_mut().expect("an object");
        let key = members
            .keys()
            .find(|name| name.ends_with("Details"))
            .cloned()
            .expect("details");
        let details = members.shift_remove(&key).expect("details");
        members.extend(details.as_object().expect("an object").clone());
        event
    });
    check(&serde_json::Value::Array(flat.collect()).to_string());
}

#[test]
fn encodings() {
    let check = |bytes: &[u8]| {
        let imported = import(bytes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(event_lines(&imported.executions[0]), whole());
    };
    check(format!("\u{feff}{PLAIN}").as_bytes());
    let units: Vec<u16> = PLAIN.encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    check(&[&[0xff, 0xfe][..], &little].concat());
    check(&[&[0xfe, 0xff][..], &big].concat());
    check(&little);
    check(&big);
    let windows: Vec<u8> = PLAIN
        .chars()
        .map(|c| u8::try_from(u32::from(c)).expect("Latin"))
        .collect();
    check(&windows);
}

#[test]
fn what_is_cut_off_gives_all_whole_events() {
    for end in 0..PLAIN.len() {
        let Some(text) = PLAIN.get(..end) else {
            continue;
        };
        let Ok(imported) = import(text.as_bytes()) else {
            continue;
        };
        let events = event_lines(&imported.executions[0]);
        assert_eq!(events, whole()[..events.len()], "{text}");
        if !text.trim_end().ends_with(['}', ']']) {
            assert!(
                imported.notes.iter().any(|note| note.contains("cut off")),
                "{text}"
            );
        }
    }
    let cut = PLAIN.find("\"id\":4").expect("there");
    let text = format!(
        "{}\nSegmentation fault (core dumped)\n",
        PLAIN.get(..cut).expect("a text")
    );
    assert_eq!(event_lines(&read(&text)).len(), 3);
}

fn log_line(arn: &str, event: &serde_json::Value) -> serde_json::Value {
    let details = event.as_object().expect("an object").iter();
    let details = details
        .filter(|(name, _)| name.ends_with("Details"))
        .map(|(_, value)| value.clone())
        .next();
    let id = event["id"].as_i64().expect("an id");
    serde_json::json!({
        "id": id.to_string(),
        "type": event["type"],
        "details": details,
        "previous_event_id": event["previousEventId"].to_string(),
        "event_timestamp": (1_714_557_600_000_i64 + (id - 1) * 10).to_string(),
        "execution_arn": arn,
        "redrive_count": "0"
    })
}

#[test]
fn logs() {
    let arn = "arn:aws:states:us-east-1:111111111111:express:machine:run-1:7f";
    let lines: Vec<serde_json::Value> = events().iter().map(|event| log_line(arn, event)).collect();
    let joined = |before: &str| -> String {
        lines
            .iter()
            .map(|line| format!("{before}{line}\n"))
            .collect()
    };
    check(&joined(""));
    check(&format!(
        "Permissions are set correctly to allow AWS CloudWatch Logs to write into your logs\n{}",
        joined("2024-05-01T10:00:00.000000+00:00 states/machine/2024-05-01 ")
    ));
    let messages = lines
        .iter()
        .map(|line| serde_json::json!({ "message": line.to_string(), "timestamp": 1 }));
    let messages: Vec<_> = messages.collect();
    check(&serde_json::json!({ "events": messages, "searchedLogStreams": [] }).to_string());
    check(&serde_json::json!({ "messageType": "DATA_MESSAGE", "logGroup": "g", "logEvents": messages }).to_string());
    let rows = lines.iter().map(|line| serde_json::json!([{ "field": "@timestamp", "value": "x" }, { "field": "@message", "value": line.to_string() }]));
    check(
        &serde_json::json!({ "results": rows.collect::<Vec<_>>(), "status": "Complete" })
            .to_string(),
    );
    let execution = read(&joined(""));
    assert_eq!(execution.name.as_deref(), Some("run-1"));
    assert_eq!(execution.machine(), Some("machine"));
}

#[test]
fn of_several_executions_the_last_that_failed_comes_first() {
    let arn =
        |name: &str| format!("arn:aws:states:us-east-1:111111111111:express:machine:{name}:7f");
    let mut text = String::new();
    for (name, end) in [
        ("a", "ExecutionFailed"),
        ("b", "ExecutionFailed"),
        ("c", "ExecutionSucceeded"),
    ] {
        for mut event in events() {
            if event["id"] == 4 {
                event["type"] = end.into();
            }
            text.push_str(&format!("{}\n", log_line(&arn(name), &event)));
        }
    }
    let imported = import(text.as_bytes()).expect("executions");
    let names: Vec<&str> = imported
        .executions
        .iter()
        .filter_map(|execution| execution.name.as_deref())
        .collect();
    assert_eq!(names, ["b", "a", "c"]);
}

#[test]
fn what_was_not_recorded_is_unknown() {
    let mut all = events();
    all[0]["executionStartedEventDetails"]["inputDetails"]["truncated"] = true.into();
    let details = all[1]["stateEnteredEventDetails"]
        .as_object_mut()
        .expect("details");
    details.shift_remove("input");
    let execution = read(&serde_json::json!({ "events": all }).to_string());
    assert_eq!(execution.events[0].data, Payload::Unknown);
    assert_eq!(execution.events[1].data, Payload::Unknown);
    assert_eq!(execution.input.value(), None);
}

#[test]
fn a_definition_is_no_history() {
    let check =
        |text: &str, expected: bool| assert_eq!(is_history(text.as_bytes()), expected, "{text}");
    check(PLAIN, true);
    check(
        r#"{"StartAt":"A","States":{"A":{"Type":"Pass","End":true}}}"#,
        false,
    );
    check("StartAt: A\nStates: {A: {Type: Pass, End: true}}\n", false);
    check("", false);
    check("[]", false);
    check(PLAIN.get(..700).expect("a part"), true);
}

#[test]
fn more_events_than_any_execution_has_are_refused() {
    let event = |id: usize| format!(r#"{{"id":{id},"type":"TaskScheduled","timestamp":1.0}}"#);
    let events: Vec<String> = (1..=MOST_EVENTS + 1).map(event).collect();
    let refused = import(format!(r#"{{"events":[{}]}}"#, events.join(",")).as_bytes());
    assert!(refused.is_err_and(|message| message.contains("5001 events")));
}

#[test]
fn what_pythons_printer_divides_is_one_text() {
    let events = [
        "{'id': 1, 'type': 'ExecutionStarted', 'timestamp': 1714557600.0, 'executionStartedEventDetails': {'input': '{\"n\"'\n    ':1}'}}",
        "{'id': 2, 'type': 'PassStateEntered', 'timestamp': 1714557600.01, 'stateEnteredEventDetails': {'name': 'é', 'input': ('{\"n\":'\n   '1}')}}",
        "{'id': 3, 'type': 'PassStateExited', 'timestamp': 1714557600.02, 'stateExitedEventDetails': {'name': 'é', 'output': '{\"n\":1}'}}",
        "{'id': 4, 'type': 'ExecutionSucceeded', 'timestamp': 1714557600.03, 'executionSucceededEventDetails': {'output': '{\"n\":1}'}}",
    ];
    let text = format!("{{'events': [{}]}}", events.join(",\n"));
    check(&text);
    // A notebook stores each line of the text as a separate string.
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let notebook =
        serde_json::json!({ "cells": [{ "outputs": [{ "data": { "text/plain": lines } }] }] });
    check(&notebook.to_string());
}

#[test]
fn tables_yaml_and_colours() {
    let rows = events();
    let cells = rows
        .iter()
        .map(|event| format!("2024,\"{}\"\n", event.to_string().replace('"', "\"\"")));
    check(&format!(
        "@timestamp,@message\n{}",
        cells.collect::<String>()
    ));
    let mut yaml = "events:\n".to_string();
    for event in &rows {
        let value = Value::from(event.clone());
        let text = crate::source::yaml::to_yaml(&Value::array(vec![value]));
        yaml.push_str(&text);
    }
    check(&yaml);
    let cut = yaml
        .rfind("input")
        .or_else(|| yaml.rfind("output"))
        .expect("a value");
    let some = read(yaml.get(..cut).expect("a text"));
    assert!(some.events.len() < 4 && !some.events.is_empty());
    check(&PLAIN.replace("\"type\"", "\u{1b}[34;1m\"type\"\u{1b}[0m"));
    let packed = import(&[0x1f, 0x8b, 8, 0]).expect_err("packed");
    assert!(packed.contains("gzip"), "{packed}");
}
