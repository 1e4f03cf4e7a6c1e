//! Measures drawing: the time from a definition's text to the first screen, and the time to draw each later screen.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a measurement may fail"
)]

use asldbg::definition::lower;
use asldbg::interpreter::Header;
use asldbg::json::parse;
use asldbg::query::Profile;
use asldbg::session::answers::MockFile;
use asldbg::session::{self, Session};
use asldbg::source::{SourceFile, SourceId, SourceMap, parse_json};
use asldbg::tui::input::Input;
use asldbg::tui::keymap::Key;
use asldbg::tui::model::Model;
use asldbg::tui::{App, Setup};
use divan::Bencher;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::sync::Arc;

fn main() {
    divan::main();
}

const SIZES: [(u16, u16); 4] = [(200, 60), (160, 45), (120, 36), (80, 24)];
const SAMPLES: [&str; 2] = ["order", "demo"];

fn app(name: &str) -> App {
    let read = |ending: &str| {
        let file = format!(
            "{}/samples/{name}.{ending}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        std::fs::read_to_string(file).expect("a sample")
    };
    let file = SourceFile::new(format!("{name}.asl.json"), &read("asl"));
    let (node, _) = parse_json(&file, SourceId(0));
    let node = Arc::new(node.expect("JSON"));
    let (definition, _) = lower(node, Arc::new(SourceMap::of(file)), name);
    let header = Header::new(parse(&read("input")).expect("JSON"), Profile::Spec);
    let mocks = SourceFile::new(format!("{name}.mock.json"), &read("mock"));
    let (mocks, _) = MockFile::parse(&mocks, SourceId(0));
    let mut setup = session::Setup::new(
        Arc::new(definition),
        header,
        Arc::new(asldbg::worker::Worker::new()),
    );
    setup.mock = mocks.and_then(|mocks| mocks.select(&[name], None).ok());
    App::new(Session::new(setup), Setup::default(), Model::default())
}

/// The text of a large machine. `chain` is 10,000 states in a row. `catchers` is a chain with a catcher on every tenth
/// state; all catchers lead to one handler. `choices` is 200 Choices of 50 rules.
fn big(kind: &str) -> String {
    let mut states = Vec::new();
    let count = if kind == "choices" { 200 } else { 10_000 };
    for n in 0..count {
        let next = match n + 1 == count {
            true => "\"End\": true".to_owned(),
            false => format!("\"Next\": \"State {}\"", n + 1),
        };
        let catch = match kind == "catchers" && n % 10 == 0 {
            true => ",\"Catch\":[{\"ErrorEquals\":[\"States.ALL\"],\"Next\":\"Handler\"}]",
            false => "",
        };
        if kind == "choices" {
            let rules: Vec<String> = (0..50)
                .map(|rule| {
                    let to = (n + 1 + rule % 7).min(count - 1);
                    format!(
                        "{{\"Variable\":\"$.x\",\"NumericEquals\":{rule},\"Next\":\"State {to}\"}}"
                    )
                })
                .collect();
            let rules = rules.join(",");
            states.push(match n + 1 == count {
                true => format!("\"State {n}\":{{\"Type\":\"Pass\",\"End\":true}}"),
                false => format!("\"State {n}\":{{\"Type\":\"Choice\",\"Choices\":[{rules}],\"Default\":\"State {}\"}}", n + 1),
            });
            continue;
        }
        states.push(format!(
            "\"State {n}\":{{\"Type\":\"Task\",\"Resource\":\"arn:aws:lambda:eu-west-1:1:function:f\",{next}{catch}}}"
        ));
    }
    if kind == "catchers" {
        states.push("\"Handler\":{\"Type\":\"Fail\"}".to_owned());
    }
    format!(
        "{{\"StartAt\":\"State 0\",\"States\":{{{}}}}}",
        states.join(",")
    )
}

/// Handles a key in the graph of a large machine and draws the screen. The graph has already been laid out.
#[divan::bench(args = ["chain", "catchers", "choices"], max_time = 3)]
fn key_in_a_big_graph(bencher: Bencher, kind: &str) {
    let file = SourceFile::new("big.asl.json", &big(kind));
    let (node, _) = parse_json(&file, SourceId(0));
    let node = Arc::new(node.expect("JSON"));
    let (definition, _) = lower(node, Arc::new(SourceMap::of(file)), kind);
    let header = Header::new(parse("{}").expect("JSON"), Profile::Spec);
    let setup = session::Setup::new(
        Arc::new(definition),
        header,
        Arc::new(asldbg::worker::Worker::new()),
    );
    let mut app = App::new(Session::new(setup), Setup::default(), Model::default());
    let mut terminal = Terminal::new(TestBackend::new(160, 45)).expect("a screen");
    draw(&mut app, &mut terminal);
    for effect in app.effects() {
        if let asldbg::tui::Effect::LayOut(request) = effect {
            app.input(Input::Drawing(request.make()));
        }
    }
    key(&mut app, "1");
    draw(&mut app, &mut terminal);
    let mut keys = ["Down", "Down", "Up", "PgDn"].iter().cycle();
    bencher.bench_local(|| {
        key(&mut app, keys.next().expect("endless"));
        draw(&mut app, &mut terminal);
    });
}

fn draw(app: &mut App, terminal: &mut Terminal<TestBackend>) {
    terminal.draw(|frame| app.draw(frame)).expect("drawn");
}

fn key(app: &mut App, name: &str) {
    app.input(Input::Key(name.parse::<Key>().expect("a key").event()));
    while app.slice() {}
}

/// Measures the time from the definition's text until the screen is drawn for the first time.
#[divan::bench(args = SAMPLES)]
fn first(bencher: Bencher, name: &str) {
    bencher.bench_local(|| {
        let mut app = app(name);
        let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen");
        draw(&mut app, &mut terminal);
        app.session().event_count()
    });
}

/// Measures the time to draw the screen of a run that has ended.
#[divan::bench(args = SIZES)]
fn frame(bencher: Bencher, size: (u16, u16)) {
    let mut app = app("order");
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).expect("a screen");
    draw(&mut app, &mut terminal);
    key(&mut app, "c");
    bencher.bench_local(|| draw(&mut app, &mut terminal));
}

/// Measures the time to draw a screen that shows only the pane with the stages of a state.
#[divan::bench]
fn pipeline(bencher: Bencher) {
    let mut app = app("demo");
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen");
    draw(&mut app, &mut terminal);
    key(&mut app, "c");
    key(&mut app, "z");
    bencher.bench_local(|| draw(&mut app, &mut terminal));
}

/// Measures the time to take a step and to draw the screen after it.
#[divan::bench]
fn step(bencher: Bencher) {
    let mut app = app("demo");
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen");
    draw(&mut app, &mut terminal);
    bencher.bench_local(|| {
        key(&mut app, "s");
        draw(&mut app, &mut terminal);
    });
}
