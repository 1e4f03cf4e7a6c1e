//! Measures how long an editor waits: from `continue` to a breakpoint, and for a page of a large array.
//!
//! Targets (two shared cores): a breakpoint in the order sample within 5 ms, a page of an array of 100,000 items within
//! 20 ms.

#![allow(clippy::expect_used, clippy::panic, missing_docs)]

use asldbg::dap::Adapter;
use asldbg::launch::LaunchConfig;
use divan::Bencher;
use serde_json::{Value, json};

fn main() {
    divan::main();
}

/// Sends a request to the adapter and runs until the session stops; returns the messages of the adapter.
fn ask(adapter: &mut Adapter, command: &str, arguments: &Value) -> Vec<String> {
    let request = json!({"seq": 1, "type": "request", "command": command, "arguments": arguments});
    adapter.receive(request.to_string().as_bytes());
    while adapter.is_busy() {
        adapter.slice(|| true);
    }
    adapter.messages()
}

fn launched(arguments: &Value) -> Adapter {
    let mut adapter = Adapter::new(LaunchConfig::default());
    ask(
        &mut adapter,
        "initialize",
        &json!({"supportsVariablePaging": true}),
    );
    ask(&mut adapter, "launch", arguments);
    ask(&mut adapter, "configurationDone", &json!({}));
    adapter
}

#[divan::bench]
fn breakpoint_at_the_end_of_the_order_sample(bencher: Bencher) {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/order.asl.json");
    bencher
        .with_inputs(|| {
            let mut adapter = launched(&json!({"program": program, "stopOnEntry": true}));
            let points = json!({"breakpoints": [{"name": "Refund"}]});
            ask(&mut adapter, "setFunctionBreakpoints", &points);
            adapter
        })
        .bench_values(|mut adapter| {
            let came = ask(&mut adapter, "continue", &json!({"threadId": 1}));
            assert!(
                came.iter()
                    .any(|message| message.contains("function breakpoint")),
                "{came:?}"
            );
            adapter
        });
}

#[divan::bench]
fn page_of_a_hundred_thousand_items(bencher: Bencher) {
    let items: Vec<Value> = (0..100_000).map(|number| json!({"n": number})).collect();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/order.asl.json");
    let arguments = json!({"program": program, "input": {"items": items}, "stopOnEntry": true});
    let mut adapter = launched(&arguments);
    let shown = json!({"expression": "$.items", "context": "watch"});
    let came = ask(&mut adapter, "evaluate", &shown);
    assert!(
        came.iter()
            .any(|message| message.contains("\"variablesReference\":1")),
        "{came:?}"
    );
    let page = json!({"variablesReference": 1, "filter": "indexed", "start": 99_900, "count": 100});
    bencher.bench_local(|| {
        let came = ask(&mut adapter, "variables", &page);
        assert!(came.iter().any(|message| message.contains("99999")));
    });
}
