//! Tests that the picture in the README is up to date. `BLESS=1 cargo test --test picture` recreates it from the
//! program's output.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs
)]

use asldbg::launch::{LaunchConfig, Project};
use asldbg::tui::model::Model;
use asldbg::tui::{App, Setup, screen};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::path::Path;

/// Commands that lead to the second retry in the sample of the picture.
const SCRIPT: [&str; 3] = ["stop-on retried on", "continue", "continue"];

#[test]
fn the_picture_of_the_readme_is_what_is_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = LaunchConfig {
        fresh: true,
        ..LaunchConfig::of(root.join("samples/order.asl.json"))
    };
    let mut project = Project::open(config).expect("the sample");
    let begun = project.begin().expect("a run");
    let setup = Setup {
        origin: begun.origin,
        script: SCRIPT.map(str::to_owned).to_vec(),
        ..Setup::default()
    };
    let mut app = App::new(begun.session, setup, Model::default());
    let mut terminal = Terminal::new(TestBackend::new(160, 45)).expect("a screen");
    terminal.draw(|frame| app.draw(frame)).expect("drawn");
    while app.slice() {}
    terminal.draw(|frame| app.draw(frame)).expect("drawn");
    let shown = screen::svg(terminal.backend().buffer());
    assert!(shown.contains("Payment.Throttled"), "{shown}");
    let file = root.join("samples/order.svg");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &shown).expect("writable");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == shown,
        "samples/order.svg is behind the code: BLESS=1 cargo test --test picture makes it anew"
    );
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    assert!(readme.contains("](samples/order.svg)"));
}
