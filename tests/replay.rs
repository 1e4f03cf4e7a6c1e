//! Tests of replaying recorded executions, with the original definition and with one that was changed in one place.
//!
//! Each file in `tests/replay` contains a definition with an input and answers. It is run, its history is written to a
//! file, and the history is then replayed with each of the changes. The expected messages are in `NAME.expected`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

#[path = "pull/fake.rs"]
mod fake;
mod support;

use asldbg::history::import;
use asldbg::interpreter::{Header, Run, Status};
use asldbg::launch::{LaunchConfig, OwnWrites, Project, recorded_beside};
use asldbg::query::Profile;
use asldbg::session::origin::{Found, Root};
use asldbg::session::recorded::Follower;
use asldbg::session::unattended::{Happened, Unattended};
use asldbg::session::{Command as Go, Direction, ExistingCase, Repeats, Session, Setup, Sought};
use asldbg::testing::write_run;
use asldbg::worker::Worker;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use support::{Random, random_machine, recorded, stored, value};

/// A temporary folder, which is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("asldbg-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn asldbg(arguments: &[&str]) -> (i32, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_asldbg"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (
        done.status.code().unwrap(),
        text(done.stdout),
        text(done.stderr),
    )
}

fn named(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A mock file with these answers.
fn mock_file(answers: &Json) -> Json {
    let (mut case, mut responses) = (serde_json::Map::new(), serde_json::Map::new());
    for (state, list) in answers.as_object().unwrap() {
        case.insert(state.clone(), state.clone().into());
        let entries = list.as_array().unwrap().iter().enumerate();
        let entries = entries.map(|(place, answer)| (place.to_string(), answer.clone()));
        responses.insert(state.clone(), Json::Object(entries.collect()));
    }
    json!({ "StateMachines": { "machine": { "TestCases": { "case": case } } }, "MockedResponses": responses })
}

/// Applies edits to a definition; `null` removes a member.
fn changed(definition: &Json, edits: &Json) -> Json {
    let mut changed = definition.clone();
    for edit in edits.as_array().unwrap() {
        let place = edit[0].as_str().unwrap();
        let (parent, name) = place.rsplit_once('/').unwrap();
        match changed
            .pointer_mut(parent)
            .unwrap_or_else(|| panic!("no {parent}"))
        {
            Json::Object(members) if edit[1].is_null() => {
                members
                    .shift_remove(name)
                    .unwrap_or_else(|| panic!("no {place}"));
            }
            Json::Object(members) => {
                members.insert(name.to_string(), edit[1].clone());
            }
            Json::Array(items) => match items.get_mut(name.parse::<usize>().unwrap()) {
                Some(item) => *item = edit[1].clone(),
                None => items.push(edit[1].clone()),
            },
            other => panic!("{place} is in {other}"),
        }
    }
    changed
}

/// What a replay of the history prints, without the name of the folder.
fn said(folder: &Folder, definition: &Json, history: &Path) -> String {
    let file = folder.write(
        "machine.asl.json",
        &serde_json::to_string_pretty(definition).unwrap(),
    );
    let (code, out, error) = asldbg(&["replay", named(&file), named(history)]);
    assert_eq!(error, "", "{out}");
    assert_eq!(code, i32::from(!out.contains(": same")), "{out}");
    out.replace(&format!("{}/", named(&folder.0)), "")
}

#[test]
fn changes() {
    let (mut wrong, mut count) = (String::new(), 0);
    for path in support::files("tests/replay", ".json") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let case: Json = serde_json::from_str(&support::read(&path)).unwrap();
        let folder = Folder::new(&format!("replay-{name}"));
        let definition = folder.write("machine.asl.json", &case["definition"].to_string());
        let mock = folder.write("answers.json", &mock_file(&case["answers"]).to_string());
        let history = folder.0.join("history.json");
        let (input, mock) = (case["input"].to_string(), named(&mock).to_string());
        let (_, _, error) = asldbg(&[
            "run",
            named(&definition),
            "--profile",
            "aws",
            "--input",
            &input,
            "--mock",
            &mock,
            "--start-time",
            "2024-05-01T12:00:00Z",
            "--seed",
            "7",
            "--write-history",
            named(&history),
        ]);
        assert!(history.exists(), "{name}: {error}");
        let mut text = String::new();
        for (change, edits) in case["changes"].as_object().unwrap() {
            let changed = changed(&case["definition"], edits);
            let _ = writeln!(text, "# {change}\n{}", said(&folder, &changed, &history));
            count += 1;
        }
        for (change, names) in case["renamed"].as_object().unwrap() {
            let whole = case["definition"].to_string();
            let renamed = whole.replace(&names[0].to_string(), &names[1].to_string());
            let renamed = serde_json::from_str(&renamed).unwrap();
            let _ = writeln!(text, "# {change}\n{}", said(&folder, &renamed, &history));
            count += 1;
        }
        if let Err(error) = stored::whole(format!("tests/replay/{name}.expected"), &text) {
            let _ = writeln!(wrong, "{error}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count >= 50, "{count} changes");
}

/// The commands of a section of the documentation, each with a text that its output must contain.
fn commands() -> Vec<(String, String)> {
    let page = support::read("docs/recorded-executions.md");
    let section = page
        .split("## From a failure to a fixed definition")
        .nth(1)
        .unwrap();
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter_map(|line| line.strip_prefix("    "));
    let lines = lines.map(|line| line.split_once('#').unwrap());
    lines
        .map(|(command, holds)| (command.trim().to_string(), holds.trim().to_string()))
        .collect()
}

/// Creates the fake AWS account. The first of the documented commands fetches an execution from it.
fn account(folder: &Folder, definition: &str, history: &str, input: &Json) {
    let machine = "arn:aws:states:eu-west-1:123456789012:stateMachine:Pay";
    let execution = "arn:aws:states:eu-west-1:123456789012:execution:Pay:run-1";
    let about = json!({ "executionArn": execution, "stateMachineArn": machine, "name": "run-1",
        "status": "FAILED", "startDate": 1_714_564_800.0, "input": input.to_string() });
    let described = json!({ "stateMachineArn": machine, "name": "Pay", "definition": definition,
        "roleArn": "arn:aws:iam::123456789012:role/r", "updateDate": 1.0 });
    for (operation, answer) in [
        ("describe-execution", about.to_string()),
        (
            "describe-state-machine-for-execution",
            described.to_string(),
        ),
        ("get-execution-history", history.to_string()),
    ] {
        fake::answer(&folder.0, &format!("{operation}.json"), &answer);
    }
}

/// Does what the user would do in the debugger: continues to the end of the recorded execution and writes a test.
fn write_test(folder: &Folder, history: &str, name: &str) {
    let config = LaunchConfig {
        fresh: true,
        ..LaunchConfig::of(folder.0.join(history))
    };
    let mut project = Project::open(config).unwrap();
    let file = project.config().program.file.clone();
    let mut session = project.session().unwrap();
    session.settle();
    while matches!(session.machine().status(), Status::Running) {
        let gone = session.apply(Go::Continue(Direction::Forward));
        assert!(gone.is_ok(), "{gone:?}");
        session.settle();
    }
    let own_writes = OwnWrites::default();
    write_run(
        &session,
        Some(&file),
        name,
        ExistingCase::Stays,
        &own_writes,
    )
    .unwrap();
}

#[test]
fn the_way_from_a_failure_to_a_fixed_definition_is_as_the_page_has_it() {
    let case: Json = serde_json::from_str(&support::read("tests/replay/order.json")).unwrap();
    let folder = Folder::new("replay-page");
    let mended = serde_json::to_string_pretty(&case["definition"]).unwrap();
    let broken = mended.replace("$.error.Error", "$.error.Reason");
    let definition = folder.write("mended.asl.json", &mended);
    let mock = folder.write("answers.json", &mock_file(&case["answers"]).to_string());
    std::fs::create_dir_all(folder.0.join("histories")).unwrap();
    let cheap = json!({ "order": { "sku": "SKU-1", "total": 5 } });
    let broken_file = folder.write("broken.asl.json", &broken);
    for (definition, input, history) in [
        (&broken_file, &case["input"], "failed.json"),
        (&definition, &cheap, "histories/cheap.json"),
    ] {
        let (input, history) = (input.to_string(), folder.0.join(history));
        let words = [
            "run",
            named(definition),
            "--profile",
            "aws",
            "--input",
            &input,
        ];
        let more = ["--mock", named(&mock), "--write-history", named(&history)];
        asldbg(&[&words[..], &more[..]].concat());
    }
    let failed = std::fs::read_to_string(folder.0.join("failed.json")).unwrap();
    account(&folder, &broken, &failed, &case["input"]);
    let all = commands();
    assert!(all.len() < 10, "{all:?}");
    for (command, holds) in all {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["$EDITOR", file] if file.ends_with(".test.yaml") => {
                let path = folder.0.join(file);
                let written = std::fs::read_to_string(&path).unwrap();
                let (before, _) = written.split_once("    expect:").unwrap();
                let wanted = format!(
                    "{before}      Ship: {{ Return: {{ parcel: 7 }} }}\n    expect: {{ status: SUCCEEDED, visits: [..., Refund, Ship] }}\n"
                );
                std::fs::write(&path, wanted).unwrap();
            }
            ["$EDITOR", file] => {
                let path = folder.0.join(file);
                let written = std::fs::read_to_string(&path).unwrap();
                std::fs::write(&path, written.replace("$.error.Reason", "$.error.Error")).unwrap();
            }
            ["asldbg", history] => {
                let name = holds.rsplit(' ').next().unwrap();
                assert!(holds.contains(":write test"), "{holds}");
                write_test(&folder, history, name);
            }
            _ => {
                let done = Command::new(env!("CARGO_BIN_EXE_asldbg"))
                    .args(&words[1..])
                    .current_dir(&folder.0)
                    .env("PATH", fake::path(&folder.0))
                    .output()
                    .unwrap();
                let out = String::from_utf8_lossy(&done.stdout).into_owned();
                let error = String::from_utf8_lossy(&done.stderr).into_owned();
                assert!(out.contains(&holds), "{command}: {out}{error}");
                if command.contains("--coverage") {
                    let line = out.lines().find(|line| line.contains("\"Refund\": {"));
                    assert!(line.unwrap().trim_start().starts_with('1'), "{out}");
                }
            }
        }
    }
}

/// The setup of a run that replays a history with the original definition, and the follower that compares this run with
/// the history.
fn repeating(before: &Setup, history: &str) -> Result<(Setup, Follower), String> {
    let imported = import::import(history.as_bytes())?;
    let execution = imported.executions.into_iter().next().unwrap();
    let recorded = recorded_beside(execution, Vec::new(), &before.definition);
    let header = Header {
        input: recorded.execution.input.value().unwrap(),
        start_time: recorded.run.start,
        course: Some(Arc::clone(&recorded.course)),
        seed: 99,
        ..Header::new(value("{}"), Profile::Aws)
    };
    let mut setup = Setup::new(
        Arc::clone(&before.definition),
        header,
        Arc::new(Worker::new()),
    );
    setup.recorded = Arc::clone(&recorded.answers);
    Ok((setup, Follower::new(Arc::clone(&recorded.run))))
}

/// Replays a history with the original definition; fails with a description of the first event that differs.
fn repeated(before: &Setup, history: &str) -> Result<(), String> {
    let (setup, mut follower) = repeating(before, history)?;
    let run = Run::new(Arc::clone(&setup.definition), setup.header.clone());
    let mut run = Unattended::start(Arc::new(run), setup.answerer(Repeats::Never), 1 << 30);
    loop {
        match run.step() {
            Happened::Event(event) => {
                if follower.follow(run.events(), run.machine(), &event) {
                    let found = follower.difference().unwrap();
                    return Err(format!(
                        "#{:?} {}: {} / {}",
                        found.event, found.what, found.there, found.here
                    ));
                }
            }
            Happened::Nothing => {}
            Happened::Done => break,
            other => return Err(format!("{other:?}")),
        }
    }
    follower.finish(run.events());
    match follower.difference() {
        Some(found) => Err(found.what.clone()),
        None => Ok(()),
    }
}

#[test]
fn random_machines_repeat_in_every_event() {
    let (mut wrong, mut count) = (String::new(), 0);
    for seed in 0..150 {
        let made = random_machine::machine(&mut Random::new(seed + 1));
        let definition = support::good("made", &made.definition.to_string());
        let header = Header {
            start_time: 1_700_000_000_000,
            ..Header::new(value(&made.input.to_string()), Profile::Aws)
        };
        let mut setup = Setup::new(definition, header, Arc::new(Worker::new()));
        setup.mock = support::endless_answers(&made.answers);
        let history = recorded(&setup);
        if let Err(error) = repeated(&setup, &history) {
            let _ = writeln!(wrong, "seed {seed}: {error}");
            count += 1;
        }
    }
    // A few runs may differ: if branches or items fail in the same millisecond, their order may differ from the
    // recorded one.
    assert!(count <= 4, "\n{wrong}");
}

#[test]
fn a_value_of_the_recorded_execution_says_so() {
    let text = r#"{"StartAt": "Name", "States": {
        "Name": {"Type": "Pass", "Parameters": {"id.$": "States.UUID()", "n.$": "$.n"}, "Next": "Keep"},
        "Keep": {"Type": "Pass", "ResultPath": "$.kept", "Next": "Done"},
        "Done": {"Type": "Succeed"}}}"#;
    let header = Header::new(value(r#"{"n": 1}"#), Profile::Aws);
    let definition = support::good("uuid", text);
    let before = Setup::new(definition, header, Arc::new(Worker::new()));
    let (setup, _) = repeating(&before, &recorded(&before)).unwrap();
    let mut session = Session::new(setup);
    support::go(&mut session);
    for (path, wanted) in [("$.id", "recorded"), ("$.n", "input")] {
        let found = session.origin(Sought::Path(path.into()), 10_000).unwrap();
        let Some(Found::Origin(origin)) = found else {
            panic!("{path}: {found:?}");
        };
        let root = match origin.root {
            Root::Recorded(_) => "recorded",
            Root::Input(_) => "input",
            ref other => panic!("{path}: {other:?}"),
        };
        assert_eq!(root, wanted, "{path}");
    }
}
