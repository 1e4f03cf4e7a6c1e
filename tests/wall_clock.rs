//! Tests that runs depend only on their own clock: at another time of day and in another time zone, the output is
//! identical.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A definition with all JSONata functions that could depend on the date, the time or chance.
const DATES: &str = r#"{"QueryLanguage": "JSONata", "StartAt": "Dates", "States": {
    "Dates": {"Type": "Pass", "Output": {
        "time": "{% $toMillis('13:45', '[H]:[m]') %}",
        "half day": "{% $toMillis('1:45 pm', '[h]:[m] [P]') %}",
        "minute": "{% $toMillis('45', '[m]') %}",
        "second": "{% $toMillis('7', '[s]') %}",
        "day": "{% $toMillis('5', '[D]') %}",
        "month": "{% $toMillis('March', '[MNn]') %}",
        "year": "{% $toMillis('2018', '[Y]') %}",
        "now": "{% $now() %}",
        "here": "{% $now('[Y]-[M01]-[D01] [H01]:[m01]:[s01].[f001] [z]', '+0530') %}",
        "millis": "{% $millis() %}",
        "twice": "{% $now() = $now() and $millis() = $millis() %}",
        "chance": "{% [$random(), $uuid(), $shuffle([1..9])] %}",
        "local": "{% $toMillis('2018-03-01T10:20:30') %}"}, "Next": "Wait"},
    "Wait": {"Type": "Wait", "Seconds": 7, "Next": "Later"},
    "Later": {"Type": "Pass", "Output": {"then": "{% $states.input %}", "now": "{% $now() %}", "entered": "{% $states.context %}"}, "End": true}}}"#;

/// The output and the history of a run in this time zone.
fn said(file: &Path, history: &Path, zone: &str) -> (String, String) {
    let beside = |ending: &str| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let stem = name.split('.').next().unwrap().to_string();
        file.with_file_name(format!("{stem}.{ending}"))
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_asldbg"));
    command.arg("run").arg(file).args([
        "--format",
        "json",
        "--start-time",
        "2025-01-31T10:00:00.123Z",
        "--write-history",
    ]);
    command.arg(history).env("TZ", zone);
    let input = beside("input.json");
    if input.exists() {
        command.arg("-i").arg(input);
    }
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).unwrap();
    (said, fs::read_to_string(history).unwrap_or_default())
}

#[test]
fn another_time_of_day_changes_nothing() {
    let folder = std::env::temp_dir().join(format!("asldbg-wall-clock-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let dates = folder.join("dates.asl.json");
    fs::write(&dates, DATES).unwrap();
    let samples = fs::read_dir(support::root().join("samples")).unwrap();
    let mut files: Vec<PathBuf> = samples
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".asl.json"))
        .collect();
    files.sort();
    files.push(dates.clone());
    let all = |name: &str, zone: &str| -> BTreeMap<PathBuf, (String, String)> {
        let history = folder.join(name);
        let run = |file: &PathBuf| {
            let said = said(file, &history, zone);
            let _ = fs::remove_file(&history);
            (file.clone(), said)
        };
        files.iter().map(run).collect()
    };
    let first = all("history.json", "UTC");
    // Waits for more than a second, so that the second run cannot have the same time of day by chance.
    std::thread::sleep(Duration::from_millis(1_100));
    let second = all("history.json", "Asia/Kolkata");
    for (file, said) in &first {
        assert_eq!(said, &second[file], "{}", file.display());
    }
    let (dates, history) = &first[&dates];
    assert!(dates.contains("2025-01-31T10:00:00.123Z"), "{dates}");
    // The time 2025-01-31T13:45:00Z in milliseconds.
    assert!(dates.contains("1738331100000"), "{dates}");
    assert!(history.contains("PassStateEntered"), "{history}");
    fs::remove_dir_all(&folder).unwrap();
}
