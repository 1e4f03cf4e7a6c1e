//! Runs the fuzz targets: each for a moment in every test run, or for hours on request.
//!
//! `FUZZ_COUNT=1000000 FUZZ_SEED=7 FUZZ_TARGET=dsl cargo test --release --test fuzz -- --ignored --nocapture hours`
//! tries this number of texts on one target, using all cores; without `FUZZ_TARGET`, on each target. A text that
//! panics, hangs or breaks a check is written to `target/fuzz/`, and the test fails. A single text (`FUZZ_FROM=331833
//! FUZZ_COUNT=1`) is printed before it is tried.

use super::mutate::Stock;
use super::support::Random;
use super::target::{TARGETS, Target};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A text that takes longer than this counts as hanging; generous enough for a busy machine.
const HANGS: Duration = Duration::from_secs(10);
/// Number of texts tried per target in every test run.
const MOMENT: u32 = 30;

/// Statistics about the texts tried.
#[derive(Default)]
struct Tried {
    count: AtomicU64,
    /// Number of texts that were valid in the target's language.
    understood: AtomicU64,
    bad: AtomicU64,
    slowest: AtomicU64,
}

fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The text with this number. The same seed and number always give the same text.
fn text(stock: &Stock, seed: u64, at: u64) -> String {
    stock.text(&mut Random::new(seed.wrapping_mul(1 << 32) + at))
}

fn attempt(target: &Target, stock: &Stock, seed: u64, at: u64, tried: &Tried) {
    let text = text(stock, seed, at);
    if number("FUZZ_COUNT", 0) == 1 {
        println!("{text}");
    }
    let read = || {
        let began = Instant::now();
        let came = catch_unwind(AssertUnwindSafe(|| (target.read)(&text)));
        (came, began.elapsed())
    };
    let (came, took) = match read() {
        // A slow text is read a second time, because on a busy machine, the parser may have waited for the processor.
        (Ok(_), took) if took >= HANGS => read(),
        read => read,
    };
    tried.count.fetch_add(1, Ordering::Relaxed);
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    tried.slowest.fetch_max(micros, Ordering::Relaxed);
    match came {
        Ok(understood) => {
            tried
                .understood
                .fetch_add(u64::from(understood), Ordering::Relaxed);
            if took < HANGS {
                return;
            }
        }
        Err(_) => (target.reset)(),
    }
    tried.bad.fetch_add(1, Ordering::Relaxed);
    let folder = super::support::root().join("target/fuzz");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{}-{seed}-{at}", target.name));
    std::fs::write(&file, &text).unwrap();
    println!("{} took {took:?}: {}", target.name, file.display());
}

/// Tries a range of texts on a target, using several threads; returns the number of texts that failed.
fn drive(target: &Target, seed: u64, count: u64, threads: u64) -> u64 {
    let stock = (target.stock)();
    let tried = Tried::default();
    let next = AtomicU64::new(number("FUZZ_FROM", 0));
    let end = next.load(Ordering::Relaxed) + count;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= end {
                        break;
                    }
                    attempt(target, &stock, seed, at, &tried);
                    if at > 0 && at.is_multiple_of(100_000) {
                        println!("{}: {at}", target.name);
                    }
                }
            });
        }
    });
    let (count, bad) = (tried.count.into_inner(), tried.bad.into_inner());
    println!(
        "{:<12} {count:>9} texts, {:>3} % understood, slowest {} ms, {bad} bad",
        target.name,
        100 * tried.understood.into_inner() / count.max(1),
        tried.slowest.into_inner() / 1000,
    );
    bad
}

#[test]
fn each_target_for_a_moment() {
    let bad: u64 = TARGETS
        .iter()
        .map(|target| drive(target, 1, super::support::cases(MOMENT).into(), 1))
        .sum();
    assert_eq!(bad, 0);
}

/// Tests that texts which once broke something no longer do: `tests/fuzz/found/TARGET-PROBLEM`.
#[test]
fn what_was_found_stays_mended() {
    let files = super::support::files("tests/fuzz/found", "");
    assert!(!files.is_empty());
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let target = TARGETS
            .iter()
            .find(|target| name.starts_with(&format!("{}-", target.name)));
        let text = std::fs::read_to_string(&file).unwrap();
        let target = target.unwrap_or_else(|| panic!("{name} is of no target"));
        (target.read)(&text);
    }
}

#[test]
#[ignore = "for hours: FUZZ_COUNT=1000000 cargo test --release --test fuzz -- --ignored --nocapture hours"]
fn each_target_for_hours() {
    let wanted = std::env::var("FUZZ_TARGET").ok();
    let all = TARGETS
        .iter()
        .filter(|target| wanted.as_ref().is_none_or(|wanted| wanted == target.name));
    let (seed, count) = (number("FUZZ_SEED", 2), number("FUZZ_COUNT", 10_000));
    let cores = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let threads = number("FUZZ_THREADS", cores);
    let bad: u64 = all.map(|target| drive(target, seed, count, threads)).sum();
    assert_eq!(bad, 0, "see target/fuzz");
}

#[test]
#[ignore = "one text again: FUZZ_TARGET=dsl FUZZ_FILE=target/fuzz/dsl-1-35 cargo test --test fuzz -- --ignored one_text"]
fn one_text() {
    let wanted = std::env::var("FUZZ_TARGET").unwrap();
    let file = std::env::var("FUZZ_FILE").unwrap();
    let target = TARGETS.iter().find(|target| target.name == wanted).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    println!("understood: {}", (target.read)(&text));
}
