//! Tests of mock files. Each call of `check` or `select` reads a mock file, and compares the answers, the selected test
//! case or the error messages with the expected text.

use super::MockFile;
use crate::interpreter::{Answer, Outcome};
use crate::source::{SourceFile, SourceId};

/// Reads a mocked response. Compares its diagnostics with `wanted`; if there are none, compares its answers to calls 0,
/// 1, ...
fn check(response: &str, wanted: &str) {
    let text = format!(
        r#"{{"StateMachines": {{"m": {{"TestCases": {{"C": {{"T": "r"}}}}}}}}, "MockedResponses": {{"r": {response}}}}}"#
    );
    let (file, diagnostics) = MockFile::parse(&SourceFile::new("mock", &text), SourceId(0));
    let mut got: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| diagnostic.message.clone())
        .collect();
    let case = file.and_then(|file| file.select(&["m"], None).ok());
    if let Some(case) = case.filter(|_| diagnostics.is_empty()) {
        for number in 0.. {
            match case.answer("T", number) {
                Some(Ok(answer)) => got.push(shown(&answer)),
                Some(Err(run_out)) => {
                    assert_eq!(run_out.last, number.checked_sub(1));
                    break;
                }
                None => break,
            }
        }
    }
    assert_eq!(got.join("; "), wanted, "{response}");
}

fn shown(answer: &Answer) -> String {
    let outcome = match &answer.outcome {
        Outcome::Success(value) => value.to_string(),
        Outcome::Failure { error, cause } => format!("{error:?}/{cause:?}"),
        Outcome::Never => "never".to_string(),
        Outcome::Evaluated(_) => "evaluated".to_string(),
    };
    let beats = match answer.heartbeats.as_slice() {
        [] => String::new(),
        beats => format!(" {beats:?}"),
    };
    match answer.took {
        0 => outcome + &beats,
        took => format!("{outcome} after {took}{beats}"),
    }
}

#[test]
fn answers_are_read() {
    check(r#"{"0": {"Return": 1}}"#, "1");
    check(
        r#"{"0-1": {"Return": 1}, "2": {"Return": {"a": null}}}"#,
        r#"1; 1; {"a":null}"#,
    );
    check(r#"{"1": {"Return": 1}, "0": {"Return": 0}}"#, "0; 1");
    check(
        r#"{"0": {"Throw": {"Error": "E", "Cause": "c"}}}"#,
        r#"Some("E")/Some("c")"#,
    );
    check(
        r#"{"0": {"Throw": {"Error": "", "Cause": ""}}}"#,
        "None/None",
    );
    check(
        r#"{"0": {"Throw": {"Error": "E", "Cause": ""}}}"#,
        r#"Some("E")/Some("")"#,
    );
    check(r#"{"0": {"Return": 1, "Delay": 2.25}}"#, "1 after 2250");
    check(
        r#"{"0": {"Never": true, "Heartbeats": [3, 1.5]}}"#,
        "never [1500, 3000]",
    );
}

#[test]
fn wrong_answers_are_refused() {
    let gap = ": call numbers must begin at 0, without gaps or overlaps";
    check(
        "{}",
        r#"the response "r" must be an object with at least an entry "0""#,
    );
    check(
        "[]",
        r#"the response "r" must be an object with at least an entry "0""#,
    );
    check(
        r#"{"1": {"Return": 1}}"#,
        &format!("no entry has an answer for call 0{gap}"),
    );
    check(
        r#"{"0": {"Return": 1}, "2": {"Return": 1}}"#,
        &format!("no entry has an answer for call 1{gap}"),
    );
    check(
        r#"{"0-2": {"Return": 1}, "2": {"Return": 1}}"#,
        &format!("two entries have an answer for call 2{gap}"),
    );
    check(
        r#"{"0": {}}"#,
        "an answer must have exactly one of Return, Throw and Never",
    );
    check(
        r#"{"0": {"Return": 1, "Throw": {"Error": "E", "Cause": "c"}}}"#,
        "an answer must have exactly one of Return, Throw and Never",
    );
    check(
        r#"{"0": 5}"#,
        "an answer must be an object with Return or Throw, not a number",
    );
    check(
        r#"{"0": {"Throw": {"Error": "E"}}}"#,
        r#""Throw" needs a string "Cause""#,
    );
    check(
        r#"{"0": {"Throw": {"Error": 1, "Cause": "c"}}}"#,
        r#""Error" must be a string, not a number"#,
    );
    check(
        r#"{"0": {"Return": 1, "Delay": -1}}"#,
        "Delay must be a number of seconds, 0 or more",
    );
    check(
        r#"{"0": {"Return": 1, "Heartbeats": 4}}"#,
        r#""Heartbeats" must be an array of seconds, not a number"#,
    );
    check(r#"{"0": {"Never": false}}"#, r#""Never" must be true"#);
    check(r#"{"-1": {"Return": 1}}"#, r#""-1" is not a call number"#);
    check(r#"{"3-1": {"Return": 1}}"#, r#""3-1" is not a call number"#);
    check(
        r#"{"0": {"Retrun": 1}}"#,
        r#"unknown field "Retrun"; use "Return", "Throw", "Never", "Delay", "Heartbeats"; an answer must have exactly one of Return, Throw and Never"#,
    );
    check(
        r#"{"0": {"Return": 1}, "0": {"Return": 2}}"#,
        &format!("duplicate key \"0\"; two entries have an answer for call 0{gap}"),
    );
}

/// Reads a mock file that has these state machines, each with these test cases, and selects a test case with the names
/// in `asked`. Compares the selected test case, or the error, with `wanted`.
fn select(machines: &[&str], cases: &[&str], asked: (&str, Option<&str>), wanted: &str) {
    let cases: Vec<String> = cases
        .iter()
        .map(|case| format!(r#""{case}": {{}}"#))
        .collect();
    let cases = cases.join(", ");
    let machines: Vec<String> = machines
        .iter()
        .map(|name| format!(r#""{name}": {{"TestCases": {{{cases}}}}}"#))
        .collect();
    let text = format!(
        r#"{{"StateMachines": {{{}}}, "MockedResponses": {{}}}}"#,
        machines.join(", ")
    );
    let (file, diagnostics) = MockFile::parse(&SourceFile::new("mock", &text), SourceId(0));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let got = file.unwrap_or_default().select(&[asked.0], asked.1);
    let got = match got {
        Ok(case) => format!("{}#{}", case.machine, case.name),
        Err(text) => text,
    };
    assert_eq!(got, wanted);
}

#[test]
fn cases_are_chosen() {
    select(&["m"], &["A"], ("m", None), "m#A");
    select(&["other"], &["A"], ("m", None), "other#A");
    select(&["x", "m"], &["A", "B"], ("m", Some("B")), "m#B");
    select(
        &["x", "y"],
        &["A"],
        ("m", None),
        r#"the mock file has no state machine "m"; it has "x", "y""#,
    );
    select(
        &["m"],
        &["A", "B"],
        ("m", None),
        r#"the mock file has several test cases ("A", "B"); choose one with --test-case, or set "DefaultTestCase" next to "TestCases" to the name of one"#,
    );
    select(
        &["m"],
        &["Alpha"],
        ("m", Some("Alpa")),
        r#"the mock file has no test case "Alpa"; did you mean "Alpha"?; it has "Alpha""#,
    );
    select(
        &["m"],
        &[],
        ("m", None),
        "the mock file has no test case for this state machine",
    );
}

#[test]
fn unknown_responses_are_refused() {
    let text = r#"{"StateMachines": {"m": {"TestCases": {"C": {"T": "rr"}}}}, "MockedResponses": {"r": {"0": {"Return": 1}}}}"#;
    let (_, diagnostics) = MockFile::parse(&SourceFile::new("mock", text), SourceId(0));
    let got: Vec<_> = diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.message.as_str(), diagnostic.help.as_deref()))
        .collect();
    let wanted = (
        r#""MockedResponses" has no response "rr""#,
        Some(r#"did you mean "r"?"#),
    );
    assert_eq!(got, [wanted]);
}
