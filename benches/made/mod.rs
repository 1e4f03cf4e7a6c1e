//! Definitions, inputs and files for benches; always the same.
#![allow(dead_code, reason = "each bench uses some")]

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file in the benches' folder; written only if it does not have this text already.
pub fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join("asldbg-bench").join(name);
    if std::fs::read_to_string(&path).is_ok_and(|own| own == text) {
        return path;
    }
    let folder = path.parent().expect("a file stands in a folder");
    std::fs::create_dir_all(folder).expect("a folder for the bench");
    std::fs::write(&path, text).expect("a file for the bench");
    path
}

fn machine(start: &str, states: Value) -> String {
    json!({"StartAt": start, "States": states}).to_string()
}

/// A chain of `count` states, each created from its number.
pub fn chain(count: usize, state: impl Fn(usize) -> Value) -> String {
    let mut states = serde_json::Map::new();
    for number in 0..count {
        let mut state = state(number);
        match number + 1 == count {
            true => state["End"] = true.into(),
            false => state["Next"] = format!("State {}", number + 1).into(),
        }
        states.insert(format!("State {number}"), state);
    }
    machine("State 0", states.into())
}

pub fn tasks(count: usize) -> String {
    chain(
        count,
        |_| json!({"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:f"}),
    )
}

/// States with one finding each: an unknown field, an invalid path, or a path without `.$`.
pub fn with_findings(kind: &str, count: usize) -> String {
    chain(count, |number| match kind {
        "field" => json!({"Type": "Pass", "Unknown": 1}),
        "path" => json!({"Type": "Pass", "ResultPath": "$.x", "OutputPath": "$[a"}),
        "literal" => json!({"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke",
            "Parameters": {"FunctionName": "f", "Payload": {format!("x{number}"): format!("$.a{number}")}}}),
        _ => json!({"Type": "Pass"}),
    })
}

/// A Map with one Pass. `templates` is `none`, `data` (two fields of the data in both ItemSelector and Parameters) or
/// `context` (two fields of the context object in both).
pub fn map(mode: &str, templates: &str) -> String {
    let mut one = json!({"Type": "Pass", "End": true});
    let mut map = json!({"Type": "Map", "ItemsPath": "$.items", "End": true});
    match templates {
        "data" => {
            map["ItemSelector"] = json!({"a.$": "$.x", "b.$": "$.y"});
            one["Parameters"] = json!({"c.$": "$.a", "d.$": "$.b"});
        }
        "context" => {
            map["ItemSelector"] = json!({"i.$": "$$.Map.Item.Index", "v.$": "$$.Map.Item.Value"});
            one["Parameters"] = json!({"i.$": "$.i", "e.$": "$$.Execution.Name"});
        }
        _ => {}
    }
    let config = match mode {
        "DISTRIBUTED" => json!({"Mode": mode, "ExecutionType": "STANDARD"}),
        _ => json!({"Mode": mode}),
    };
    map["ItemProcessor"] =
        json!({"ProcessorConfig": config, "StartAt": "One", "States": {"One": one}});
    machine("Each", json!({"Each": map}))
}

pub fn map_input(items: usize) -> String {
    json!({"x": 1, "y": 2, "items": (0..items).collect::<Vec<_>>()}).to_string()
}

/// A loop of a thousand iterations over 200 Pass states in a chain, or in ten branches of twenty.
pub fn rounds(parallel: bool) -> String {
    let passes = |count: usize, prefix: &str, next: Option<&str>| {
        let states = (0..count).map(|number| {
            let state = match (number + 1 == count, next) {
                (false, _) => json!({"Type": "Pass", "Next": format!("{prefix}{}", number + 1)}),
                (true, Some(next)) => json!({"Type": "Pass", "Next": next}),
                (true, None) => json!({"Type": "Pass", "End": true}),
            };
            (format!("{prefix}{number}"), state)
        });
        states.collect::<serde_json::Map<_, _>>()
    };
    let mut states = match parallel {
        true => {
            let branches = (0..10).map(|branch| {
                let prefix = format!("B{branch}S");
                json!({"StartAt": format!("{prefix}0"), "States": passes(20, &prefix, None)})
            });
            let all = json!({"Type": "Parallel", "Branches": branches.collect::<Vec<_>>(),
                "ResultPath": null, "Next": "Count"});
            serde_json::Map::from_iter([("S0".to_owned(), all)])
        }
        false => passes(200, "S", Some("Count")),
    };
    states.extend(counted("S0", 1_000));
    machine("S0", states.into())
}

/// Counts up to `most`; each iteration starts at `again`.
fn counted(again: &str, most: u64) -> [(String, Value); 3] {
    let count =
        json!({"Type": "Pass", "Parameters": {"n.$": "States.MathAdd($.n, 1)"}, "Next": "More?"});
    let more = json!({"Type": "Choice", "Default": "Done",
        "Choices": [{"Variable": "$.n", "NumericLessThan": most, "Next": again}]});
    [
        ("Count".to_owned(), count),
        ("More?".to_owned(), more),
        ("Done".to_owned(), json!({"Type": "Succeed"})),
    ]
}

/// A loop that fails at the end, with almost as many events as AWS's history can have.
pub fn long_failure() -> String {
    let mut states: serde_json::Map<String, Value> = counted("Count", 6_200).into_iter().collect();
    states.insert(
        "Done".to_owned(),
        json!({"Type": "Fail", "Error": "Boom", "Cause": "at the end"}),
    );
    machine("Count", states.into())
}

/// A DISTRIBUTED Map over a JSONL file in S3 with `items` lines of about 190 bytes; returns the path of the definition.
pub fn lines(items: usize) -> PathBuf {
    let name = format!("lines{items}");
    let mut text = String::with_capacity(items * 200);
    for n in 0..items {
        writeln!(
            text,
            r#"{{"id":"item-{n:07}","n":{n},"customer":{{"name":"Customer {}","city":"Town {}","zip":"{:05}"}},"tags":["red","green","t{}"],"note":"lorem ipsum dolor sit amet consectetur adipiscing el"}}"#,
            n % 5_000,
            n % 300,
            n % 99_999,
            n % 7
        )
        .expect("a string takes everything");
    }
    file(&format!("{name}.s3/bucket/items.jsonl"), &text);
    let map = json!({"Type": "Map", "ResultPath": null, "End": true,
        "ItemReader": {"Resource": "arn:aws:states:::s3:getObject", "ReaderConfig": {"InputType": "JSONL"},
            "Parameters": {"Bucket": "bucket", "Key": "items.jsonl"}},
        "ItemProcessor": {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
            "StartAt": "One", "States": {"One": {"Type": "Pass", "Parameters": {"n.$": "$.n"}, "End": true}}}});
    file(
        &format!("{name}.asl.json"),
        &machine("Each", json!({"Each": map})),
    )
}

/// Ten states, each a task with a retrier and a catcher.
pub fn ten_tasks() -> String {
    let mut states = serde_json::Map::new();
    for number in 0..9 {
        let next = match number {
            8 => "Done".to_owned(),
            _ => format!("T{}", number + 1),
        };
        let task = json!({"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke",
            "Parameters": {"FunctionName": "f", "Payload.$": "$"}, "ResultPath": format!("$.r{number}"),
            "Retry": [{"ErrorEquals": ["States.TaskFailed"], "MaxAttempts": 2}],
            "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": format!("$.e{number}"), "Next": next}], "Next": next});
        states.insert(format!("T{number}"), task);
    }
    states.insert("Done".to_owned(), json!({"Type": "Succeed"}));
    machine("T0", states.into())
}

/// A definition and a file of a thousand test cases for it; returns the folder.
pub fn thousand_cases() -> PathBuf {
    let definition = machine(
        "A",
        json!({
            "A": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:f",
                "Retry": [{"ErrorEquals": ["Busy"], "MaxAttempts": 2}], "Next": "B"},
            "B": {"Type": "Choice", "Default": "Small",
                "Choices": [{"Variable": "$.n", "NumericGreaterThan": 500, "Next": "Big"}]},
            "Big": {"Type": "Succeed"}, "Small": {"Type": "Pass", "Result": "small", "End": true}}),
    );
    let cases = (0..1_000).map(|number| {
        let answer = json!({"Return": {"n": number}});
        let answers = match number % 3 {
            0 => json!([{"Throw": {"Error": "Busy", "Cause": "x"}}, answer]),
            _ => answer,
        };
        let last = if number > 500 { "Big" } else { "Small" };
        json!({"name": format!("case {number}"), "answers": {"A": answers},
            "expect": {"status": "SUCCEEDED", "visits": ["A", "B", last]}})
    });
    let cases = json!({"cases": cases.collect::<Vec<_>>()}).to_string();
    file("cases/w.asl.json", &definition);
    let path = file("cases/w.test.json", &cases);
    path.parent().expect("it stands in a folder").to_path_buf()
}

/// An input of 1.2 MB: items with members of all types.
pub fn wide_input() -> String {
    let items = (0..10_000).map(|n| {
        json!({"id": format!("item-{n}"), "price": f64::from(n) * 1.25, "tags": ["a", "b", format!("t{}", n % 7)],
            "address": {"street": format!("Street {n}"), "city": "Town", "zip": format!("{}", 10_000 + n)}})
    });
    json!({"items": items.collect::<Vec<_>>()}).to_string()
}

pub fn two_passes() -> String {
    chain(2, |_| json!({"Type": "Pass"}))
}

/// Runs the program and checks its exit status.
pub fn asldbg(arguments: &[&str], paths: &[&Path], status: i32) {
    let ended = Command::new(env!("CARGO_BIN_EXE_asldbg"))
        .args(arguments)
        .args(paths)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let code = ended.expect("the program starts").code();
    assert_eq!(code, Some(status), "{arguments:?} {paths:?}");
}

/// Runs a definition that fails, and writes its history.
pub fn recorded(file: &Path, history: &Path) {
    let write = history.to_string_lossy();
    let arguments = ["run", "--input", r#"{"n":0}"#, "--write-history", &write];
    asldbg(&arguments, &[file], 1);
}
