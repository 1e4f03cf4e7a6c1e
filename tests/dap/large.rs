//! Tests that large values are returned in pages, that many threads do not flood the client, and that the debug adapter
//! knows every command of the terminal UI.

use crate::client::{Client, event};
use asldbg::dap::{Given, TABLE, given};
use asldbg::tui::action;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A file in a temporary folder, which is removed when dropped.
struct Written(PathBuf);

impl Written {
    fn new(name: &str, text: &str) -> Self {
        let folder_name = format!("asldbg-dap-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(folder_name);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), text).expect("written");
        Self(folder.join(name))
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        drop(self.0.parent().map(std::fs::remove_dir_all));
    }
}

fn best(mut of: impl FnMut()) -> Duration {
    let times = (0..5).map(|_| {
        let begun = Instant::now();
        of();
        begun.elapsed()
    });
    times.min().unwrap_or_default()
}

#[test]
fn a_hundred_thousand_items_come_in_pages() {
    let program = Written::new(
        "pages.asl.json",
        r#"{"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}"#,
    );
    let items: Vec<Value> = (0..100_000).map(|number| json!({"n": number})).collect();
    let mut client = Client::new();
    client.launch(json!({"program": program.0, "input": {"items": items}, "stopOnEntry": true}));
    client.body("stackTrace", json!({"threadId": 1}));
    client.body("scopes", json!({"frameId": 1}));
    let data = client.body("variables", json!({"variablesReference": 1}));
    let input = &data["variables"][0];
    assert!(
        input["value"].as_str().expect("a text").len() < 400,
        "{input}"
    );
    let reference = input["variablesReference"].clone();
    let input = client.body("variables", json!({"variablesReference": reference}));
    let items = &input["variables"][0];
    assert_eq!(items["indexedVariables"], 100_000);
    let reference = items["variablesReference"].clone();
    let mut page = Value::Null;
    let took = best(|| {
        let wanted = json!({"variablesReference": reference, "filter": "indexed", "start": 99_900, "count": 100});
        page = client.body("variables", wanted);
    });
    let page = page["variables"].as_array().expect("a page");
    assert_eq!((page.len(), &page[99]["name"]), (100, &json!("99999")));
    // In a release build, a page should take at most 20 ms; a test build is slower.
    assert!(took < Duration::from_millis(100), "{took:?}");
    println!("a page of 100 among 100,000 items: {took:?}");
}

#[test]
fn a_breakpoint_is_stopped_at_soon() {
    let program = format!("{}/samples/order.asl.json", env!("CARGO_MANIFEST_DIR"));
    let mut client = Client::new();
    client.launch(json!({"program": program, "stopOnEntry": true, "stopAtEnd": true}));
    client.body(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "Refund"}]}),
    );
    let mut took = Duration::MAX;
    for _ in 0..5 {
        let begun = Instant::now();
        let came = client.ask("continue", json!({"threadId": 1}));
        took = took.min(begun.elapsed());
        assert_eq!(
            event(&came, "stopped").expect("a stop")["body"]["reason"],
            "function breakpoint"
        );
        let back = client.ask(
            "evaluate",
            json!({"expression": "restart!", "context": "repl"}),
        );
        assert!(event(&back, "stopped").is_some());
    }
    // In a release build, reaching the breakpoint should take at most 5 ms; a test build is slower.
    assert!(took < Duration::from_millis(50), "{took:?}");
    println!("from the start to a breakpoint at the end of the order sample: {took:?}");
}

#[test]
fn a_thousand_items_live_without_a_flood() {
    let program = Written::new(
        "threads.asl.json",
        r#"{"StartAt": "Each", "States": {"Each": {"Type": "Map", "End": true, "ItemProcessor": {
            "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
            "StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 5, "Next": "End"}, "End": {"Type": "Succeed"}}}}}}"#,
    );
    let items: Vec<i64> = (0..1000).collect();
    let mut client = Client::new();
    client.launch(
        json!({"program": program.0, "input": items, "stopOnEntry": true, "stopAtEnd": true}),
    );
    client.body(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "End"}]}),
    );
    let came = client.ask("continue", json!({"threadId": 1}));
    let count = came
        .iter()
        .filter(|message| message["type"] == "event")
        .count();
    assert!(count < 10, "{count} events: {:#?}", &came[..10]);
    let threads = client.body("threads", Value::Null);
    let threads = threads["threads"].as_array().expect("threads");
    assert_eq!(threads.len(), 1001);
    assert_eq!(threads[1000]["name"], "Each[999]");
    let stopped = event(&came, "stopped").expect("a stop");
    let stack = client.body(
        "stackTrace",
        json!({"threadId": stopped["body"]["threadId"]}),
    );
    let names: Vec<&str> = stack["stackFrames"]
        .as_array()
        .expect("frames")
        .iter()
        .filter_map(|frame| frame["name"].as_str())
        .collect();
    assert_eq!(names, ["End (entered)", "Each[0]", "execution of threads"]);
}

#[test]
fn a_long_run_tells_its_progress_and_can_be_ended() {
    let program = format!("{}/tests/dap/endless.asl.json", env!("CARGO_MANIFEST_DIR"));
    let mut client = Client::new();
    client.launch(json!({"program": program, "stopOnEntry": true}));
    client.send("continue", json!({"threadId": 1}));
    let mut left = 1000;
    client.adapter.slice(|| {
        left -= 1;
        left > 0
    });
    client.adapter.beat();
    client.adapter.beat();
    let events = client.came();
    let start = event(&events, "progressStart").expect("a start");
    assert_eq!(start["body"]["cancellable"], true);
    let updates = events
        .iter()
        .filter(|event| event["event"] == "progressUpdate");
    assert_eq!(updates.count(), 2, "{events:#?}");
    let id = start["body"]["progressId"].clone();
    let came = client.ask("cancel", json!({"progressId": id}));
    assert!(event(&came, "progressEnd").is_some(), "{came:#?}");
    assert_eq!(
        event(&came, "stopped").expect("a stop")["body"]["reason"],
        "pause"
    );
}

#[test]
fn every_command_of_the_terminal_is_known() {
    for entry in action::TABLE {
        for word in entry.words.iter().chain([&entry.name]) {
            let meant = given(&format!(":{word}"));
            match meant {
                Some(Given::Screen(_)) => {}
                Some(Given::Command { what, .. }) => {
                    let listed = TABLE
                        .iter()
                        .find(|known| known.what == what)
                        .expect("an entry");
                    assert_eq!(listed.name, entry.name, "{word}");
                }
                other => panic!("{word}: {other:?}"),
            }
        }
    }
    assert_eq!(given("$.a"), None);
    assert_eq!(given("attempt > 1"), None);
}
