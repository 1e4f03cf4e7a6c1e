//! Programs of the SFN DSL against the definitions that they stand for, and bad ones against the lines that are wrong.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may panic"
)]

use asldbg::json::{Value, parse};
use asldbg::source::dsl::{DslEnvironment, looks_like, parse_dsl};
use asldbg::source::{Diagnostics, Node, Severity, SourceFile, SourceId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dsl").join(name)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compiles as the expected definitions were.
fn compile(text: &str) -> (SourceFile, Option<Node>, Diagnostics) {
    let environment = DslEnvironment {
        region: Some("us-east-1".to_string()),
        account: Some("123456789012".to_string()),
    };
    let file = SourceFile::new("test.sfn", text);
    let (node, found) = parse_dsl(&file, SourceId(0), &environment);
    (file, node, found)
}

/// Findings as `severity line:column message`.
fn shown(file: &SourceFile, found: &Diagnostics) -> Vec<String> {
    let show = |one: &asldbg::source::Diagnostic| {
        let place = file.place(one.span.expect("a place").start as usize);
        format!("{} {}:{} {}", one.severity, place.line, place.column, one.message)
    };
    found.iter().map(show).collect()
}

/// Names of the states of every level, in their order.
fn order(value: &Value, out: &mut Vec<String>) {
    if let Some(states) = value.get("States").and_then(Value::as_object) {
        for (name, state) in states.members() {
            out.push(name.to_string());
            order(state, out);
        }
    }
    for branch in value.get("Branches").and_then(Value::as_array).into_iter().flatten() {
        order(branch, out);
    }
    if let Some(iterator) = value.get("Iterator") {
        order(iterator, out);
    }
}

/// Programs with the ending `.sfn` of a folder.
fn programs(name: &str) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder(name)).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "sfn"))
        .map(|path| {
            let stem = path.file_stem().expect("a stem").to_string_lossy().into_owned();
            (stem, read(&path))
        })
        .collect()
}

#[test]
fn good_programs_compile_to_their_definitions() {
    let mut wrong = Vec::new();
    for (name, text) in programs("good") {
        let wanted = parse(&read(&folder("good").join(format!("{name}.json")))).expect("JSON");
        let (file, node, found) = compile(&text);
        let Some(got) = node.map(|node| node.to_value()) else {
            wrong.push(format!("{name}: {:?}", shown(&file, &found)));
            continue;
        };
        let (mut first, mut second) = (Vec::new(), Vec::new());
        order(&wanted, &mut first);
        order(&got, &mut second);
        let same = got.to_serde() == wanted.to_serde();
        if !same || first != second {
            wrong.push(format!("{name}:\n{wanted}\n{got}"));
        }
        assert!(looks_like(&text), "{name} does not look like a program");
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each line of `bad.txt`: the program, the line that must be named, and after `|` the place of every error.
#[test]
fn bad_programs_name_the_bad_line() {
    let programs = programs("bad");
    let lines = read(&folder("bad.txt"));
    let mut wrong = Vec::new();
    for entry in lines.lines() {
        let (name, rest) = entry.split_once(' ').expect("a name");
        let (line, places) = rest.split_once(" | ").expect("a line and places");
        let (file, node, found) = compile(&programs[name]);
        let errors: Diagnostics = found
            .into_iter()
            .filter(|one| one.severity == Severity::Error)
            .collect();
        let got: Vec<String> = errors
            .iter()
            .map(|one| {
                let place = file.place(one.span.expect("a place").start as usize);
                format!("{}:{}", place.line, place.column)
            })
            .collect();
        let hit = got.iter().any(|place| place.starts_with(&format!("{line}:")));
        let silent = node.is_some() || errors.iter().any(|one| !one.blocking);
        if !hit || silent || got.join(" ") != places {
            let shown = shown(&file, &errors);
            wrong.push(format!("{name} {line} | {}\n{shown:#?}", got.join(" ")));
        }
    }
    assert_eq!(lines.lines().count(), programs.len());
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
