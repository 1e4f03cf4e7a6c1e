//! Tests of recorded executions whose beginning is missing: a history is cut before each of its events, and the events
//! after the cut are opened with and without the definition. The run must end as the history does, and every event
//! after the cut must be shown. The events are written in ascending and in descending order by turns.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::interpreter::{Header, Status, type_name};
use asldbg::launch::{HistoryGiven, LaunchConfig, Project};
use asldbg::query::Profile;
use asldbg::session::{Command as Go, Direction, Session, Setup};
use asldbg::worker::Worker;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::{Random, random_machine, value};

/// Maximum number of cuts of a history; a longer one is cut before every second event, or every third, and so on.
const MOST_CUTS: usize = 60;

/// A machine with its input and its answers.
struct Machine {
    name: String,
    definition: Json,
    input: Json,
    answers: Json,
}

fn machines() -> Vec<Machine> {
    let files = support::files("tests/replay", ".json").into_iter();
    let recorded = files
        .chain(support::files("tests/cut", ".json"))
        .map(|path| {
            let case: Json = serde_json::from_str(&support::read(&path)).unwrap();
            Machine {
                name: path.file_stem().unwrap().to_string_lossy().into_owned(),
                definition: case["definition"].clone(),
                input: case["input"].clone(),
                answers: case["answers"].clone(),
            }
        });
    let seeds = std::env::var("CUT_SEEDS").map_or(6, |seeds| seeds.parse().unwrap());
    let random = (0..seeds).map(|seed| {
        let made = random_machine::machine(&mut Random::new(seed + 101));
        Machine {
            name: format!("random {seed}"),
            definition: made.definition,
            input: made.input,
            answers: made.answers,
        }
    });
    recorded.chain(random).collect()
}

/// The events of a run in AWS's format.
fn history(machine: &Machine) -> Vec<Json> {
    let definition = support::good("cut", &machine.definition.to_string());
    let header = Header {
        start_time: 1_700_000_000_000,
        ..Header::new(value(&machine.input.to_string()), Profile::Aws)
    };
    let mut setup = Setup::new(definition, header, Arc::new(Worker::new()));
    setup.mock = support::endless_answers(&machine.answers);
    let text = support::recorded(&setup);
    let parsed: Json = serde_json::from_str(&text).unwrap();
    parsed["events"].as_array().unwrap().clone()
}

/// Opens a project and runs it to its end.
fn opened(config: LaunchConfig) -> Session {
    let mut session = Project::open(config).unwrap().session().unwrap();
    session.settle();
    for _ in 0..2000 {
        if !matches!(session.machine().status(), Status::Running)
            || session.apply(Go::Continue(Direction::Forward)).is_err()
        {
            break;
        }
        session.settle();
    }
    session
}

/// The final status of the execution, if this event ends it.
fn status_of(event: &Json) -> Option<&str> {
    match event["type"].as_str().unwrap() {
        "ExecutionSucceeded" => Some("succeeded"),
        "ExecutionTimedOut" => Some("timed out"),
        "ExecutionFailed" | "ExecutionAborted" => Some("failed"),
        _ => None,
    }
}

/// Compares a session with `part`, the recorded events from which the session was opened. Describes the first
/// difference; `None` if there is none.
fn wrong(session: &Session, part: &[Json]) -> Option<String> {
    let end = part.last().unwrap();
    let status = match session.machine().status() {
        Status::Succeeded(_) => "succeeded",
        Status::TimedOut => "timed out",
        Status::Failed(_) => "failed",
        Status::Running => "running",
    };
    if let Some(wanted) = status_of(end).filter(|wanted| status != *wanted) {
        let status = format!("{:?}", session.machine().status());
        return Some(format!(
            "{}, not {wanted}",
            &status[..status.len().min(150)]
        ));
    }
    if let Some(found) = session.first_difference() {
        return Some(format!("#{:?} {}", found.event, found.text()));
    }
    let states = &session.definition().states;
    let names = part.iter().filter_map(|event| {
        let details = ["stateEnteredEventDetails", "stateExitedEventDetails"];
        // Some programs write the name directly into the event, outside of the details.
        let within = details.iter().find_map(|key| event[key]["name"].as_str());
        within.or_else(|| event["name"].as_str())
    });
    for name in names {
        if !states.iter().any(|state| *state.name == *name) {
            return Some(format!("no state {name}"));
        }
    }
    if let Some(id) = shifted(session, part) {
        return Some(format!("an event of the timeline is #{id}"));
    }
    let view = session.view();
    let recorded = view.recorded.as_ref()?;
    // Events of these types report the progress of a service. The repeated run need not have them.
    let optional = [
        "TaskStarted",
        "TaskSubmitted",
        "LambdaFunctionStarted",
        "ActivityStarted",
    ];
    let optional = part
        .iter()
        .filter(|event| optional.contains(&event["type"].as_str().unwrap()));
    let least = part.len() - optional.count();
    (recorded.count < least).then(|| format!("{} of {} events", recorded.count, part.len()))
}

/// The first event id in the timeline that is wrong: no recorded event has this id, or the recorded event with this id
/// is of another type.
fn shifted(session: &Session, part: &[Json]) -> Option<u32> {
    let definition = session.definition();
    let mut rows = session.rows(1..session.event_count() + 1).into_iter();
    let other = rows.find(|row| {
        let state = row.state.and_then(|state| definition.state(state));
        let name = type_name(row.kind, state);
        let mut same = part.iter().filter(|event| event["id"] == row.history_id);
        let is_kind = |event: &Json| {
            let kind = normal_name(event["type"].as_str().unwrap());
            name.as_deref().map(normal_name) == Some(kind)
        };
        row.history_id > 0 && !same.any(is_kind)
    });
    other.map(|row| row.history_id)
}

/// The type of an event, shortened for comparison. The kind of task is removed, because it is unknown without the
/// definition. The type of the exited state is removed, because some programs write a wrong one.
fn normal_name(name: &str) -> &str {
    if name.ends_with("StateExited") {
        return "StateExited";
    }
    let mut kinds = ["LambdaFunction", "Activity", "Task"].into_iter();
    kinds
        .find_map(|kind| name.strip_prefix(kind))
        .unwrap_or(name)
}

fn check(folder: &Path, machine: &Machine) -> (usize, usize, String) {
    check_parts(
        folder,
        &machine.name,
        Some(&machine.definition),
        &history(machine),
    )
}

fn check_parts(
    folder: &Path,
    name: &str,
    definition_json: Option<&Json>,
    events: &[Json],
) -> (usize, usize, String) {
    let definition = folder.join("machine.asl.json");
    if let Some(definition_json) = definition_json {
        std::fs::write(&definition, definition_json.to_string()).unwrap();
    }
    let alone = folder.join("alone");
    std::fs::create_dir_all(&alone).unwrap();
    let file = alone.join("cut.history.json");
    let (mut count, mut bad, mut text) = (0, 0, String::new());
    let step = events.len().div_ceil(MOST_CUTS).max(1);
    for (place, from) in (0..events.len()).step_by(step).enumerate() {
        let part = &events[from..];
        // The events are written in ascending or descending order, by turns; the whole history is written in both
        // orders.
        let orders = [false, true].into_iter();
        for descends in orders.filter(|descends| place == 0 || *descends == (place % 2 == 0)) {
            let mut written = part.to_vec();
            if descends {
                written.reverse();
            }
            std::fs::write(&file, json!({ "events": written }).to_string()).unwrap();
            for beside in [false, true] {
                if beside && definition_json.is_none() {
                    continue;
                }
                let mut config = LaunchConfig {
                    fresh: true,
                    ..LaunchConfig::of(if beside { &definition } else { &file })
                };
                if beside {
                    config.history = Some(HistoryGiven {
                        file: file.clone(),
                        execution: None,
                    });
                    config.rules.profile = Profile::Aws;
                }
                count += 1;
                if let Some(found) = wrong(&opened(config), part) {
                    bad += 1;
                    let how = if beside { "with" } else { "without" };
                    let first = &part[0]["type"];
                    let _ = writeln!(
                        text,
                        "{name} from #{} {first} {how} its definition: {found}",
                        from + 1
                    );
                }
            }
        }
    }
    (count, bad, text)
}

#[test]
fn every_part_opens_at_its_end_with_all_that_was_recorded() {
    let folder: PathBuf = std::env::temp_dir().join(format!("asldbg-cut-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut count, mut bad) = (0, 0);
    for machine in machines() {
        let (parts, wrong, found) = check(&folder, &machine);
        print!("{found}");
        count += parts;
        bad += wrong;
    }
    // Recordings that AWS would not write: a branch has events after the end of its Parallel, or a state is exited
    // although its task failed.
    for path in support::files("tests/cut/recorded", ".json") {
        let case: Json = serde_json::from_str(&support::read(&path)).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let events = case["events"].as_array().unwrap();
        let (parts, wrong, found) = check_parts(&folder, &name, Some(&case["definition"]), events);
        print!("{found}");
        count += parts;
        bad += wrong;
    }
    drop(std::fs::remove_dir_all(&folder));
    println!("{count} parts, {bad} wrong");
    assert!(count > 500, "{count}");
    assert_eq!(bad, 0, "of {count}");
}

/// The events in a recording, with or without a wrapper around them.
fn events_in(json: &Json) -> Option<&Vec<Json>> {
    let is_event = |event: &Json| event["type"].is_string() && event["id"].is_number();
    match json {
        Json::Array(items) if items.len() > 1 && items.iter().all(is_event) => Some(items),
        Json::Array(items) => items.iter().find_map(events_in),
        Json::Object(members) => members.values().find_map(events_in),
        _ => None,
    }
}

#[test]
#[ignore = "recordings elsewhere: CUT_FOLDER=recordings cargo test --test cut_history -- --ignored --nocapture"]
fn recordings_of_a_folder() {
    let given = PathBuf::from(std::env::var("CUT_FOLDER").unwrap());
    let folder = std::env::temp_dir().join(format!("asldbg-cuts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut count, mut bad) = (0, 0);
    for entry in std::fs::read_dir(given).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let definition = file.with_extension("asl.json");
        if !name.ends_with(".json") || name.ends_with(".asl.json") {
            continue;
        }
        let read = |path: &Path| -> Json { serde_json::from_str(&support::read(path)).unwrap() };
        let history = read(&file);
        let Some(events) = events_in(&history) else {
            println!("{name}: no events");
            continue;
        };
        let mut events = events.clone();
        events.sort_by_key(|event| event["id"].as_u64());
        let definition = definition.exists().then(|| read(&definition));
        let (parts, wrong, found) = check_parts(&folder, &name, definition.as_ref(), &events);
        println!("{name}: {parts} parts, {wrong} wrong\n{found}");
        (count, bad) = (count + parts, bad + wrong);
    }
    drop(std::fs::remove_dir_all(&folder));
    println!("{count} parts, {bad} wrong");
}
