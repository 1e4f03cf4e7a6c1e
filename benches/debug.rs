//! Measures how long the user waits in the debugger with large data: to open it, to search it, to move in it, and to
//! trace where a value comes from.
//!
//! Targets (two shared cores):
//!
//! - 10,000 states: the first complete screen in 150 ms, the screen after a key in 16 ms
//! - an unfolded input of 1.2 MB: the screen after a key in 16 ms; a search runs in pieces of at most 16 ms each
//! - a run of almost 25,000 events: the whole run in 100 ms, showing any event of it in 10 ms, a search in its events
//!   in 200 ms, the origin of its error in 200 ms
//! - a recording of this run: opened at its failure in 200 ms
//!
//! Measured (processor time of the release build in a terminal, two busy cores of an EPYC at 2.6 GHz):
//!
//! - 10,000 states: 125 ms until the first screen, 2 ms per key
//! - the unfolded input: 8 ms per key; 15 ms to find a match and to count all 10,000 matches
//! - the run: 20 ms; to show an event of it 1 to 3 ms
//! - the recording: opened at the failure in 185 ms, the origin of its error in 81 ms

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a measurement may fail"
)]

mod fixtures;

use asldbg::launch::{HistoryGiven, LaunchConfig, Project, Questions};
use asldbg::tui::input::Input;
use asldbg::tui::keymap::Key;
use asldbg::tui::model::Model;
use asldbg::tui::{App, Effect, Setup};
use divan::Bencher;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::path::PathBuf;

fn main() {
    divan::main();
}

type Screen = Terminal<TestBackend>;

fn screen() -> Screen {
    Terminal::new(TestBackend::new(160, 45)).expect("a screen")
}

fn draw(app: &mut App, screen: &mut Screen) {
    screen.draw(|frame| app.draw(frame)).expect("drawn");
}

/// Presses keys. After each key, waits until the app has finished all work for this key, and draws the screen.
fn keys(app: &mut App, screen: &mut Screen, keys: &str) {
    for name in keys.split(' ') {
        app.input(Input::Key(name.parse::<Key>().expect("a key").event()));
        while app.slice() {}
        draw(app, screen);
    }
}

fn config(file: PathBuf) -> LaunchConfig {
    LaunchConfig {
        fresh: true,
        ..LaunchConfig::of(file)
    }
}

fn open(config: LaunchConfig) -> App {
    let mut project = Project::open(config).expect("it opens");
    let begun = project.begin().expect("it begins");
    let setup = Setup {
        origin: begun.origin,
        workspace: Box::new(project),
        ..Setup::default()
    };
    App::new(begun.session, setup, Model::default())
}

/// Draws the screen, computes the graph layout that the app then requests, and draws the screen again with the graph.
fn whole_frame(app: &mut App, screen: &mut Screen) {
    draw(app, screen);
    for effect in app.effects() {
        if let Effect::LayOut(request) = effect {
            app.input(Input::Drawing(request.make()));
        }
    }
    draw(app, screen);
}

#[divan::bench(sample_count = 10)]
fn first_whole_frame_of_10_000_states(bencher: Bencher) {
    let file = fixtures::file("tasks.asl.json", &fixtures::tasks(10_000));
    bencher.bench_local(|| {
        let mut app = open(config(file.clone()));
        whole_frame(&mut app, &mut screen());
        app
    });
}

#[divan::bench]
fn step_among_10_000_states(bencher: Bencher) {
    let text = fixtures::chain(10_000, |_| serde_json::json!({"Type": "Pass"}));
    let mut app = open(config(fixtures::file("passes.asl.json", &text)));
    let mut screen = screen();
    whole_frame(&mut app, &mut screen);
    bencher.bench_local(|| keys(&mut app, &mut screen, "s"));
}

/// Opens a large input, and shows only the input pane, with all data unfolded.
fn unfolded() -> (App, Screen) {
    fixtures::file("wide.input.json", &fixtures::wide_input());
    let file = fixtures::file("wide.asl.json", &fixtures::two_passes());
    let mut app = open(config(file));
    let mut screen = screen();
    keys(&mut app, &mut screen, "s 3 O");
    (app, screen)
}

#[divan::bench]
fn key_in_an_unfolded_input(bencher: Bencher) {
    let (mut app, mut screen) = unfolded();
    let mut names = ["Down", "PgDn", "Down", "Up", "End", "PgUp", "Home"]
        .iter()
        .cycle();
    bencher.bench_local(|| keys(&mut app, &mut screen, names.next().expect("endless")));
}

/// Searches for a text that the input contains 10,000 times: jumps to the next match and counts all matches.
#[divan::bench]
fn find_in_an_input(bencher: Bencher) {
    let (mut app, mut screen) = unfolded();
    app.line("find Street");
    bencher.bench_local(|| keys(&mut app, &mut screen, "."));
}

/// The launch configuration of a run that fails after almost 25,000 events.
fn failed() -> LaunchConfig {
    fixtures::file("long.input.json", "{\"n\":0}");
    config(fixtures::file("long.asl.json", &fixtures::long_failure()))
}

fn ended() -> (App, Screen) {
    let (mut app, mut screen) = (open(failed()), screen());
    app.line("stop-on difference off");
    keys(&mut app, &mut screen, "c c");
    assert!(app.session().event_count() > 24_000);
    (app, screen)
}

#[divan::bench(sample_count = 10)]
fn run_of_25_000_events(bencher: Bencher) {
    bencher.bench_local(ended);
}

#[divan::bench]
fn any_event_of_25_000(bencher: Bencher) {
    let (mut app, mut screen) = ended();
    let last = app.session().event_count();
    let mut at = 0_u64;
    bencher.bench_local(|| {
        at = (at + last * 5 / 13 + 1_234) % last;
        app.line(&format!("event {at}"));
        keys(&mut app, &mut screen, "6");
    });
}

/// Searches all events for a text that none of them contains.
#[divan::bench(sample_count = 10)]
fn find_among_25_000_events(bencher: Bencher) {
    let (mut app, mut screen) = ended();
    app.line("event 1");
    keys(&mut app, &mut screen, "4");
    bencher.bench_local(|| {
        app.line("find nowhere-to-be-found");
        keys(&mut app, &mut screen, ".");
    });
}

#[divan::bench(sample_count = 10)]
fn origin_of_the_error_of_25_000_events(bencher: Bencher) {
    let (mut app, mut screen) = ended();
    bencher.bench_local(|| {
        app.line("who $.n");
        keys(&mut app, &mut screen, "Esc");
    });
}

#[divan::bench(sample_count = 10)]
fn recorded_25_000_events_at_their_failure(bencher: Bencher) {
    let file = failed().program.file;
    let history = file.with_file_name("recorded.history.json");
    fixtures::recorded(&file, &history);
    bencher.bench_local(|| {
        let config = LaunchConfig {
            history: Some(HistoryGiven::of(&history)),
            questions: Questions::default(),
            ..failed()
        };
        let mut app = open(config);
        let mut screen = screen();
        draw(&mut app, &mut screen);
        keys(&mut app, &mut screen, "c");
        app
    });
}
