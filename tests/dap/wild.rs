//! Tests with messages that no editor sends: malformed, out of order, of random kinds and with random values.

use crate::client::Client;
use serde_json::{Value, json};
use std::env;

/// A generator of small pseudo-random numbers.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % end.max(1)
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

const COMMANDS: [&str; 38] = [
    "initialize",
    "launch",
    "attach",
    "configurationDone",
    "setBreakpoints",
    "setFunctionBreakpoints",
    "setExceptionBreakpoints",
    "dataBreakpointInfo",
    "setDataBreakpoints",
    "breakpointLocations",
    "continue",
    "continue",
    "reverseContinue",
    "next",
    "next",
    "stepIn",
    "stepIn",
    "stepOut",
    "stepBack",
    "pause",
    "restartFrame",
    "goto",
    "gotoTargets",
    "stepInTargets",
    "threads",
    "stackTrace",
    "stackTrace",
    "scopes",
    "variables",
    "setVariable",
    "setExpression",
    "evaluate",
    "completions",
    "exceptionInfo",
    "loadedSources",
    "source",
    "restart",
    "terminate",
];

fn number(chance: &mut Chance) -> Value {
    match chance.below(12) {
        0 => json!(0),
        1 => json!(-1),
        2 => json!(i64::MAX),
        3 => json!(i64::MIN),
        4 => json!(1.5),
        5 => json!("1"),
        6 => Value::Null,
        _ => json!(chance.below(6)),
    }
}

fn text(chance: &mut Chance) -> Value {
    json!(chance.of(&[
        "$.order",
        "$input",
        "$.order.qty > 1",
        "{% $states.input %}",
        "(((",
        "",
        "n 3",
        "answer {}",
        "fail A b",
        "goto CheckStock",
        ":zoom",
        "reload",
        "input {\"a\": [1]}",
        "event 3",
        "break 20 if $.a",
        "ChargeCard",
        "*",
        "\u{1f600}",
        "Input",
        "order",
        "caught",
        "5",
        "profile aws",
        "keep-going",
        "who $.stock",
    ]))
}

fn source(chance: &mut Chance, program: &str) -> Value {
    match chance.below(4) {
        0 => json!({"sourceReference": number(chance)}),
        1 => json!({"path": "/nowhere/at/all.json"}),
        _ => json!({"path": program}),
    }
}

fn arguments(chance: &mut Chance, program: &str) -> Value {
    let point = |chance: &mut Chance| {
        json!({
            "line": number(chance),
            "name": text(chance),
            "dataId": text(chance),
            "condition": text(chance),
            "hitCondition": number(chance),
        })
    };
    match chance.below(20) {
        0 => Value::Null,
        1 => json!([1]),
        2 => json!("text"),
        _ => json!({
            "program": program,
            "startTime": "2025-01-31T10:00:00Z",
            "stopOnEntry": chance.below(2) == 0,
            "stopAtEnd": chance.below(2) == 0,
            "mock": chance.of(&[Value::Null, json!("/nowhere.json")]),
            "threadId": number(chance),
            "frameId": number(chance),
            "variablesReference": number(chance),
            "sourceReference": number(chance),
            "start": number(chance),
            "count": number(chance),
            "startFrame": number(chance),
            "levels": number(chance),
            "targetId": number(chance),
            "line": number(chance),
            "endLine": number(chance),
            "column": number(chance),
            "granularity": chance.of(&["statement", "instruction", "line", "word"]),
            "filter": chance.of(&["indexed", "named", "both"]),
            "context": chance.of(&["repl", "watch", "hover", "clipboard"]),
            "source": source(chance, program),
            "breakpoints": [point(chance), point(chance)],
            "filters": [text(chance)],
            "filterOptions": [{"filterId": "raised", "condition": text(chance)}],
            "expression": text(chance),
            "name": text(chance),
            "value": text(chance),
            "text": text(chance),
        }),
    }
}

/// In most cases, corrects arguments that would be refused at once: ids and counts become integers, null members are
/// removed, and breakpoints get a line.
fn mostly_right(chance: &mut Chance, mut arguments: Value) -> Value {
    if chance.below(8) > 0
        && let Some(members) = arguments.as_object_mut()
    {
        for (name, value) in members.iter_mut() {
            let is_number = value.is_i64() || value.is_f64() || value.is_null();
            let counts = [
                "Id",
                "eference",
                "start",
                "count",
                "levels",
                "ine",
                "olumn",
                "startFrame",
            ];
            if is_number && counts.iter().any(|part| name.contains(part)) && !value.is_i64() {
                *value = json!(1);
            }
        }
        members.retain(|_, value| !value.is_null());
        for point in members["breakpoints"].as_array_mut().into_iter().flatten() {
            point["line"] = json!(5 + chance.below(100));
            point["hitCondition"] = json!("1");
        }
    }
    arguments
}

#[test]
fn no_sequence_of_messages_breaks_it() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse().ok());
    let (first, count): (u64, u64) = (
        number("ASLDBG_FUZZ_SEED").unwrap_or(1),
        number("ASLDBG_FUZZ").unwrap_or(60),
    );
    let root = env!("CARGO_MANIFEST_DIR");
    let programs = ["order", "nested", "cart", "callback", "import", "parent"];
    for seed in first..first.saturating_add(count) {
        let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let program = match chance.of(&programs) {
            "parent" => format!("{root}/tests/dap/parent.asl.json"),
            name => format!("{root}/samples/{name}.asl.json"),
        };
        let children = json!({"kid": format!("{root}/tests/dap/kid.asl.json")});
        let mut client = Client::new();
        if chance.below(6) > 0 {
            client.launch(json!({"program": program, "children": children, "stopOnEntry": true, "stopAtEnd": true}));
        }
        for _ in 0..40 {
            let command = chance.of(&COMMANDS);
            let random = arguments(&mut chance, &program);
            let random = mostly_right(&mut chance, random);
            let came = client.send(command, random);
            let responses = came
                .iter()
                .filter(|message| message["type"] == "response")
                .count();
            assert_eq!(responses, 1, "seed {seed}: {command}: {came:#?}");
            if chance.below(4) > 0 {
                client.settle();
            }
        }
        client.settle();
    }
}

#[test]
fn what_is_no_request_is_answered_or_told() {
    let mut client = Client::new();
    let problem = |client: &mut Client, bytes: &[u8]| {
        let came = client.raw(bytes);
        assert_eq!(came.len(), 1, "{came:#?}");
        came[0].clone()
    };
    for bytes in [
        b"".as_slice(),
        b"nonsense",
        b"[1]",
        b"\xff\xfe",
        b"{}",
        b"{\"seq\": \"a\", \"type\": \"request\", \"command\": \"threads\"}",
        &[b'['; 100_000],
    ] {
        let event = problem(&mut client, bytes);
        assert_eq!(event["event"], "output", "{event}");
    }
    for bytes in [
        b"{\"seq\": 1}".as_slice(),
        b"{\"seq\": 2, \"type\": \"request\"}",
        b"{\"seq\": 3, \"type\": \"something\", \"command\": \"threads\"}",
    ] {
        let event = problem(&mut client, bytes);
        assert_eq!(event["success"], false, "{event}");
    }
    assert!(
        client
            .raw(b"{\"seq\": 4, \"type\": \"response\"}")
            .is_empty()
    );
    client.initialize();
}
