//! Tests of the debug adapter with transcripts: `tests/dap/transcripts`, one behaviour per file.
//!
//! A transcript contains requests (`> COMMAND {ARGUMENTS}`), each followed by its results: responses
//! (`< COMMAND {BODY}`, `! COMMAND MESSAGE`) and events (`* EVENT {BODY}`). `> COMMAND...` sends a request together
//! with the next one, before anything runs. `ROOT` stands for the folder of the repository. If a transcript has no
//! `initialize` request, a default one is sent first. `BLESS=1` rewrites the results.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

#[path = "dap/client.rs"]
mod client;
#[path = "dap/large.rs"]
mod large;
#[path = "dap/process.rs"]
mod process;
#[path = "dap/protocol.rs"]
mod protocol;
#[path = "dap/wild.rs"]
mod wild;

use asldbg::launch::{LaunchConfig, Project, TextForm};
use asldbg::session::{Command, Direction, Restart, Session};
use client::{Client, event};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> String {
    env!("CARGO_MANIFEST_DIR").to_owned()
}

/// A message as a line of a transcript.
fn line(message: &Value) -> String {
    let body = match &message["body"] {
        Value::Null => String::new(),
        body => format!(" {body}"),
    };
    let text = |field: &str| message[field].as_str().unwrap_or("?").to_owned();
    let line = match (message["type"].as_str(), message["success"].as_bool()) {
        (Some("event"), _) => format!("* {}{body}", text("event")),
        (_, Some(true)) => format!("< {}{body}", text("command")),
        _ => {
            let shown = message["body"]["error"]["showUser"] == true;
            let shown = if shown { " (shown)" } else { "" };
            format!("! {}{shown} {}", text("command"), text("message"))
        }
    };
    line.replace(&root(), "ROOT")
}

/// Sends the requests of a transcript. Returns the transcript with the actual results; comments are kept.
fn played(text: &str) -> String {
    let mut client = Client::new();
    if !text.contains("\n> initialize") {
        client.initialize();
    }
    let mut out = String::new();
    for row in text.lines() {
        if row.starts_with('#') || row.is_empty() {
            out.push_str(row);
            out.push('\n');
        }
        let Some(request) = row.strip_prefix("> ") else {
            continue;
        };
        out.push_str(row);
        out.push('\n');
        let (command, arguments) = request.split_once(' ').unwrap_or((request, ""));
        let arguments = arguments.replace("ROOT", &root());
        let arguments = match arguments.as_str() {
            "" => Value::Null,
            text => serde_json::from_str(text).unwrap_or_else(|error| panic!("{row}: {error}")),
        };
        let came = match command.strip_suffix("...") {
            Some(command) => client.send(command, arguments),
            None => client.ask(command, arguments),
        };
        for message in came {
            out.push_str(&line(&message));
            out.push('\n');
        }
    }
    out
}

fn transcripts() -> Vec<PathBuf> {
    let folder = Path::new(&root()).join("tests/dap/transcripts");
    let entries = fs::read_dir(folder).expect("transcripts");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

#[test]
fn transcripts_are_as_they_were() {
    let mut wrong = Vec::new();
    for path in transcripts() {
        let text = fs::read_to_string(&path).expect("a transcript");
        let now = played(&text);
        if now == text {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, now).expect("a transcript can be written");
        } else {
            let first = now
                .lines()
                .zip(text.lines())
                .find(|(now, text)| now != text);
            wrong.push(format!("{}: {first:#?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The samples that a session can be created from.
fn samples() -> Vec<PathBuf> {
    let folder = Path::new(&root()).join("samples");
    let entries = fs::read_dir(folder).expect("samples");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_sample = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".asl.json") || name.ends_with(".sfn")
    };
    let mut paths: Vec<PathBuf> = paths.filter(is_sample).collect();
    paths.sort();
    paths
}

/// DAP requests, each with the session command that must have the same effect.
fn steps() -> Vec<(&'static str, Value, Command)> {
    use Direction::{Backward, Forward};
    let thread = json!({"threadId": 0});
    let stages = json!({"threadId": 0, "granularity": "instruction"});
    vec![
        ("stepIn", thread.clone(), Command::Step(Forward)),
        ("next", thread.clone(), Command::Next(Forward)),
        ("stepIn", thread.clone(), Command::Step(Forward)),
        ("stepOut", thread.clone(), Command::Finish(Forward)),
        ("next", thread.clone(), Command::Next(Forward)),
        ("stepBack", thread.clone(), Command::Next(Backward)),
        ("stepIn", thread.clone(), Command::Step(Forward)),
        ("stepBack", stages, Command::Step(Backward)),
        ("next", thread.clone(), Command::Next(Forward)),
        ("continue", thread.clone(), Command::Continue(Forward)),
        ("stepIn", thread.clone(), Command::Step(Forward)),
        ("continue", thread.clone(), Command::Continue(Forward)),
        (
            "reverseContinue",
            thread.clone(),
            Command::Continue(Backward),
        ),
        ("next", thread, Command::Next(Forward)),
    ]
}

/// The current position of a run.
fn place(session: &Session) -> String {
    let view = session.view();
    format!(
        "event {} of {}, {:?} in {}, {:?}",
        view.header.event,
        view.header.event_count,
        view.current,
        view.header.frame,
        session.stop()
    )
}

#[test]
fn the_same_steps_reach_the_same_events() {
    for sample in samples() {
        let time = "2025-01-31T10:00:00Z";
        let mut project = Project::open(LaunchConfig {
            fresh: true,
            form: TextForm::Readable,
            start_time: Some(time.to_owned()),
            ..LaunchConfig::of(&sample)
        })
        .expect("a sample opens");
        let mut session = project.session().expect("a session");
        let mut client = Client::new();
        client.launch(json!({
            "program": sample,
            "startTime": time,
            "stopOnEntry": true,
            "stopAtEnd": true,
        }));
        let over = |client: &Client| place(client.adapter.session().expect("a session"));
        assert_eq!(over(&client), place(&session), "{}", sample.display());
        let mut way = String::new();
        for (number, (request, mut arguments, command)) in
            steps().into_iter().cycle().take(42).enumerate()
        {
            let focus = client.adapter.session().expect("a session").view();
            let frame = focus.frames.last().map_or(0, |frame| frame.frame.0);
            arguments["threadId"] = json!(frame + 1);
            let refused = session.apply(command).is_err();
            session.settle();
            let came = client.ask(request, arguments);
            way = format!("{way} {request}");
            let step_name = format!("{}, step {number}:{way}", sample.display());
            assert_eq!(came[0]["success"], !refused, "{step_name}: {}", came[0]);
            assert_eq!(over(&client), place(&session), "{step_name}");
            assert_eq!(event(&came, "stopped").is_some(), !refused, "{step_name}");
        }
        session.apply(Command::Restart(Restart::KeepAnswers)).ok();
        session.settle();
        client.ask("restart", Value::Null);
        assert_eq!(over(&client), place(&session), "{}", sample.display());
        client.ask("disconnect", Value::Null);
        assert!(client.is_over());
    }
}
