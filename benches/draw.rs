//! How long the first frame takes from the text of a definition on, and each frame after it.

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

fn draw(app: &mut App, terminal: &mut Terminal<TestBackend>) {
    terminal.draw(|frame| app.draw(frame)).expect("drawn");
}

fn key(app: &mut App, name: &str) {
    app.input(Input::Key(name.parse::<Key>().expect("a key").event()));
    while app.slice() {}
}

/// From the text to the first frame.
#[divan::bench(args = SAMPLES)]
fn first(bencher: Bencher, name: &str) {
    bencher.bench_local(|| {
        let mut app = app(name);
        let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen");
        draw(&mut app, &mut terminal);
        app.session().event_count()
    });
}

/// A frame of a run that is over.
#[divan::bench(args = SIZES)]
fn frame(bencher: Bencher, size: (u16, u16)) {
    let mut app = app("order");
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).expect("a screen");
    draw(&mut app, &mut terminal);
    key(&mut app, "c");
    bencher.bench_local(|| draw(&mut app, &mut terminal));
}

/// The pipeline alone.
#[divan::bench]
fn pipeline(bencher: Bencher) {
    let mut app = app("demo");
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen");
    draw(&mut app, &mut terminal);
    key(&mut app, "c");
    key(&mut app, "z");
    bencher.bench_local(|| draw(&mut app, &mut terminal));
}

/// A step and its frame.
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
