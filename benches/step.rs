//! Measures the machine's steps, the cost of a clone, and the time to return to a recorded event.
//!
//! Targets (two shared cores):
//!
//! - a counter loop of Pass, Choice and States.MathAdd: 1,000,000 transitions per second, 300,000 with the timeline on
//! - the same loop in JSONata: 400,000 transitions per second without observers; 20,000 with the timeline on and much
//!   data besides the counter
//! - a Map of 10,000 items with one Pass: 500,000 items per second; with an expression per item 60 ms for all items
//! - a clone of the machine with 100,000 items: less than 50 µs
//! - any event of a run that enters 1,000,000 states: shown within 100 ms, using less than 500 MB

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use asldbg::definition::{Definition, lower};
use asldbg::interpreter::{Header, Machine, Run, Status, Step};
use asldbg::json::{Value, parse};
use asldbg::query::Profile;
use asldbg::session::unattended::{Happened, Unattended};
use asldbg::session::{Command, Repeats, Session, Setup, Switch};
use asldbg::source::{SourceFile, SourceId, SourceMap, parse_json};
use divan::Bencher;
use divan::counter::ItemsCount;
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

/// Counts from 0 to `count`, with two states per iteration.
fn counter(count: u64) -> Arc<Definition> {
    definition(&format!(
        r#"{{"StartAt": "Count", "States": {{
            "Count": {{"Type": "Pass", "Parameters": {{"n.$": "States.MathAdd($.n, 1)"}}, "Next": "More?"}},
            "More?": {{"Type": "Choice", "Choices": [{{"Variable": "$.n", "NumericLessThan": {count}, "Next": "Count"}}],
                "Default": "Done"}},
            "Done": {{"Type": "Succeed"}}}}}}"#
    ))
}

fn map() -> Arc<Definition> {
    definition(
        r#"{"StartAt": "Each", "States": {"Each": {"Type": "Map", "ItemProcessor": {
            "StartAt": "One", "States": {"One": {"Type": "Pass", "End": true}}}, "End": true}}}"#,
    )
}

fn header(input: Value) -> Header {
    Header::new(input, Profile::Spec)
}

fn numbers(count: i64) -> Value {
    Value::array((0..count).map(Value::from).collect())
}

fn to_the_end(mut machine: Machine) -> Machine {
    while machine.step(u64::MAX) != Step::Done {}
    assert!(matches!(machine.status(), Status::Succeeded(_)));
    machine
}

const TURNS: u64 = 100_000;

#[divan::bench(sample_count = 5)]
fn counter_loop(bencher: Bencher) {
    let run = Arc::new(Run::new(
        counter(TURNS),
        header(parse(r#"{"n":0}"#).expect("json")),
    ));
    bencher
        .counter(ItemsCount::new(2 * TURNS))
        .bench(|| to_the_end(Machine::start(Arc::clone(&run))));
}

#[divan::bench(sample_count = 5)]
fn counter_loop_with_timeline(bencher: Bencher) {
    let setup = Setup::new(
        counter(TURNS),
        header(parse(r#"{"n":0}"#).expect("json")),
        Arc::new(asldbg::worker::Worker::new()),
    );
    bencher
        .counter(ItemsCount::new(2 * TURNS))
        .bench(|| finished(setup.clone()));
}

fn finished(setup: Setup) -> Session {
    let mut session = Session::new(setup);
    // Otherwise, the run would stop after 25,000 events, the maximum of AWS's history.
    drop(session.apply(Command::StopOnDifference(Switch::Off)));
    drop(session.apply(Command::Continue(asldbg::session::Direction::Forward)));
    session.settle();
    session
}

/// The counter loop in JSONata. Its data has the counter `n` and a value `ballast`.
fn jsonata_counter(count: u64) -> Arc<Definition> {
    definition(&format!(
        r#"{{"QueryLanguage": "JSONata", "StartAt": "Count", "States": {{
            "Count": {{"Type": "Pass", "Output": {{"n": "{{% $states.input.n + 1 %}}", "ballast": "{{% $states.input.ballast %}}"}}, "Next": "More?"}},
            "More?": {{"Type": "Choice", "Choices": [{{"Condition": "{{% $states.input.n < {count} %}}", "Next": "Count"}}],
                "Default": "Done"}},
            "Done": {{"Type": "Succeed"}}}}}}"#
    ))
}

const JSONATA_TURNS: u64 = 10_000;

/// Runs the JSONata loop with `ballast` members besides the counter. Expressions read and copy them in each iteration.
#[divan::bench(sample_count = 3, args = [0, 1_000])]
fn jsonata_counter_loop(bencher: Bencher, ballast: i64) {
    let members = (0..ballast).map(|place| (format!("m{place}").into(), Value::from(place)));
    let input = Value::object(vec![
        ("n".into(), Value::from(0)),
        ("ballast".into(), Value::object(members.collect())),
    ]);
    let setup = Setup::new(
        jsonata_counter(JSONATA_TURNS),
        header(input),
        Arc::new(asldbg::worker::Worker::new()),
    );
    bencher
        .counter(ItemsCount::new(2 * JSONATA_TURNS))
        .bench(|| finished(setup.clone()));
}

/// Runs to the end like `asldbg run`, without a timeline.
fn unwatched(setup: &Setup) -> Unattended {
    let answerer = setup.answerer(Repeats::Never);
    let mut run = Unattended::start(Arc::new(setup.run()), answerer, setup.memory_limit);
    loop {
        match run.step() {
            Happened::Event(_) | Happened::Nothing => {}
            Happened::Done => return run,
            other => panic!("{other:?}"),
        }
    }
}

fn by_worker(definition: Arc<Definition>, input: &str) -> Setup {
    Setup::new(
        definition,
        header(parse(input).expect("json")),
        Arc::new(asldbg::worker::Worker::new()),
    )
}

#[divan::bench(sample_count = 5)]
fn jsonata_counter_loop_unwatched(bencher: Bencher) {
    let setup = by_worker(jsonata_counter(JSONATA_TURNS), r#"{"n":0,"ballast":0}"#);
    bencher
        .counter(ItemsCount::new(2 * JSONATA_TURNS))
        .bench(|| unwatched(&setup));
}

#[divan::bench(sample_count = 5)]
fn jsonata_map_of_10_000(bencher: Bencher) {
    let each = r#"{"QueryLanguage": "JSONata", "StartAt": "Each", "States": {"Each": {"Type": "Map", "Items": "{% [1..10000] %}",
        "ItemProcessor": {"StartAt": "One", "States": {"One": {"Type": "Pass", "Output": "{% $states.input * 2 %}", "End": true}}},
        "End": true}}}"#;
    let setup = by_worker(definition(each), "{}");
    bencher
        .counter(ItemsCount::new(10_000_u32))
        .bench(|| unwatched(&setup));
}

#[divan::bench(sample_count = 5)]
fn map_of_10_000(bencher: Bencher) {
    let run = Arc::new(Run::new(map(), header(numbers(10_000))));
    bencher
        .counter(ItemsCount::new(10_000_u32))
        .bench(|| to_the_end(Machine::start(Arc::clone(&run))));
}

#[divan::bench(sample_count = 5)]
fn copy_amid_100_000_items(bencher: Bencher) {
    let run = Arc::new(Run::new(map(), header(numbers(100_000))));
    let mut machine = Machine::start(run);
    for _ in 0..400_000 {
        machine.step(u64::MAX);
    }
    bencher.bench_local(|| machine.clone());
}

#[divan::bench(sample_count = 5)]
fn any_event_of_1_000_000_states(bencher: Bencher) {
    let mut session = finished(Setup::new(
        counter(500_000),
        header(parse(r#"{"n":0}"#).expect("json")),
        Arc::new(asldbg::worker::Worker::new()),
    ));
    let last = session.event_count();
    let mut at = 0_u64;
    bencher.bench_local(move || {
        // Jumps to a distant event, never to an adjacent one.
        at = (at + last * 5 / 13 + 12_345) % last;
        drop(session.apply(Command::Travel(at)));
        session.settle();
        session.view().header.event
    });
}
