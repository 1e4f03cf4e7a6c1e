//! Tests with expressions that could bring the program down: the evaluation of each must end within its budget, on a
//! single thread and with bounded memory. These tests have a process of their own, because memory is measured per
//! process.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::json::Value;
use asldbg::query::jsonata::{Budget, Failure};
use asldbg::worker::Evaluator;
use std::sync::{Mutex, PoisonError};
use support::expression::{cases, evaluation, judge, result};

/// Held by one test at a time. Memory is measured for the whole process, so the evaluations of another test would
/// count.
static ALONE: Mutex<()> = Mutex::new(());

/// Peak memory of the process in megabytes; `None` if the system does not report it.
fn most_held() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().split(' ').next()?.parse().ok()?;
    Some(kilobytes / 1024)
}

#[test]
fn hostile_expressions_end() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let evaluator = Evaluator::new();
    let before = most_held().unwrap_or(0);
    let mut wrong = String::new();
    let all = [
        ("hostile.txt", Budget::Run),
        ("growing.txt", Budget::Run),
        ("endless.txt", Budget::Glance),
    ];
    let all = all.iter().flat_map(|(file, budget)| {
        let cases = cases(file).into_iter();
        cases.map(move |case| (*file, *budget, case))
    });
    let mut count = 0;
    for (file, budget, case) in all {
        count += 1;
        wrong += &judge(&evaluator, budget, file, &case);
        let (expression, _) = &case;
        // Other expressions are still evaluated, on the same thread.
        let after = result(&evaluator, "1 + 1").unwrap();
        assert_eq!(after, Ok(Value::from(2)), "after {expression}");
        assert!(
            evaluator.started() <= 1,
            "{expression} left a thread behind"
        );
    }
    support::stored::write();
    assert!(count >= 100, "{count} cases");
    assert!(wrong.is_empty(), "\n{wrong}");
    if let Some(most) = most_held() {
        assert!(most < before + 256, "{before} MB at first, then {most} MB");
    }
}

#[test]
fn expressions_without_end_are_refused_or_end() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let deep = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    let many = |first: &str, again: &str, last: &str| {
        format!("{first}{}{last}", again.repeat(200_000 / again.len()))
    };
    let evaluator = Evaluator::new();
    for text in [
        "-".repeat(100_000),
        deep,
        "[".repeat(100_000),
        "a.".repeat(50_000),
        many("1", " + 1", ""),
        many("1", "~>$string", ""),
        many("", "1?", "1"),
        many("(", "1;", "1)"),
        many("a", "{'a':$}", ""),
        many("$states", ".{'a':$,'b':$}", ""),
        many("$match('a',/", "(a", "/)"),
    ] {
        drop(result(&evaluator, &text));
    }
    assert_eq!(result(&evaluator, "1 + 1").unwrap(), Ok(Value::from(2)));
    assert_eq!(evaluator.started(), 1);
}

#[test]
fn a_glance_takes_less_than_a_run() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let evaluator = Evaluator::new();
    let text =
        "$sum($map([1..40000], function($x) { ($x * 2 + 1) % 7 + ($x & '' = 'x' ? 1 : 2) }))";
    let mut request = evaluation(text).unwrap();
    request.budget = Budget::Glance;
    let glance = evaluator.evaluate(&request);
    assert!(
        matches!(
            glance.as_slice(),
            [Err(Failure::Bound(_) | Failure::Overdue(_))]
        ),
        "{glance:?}"
    );
    let mut small = evaluation("$sum($states.input.list)").unwrap();
    small.budget = Budget::Glance;
    assert_eq!(evaluator.evaluate(&small), [Ok(Value::from(6))]);
}
