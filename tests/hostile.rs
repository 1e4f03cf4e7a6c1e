//! Expressions that would take the program down: each ends soon, and others go on. Alone in its process, because memory
//! is watched for the process as a whole.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::json::Value;
use asldbg::worker::Evaluator;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use support::expression::{cases, evaluation, judge, result};

#[test]
fn hostile_expressions_end() {
    let mut wrong = String::new();
    for case in cases("hostile.txt") {
        let evaluator = Evaluator::new();
        let began = Instant::now();
        wrong += &judge(&evaluator, "hostile.txt", &case);
        let (expression, _) = &case;
        let took = began.elapsed();
        if took > Duration::from_secs(4) {
            let _ = writeln!(wrong, "{expression}\n    took {took:?}");
        }
        // Others go on.
        let after = result(&evaluator, "1 + 1").unwrap();
        assert_eq!(after, Ok(Value::from(2)), "after {expression}");
    }
    let deep = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    for text in [
        "-".repeat(100_000),
        deep,
        "[".repeat(100_000),
        "a.".repeat(50_000),
    ] {
        drop(evaluation(&text));
    }
    let evaluator = Evaluator::new();
    let long = format!("1{}", " + 1".repeat(5000));
    drop(result(&evaluator, &long));
    assert_eq!(result(&evaluator, "1 + 1").unwrap(), Ok(Value::from(2)));
    support::stored::write();
    assert!(wrong.is_empty(), "\n{wrong}");
}
