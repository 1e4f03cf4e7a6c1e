//! Measures whole commands, from the start of the program to its end.
//!
//! Targets (two shared cores):
//!
//! - `check`: 60 ms for 1,000 states with one finding each, 600 ms for 10,000 states
//! - `run` of a Map with 10,000 items, INLINE or DISTRIBUTED: 15 ms, with templates 25 ms
//! - `run` of a loop over 200 states in ten branches: at most twice the time of the same loop without branches
//! - `run` of a hello world: 3 ms
//! - `run` of a Map that reads 1,000,000 items from a file of 190 MB: 20 s
//! - `replay` of 25,000 recorded events: 1 s
//! - `test` with 1,000 test cases: 1 s
//! - `explore`: 20,000 runs per second on one core, of a machine with ten states
//!
//! Measured (medians of a release build, two idle cores of a Xeon):
//!
//! - `check`: 29 to 36 ms for 1,000 states, 377 to 604 ms for 10,000 states; without findings 6 ms and 45 ms
//! - a Map without templates, with templates on data, and with templates on the context object: 12.7, 17.5 and 18.2 ms
//!   INLINE; 13.1, 18.3 and 21.9 ms DISTRIBUTED
//! - the loop: 123 ms, in branches 128 ms
//! - a hello world: 2.1 ms
//! - 1,000,000 items: 3.5 s
//! - 25,000 events: 129 ms
//! - 1,000 test cases: 24 ms
//! - `explore`: 2,556 runs in 14.6 ms, which is 175,000 runs per second

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a measurement may fail"
)]

mod fixtures;

use divan::Bencher;
use divan::counter::ItemsCount;
use fixtures::asldbg;
use std::path::PathBuf;

fn main() {
    divan::main();
}

#[divan::bench]
fn run_hello_world(bencher: Bencher) {
    let file = fixtures::file("hello.asl.json", &fixtures::two_passes());
    bencher.bench_local(|| asldbg(&["run"], &[&file], 0));
}

#[divan::bench(args = [1_000, 10_000], consts = [0, 1, 2, 3], sample_count = 10)]
fn check<const KIND: usize>(bencher: Bencher, count: usize) {
    let (kind, status) = [("none", 0), ("field", 1), ("path", 1), ("literal", 0)][KIND];
    let text = fixtures::with_findings(kind, count);
    let file = fixtures::file(&format!("{kind}{count}.asl.json"), &text);
    bencher
        .counter(ItemsCount::new(count))
        .bench_local(|| asldbg(&["check"], &[&file], status));
}

#[divan::bench(args = ["none", "data", "context"], consts = [false, true], sample_count = 20)]
fn map_of_10_000<const DISTRIBUTED: bool>(bencher: Bencher, templates: &str) {
    let mode = if DISTRIBUTED { "DISTRIBUTED" } else { "INLINE" };
    let name = format!("{mode}-{templates}");
    fixtures::file(&format!("{name}.input.json"), &fixtures::map_input(10_000));
    let file = fixtures::file(&format!("{name}.asl.json"), &fixtures::map(mode, templates));
    bencher
        .counter(ItemsCount::new(10_000_usize))
        .bench_local(|| asldbg(&["run"], &[&file], 0));
}

/// Runs 200,000 transitions, either in branches or in one chain. The comparison of both times shows the cost of
/// branches.
#[divan::bench(args = [false, true], sample_count = 10)]
fn rounds_in_branches(bencher: Bencher, parallel: bool) {
    let file = fixtures::file(
        &format!("rounds-{parallel}.asl.json"),
        &fixtures::rounds(parallel),
    );
    bencher
        .counter(ItemsCount::new(200_000_usize))
        .bench_local(|| asldbg(&["run", "--input", r#"{"n":0}"#], &[&file], 0));
}

#[divan::bench(args = [100_000, 1_000_000], sample_count = 1)]
fn lines_of_a_file(bencher: Bencher, items: usize) {
    let file = fixtures::lines(items);
    bencher
        .counter(ItemsCount::new(items))
        .bench_local(|| asldbg(&["run"], &[&file], 0));
}

/// Writes a definition whose run fails after almost 25,000 events, and the history of this run; returns both paths.
fn recorded() -> (PathBuf, PathBuf) {
    let file = fixtures::file("long.asl.json", &fixtures::long_failure());
    let history = file.with_file_name("long.history.json");
    fixtures::recorded(&file, &history);
    (file, history)
}

#[divan::bench(args = [1, 10], sample_count = 3)]
fn replay_of_25_000_events(bencher: Bencher, times: usize) {
    let (file, history) = recorded();
    let mut files = vec![&*file];
    files.extend(std::iter::repeat_n(&*history, times));
    bencher.bench_local(|| asldbg(&["replay"], &files, 0));
}

#[divan::bench(sample_count = 10)]
fn test_of_1_000_cases(bencher: Bencher) {
    let folder = fixtures::thousand_cases();
    bencher.bench_local(|| asldbg(&["test"], &[&folder], 0));
}

/// Explores all possible runs of a machine with ten states.
#[divan::bench(sample_count = 10)]
fn explore_2_556_runs_on_a_core(bencher: Bencher) {
    let file = fixtures::file("ten.asl.json", &fixtures::ten_tasks());
    let arguments = [
        "explore",
        "--depth",
        "12",
        "--jobs",
        "1",
        "--fail-on",
        "never",
    ];
    bencher
        .counter(ItemsCount::new(2_556_usize))
        .bench_local(|| asldbg(&arguments, &[&file], 0));
}
