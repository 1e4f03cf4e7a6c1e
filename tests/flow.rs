//! Runs that are data: each case of `tests/flow/*.json` names a definition, an input and answers, and what comes of them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::interpreter::{Event, EventKind, Header, Status, Want};
use asldbg::query::Profile;
use asldbg::session::{Command, Direction, Progress, Session, Stop, Switch};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use support::{answers, definition, events, profiles, session, trace, value};

/// No case needs more events than this.
const MOST_EVENTS: u64 = 400_000;

#[test]
fn cases() {
    let (mut wrong, mut count) = (String::new(), 0);
    for path in support::files("tests/flow", ".json") {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy().to_string();
        let parsed: Json =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        for case in expand(&parsed) {
            count += 1;
            if let Err(error) = check(&case) {
                let _ = writeln!(wrong, "{file}: {}: {error}", case["name"]);
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count > 700, "{count} cases");
}

/// A file is a list of cases, or a table with a template that each row fills in.
fn expand(file: &Json) -> Vec<Json> {
    if let Some(list) = file.as_array() {
        return list.clone();
    }
    let columns: Vec<&str> = file["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect();
    let rows = file["rows"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            let row = row.as_array().unwrap();
            assert_eq!(row.len(), columns.len(), "{row:?}");
            let mut case = fill(&file["case"], &columns, row);
            case["name"] = json!(Json::Array(row.clone()).to_string());
            case
        })
        .collect()
}

/// Puts a row's values in place of the strings `<column>`; in keys as well.
fn fill(template: &Json, columns: &[&str], row: &[Json]) -> Json {
    let place = |text: &str| {
        let name = text.strip_prefix('<')?.strip_suffix('>')?;
        columns.iter().position(|column| *column == name)
    };
    match template {
        Json::String(text) => place(text).map_or_else(|| template.clone(), |at| row[at].clone()),
        Json::Array(items) => items.iter().map(|item| fill(item, columns, row)).collect(),
        Json::Object(members) => {
            let mut filled = Map::new();
            for (key, item) in members {
                let key = place(key)
                    .map_or_else(|| key.clone(), |at| row[at].as_str().unwrap().to_string());
                filled.insert(key, fill(item, columns, row));
            }
            filled.into()
        }
        other => other.clone(),
    }
}

/// Runs a case under its profiles.
fn check(case: &Json) -> Result<(), String> {
    const KNOWN: [&str; 13] = [
        "name",
        "about",
        "profile",
        "definition",
        "states",
        "state",
        "input",
        "answers",
        "expect",
        "aws",
        "context",
        "quick",
        "start_time",
    ];
    let unknown: Vec<&String> = case
        .as_object()
        .unwrap()
        .keys()
        .filter(|key| !KNOWN.contains(&key.as_str()))
        .collect();
    if !unknown.is_empty() {
        return Err(format!("the case has unknown fields {unknown:?}"));
    }
    for profile in profiles(case["profile"].as_str()) {
        let mut expect = case["expect"].clone();
        if profile == Profile::Aws {
            for (key, item) in case["aws"].as_object().into_iter().flatten() {
                expect[key] = item.clone();
            }
            // It does not differ from itself.
            if let Some(differs) = expect.get_mut("differs") {
                *differs = json!([]);
            }
        }
        run(case, profile)
            .and_then(|session| compare(&session, &expect))
            .map_err(|error| format!("{profile:?}: {error}"))?;
    }
    Ok(())
}

/// What a case's run came to.
struct Ran {
    session: Session,
    stop: Stop,
    calls: Vec<(String, String)>,
    differs: Vec<String>,
    took: Duration,
}

fn run(case: &Json, profile: Profile) -> Result<Ran, String> {
    let (definition, found) = definition("case", &machine_of(case).to_string());
    let blocking: Vec<_> = found
        .iter()
        .filter(|one| one.blocking)
        .map(|one| &one.message)
        .collect();
    if !blocking.is_empty() {
        return Err(format!("{blocking:?}"));
    }
    let input = case.get("input").cloned().unwrap_or_else(|| json!({}));
    let mut header = Header::new(value(&grown(&input).to_string()), profile);
    if let Some(context) = case.get("context") {
        header.context = value(&context.to_string());
    }
    if let Some(start) = case.get("start_time") {
        header.start_time = start.as_i64().unwrap();
    }
    let began = Instant::now();
    let definition = definition.unwrap();
    let given = grown(&case["answers"]);
    let differs = if case["expect"].get("differs").is_some() {
        differences(session(&definition, header.clone(), answers(&given)))
    } else {
        Vec::new()
    };
    let mut session = session(&definition, header, answers(&given));
    let mut calls = Vec::new();
    session.apply(Command::Continue(Direction::Forward));
    loop {
        let before = session.event_count();
        let progress = session.advance(1);
        if session.event_count() > before {
            note_call(&session, &mut calls);
        }
        if progress == Progress::Idle {
            break;
        }
        if session.event_count() > MOST_EVENTS {
            return Err("it does not end".to_string());
        }
    }
    let stop = session.stop().clone();
    let took = began.elapsed();
    if case["quick"] == json!(true) && took > Duration::from_secs(20) {
        return Err(format!("it took {took:?}"));
    }
    Ok(Ran {
        session,
        stop,
        calls,
        differs,
        took,
    })
}

/// A text like `<300000 bytes>` written out, so that no case is hundreds of kilobytes long.
fn grown(value: &Json) -> Json {
    match value {
        Json::String(text) => {
            let count = text
                .strip_prefix('<')
                .and_then(|text| text.strip_suffix(" bytes>"));
            match count.and_then(|count| count.parse().ok()) {
                Some(count) => json!("x".repeat(count)),
                None => value.clone(),
            }
        }
        Json::Array(items) => items.iter().map(grown).collect(),
        Json::Object(members) => members
            .iter()
            .map(|(key, item)| (key.clone(), grown(item)))
            .collect(),
        other => other.clone(),
    }
}

/// What the session says at each stop where AWS goes another way.
fn differences(mut session: Session) -> Vec<String> {
    session.apply(Command::StopOnDifference(Switch::On));
    let mut found = Vec::new();
    while let Stop::ProfilesDiffer(text) = support::go(&mut session) {
        found.push(text.to_string());
        assert!(found.len() < 50, "{found:?}");
    }
    found
}

/// A machine as written, or made of its states, or of a single state.
fn machine_of(case: &Json) -> Json {
    if let Some(whole) = case.get("definition") {
        return whole.clone();
    }
    let states = match case.get("state") {
        Some(state) => {
            let mut state = state.clone();
            let ends = ["Succeed", "Fail", "Choice"].contains(&state["Type"].as_str().unwrap());
            if !ends && state.get("Next").is_none() {
                state["End"] = json!(true);
            }
            let mut states = json!({ "S": state });
            // The states that a single state may lead to tell where it went.
            for target in ["Yes", "No", "Caught", "Other"] {
                if case["state"].to_string().contains(&format!("\"{target}\"")) {
                    states[target] = json!({ "Type": "Succeed" });
                }
            }
            states
        }
        None => case["states"].clone(),
    };
    let first = states.as_object().unwrap().keys().next().unwrap().clone();
    json!({ "StartAt": first, "States": states })
}

fn note_call(session: &Session, calls: &mut Vec<(String, String)>) {
    let Some(event) = session.event(session.event_count()) else {
        return;
    };
    if event.kind != EventKind::TaskScheduled {
        return;
    }
    let frame = session.machine().frame(event.frame);
    if let Some(call) = frame.and_then(|frame| frame.visit.call.as_ref()) {
        let Want::Call { input, .. } = &call.ask.want else {
            return;
        };
        calls.push((support::state_of(session, event), input.to_string()));
    }
}

fn compare(ran: &Ran, expect: &Json) -> Result<(), String> {
    const KNOWN: [&str; 15] = [
        "status",
        "differs",
        "output",
        "error",
        "cause",
        "cause has",
        "waits",
        "trace",
        "events",
        "counts",
        "seconds",
        "calls",
        "ends",
        "event count below",
        "waits below",
    ];
    let members = expect.as_object().ok_or("nothing is expected")?;
    for (key, wanted) in members {
        if !KNOWN.contains(&key.as_str()) {
            return Err(format!("the case expects something unknown: {key}"));
        }
        let found = fact(ran, key, wanted);
        if found != *wanted {
            return Err(format!(
                "{key}: wanted {wanted}, found {found}; {}",
                summary(ran)
            ));
        }
    }
    // What an end is not mentioned to be, it is.
    if !members.contains_key("status") {
        let failed = members.contains_key("error")
            || members.contains_key("cause has")
            || members.contains_key("cause");
        let wanted = if failed { "FAILED" } else { "SUCCEEDED" };
        let found = status(ran);
        if found != wanted {
            return Err(format!(
                "status: wanted {wanted}, found {found}; {}",
                summary(ran)
            ));
        }
    }
    Ok(())
}

fn summary(ran: &Ran) -> String {
    let trace = trace(&ran.session);
    format!(
        "it stood at {:?} after {:?}, {:?}",
        ran.session.machine().status(),
        &trace[..trace.len().min(12)],
        ran.took
    )
}

fn status(ran: &Ran) -> &'static str {
    match (ran.session.machine().status(), &ran.stop) {
        (Status::Succeeded(_), _) => "SUCCEEDED",
        (Status::Failed(_), _) => "FAILED",
        (Status::TimedOut, _) => "TIMED_OUT",
        (Status::Running, Stop::Ask(_)) => "ASKING",
        (Status::Running, Stop::Stuck) => "STUCK",
        (Status::Running, _) => "RUNNING",
    }
}

/// What came of a run under a word of `expect`, in the form in which it is expected.
fn fact(ran: &Ran, key: &str, wanted: &Json) -> Json {
    let session = &ran.session;
    let machine = session.machine();
    let fault = match machine.status() {
        Status::Failed(fault) => Some(fault.clone()),
        _ => None,
    };
    match key {
        "status" => json!(status(ran)),
        "output" => match machine.status() {
            Status::Succeeded(output) => numbers(output.to_serde()),
            _ => json!("(no output)"),
        },
        "error" => fault.map_or(json!("(no error)"), |fault| json!(fault.error.as_deref())),
        "cause" => fault.map_or(json!("(no error)"), |fault| json!(fault.cause.as_deref())),
        "cause has" => {
            let cause = fault
                .map(|fault| fault.cause_text().to_string())
                .unwrap_or_default();
            if wanted.as_str().is_some_and(|part| cause.contains(part)) {
                wanted.clone()
            } else {
                json!(cause)
            }
        }
        "differs" => json!(ran.differs),
        "waits" => json!(waits(session)),
        "waits below" => {
            let waits = waits(session);
            let caps: Vec<f64> = wanted
                .as_array()
                .unwrap()
                .iter()
                .map(|cap| cap.as_f64().unwrap())
                .collect();
            let fit = waits.len() == caps.len()
                && waits
                    .iter()
                    .zip(&caps)
                    .all(|(wait, cap)| wait.as_f64().unwrap() <= *cap);
            if fit { wanted.clone() } else { json!(waits) }
        }
        "trace" => json!(trace(session)),
        "ends" => json!(trace(session).last()),
        "events" => json!(history(session)),
        "counts" => {
            let all = events(session);
            let count = |kind: &str| all.iter().filter(|event| name(event) == kind).count();
            wanted
                .as_object()
                .unwrap()
                .keys()
                .map(|kind| (kind.clone(), json!(count(kind))))
                .collect()
        }
        "seconds" => seconds(machine.now()),
        "event count below" => {
            let count = session.event_count();
            if wanted.as_u64().is_some_and(|most| count < most) {
                wanted.clone()
            } else {
                json!(count)
            }
        }
        "calls" => {
            let calls = ran.calls.iter();
            calls
                .map(|(state, input)| json!([state, serde_json::from_str::<Json>(input).unwrap()]))
                .collect()
        }
        _ => Json::Null,
    }
}

/// Numbers compare as numbers, whatever text they were written in.
fn numbers(value: Json) -> Json {
    serde_json::from_str(&value.to_string()).unwrap()
}

fn seconds(millis: u64) -> Json {
    if millis.is_multiple_of(1000) {
        json!(millis / 1000)
    } else {
        json!(millis as f64 / 1000.0)
    }
}

/// The delay of each retry, in the order in which they were scheduled.
fn waits(session: &Session) -> Vec<Json> {
    let all = events(session);
    let delay = |(place, event): (usize, &Event)| {
        let again = all[place..]
            .iter()
            .find(|other| other.kind == EventKind::Retried && other.frame == event.frame);
        again.map(|again| seconds(again.time - event.time))
    };
    let scheduled = all
        .iter()
        .enumerate()
        .filter(|(_, event)| event.kind == EventKind::RetryScheduled);
    scheduled.filter_map(delay).collect()
}

fn name(event: &Event) -> String {
    format!("{:?}", event.kind)
}

/// The events that AWS's history would have.
fn history(session: &Session) -> Vec<String> {
    events(session)
        .iter()
        .filter(|event| event.history_id > 0)
        .map(name)
        .collect()
}
