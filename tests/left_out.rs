//! Tests a finding of `check`: a member that it reports as left out on every path to a state must really be missing
//! when this state runs. In random machines with states in both query languages, a Choice that tests for the member is
//! added before a state.
//!
//! `CASES=30 cargo test --test left_out -- --nocapture` tries more machines and prints statistics.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::definition::diagnose;
use asldbg::interpreter::{EventKind, Header};
use asldbg::query::Profile;
use serde_json::{Value as Json, json};
use support::traced::{Maker, aim_catchers};
use support::{Random, answers, definition, events, go, session, state_of};

/// Members to test for: members of the inputs, members that states and errors write, and one that nothing writes.
const NAMES: [&str; 9] = [
    "n", "text", "list", "inner", "Error", "Cause", "lit", "deep", "gone",
];

/// Visits every `States` object of a machine, outer ones before inner ones.
fn scopes(scope: &mut Json, see: &mut dyn FnMut(&mut Json)) {
    see(scope);
    for state in scope["States"].as_object_mut().unwrap().values_mut() {
        if let Some(processor) = state.get_mut("ItemProcessor") {
            scopes(processor, see);
        }
        for branch in state
            .get_mut("Branches")
            .and_then(Json::as_array_mut)
            .into_iter()
            .flatten()
        {
            scopes(branch, see);
        }
    }
}

/// Adds a Choice `Ask` before a state of a scope. If the Choice finds the member in the data, it leads to the state
/// `Yes`.
fn ask(scope: &mut Json, before: &str, member: &str) {
    let states = scope["States"].as_object_mut().unwrap();
    for state in states.values_mut() {
        retarget(state, before);
    }
    states.insert(
        "Ask".into(),
        json!({ "Type": "Choice", "QueryLanguage": "JSONPath", "Default": before,
            "Choices": [{ "Variable": format!("$.{member}"), "IsPresent": true, "Next": "Yes" }] }),
    );
    states.insert(
        "Yes".into(),
        json!({ "Type": "Pass", "QueryLanguage": "JSONPath", "Next": before }),
    );
    if scope["StartAt"] == before {
        scope["StartAt"] = json!("Ask");
    }
}

/// Makes every transition to `before` lead to `Ask` instead, except in inner scopes.
fn retarget(state: &mut Json, before: &str) {
    for field in ["Next", "Default"] {
        if state.get(field).is_some_and(|target| target == before) {
            state[field] = json!("Ask");
        }
    }
    for list in ["Choices", "Catch"] {
        for rule in state
            .get_mut(list)
            .and_then(Json::as_array_mut)
            .into_iter()
            .flatten()
        {
            retarget(rule, before);
        }
    }
}

#[test]
fn what_is_left_out_is_not_there() {
    let cases = u64::from(support::cases(150));
    let (mut said, mut asked, mut there) = (0, 0, 0);
    for seed in 0..cases {
        let mut random = Random::new(seed + 1);
        let length = 3 + random.below(4);
        let mut maker = Maker::new(&mut random);
        let mut machine = maker.scope(length, 0);
        aim_catchers(&mut machine);
        let lists = serde_json::to_value(&maker.answers).unwrap();
        let mut places: Vec<(usize, String)> = Vec::new();
        let mut number = 0;
        scopes(&mut machine, &mut |scope| {
            let names = scope["States"].as_object().unwrap().keys();
            places.extend(names.map(|name| (number, name.clone())));
            number += 1;
        });
        let (place, before) = random.of(&places).clone();
        let member = random.of(&NAMES);
        let mut number = 0;
        scopes(&mut machine, &mut |scope| {
            if number == place {
                ask(scope, &before, member);
            }
            number += 1;
        });
        let text = serde_json::to_string_pretty(&machine).unwrap();
        let (Some(definition), found) = definition("case", &text) else {
            panic!("seed {seed}: {text}");
        };
        let asks = format!("\"Ask\" asks for $.{member}");
        let findings = diagnose(&definition, &found, Profile::Spec);
        let is_said = findings
            .iter()
            .any(|finding| finding.rule == 88 && finding.message.starts_with(&asks));
        said += usize::from(is_said);
        let input = json!({ "n": 1, "text": "two words", "list": [{ "id": "i0", "v": 0 }],
            "inner": { "flag": true, "deep": { "x": 4 } } });
        let mut header = Header::new(support::value(&input.to_string()), Profile::Spec);
        header.seed = seed;
        let mut session = session(&definition, header, answers(&lists));
        go(&mut session);
        for event in events(&session) {
            if event.kind != EventKind::StateEntered {
                continue;
            }
            let state = state_of(&session, &event);
            asked += usize::from(state == "Ask");
            there += usize::from(state == "Yes");
            assert!(
                !is_said || state != "Yes",
                "seed {seed}, $.{member} is there: {text}"
            );
        }
    }
    println!("{cases} machines, {said} said to lack it; asked {asked} times, there {there} times");
    assert!(
        cases < 100 || said * 20 > cases as usize,
        "{said} of {cases}"
    );
}
