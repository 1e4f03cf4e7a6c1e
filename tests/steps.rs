//! Tests of the steps inside a state, from its input to its output, for every type of state in both query languages.
//! `tests/steps/*.txt` contains the expected steps; `BLESS=1` rewrites them.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod support;

use asldbg::definition::{Makes, Source, StageStep, lower};
use asldbg::source::{SourceFile, SourceId, SourceMap, parse_json};
use std::fmt::Write as _;
use std::sync::Arc;
use support::stored;

fn source(source: Source) -> String {
    match source {
        Source::Stage(stage) => stage.name().to_string(),
        other => format!("{other:?}"),
    }
}

/// Writes a step as text: the value that it makes, its field, how the value is made and from which document, the
/// documents that the value replaces, and after `else` the document that becomes the value without the field. For
/// example `afterParameters: Parameters, Template of afterInputPath, replaces afterInputPath, else afterInputPath`.
fn line(step: &StageStep) -> String {
    let makes = match step.makes {
        Makes::Stage(stage) => stage.name().to_string(),
        other => format!("{other:?}"),
    };
    let written = if step.written.is_some() {
        ""
    } else {
        " (not written)"
    };
    let mut line = format!(
        "{makes}: {}{written}, {:?} of {}",
        step.field,
        step.make,
        source(step.dollar)
    );
    let replaced: Vec<String> = step.replaces().map(source).collect();
    if !replaced.is_empty() {
        write!(line, ", replaces {}", replaced.join(" and ")).unwrap();
    }
    if let Some(otherwise) = step.otherwise {
        write!(line, ", else {}", source(otherwise)).unwrap();
    }
    line
}

fn check(name: &str) {
    let text = support::read(support::root().join(format!("tests/steps/{name}.asl.json")));
    let file = SourceFile::new("steps.asl.json", &text);
    let (node, _) = parse_json(&file, SourceId(0));
    let sources = Arc::new(SourceMap::of(file));
    let (definition, found) = lower(Arc::new(node.unwrap()), sources, "steps");
    assert!(found.is_empty(), "{found:?}");
    let mut steps = String::new();
    for state in &definition.states {
        writeln!(steps, "{} {}", state.type_name(), state.name).unwrap();
        for step in state.steps.iter() {
            writeln!(steps, "  {}", line(step)).unwrap();
        }
    }
    stored::whole(format!("tests/steps/{name}.txt"), &steps)
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn of_states_in_jsonpath() {
    check("jsonpath");
}

#[test]
fn of_states_in_jsonata() {
    check("jsonata");
}
