//! Tests of where values come from: for each value of a run, the chain of writes back to the value's root, such as a
//! member of the input; for a missing value, the place where it was lost.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::interpreter::{EventKind, Header};
use asldbg::query::Profile;
use asldbg::session::{Command, Output, Session, Sought};
use asldbg::wording::{self, Way};
use std::path::Path;
use support::{Tell as _, answers, files, go, good, read, session, value};

/// Explains where the value at a path comes from: one explanation for each write of the chain, in the order in which
/// pressing `W` shows them.
fn explanations(session: &mut Session, path: &str) -> Vec<String> {
    let mut explanations = Vec::new();
    let mut sought = Sought::Path(path.into());
    for _ in 0..20 {
        session.tell(Command::SeekOrigin(sought.clone()));
        session.settle();
        let (mut on, mut missing) = (false, true);
        for output in session.take_outputs() {
            match output {
                Output::Origin { origin, place, .. } => {
                    explanations
                        .push(wording::stop(&origin, place, session.definition()).to_string());
                    (on, missing) = (place + 1 < origin.stops(), false);
                }
                Output::Absent(absent) => {
                    explanations.push(
                        wording::absent(&absent, session.definition())
                            .whole()
                            .to_string(),
                    );
                }
                other => panic!("{other:?}"),
            }
        }
        if missing || !on {
            break;
        }
        let led = session.view().led_to.unwrap();
        sought = Sought::At(led.holder, led.at);
    }
    explanations
}

/// The messages that a user sees who presses `W` (show where a value comes from) again and again, until the chain ends.
fn pressed(session: &mut Session, path: &str) -> Vec<String> {
    let ways = |way: Way| match way {
        Way::Follow => "W".to_owned(),
        Way::Return => "H".to_owned(),
        other => panic!("{other:?}"),
    };
    let mut said = Vec::new();
    let mut sought = Sought::Path(path.into());
    for _ in 0..PRESSES {
        session.tell(Command::SeekOrigin(sought.clone()));
        session.settle();
        let outputs = session.take_outputs();
        let texts = outputs
            .iter()
            .map(|output| wording::output(output, session.definition(), &ways).0);
        said.extend(texts);
        let goes_on = said.last().is_some_and(|text| text.contains("; W "));
        let led = session.view().led_to.filter(|_| goes_on);
        let Some(led) = led else { break };
        sought = Sought::At(led.holder, led.at);
    }
    said
}

/// Maximum number of presses of `W`.
const PRESSES: usize = 40;

/// Runs the cases in `tests/origin`. A case has a definition, an input, lists of answers, and a text with `ask PATH`
/// lines. Each `ask` line asks, at the end of the run, where the value at the path comes from; the lines after it are
/// the expected sentences. `BLESS=1` rewrites the sentences.
#[test]
fn cases_are_told_press_by_press() {
    for file in files("tests/origin", ".txt") {
        let stem = file.to_string_lossy().trim_end_matches(".txt").to_owned();
        let name = Path::new(&stem).file_name().unwrap().to_string_lossy();
        let part = |ending: &str| read(format!("{stem}{ending}"));
        let header = Header::new(value(&part(".input.json")), Profile::Spec);
        let lists = serde_json::from_str(&part(".mock.json")).expect("lists of answers");
        let definition = good(&name, &part(".asl.json"));
        let wanted = part(".txt");
        let mut found = String::new();
        for line in wanted.lines().filter(|line| !line.starts_with("  ")) {
            found.push_str(&format!("{line}\n"));
            let Some(path) = line.strip_prefix("ask ") else {
                continue;
            };
            let mut session = session(&definition, header.clone(), answers(&lists));
            go(&mut session);
            session.take_outputs();
            for said in pressed(&mut session, path) {
                found.push_str(&format!("  {said}\n"));
            }
        }
        match std::env::var_os("BLESS") {
            Some(_) => std::fs::write(&file, found).expect("written"),
            None => assert_eq!(found, wanted, "{name}"),
        }
    }
}

const PIPELINE: &str = r#"{
"StartAt": "Prepare",
"States": {
  "Prepare": { "Type": "Pass", "Parameters": {
      "order.$": "$.order", "delivery.$": "$.delivery", "fixed": { "a": [1, 2] }, "head": { "city.$": "$.delivery.city", "kind": "plain" },
      "label.$": "States.Format('{}/{}', $.order.id, $.delivery.city)" },
    "Next": "Renew" },
  "Renew": { "Type": "Map", "ItemsPath": "$.order.lines", "ResultPath": "$.renewed",
    "ItemSelector": { "plan.$": "$.order.plan",
      "sku.$": "$$.Map.Item.Value.sku" },
    "ItemProcessor": { "StartAt": "Quote", "States": {
      "Quote": { "Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:quote",
        "ResultSelector": { "cents.$": "$.price.cents" },
        "ResultPath": "$.quote", "End": true } } },
    "Next": "SaveOrder" },
  "SaveOrder": { "Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:save", "Next": "Ship" },
  "Ship": { "Type": "Pass", "Parameters": { "city.$": "$.delivery.city" }, "End": true }
}}"#;

fn pipeline() -> Session {
    let input = r#"{"order": {"id": "A-17", "plan": "gold", "lines": [{"sku": "S1"}, {"sku": "S2"}]},
        "delivery": {"city": "Hamburg"}}"#;
    let header = Header::new(value(input), Profile::Spec);
    let lists = serde_json::json!({
        "Quote": [{ "Return": { "price": { "cents": 120 } } }, { "Return": { "price": { "cents": 130 } } }],
        "SaveOrder": [{ "Return": { "saved": true } }],
    });
    let mut session = session(&good("pipeline", PIPELINE), header, answers(&lists));
    go(&mut session);
    session
}

/// Checks the explanations of where the value at a path comes from, at the event where SaveOrder is entered.
#[track_caller]
fn check(path: &str, wanted: &[&str]) {
    let mut session = pipeline();
    let state = session.definition().find_by_name("SaveOrder");
    let mut events = 1..=session.event_count();
    let event = events.find(|number| {
        let event = session.event(*number);
        event.is_some_and(|event| event.kind == EventKind::StateEntered && event.state == state)
    });
    let event = event.expect("SaveOrder is entered");
    session.tell(Command::Travel(event));
    session.settle();
    assert_eq!(explanations(&mut session, path), wanted, "{path}");
    session.tell(Command::Now);
    session.settle();
    assert_eq!(session.view().header.event, event, "{path}: the way back");
}

#[test]
fn a_value_of_several_members_counts_its_literals() {
    check(
        "$.head",
        &["head, Parameters of Prepare, line 5; its fields are head.city and a literal"],
    );
}

#[test]
fn a_value_is_followed_through_fields_and_items_to_its_answer() {
    check(
        "$.renewed[1].quote.cents",
        &[
            "cents = $.price.cents, ResultSelector of Quote, line 13; from the answer of Quote, $.price.cents (mock Quote #1), event 35",
            "$.renewed[1].quote.cents of SaveOrder comes from the answer of Quote, $.price.cents (mock Quote #1), event 35",
        ],
    );
}

#[test]
fn an_item_is_followed_to_the_input() {
    check(
        "$.renewed[1].sku",
        &[
            "ItemsPath $.order.lines of Renew, line 8; from the execution's input, $.order.lines[1].sku",
            "$.renewed[1].sku of SaveOrder comes from the execution's input, $.order.lines[1].sku",
        ],
    );
}

#[test]
fn functions_and_literals_have_roots() {
    check(
        "$.label",
        &[
            "label = States.Format('{}/{}', $.order.id, $.delivery.city), Parameters of Prepare, line 6; made from $.order.id (\"A-17\") and $.delivery.city (\"Hamburg\")",
            "value 1 of 2: $.order.id of Prepare comes from the execution's input, $.order.id",
        ],
    );
    check(
        "$.fixed.a[1]",
        &["fixed.a[1], written as a literal in Parameters of Prepare, line 5"],
    );
}

#[test]
fn what_was_dropped_is_told_with_the_field_and_what_never_was_with_the_nearest() {
    let mut dropped = pipeline();
    assert_eq!(
        explanations(&mut dropped, "$.delivery.city"),
        [
            "$.delivery was there before event 55: dropped by SaveOrder, line 16: no ResultPath, so the result replaces everything"
        ]
    );
    let view = dropped.view();
    assert_eq!(view.header.event, 55);
    check(
        "$.ordr.id",
        &["$.ordr was never there; the most similar path is $.order"],
    );
}

#[test]
fn the_operands_of_a_deep_recursion_are_told() {
    let text = r#"{"QueryLanguage": "JSONata", "StartAt": "Sum", "States": {
        "Sum": {"Type": "Pass", "Next": "Done", "Output": {"n":
            "{% ($f := function($n) { $n = 0 ? $states.input.k : 1 + $f($n - 1) }; $f(200)) %}"}},
        "Done": {"Type": "Succeed"}}}"#;
    let header = Header::new(value(r#"{"k": 5}"#), Profile::Spec);
    let definition = good("deep", text);
    let lists = serde_json::from_str("{}").expect("no answers");
    let mut session = session(&definition, header, answers(&lists));
    go(&mut session);
    session.take_outputs();
    let said = pressed(&mut session, "$.n");
    assert!(said[0].contains("$states.input.k"), "{said:?}");
}
