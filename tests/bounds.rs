//! Tests with files that could make the program slow. Each file must be processed within a time limit. An algorithm
//! with quadratic time would far exceed this limit, and so would one that does not check the clock.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

/// A machine with this first state and a final state.
fn machine(first: &Value) -> Value {
    json!({"StartAt": "A", "States": {"A": first, "B": {"Type": "Succeed"}}})
}

fn names() -> Value {
    let names: Vec<String> = (0..40_000).map(|number| format!("E{number}")).collect();
    machine(&json!({
        "Type": "Task", "Resource": "arn:aws:lambda:us-east-1:123456789012:function:f",
        "Retry": [{"ErrorEquals": names}], "Next": "B"
    }))
}

fn rules() -> Value {
    let rule = |number: usize| {
        let present =
            (0..20).map(|place| json!({"Variable": format!("$.x{place}"), "IsPresent": true}));
        let last = json!({"Variable": "$.y", "NumericEquals": number});
        json!({"And": present.chain([last]).collect::<Vec<_>>(), "Next": "B"})
    };
    let rules: Vec<Value> = (0..1_000).map(rule).collect();
    machine(&json!({"Type": "Choice", "Choices": rules, "Default": "B"}))
}

fn arguments() -> Value {
    let call = format!("States.Array({})", vec!["$.s"; 40_000].join(","));
    machine(&json!({"Type": "Pass", "Parameters": {"x.$": call}, "Next": "B"}))
}

fn one_task() -> Value {
    let resource = "arn:aws:lambda:us-east-1:123456789012:function:f";
    machine(&json!({"Type": "Task", "Resource": resource, "HeartbeatSeconds": 3, "Next": "B"}))
}

/// A mock file whose answer has many heartbeats.
fn heartbeats() -> Value {
    let beats: Vec<f64> = (0..50_000)
        .map(|number| f64::from(number) / 25_000.0)
        .collect();
    json!({
        "StateMachines": {"x": {"TestCases": {"c": {"A": "r"}}}},
        "MockedResponses": {"r": {"0": {"Return": 1, "Delay": 2, "Heartbeats": beats}}}
    })
}

fn slow_loop() -> Value {
    json!({"QueryLanguage": "JSONata", "StartAt": "A", "States": {
        "A": {"Type": "Pass", "Output": "{% $sum($map([1..100000], function($x) { $x * 2 })) %}", "Next": "C"},
        "C": {"Type": "Choice", "Choices": [{"Condition": "{% false %}", "Next": "B"}], "Default": "A"},
        "B": {"Type": "Succeed"}
    }})
}

/// Runs a command with these files, asserts that it takes less than `seconds`, and returns its output.
fn check(name: &str, words: &[&str], files: &[(&str, Value)], seconds: u64) -> String {
    let folder = std::env::temp_dir().join(format!("asldbg-bounds-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (file, value) in files {
        std::fs::write(folder.join(file), value.to_string()).unwrap();
    }
    let begun = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_asldbg"))
        .args(words)
        .arg("x.asl.json")
        .current_dir(&folder)
        .output()
        .unwrap();
    let took = begun.elapsed();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(took < Duration::from_secs(seconds), "{name} took {took:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_grows_is_read_in_linear_time() {
    for (name, machine) in [
        ("names", names()),
        ("rules", rules()),
        ("arguments", arguments()),
    ] {
        let words = ["check", "--format", "short"];
        check(name, &words, &[("x.asl.json", machine)], 20);
    }
    let files = [("x.asl.json", one_task()), ("x.mock.json", heartbeats())];
    let count = check("heartbeats", &["run"], &files, 20);
    assert_eq!(count, "1\n");
}

#[test]
fn the_time_of_explore_is_kept_and_named() {
    let words = ["explore", "--time", "1"];
    let report = check("explore", &words, &[("x.asl.json", slow_loop())], 20);
    assert!(
        report.contains("not every way that a run can take was tried: --time 1 was reached"),
        "{report}"
    );
}
