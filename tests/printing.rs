//! Tests that no command prints texts from a file without escaping them. Only our own line breaks may end a line; no
//! part of the output may control a terminal, be a command to CI, or end an XML element.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that fails panics"
)]

use asldbg::json::steers;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Parts from which hostile texts are made.
const PIECES: [&str; 18] = [
    "\n::error::forged",
    "\r\n ::stop-commands::x",
    "\n\n",
    "::warning::",
    "\u{1b}[2J",
    "\u{1b}]0;title\u{7}",
    "\u{9b}31m",
    "\u{85}",
    "\u{202e}",
    "\u{200b}",
    "\u{2028}",
    "\u{feff}",
    "\u{ffff}",
    "]]>",
    "<script>&\"'",
    "--> #",
    "plain é 漢",
    "a",
];

/// The command lines. FILE is the definition, OUT an output file.
const COMMANDS: [&str; 51] = [
    "run FILE",
    "run --format json FILE",
    "run --format jsonl FILE",
    "run --unmocked fail FILE",
    "run --profile spec --coverage FILE",
    "run --coverage-format source --coverage-file - FILE",
    "run --coverage-format lcov --coverage-file - FILE",
    "run --coverage-format cobertura --coverage-file - FILE",
    "run --coverage-format html --coverage-file - FILE",
    "run --coverage-format json --coverage-file - FILE",
    "run --coverage-format text --coverage-file OUT FILE",
    "run --coverage-format source --coverage-file OUT FILE",
    "run --coverage-format lcov --coverage-file OUT FILE",
    "run --coverage-format cobertura --coverage-file OUT FILE",
    "run --coverage-format html --coverage-file OUT FILE",
    "run --coverage-format json --coverage-file OUT FILE",
    "run -m several.mock.json FILE",
    "run -m other.mock.json FILE",
    "run template.json",
    "run --write-history OUT FILE",
    "test FILE",
    "test --coverage FILE",
    "test --format json FILE",
    "test --format junit FILE",
    "test --format tap FILE",
    "test-state FILE",
    "test-state --format json FILE",
    "explore --runs 20 FILE",
    "explore --runs 20 --format json FILE",
    "explore --runs 20 --format junit FILE",
    "check FILE",
    "check --format short FILE",
    "check --format sarif FILE",
    "graph FILE",
    "graph --format svg FILE",
    "graph --format mermaid FILE",
    "graph --format dot FILE",
    "check --format json FILE",
    "check template.json",
    "convert FILE",
    "convert --to yaml FILE",
    "convert x.history.json",
    "replay FILE x.history.json",
    "replay --format json FILE x.history.json",
    "replay --format junit FILE x.history.json",
    "run --history x.history.json FILE",
    "run --event sqs FILE",
    "test --coverage-format source --coverage-file - FILE",
    "test-state --inspection-level trace FILE",
    "test-state --inspection-level trace --format json FILE",
    "explore --format text --time 1 --runs 5 template.json",
];

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// A machine whose texts are all hostile, with its mock and test files.
fn files(texts: &[String; 4]) -> Vec<(&'static str, Value)> {
    let [name, error, cause, case] = texts;
    // Names of states must be unique.
    let (first, last) = (format!("A{name}"), format!("F{name}"));
    let machine = json!({
        "Comment": cause, "StartAt": first,
        "States": {
            first.clone(): {
                "Type": "Task", "Comment": error, "Resource": "arn:aws:lambda:us-east-1:123456789012:function:f",
                "Parameters": {"text": cause},
                "Retry": [{"ErrorEquals": [format!("R{error}")], "MaxAttempts": 1}],
                "Catch": [{"ErrorEquals": [format!("E{error}")], "Next": last, "ResultPath": "$.error"}],
                "Next": last
            },
            last: {"Type": "Fail", "Error": format!("E{error}"), "Cause": format!("C{cause}")}
        }
    });
    let responses = json!({"r": {"0": {"Throw": {"Error": format!("E{error}"), "Cause": cause}}}});
    let mock = |machine: &str, cases: &[String]| {
        let cases: serde_json::Map<String, Value> = cases
            .iter()
            .map(|case| (case.clone(), json!({first.clone(): "r"})))
            .collect();
        json!({"StateMachines": {machine: {"TestCases": cases}}, "MockedResponses": responses})
    };
    let machines: serde_json::Map<String, Value> = [1, 2]
        .map(|number| {
            let machine = json!({"Type": "AWS::StepFunctions::StateMachine", "Properties": {"DefinitionString": "{}"}});
            (format!("M{number}{name}"), machine)
        })
        .into_iter()
        .collect();
    let tests = json!({"cases": [{"name": format!("T{case}"), "answers": {first.clone(): [{"Throw": {"Error": error, "Cause": cause}}]},
        "expect": {"status": "SUCCEEDED", "output": cause, "visits": [last_of(&machine)], "error": cause}}]});
    let event = |id: u32, kind: &str, details: Value| {
        let mut event = json!({"id": id, "previousEventId": id - 1, "timestamp": 1_700_000_000 + id, "type": kind});
        let members = event.as_object_mut().unwrap();
        members.extend(details.as_object().unwrap().clone());
        event
    };
    let failure = json!({"error": format!("E{error}"), "cause": cause});
    let history = json!({"events": [
        event(1, "ExecutionStarted", json!({"executionStartedEventDetails": {"input": json!(cause).to_string()}})),
        event(2, "TaskStateEntered", json!({"stateEnteredEventDetails": {"name": first, "input": json!(cause).to_string()}})),
        event(3, "LambdaFunctionScheduled", json!({"lambdaFunctionScheduledEventDetails": {"resource": format!("arn:{case}"), "input": json!(cause).to_string()}})),
        event(4, "LambdaFunctionFailed", json!({"lambdaFunctionFailedEventDetails": failure})),
        event(5, "ExecutionFailed", json!({"executionFailedEventDetails": failure})),
    ]});
    vec![
        ("x.history.json", history),
        ("x.asl.json", machine),
        ("x.mock.json", mock("x", &[format!("c{case}")])),
        (
            "several.mock.json",
            mock("x", &[format!("c{case}"), format!("d{case}")]),
        ),
        (
            "other.mock.json",
            mock(&format!("o{case}"), &[format!("c{case}")]),
        ),
        ("x.test.json", tests),
        ("template.json", json!({"Resources": machines})),
    ]
}

fn last_of(machine: &Value) -> &str {
    let states = machine["States"].as_object().unwrap();
    states.keys().next_back().unwrap()
}

/// The first part of a printed text that should have been escaped; `None` if there is none.
fn raw(text: &str) -> Option<String> {
    let steering = text.chars().find(|c| *c != '\n' && steers(*c));
    if let Some(c) = steering {
        return Some(format!("{c:?}"));
    }
    let mut lines = text.lines().map(str::trim_start);
    let forged = lines.find(|line| {
        let commands = ["::error::", "::stop-commands::", "::warning::"];
        commands.iter().any(|command| line.starts_with(command))
    });
    if let Some(line) = forged {
        return Some(format!("a log command: {line}"));
    }
    let is_xml = text.starts_with("<?xml") || text.starts_with("<svg");
    let broken =
        is_xml && (text.contains("]]>") || text.contains("<script") || text.contains('\u{ffff}'));
    broken.then(|| "XML".to_string())
}

fn check(texts: &[String; 4], number: u32) {
    let folder =
        std::env::temp_dir().join(format!("asldbg-printing-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let folder = Folder(folder);
    for (name, value) in files(texts) {
        std::fs::write(folder.0.join(name), value.to_string()).unwrap();
    }
    let mut wrong = String::new();
    for line in COMMANDS {
        let words = line.split(' ').map(|word| match word {
            "FILE" => "x.asl.json",
            "OUT" => "out",
            word => word,
        });
        let out = folder.0.join("out");
        let output = Command::new(env!("CARGO_BIN_EXE_asldbg"))
            .args(words)
            .current_dir(&folder.0)
            .env("HOME", &folder.0)
            .output()
            .unwrap();
        let written = written(&out);
        assert!(
            !line.contains("OUT") || written.is_some(),
            "{line}: nothing was written"
        );
        let parts = [Some(output.stdout), Some(output.stderr), written];
        for part in parts.into_iter().flatten() {
            let text = String::from_utf8(part).unwrap();
            if let Some(problem) = raw(&text) {
                wrong += &format!("{line}: {problem} in\n{text:?}\n");
            }
            assert!(!text.contains("panicked"), "{line}: {text}");
        }
    }
    assert!(wrong.is_empty(), "{texts:?}\n{wrong}");
}

fn written(file: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(file).ok()?;
    std::fs::remove_file(file).unwrap();
    Some(bytes)
}

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES.to_vec()), 1..4);
    pieces.prop_map(|pieces| pieces.concat())
}

#[test]
fn nothing_raw_is_printed_of_every_piece() {
    for (number, pieces) in (0..).zip(PIECES.chunks(6)) {
        let all = pieces.concat();
        check(&[all.clone(), all.clone(), all.clone(), all], number);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, max_shrink_iters: 20, ..ProptestConfig::default() })]
    #[test]
    fn nothing_raw_is_printed(name in text(), error in text(), cause in text(), case in text(), number in 100_u32..u32::MAX) {
        check(&[name, error, cause, case], number);
    }
}
