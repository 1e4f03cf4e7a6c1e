//! Tests of changing a definition during a run: `tests/reload/*.json` contains definitions before and after a change,
//! and the expected results.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::definition::StatePath;
use asldbg::interpreter::{Answer, EventKind, Header};
use asldbg::query::Profile;
use asldbg::session::{Breakpoint, Command, Location, Session, Stop};
use asldbg::tui::keymap::Keymap;
use asldbg::tui::wording;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use support::{
    Tell as _, answers, command, definition, events, go, good, session, state_of, stored, trace,
    value,
};

#[test]
fn pairs() {
    let (mut wrong, mut count) = (String::new(), 0);
    for path in support::files("tests/reload", ".json") {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy().to_string();
        let pair: Json =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        count += 1;
        if let Err(error) = check(&file, &pair) {
            let _ = writeln!(wrong, "{file}: {error}");
        }
    }
    stored::write();
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count >= 8, "{count} pairs");
}

fn text_of(states: &Json) -> String {
    if let Some(text) = states.as_str() {
        return text.to_string();
    }
    let first = states.as_object().unwrap().keys().next().unwrap();
    serde_json::to_string_pretty(&json!({ "StartAt": first, "States": states })).unwrap()
}

/// Continues to the end of the run; gives the typed answers when tasks ask for them.
fn run(session: &mut Session, typed: &Json) {
    loop {
        let Stop::Ask(ask) = go(session) else { return };
        let state = session.machine().ask(ask).map(|ask| ask.state).unwrap();
        let name = session.definition().state(state).unwrap().name.to_string();
        let Some(answer) = typed.get(&name) else {
            return;
        };
        session.tell(Command::Answer(
            ask,
            Answer::success(value(&answer.to_string())),
        ));
    }
}

fn entry(session: &Session, name: &str) -> u64 {
    let all = events(session);
    let place = all.iter().position(|event| {
        event.kind == EventKind::StateEntered && state_of(session, event) == name
    });
    place.unwrap_or_else(|| panic!("{name} is not entered: {:?}", trace(session))) as u64 + 1
}

fn check(file: &str, pair: &Json) -> Result<(), String> {
    const KNOWN: [&str; 10] = [
        "about",
        "before",
        "after",
        "input",
        "answers",
        "typed",
        "at",
        "breakpoints",
        "expect",
        "profile",
    ];
    if let Some(key) = pair
        .as_object()
        .unwrap()
        .keys()
        .find(|key| !KNOWN.contains(&key.as_str()))
    {
        return Err(format!("unknown field {key}"));
    }
    let before = good("pair", &text_of(&pair["before"]));
    let input = pair.get("input").cloned().unwrap_or_else(|| json!({}));
    let profile = support::profiles(Some(pair["profile"].as_str().unwrap_or("spec")))[0];
    assert!(matches!(profile, Profile::Spec | Profile::Aws));
    let mut session = session(
        &before,
        Header::new(value(&input.to_string()), profile),
        answers(&pair["answers"]),
    );
    run(&mut session, &pair["typed"]);
    for state in pair["breakpoints"].as_array().into_iter().flatten() {
        let path = StatePath(state.as_str().unwrap().into());
        session.tell(Command::Break(Breakpoint::at(Location::State(path))));
    }
    if let Some(state) = pair["at"].as_str() {
        let at = entry(&session, state);
        command(&mut session, Command::Travel(at));
    }
    let stood = session.view().header.event;
    let (after, found) = definition("pair", &text_of(&pair["after"]));
    // If the text is not JSON, an empty definition is reloaded with the diagnostics of the text.
    let after = after.unwrap_or_else(|| definition("pair", "{}").0.unwrap());
    let keymap = Keymap::default();
    let mut said = match session.reload(after, found) {
        Ok(reply) => Vec::from_iter(wording::reply(&reply, &keymap)),
        Err(refused) => vec![format!("REFUSED {}", wording::refused(&refused, &keymap).0)],
    };
    session.settle();
    said.extend(support::said(&mut session));
    compare(&mut session, file, pair, stood, &said)
}

fn compare(
    session: &mut Session,
    file: &str,
    pair: &Json,
    stood: u64,
    said: &[String],
) -> Result<(), String> {
    let differs = match session.stop() {
        Stop::Reload(Some(number)) => {
            let event = *session.event(*number).unwrap();
            json!({ "kind": format!("{:?}", event.kind), "state": state_of(session, &event), "number": number, "words": session.view().header.differs })
        }
        Stop::Reload(None) => Json::Null,
        other => json!(format!("{other:?}").split('(').next()),
    };
    let context = format!(
        "found {differs} at {} of {}, {said:?}",
        session.view().header.event,
        session.event_count()
    );
    let mut wrong = Vec::new();
    for (key, wanted) in pair["expect"].as_object().unwrap() {
        let found = fact(session, key, wanted, stood, (said, &differs))
            .map_err(|error| format!("{error}; {context}"))?;
        let path = support::root().join("tests/reload").join(file);
        if found == *wanted {
            continue;
        }
        // The expected `said` may be only a part of the actual message, so it is not replaced.
        if stored::blessing() && key != "said" {
            let text = stored::spaced(&found);
            stored::set(&path, &support::read(&path), &["expect"], key, &text);
        } else {
            wrong.push(format!("{key}: wanted {wanted}, found {found}; {context}"));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n")),
    }
}

/// The actual result for a key of `expect`, written as in the cases.
fn fact(
    session: &mut Session,
    key: &str,
    wanted: &Json,
    stood: u64,
    (said, differs): (&[String], &Json),
) -> Result<Json, String> {
    Ok(match key {
        "differs" => match wanted.as_object() {
            Some(parts) if differs.is_object() => parts
                .keys()
                .map(|part| (part.clone(), differs[part].clone()))
                .collect(),
            _ => differs.clone(),
        },
        "stays" => json!(session.view().header.event == stood),
        "said" => {
            let parts = wanted.as_array().unwrap().iter();
            let mut parts = parts.map(|part| part.as_str().unwrap());
            match parts.all(|part| said.iter().any(|text| text.contains(part))) {
                true => wanted.clone(),
                false => json!(said),
            }
        }
        "in force" => {
            let states = session.definition().states.iter();
            states.map(|state| json!(&*state.name)).collect()
        }
        "gone" | "kept" => {
            let breakpoints = session.view().breakpoints.into_iter();
            breakpoints
                .filter(|point| match key {
                    "gone" => point.gone,
                    _ => !point.gone && point.state.is_some(),
                })
                .map(|point| json!(asldbg::wording::location(&point.breakpoint.at)))
                .collect()
        }
        "offered" => {
            go(session);
            let Stop::Ask(ask) = *session.stop() else {
                return Err("nothing is asked for".to_string());
            };
            session.offer(ask).unwrap().result.to_serde()
        }
        "then" => {
            // Continue without stops, with the typed answers still available.
            go(session);
            while matches!(session.stop(), Stop::Breakpoint(_)) {
                go(session);
            }
            match session.stop() {
                Stop::End => json!(trace(session)),
                Stop::Ask(ask) => {
                    let state = session.machine().ask(*ask).map(|ask| ask.state).unwrap();
                    let name = &session.definition().state(state).unwrap().name;
                    json!(format!("asks for {name}"))
                }
                other => json!(format!("{other:?}")),
            }
        }
        other => return Err(format!("unknown expectation {other}")),
    })
}

#[test]
fn a_refused_text_is_shown_until_a_good_one_comes() {
    let before = good(
        "pair",
        &text_of(&json!({ "A": { "Type": "Pass", "End": true } })),
    );
    let mut session = session(&before, Header::new(value("{}"), Profile::Spec), None);
    go(&mut session);
    let (broken, found) = definition("pair", "{ \"StartAt\": ");
    assert!(broken.is_none());
    let empty = definition("pair", "{}").0.unwrap();
    drop(session.reload(empty, found));
    assert!(
        session
            .diagnostics()
            .iter()
            .any(|diagnostic| diagnostic.blocking)
    );
    assert_eq!(session.definition().states.len(), 1);
    let good_again = good(
        "pair",
        &text_of(&json!({ "A": { "Type": "Pass", "End": true } })),
    );
    drop(session.reload(good_again, Vec::new()));
    session.settle();
    assert!(session.diagnostics().is_empty());
    assert_eq!(*session.stop(), Stop::Reload(None));
}

#[test]
fn reloading_the_same_text_changes_nothing_anywhere() {
    for sample in support::samples() {
        let mut session = sample.session(Profile::Aws);
        go(&mut session);
        let all = events(&session);
        for at in [2, 2 + all.len() as u64 / 3, all.len() as u64] {
            command(&mut session, Command::Travel(at));
            let again = good(&sample.name, &sample.text);
            drop(session.reload(again, Vec::new()));
            session.settle();
            assert_eq!(
                *session.stop(),
                Stop::Reload(None),
                "{} at {at}",
                sample.name
            );
            assert_eq!(session.view().header.event, at, "{}", sample.name);
            go(&mut session);
            assert_eq!(events(&session), all, "{}", sample.name);
        }
    }
}

#[test]
fn continuing_after_the_first_difference_goes_to_the_old_place() {
    let text = |result: u32| {
        format!(
            r#"{{"StartAt": "A", "States": {{
                "A": {{"Type": "Pass", "Result": {result}, "Next": "B"}},
                "B": {{"Type": "Pass", "Next": "C"}},
                "C": {{"Type": "Pass", "End": true}}}}}}"#
        )
    };
    let before = good("old place", &text(1));
    let mut session = session(&before, Header::new(value("{}"), Profile::Aws), None);
    assert_eq!(go(&mut session), Stop::End);
    let at = entry(&session, "C");
    command(&mut session, Command::Travel(at));
    let (after, found) = definition("old place", &text(2));
    let said = session.reload(after.unwrap(), found);
    session.settle();
    let said = format!("{said:?} {:?}", support::said(&mut session));
    assert!(matches!(session.stop(), Stop::Reload(Some(_))), "{said}");
    assert!(
        said.contains("in C; a one-time breakpoint was set there"),
        "{said}"
    );
    assert!(matches!(go(&mut session), Stop::Breakpoint(_)));
    assert_eq!(trace(&session), ["A", "B", "C"]);
    assert!(session.view().breakpoints.is_empty());
    assert_eq!(go(&mut session), Stop::End);
}
