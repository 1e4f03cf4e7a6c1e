//! Tests of runs. Each case in `tests/flow/*.json` has a definition, an input, answers and expected results.
//!
//! Each case is a separate test: `cargo test --test flow FILE::CASE` runs one, and a part of this name selects several.
//! `BLESS=1` replaces the expected results by the actual ones, except for limits and partial texts.

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
use asldbg::source::Node;
use libtest_mimic::{Arguments, Trial};
use serde_json::{Map, Value as Json, json};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use support::{Tell as _, answers, definition, events, profiles, session, stored, trace, value};

/// Maximum number of events that any case needs.
const MOST_EVENTS: u64 = 400_000;

fn main() -> ExitCode {
    let mut tests = Vec::new();
    for path in support::files("tests/flow", ".json") {
        let text: Arc<str> = support::read(&path).into();
        let file = path.file_stem().unwrap().to_string_lossy().to_string();
        let parsed: Json =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        for (number, json) in expand(&parsed).into_iter().enumerate() {
            let name = format!("{file}::{}", json["name"].as_str().unwrap());
            let case = Case {
                path: path.clone(),
                text: Arc::clone(&text),
                number: number.to_string(),
                columns: parsed.get("columns").cloned(),
                json,
            };
            tests.push(Trial::test(name, move || Ok(case.check()?)));
        }
    }
    assert!(tests.len() > 700, "{} cases", tests.len());
    let names: HashSet<&str> = tests.iter().map(Trial::name).collect();
    assert_eq!(names.len(), tests.len(), "two cases have one name");
    let concluded = libtest_mimic::run(&Arguments::from_args(), tests);
    support::stored::write();
    concluded.exit_code()
}

/// A case with its position in the file.
struct Case {
    path: PathBuf,
    text: Arc<str>,
    /// Index of the case in the file's list of cases or, if the file is a table, of its row; from 0.
    number: String,
    /// The names of the columns, if the case is a row of a table.
    columns: Option<Json>,
    json: Json,
}

/// A difference between an expected and an actual result.
struct Difference {
    key: String,
    wanted: Json,
    actual: Json,
}

impl Case {
    /// Runs the case under each of its profiles.
    fn check(&self) -> Result<(), String> {
        const KNOWN: [&str; 12] = [
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
            "start_time",
        ];
        let case = &self.json;
        let mut fields = case.as_object().unwrap().keys();
        if let Some(unknown) = fields.find(|key| !KNOWN.contains(&key.as_str())) {
            return Err(format!("the case has an unknown field {unknown}"));
        }
        let (mut wrong, mut blessed) = (String::new(), Map::new());
        let profiles = profiles(case["profile"].as_str());
        for profile in &profiles {
            let mut expect = case["expect"].clone();
            if *profile == Profile::Aws {
                for (key, item) in case["aws"].as_object().into_iter().flatten() {
                    expect[key] = item.clone();
                }
                // Under the AWS profile, the run behaves like AWS, so no differences are expected.
                if let Some(differs) = expect.get_mut("differs") {
                    *differs = json!([]);
                }
            }
            let ran = run(case, *profile).map_err(|error| format!("{profile:?}: {error}"))?;
            for difference in compare(&ran, &expect)? {
                let Difference {
                    key,
                    wanted,
                    actual,
                } = &difference;
                let only = profiles.len() == 1 || *profile == Profile::Spec;
                if stored::blessing() && self.bless(&difference, only, &blessed) {
                    blessed.insert(key.clone(), actual.clone());
                    continue;
                }
                let summary = summary(&ran);
                writeln!(
                    wrong,
                    "{profile:?}: {key}: wanted {wanted}, found {actual}; {summary}"
                )
                .unwrap();
            }
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong),
        }
    }

    /// Replaces an expected result in the file by the actual one; returns false if it cannot be replaced. `shared` is
    /// false if the result applies to the AWS profile only.
    fn bless(&self, difference: &Difference, shared: bool, blessed: &Map<String, Json>) -> bool {
        let Difference { key, actual, .. } = difference;
        let bound = key.ends_with("below") || key.ends_with(" has");
        if bound || (!shared && key == "differs") {
            return false;
        }
        if !shared && blessed.get(key) == Some(actual) {
            return true;
        }
        let value = stored::spaced(actual);
        let base = match self.columns {
            Some(_) => vec!["case"],
            None => vec![&*self.number],
        };
        let object = [&base[..], &[if shared { "expect" } else { "aws" }]].concat();
        let written = stored::find(&self.text, &[&object[..], &[key]].concat());
        let cell = written.as_ref().and_then(Node::as_str).and_then(|text| {
            let names = self.columns.as_ref()?.as_array()?;
            let name = text.strip_prefix('<')?.strip_suffix('>')?;
            let place = names.iter().position(|column| *column == name)?;
            stored::find(&self.text, &["rows", &self.number, &place.to_string()])
        });
        match cell {
            Some(cell) => stored::replace(&self.path, cell.span.range(), value),
            // The template of a table is common to all rows, so it cannot take the result of a single row.
            None if self.columns.is_some() => return false,
            None if stored::find(&self.text, &object).is_none() => {
                let new = format!("{{ {key:?}: {value} }}");
                stored::set(&self.path, &self.text, &base, "aws", &new);
            }
            None => stored::set(&self.path, &self.text, &object, key, &value),
        }
        true
    }
}

/// The cases in a file, which is either a list of cases or a table: a template, and rows that fill it in.
fn expand(file: &Json) -> Vec<Json> {
    if let Some(list) = file.as_array() {
        return list.clone();
    }
    let columns: Vec<&str> = file["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
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

/// Replaces strings of the form `<column>` with the values of a row, also in keys.
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

/// The result of running a case.
struct Ran {
    session: Session,
    stop: Stop,
    calls: Vec<(String, String)>,
    differs: Vec<String>,
}

fn run(case: &Json, profile: Profile) -> Result<Ran, String> {
    let (definition, diagnostics) = definition("case", &machine_of(case).to_string());
    let blocking: Vec<_> = diagnostics
        .iter()
        .filter(|finding| finding.blocking)
        .map(|diagnostic| &diagnostic.message)
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
    let definition = definition.unwrap();
    let given = grown(&case["answers"]);
    let differs = if case["expect"].get("differs").is_some() {
        differences(session(&definition, header.clone(), answers(&given)))
    } else {
        Vec::new()
    };
    let mut session = session(&definition, header, answers(&given));
    let mut calls = Vec::new();
    session.tell(Command::Continue(Direction::Forward));
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
    Ok(Ran {
        session,
        stop,
        calls,
        differs,
    })
}

/// Replaces texts like `<300000 bytes>` by a text of that length, so that case files can be small.
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

/// Runs to the end and stops wherever AWS behaves differently; returns the message of the session at each of these
/// stops.
fn differences(mut session: Session) -> Vec<String> {
    session.tell(Command::StopOnDifference(Switch::On));
    let mut differences = Vec::new();
    while let Stop::ProfilesDiffer(text) = support::go(&mut session) {
        differences.push(text.to_string());
        assert!(differences.len() < 50, "{differences:?}");
    }
    differences
}

/// The machine of a case. The case gives a whole definition, its states, or a single state.
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
            // Adds other states that the tested state may lead to. The history shows which of them was entered.
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

fn compare(ran: &Ran, expect: &Json) -> Result<Vec<Difference>, String> {
    let mut wrong = Vec::new();
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
        let actual = fact(ran, key, wanted);
        if actual != *wanted {
            wrong.push(Difference {
                key: key.clone(),
                wanted: wanted.clone(),
                actual,
            });
        }
    }
    // If the case does not state a status, FAILED is expected if an error or cause is expected, and SUCCEEDED
    // otherwise.
    if !members.contains_key("status") {
        let failed = members.contains_key("error")
            || members.contains_key("cause has")
            || members.contains_key("cause");
        let wanted = if failed { "FAILED" } else { "SUCCEEDED" };
        let actual = status(ran);
        if actual != wanted {
            wrong.push(Difference {
                key: "status".to_string(),
                wanted: wanted.into(),
                actual: actual.into(),
            });
        }
    }
    Ok(wrong)
}

fn summary(ran: &Ran) -> String {
    let trace = trace(&ran.session);
    format!(
        "it stood at {:?} after {} events, {:?}",
        ran.session.machine().status(),
        ran.session.event_count(),
        &trace[..trace.len().min(12)],
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

/// The actual result for a key of `expect`, written as in the cases.
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

/// Parses the value again, so that numbers are compared regardless of how they are written.
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

/// The types of the events that AWS's history would contain.
fn history(session: &Session) -> Vec<String> {
    events(session)
        .iter()
        .filter(|event| event.history_id > 0)
        .map(name)
        .collect()
}
