//! Measures how long it takes to find where a value of a long run comes from, or where it was lost.
//!
//! Targets (two shared cores): the first result within 100 ms if at most 20 visits have to be examined, in a loop of
//! 25,000 events and in a Map of 5,000 items; an expression over 10,000 items within 500 ms.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use asldbg::definition::{Definition, lower};
use asldbg::interpreter::Header;
use asldbg::json::{Value, parse};
use asldbg::query::Profile;
use asldbg::session::origin::Found;
use asldbg::session::{Command, Direction, Session, Setup, Sought, Switch};
use asldbg::source::{SourceFile, SourceId, SourceMap, parse_json};
use divan::Bencher;
use std::sync::Arc;

fn main() {
    divan::main();
}

fn definition(text: &str) -> Arc<Definition> {
    let file = SourceFile::new("bench.asl.json", text);
    let (node, _) = parse_json(&file, SourceId(0));
    let node = Arc::new(node.expect("the bench's own text is JSON"));
    Arc::new(lower(node, Arc::new(SourceMap::of(file)), "bench").0)
}

fn run(text: &str, input: Value) -> Session {
    let header = Header::new(input, Profile::Spec);
    let server = Arc::new(asldbg::worker::Worker::new());
    let mut session = Session::new(Setup::new(definition(text), header, server));
    drop(session.apply(Command::StopOnDifference(Switch::Off)));
    drop(session.apply(Command::Continue(Direction::Forward)));
    session.settle();
    session
}

/// A run of 25,000 events in a loop. The member `kept` is set before the loop.
fn counter() -> Session {
    run(
        r#"{"StartAt": "Begin", "States": {
            "Begin": {"Type": "Pass", "Parameters": {"n": 0, "kept.$": "$.name"}, "Next": "Count"},
            "Count": {"Type": "Pass", "Parameters": {"n.$": "States.MathAdd($.n, 1)"}, "ResultPath": "$.last", "Next": "Take"},
            "Take": {"Type": "Pass", "InputPath": "$.last.n", "ResultPath": "$.n", "Next": "More?"},
            "More?": {"Type": "Choice", "Choices": [{"Variable": "$.n", "NumericLessThan": 1560, "Next": "Count"}],
                "Default": "Done"},
            "Done": {"Type": "Succeed"}}}"#,
        parse(r#"{"name": "a"}"#).expect("json"),
    )
}

/// A run of a Map with 5,000 items.
fn map() -> Session {
    let items = (0..5_000).map(|n| Value::object(vec![("n".into(), Value::from(n))]));
    run(
        r#"{"QueryLanguage": "JSONata", "StartAt": "Each", "States": {
            "Each": {"Type": "Map", "ItemSelector": {"n": "{% $states.context.Map.Item.Value.n %}"},
                "ItemProcessor": {"StartAt": "One", "States": {"One": {"Type": "Pass",
                    "Output": {"m": "{% $states.input.n + 1 %}"}, "End": true}}}, "Next": "Done"},
            "Done": {"Type": "Succeed"}}}"#,
        Value::array(items.collect()),
    )
}

/// A run with an expression over 10,000 items.
fn items() -> Session {
    let items = (0..10_000).map(|n| Value::object(vec![("n".into(), Value::from(n))]));
    run(
        r#"{"QueryLanguage": "JSONata", "StartAt": "All", "States": {
            "All": {"Type": "Pass", "Output": {"sum": "{% $sum($states.input.n) %}"}, "Next": "Done"},
            "Done": {"Type": "Succeed"}}}"#,
        Value::array(items.collect()),
    )
}

fn ask(session: &Session, path: &str) -> Found {
    let found = session.origin(Sought::Path(path.into()), usize::MAX);
    found.expect("a path").expect("an answer")
}

fn bench(bencher: Bencher, session: Session, path: &str) {
    bencher.bench_local(|| ask(&session, path));
}

/// Measures the search for the origin of a value that is computed in the last iteration of the loop.
#[divan::bench(sample_count = 10)]
fn made_in_a_loop(bencher: Bencher) {
    bench(bencher, counter(), "$.last.n");
}

/// Measures the search for the origin of a value that is set before the loop and passed through all iterations.
#[divan::bench(sample_count = 10)]
fn passed_through_a_loop(bencher: Bencher) {
    bench(bencher, counter(), "$.kept");
}

/// Measures the search for a value that never existed; the search examines all iterations.
#[divan::bench(sample_count = 10)]
fn missing_behind_a_loop(bencher: Bencher) {
    bench(bencher, counter(), "$.name");
}

#[divan::bench(sample_count = 10)]
fn an_item_of_a_map(bencher: Bencher) {
    bench(bencher, map(), "$[4000].m");
}

#[divan::bench(sample_count = 10)]
fn missing_in_an_item(bencher: Bencher) {
    bench(bencher, map(), "$[4000].n");
}

#[divan::bench(sample_count = 10)]
fn a_sum_of_10_000_items(bencher: Bencher) {
    bench(bencher, items(), "$.sum");
}
