//! Tests of `explore`: its findings in the broken workflows of `tests/faults` and in the workflows of `tests/explore`.
//! Errors that mock files throw are first removed, so the broken workflows are explored with their successful answers
//! only. Each file in `tests/explore` contains a definition, its input, the normal answers of its tasks, and the
//! seconds that the tasks take. `BLESS=1` rewrites `tests/explore.txt`, which has a line for each finding above INFO.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of the mock file without the errors that it throws. A state that has only thrown errors gets no answers.
fn usual(mock: &Value) -> Value {
    let mut responses = Map::new();
    for (name, entries) in mock["MockedResponses"].as_object().unwrap() {
        let returns = entries.as_object().unwrap().values();
        let returns = returns.filter(|entry| entry.get("Return").is_some());
        let kept: Map<String, Value> = returns
            .enumerate()
            .map(|(place, entry)| (place.to_string(), entry.clone()))
            .collect();
        if !kept.is_empty() {
            responses.insert(name.clone(), Value::Object(kept));
        }
    }
    let mut mock = mock.clone();
    for machine in mock["StateMachines"].as_object_mut().unwrap().values_mut() {
        for case in machine["TestCases"].as_object_mut().unwrap().values_mut() {
            let states = case.as_object_mut().unwrap();
            states.retain(|_, name| responses.contains_key(name.as_str().unwrap()));
        }
    }
    mock["MockedResponses"] = Value::Object(responses);
    mock
}

fn explore(definition: &Path, options: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_asldbg"))
        .arg("explore")
        .arg(definition)
        .args(["--format", "json", "--fail-on", "never"])
        .args(options)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// The contents of a folder, sorted by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// Copies the contents of a folder, including the subfolders that stand for S3.
fn copied(folder: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for path in files(folder) {
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copied(&path, &target),
            false => drop(std::fs::copy(&path, target).unwrap()),
        }
    }
}

/// Writes the parts of a file in `tests/explore` to separate files. Returns the path of the definition.
fn laid_out(copy: &Path, name: &str, file: &Path) -> PathBuf {
    let whole: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let folder = copy.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let write = |ending: &str, value: &Value| {
        let path = folder.join(format!("{name}.{ending}.json"));
        std::fs::write(&path, serde_json::to_string_pretty(value).unwrap()).unwrap();
        path
    };
    let (mut states, mut responses) = (Map::new(), Map::new());
    for (state, results) in whole["answers"].as_object().unwrap() {
        let entries = results.as_array().unwrap().iter().enumerate();
        let delay = &whole["delays"][state];
        let entries = entries.map(|(call, result)| {
            let mut entry = json!({ "Return": result });
            if !delay.is_null() {
                entry["Delay"] = delay.clone();
            }
            (call.to_string(), entry)
        });
        states.insert(state.clone(), state.clone().into());
        responses.insert(state.clone(), Value::Object(entries.collect()));
    }
    let machines = json!({ name: { "TestCases": { "Usual": states } } });
    let mock = json!({ "StateMachines": machines, "MockedResponses": responses });
    write("mock", &mock);
    write("input", &whole["input"]);
    write("asl", &whole["definition"])
}

/// One line for each finding above INFO that `explore` reports.
fn findings(name: &str, definition: &Path) -> String {
    let report = explore(definition, &[]);
    assert!(report["complete"].as_bool().unwrap(), "{name}");
    let findings = report["findings"].as_array().unwrap();
    let mut lines = String::new();
    for finding in findings
        .iter()
        .filter(|finding| finding["severity"] != "INFO")
    {
        let word = |member: &str| finding[member].as_str().unwrap().to_string();
        let (kind, state, line) = (word("kind"), word("state"), &finding["line"]);
        writeln!(lines, "{name}: {kind} {state} line {line}").unwrap();
    }
    if lines.is_empty() {
        writeln!(lines, "{name}: -").unwrap();
    }
    lines
}

#[test]
fn faults_are_found_from_the_usual_answers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = std::env::temp_dir().join(format!("asldbg-explore-{}", std::process::id()));
    let folders = files(&root.join("tests/faults"));
    let mut report = String::new();
    for folder in folders.iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let folder_of_case = copy.join(&name);
        copied(folder, &folder_of_case);
        let mock = folder_of_case.join(format!("{name}.mock.json"));
        if let Ok(text) = std::fs::read_to_string(&mock) {
            let stripped = usual(&serde_json::from_str(&text).unwrap());
            std::fs::write(&mock, stripped.to_string()).unwrap();
        }
        let Some(definition) = ["asl.json", "asl.yaml", "sfn"]
            .iter()
            .map(|ending| folder_of_case.join(format!("{name}.{ending}")))
            .find(|path| path.exists())
        else {
            continue;
        };
        report.push_str(&findings(&name, &definition));
    }
    for file in files(&root.join("tests/explore")) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let definition = laid_out(&copy, &name, &file);
        report.push_str(&findings(&name, &definition));
    }
    std::fs::remove_dir_all(&copy).unwrap();
    let known = root.join("tests/explore.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&known, &report).unwrap();
    }
    let wanted = std::fs::read_to_string(&known).unwrap();
    assert!(wanted == report, "wanted\n{wanted}\ncame\n{report}");
}

#[test]
fn what_is_found_does_not_depend_on_the_number_of_threads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["order", "saga", "fanout", "demo"] {
        let file = root.join(format!("samples/{name}.asl.json"));
        let runs = ["--runs", "3000", "--time", "600"];
        let alone = explore(&file, &[&runs[..], &["--jobs", "1"]].concat());
        let many = explore(&file, &[&runs[..], &["--jobs", "4"]].concat());
        assert_eq!(alone, many, "{name}");
    }
}

#[test]
fn what_the_mock_file_throws_is_tried() {
    let folder = std::env::temp_dir().join(format!("asldbg-throws-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, value: Value| {
        let file = folder.join(name);
        std::fs::write(&file, value.to_string()).unwrap();
        file
    };
    let file = write(
        "m.asl.json",
        json!({"StartAt": "Ask", "States": {
            "Ask": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Parameters": {"FunctionName": "f"},
                "TimeoutSeconds": 9, "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Which"}], "End": true},
            "Which": {"Type": "Choice", "Choices": [{"Variable": "$.Error", "StringEquals": "Odd", "Next": "Rare"}],
                "Default": "Usual"},
            "Rare": {"Type": "Pass", "End": true},
            "Usual": {"Type": "Pass", "End": true}
        }}),
    );
    let states = |thrown: Option<&str>| {
        let mocked = thrown.map(|error| json!({"0": {"Throw": {"Error": error, "Cause": ""}}}));
        let mocked = mocked.unwrap_or(json!({"0": {"Return": {}}}));
        write(
            "m.mock.json",
            json!({"StateMachines": {"m": {"TestCases": {"C": {"Ask": "R"}}}}, "MockedResponses": {"R": mocked}}),
        );
        let report = explore(&file, &[]);
        let ends = report["ends"].as_array().unwrap().iter();
        ends.map(|end| end["state"].as_str().unwrap().to_string())
            .collect::<Vec<_>>()
    };
    // No Retry or Catch names the error `Odd`. `explore` can only learn from the mock file that the function raises it.
    let rare = "Rare".to_string();
    assert!(states(Some("Odd")).contains(&rare));
    assert!(!states(None).contains(&rare));
    std::fs::remove_dir_all(&folder).unwrap();
}
