//! Tests of `pull`, which fetches executions: an aborted fetch leaves no files behind. If servers that emulate AWS and
//! AWS's own client are installed, `pull` is also tested with them.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

#[path = "pull/fake.rs"]
mod fake;
#[path = "pull/server.rs"]
mod server;

use server::{Server, Servers};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const RUN: &str = "arn:aws:states:eu-west-1:123456789012:execution:Order:run-1";
const RUNNING: &str = r#"{"status":"RUNNING","startDate":1763800000.0,"name":"run-1"}"#;
const MACHINE: &str =
    r#"{"definition":"{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Succeed\"}}}"}"#;
const STARTED: &str = r#"{"events":[{"id":1,"type":"ExecutionStarted","timestamp":1763800000.0,"executionStartedEventDetails":{"input":"{}"}}]}"#;

/// A temporary folder for a test, which is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("asldbg-pull-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name != "bin").collect();
        names.sort();
        names
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap_or_default()
    }

    fn pull(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asldbg"));
        command
            .arg("pull")
            .args(args)
            .current_dir(&self.0)
            .env("PATH", fake::path(&self.0))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{what} never came"
        );
        sleep(Duration::from_millis(20));
    }
}

fn signal(name: &str, id: u32) -> bool {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &id.to_string()])
        .stderr(Stdio::null())
        .status();
    sent.unwrap().success()
}

fn status_and_texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn what_ends_it_leaves_nothing_and_nobody() {
    for (name, status, by) in [
        ("INT", Some(130), Some(2)),
        ("TERM", None, Some(15)),
        ("HUP", None, Some(1)),
    ] {
        let folder = Folder::new(&format!("ends-{name}"));
        fake::answer(&folder.0, "describe-execution.json", RUNNING);
        fake::answer(
            &folder.0,
            "describe-state-machine-for-execution.json",
            MACHINE,
        );
        fake::answer(
            &folder.0,
            "get-execution-history.sh",
            "echo $$ >\"$here/pid\"; exec sleep 100\n",
        );
        let child = folder.pull(&[RUN]).spawn().unwrap();
        let pid = folder.0.join("bin/pid");
        until("the second call", || {
            std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n'))
        });
        assert!(signal(name, child.id()));
        let output = child.wait_with_output().unwrap();
        let ended = std::os::unix::process::ExitStatusExt::signal(&output.status);
        assert!(
            output.status.code() == status && status.is_some() || ended == by,
            "{name}: {output:?}"
        );
        assert_eq!(folder.names(), Vec::<String>::new(), "{name}");
        let pid = std::fs::read_to_string(&pid)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        until("the end of aws", || !signal("0", pid));
    }
}

#[test]
fn what_is_followed_is_whole_at_any_time() {
    let folder = Folder::new("follows");
    fake::answer(&folder.0, "describe-execution.json", RUNNING);
    fake::answer(
        &folder.0,
        "describe-state-machine-for-execution.json",
        MACHINE,
    );
    fake::answer(&folder.0, "get-execution-history.1.json", STARTED);
    let second = STARTED.replace(
        "\"id\":1,\"type\":\"ExecutionStarted\"",
        "\"id\":2,\"type\":\"SucceedStateEntered\"",
    );
    fake::answer(&folder.0, "get-execution-history.2.json", &second);
    fake::answer(&folder.0, "get-execution-history.json", "{\"events\":[]}");
    let child = folder.pull(&[RUN, "--follow"]).spawn().unwrap();
    let history = folder.0.join("run-1/run-1.history.json");
    let mut seen = Vec::new();
    until("the second event", || {
        if let Ok(text) = std::fs::read_to_string(&history) {
            let value = asldbg::json::parse(&text).unwrap();
            let count = value.get("events").unwrap().as_array().unwrap().len();
            if seen.last() != Some(&count) {
                seen.push(count);
            }
        }
        seen.last() == Some(&2)
    });
    assert!(signal("INT", child.id()));
    child.wait_with_output().unwrap();
    assert_eq!(seen, [1, 2]);
    let mut names = std::fs::read_dir(folder.0.join("run-1")).unwrap().count();
    names += folder.names().len();
    assert_eq!(names, 4, "three files in one folder");
}

#[test]
fn an_endless_answer_is_broken_off() {
    let folder = Folder::new("endless");
    fake::answer(&folder.0, "describe-execution.sh", "exec yes\n");
    let (status, out, err) = status_and_texts(&folder.pull(&[RUN]).output().unwrap());
    assert_eq!((status, &*out), (Some(2), ""));
    assert!(err.contains("larger than the limit of 128 MiB"), "{err}");
    assert_eq!(folder.names(), Vec::<String>::new());
}

/// A machine that loops and then fails in an item, with more than a thousand events.
const LOOP: &str = r#"{"StartAt":"Begin","States":{
"Begin":{"Type":"Pass","Result":{"n":0,"list":[1,2],"email":"bob@example.com"},"Next":"Count"},
"Count":{"Type":"Pass","Parameters":{"n.$":"States.MathAdd($.n, 1)","list.$":"$.list","email.$":"$.email"},"Next":"Enough"},
"Enough":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericGreaterThanEquals":260,"Next":"Items"}],"Default":"Count"},
"Items":{"Type":"Map","ItemsPath":"$.list","MaxConcurrency":1,"ItemProcessor":{"StartAt":"Bad","States":{"Bad":{"Type":"Fail","Error":"Out.OfStock","Cause":"none left"}}},"End":true}}}"#;
const WAIT: &str = r#"{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":6,"Next":"Z"},"Z":{"Type":"Succeed"}}}"#;
const ITEMS: &str = r#"{"StartAt":"Items","States":{"Items":{"Type":"Map","Label":"It","ItemsPath":"$.list","ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}},"End":true}}}"#;

/// Fetches from a server. Returns the exit status and the output.
fn fetched(folder: &Folder, server: &Server, args: &[&str]) -> (Option<i32>, String, String) {
    let mut pull = folder.pull(args);
    pull.args(["--", "--endpoint-url", server.url()]);
    status_and_texts(&server.client(&mut pull).output().unwrap())
}

fn replayed(folder: &Folder, name: &str) -> (Option<i32>, String, String) {
    let replay = Command::new(env!("CARGO_BIN_EXE_asldbg"))
        .arg("replay")
        .arg(folder.0.join(format!("{name}.asl.json")))
        .arg(folder.0.join(format!("{name}.history.json")))
        .output();
    status_and_texts(&replay.unwrap())
}

#[test]
fn moto_runs_what_is_fetched_and_repeated() {
    let Some(servers) = Servers::installed() else {
        return;
    };
    let (folder, server) = (Folder::new("moto"), servers.moto());
    let machine = server.machine("Order", LOOP);
    // Unless configured to run machines, moto returns the same recording from 2020 for every execution.
    let canned = server.start(&machine, "canned");
    let (status, _, err) = fetched(&folder, &server, &[&canned]);
    assert_eq!(status, Some(1), "{err}");
    assert!(
        err.contains("these events are not of this execution"),
        "{err}"
    );
    server.run_machines();
    let machine = server.machine("Order", LOOP);
    let run = server.start(&machine, "run-1");
    server.until_ended(&run);
    let (status, out, err) = fetched(&folder, &server, &[&run]);
    assert_eq!(
        (status, &*out),
        (Some(0), "run-1/run-1.history.json\n"),
        "{err}"
    );
    assert!(err.contains("FAILED: Out.OfStock: none left; "), "{err}");
    let (status, out, err) = replayed(&folder, "run-1/run-1");
    assert_eq!(status, Some(0), "{out}{err}");
    // Redacted executions can be replayed as well.
    let last = [
        "--last-failed",
        &machine,
        "--into",
        "shown",
        "--redact",
        "email",
    ];
    let (status, _, err) = fetched(&folder, &server, &last);
    assert_eq!(status, Some(0), "{err}");
    assert!(!folder.read("shown/run-1.history.json").contains("bob"));
    assert!(
        folder
            .read("shown/run-1.history.json")
            .contains("redacted-1")
    );
    let (status, out, err) = replayed(&folder, "shown/run-1");
    assert_eq!(status, Some(0), "{out}{err}");
    let (status, _, err) = fetched(&folder, &server, &[&format!("{run}x")]);
    assert_eq!(status, Some(2));
    assert!(err.contains("there is no such execution"), "{err}");
    assert!(!folder.0.join("run-1x").exists());
}

#[test]
fn an_express_execution_comes_as_its_log_lines_from_moto() {
    let Some(servers) = Servers::installed() else {
        return;
    };
    let (folder, server) = (Folder::new("express"), servers.moto());
    let (machine, run) = server.express("Quick", WAIT);
    let (status, out, err) = fetched(&folder, &server, &[&run]);
    assert_eq!(
        (status, &*out),
        (Some(0), "quick-1/quick-1.history.json\n"),
        "{err}"
    );
    let (_, events, err) = status_and_texts(
        &Command::new(env!("CARGO_BIN_EXE_asldbg"))
            .args(["convert", "quick-1/quick-1.history.json"])
            .current_dir(&folder.0)
            .output()
            .unwrap(),
    );
    assert!(
        events.contains("ExecutionSucceeded"),
        "{machine}: {events}{err}"
    );
}

#[test]
fn ministack_gives_pages_map_runs_and_what_goes_on() {
    let Some(servers) = Servers::installed() else {
        return;
    };
    let (folder, server) = (Folder::new("ministack"), servers.ministack());
    // Ministack does not record the events of items.
    let plain = LOOP.replace("\"Next\":\"Items\"", "\"Next\":\"Full\"");
    let plain = plain.replace(
        "\"Items\":{",
        "\"Full\":{\"Type\":\"Fail\",\"Error\":\"Full\"},\"Items\":{",
    );
    let run = server.start(&server.machine("Order", &plain), "run-1");
    server.until_ended(&run);
    let (status, _, err) = fetched(&folder, &server, &[&run]);
    assert_eq!(status, Some(0), "{err}");
    assert!(err.contains("run-1: 1000 events\n"), "pages: {err}");
    let (status, out, err) = replayed(&folder, "run-1/run-1");
    assert_eq!(status, Some(0), "{out}{err}");
    // After the first page of events, the server can no longer be reached, so no files may be left.
    let front = server.front(3);
    let (status, _, err) = fetched(&folder, &front, &[&run, "--into", "half"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(
        err.contains("run-1: 1000 events\n") && err.contains("cannot be reached"),
        "{err}"
    );
    assert!(!folder.0.join("half").exists());
    let items = server.start(&server.machine("Items", ITEMS), "items-1");
    server.until_ended(&items);
    let (_, _, err) = fetched(&folder, &server, &[&items, "--children"]);
    let children = std::fs::read_dir(folder.0.join("items-1/items-1.children")).unwrap();
    let children = children
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let children: Vec<String> = children.collect();
    let ending = |ending: &str| {
        children
            .iter()
            .filter(|name| name.ends_with(ending))
            .count()
    };
    assert_eq!(
        (ending(".history.json"), ending(".map-run.json")),
        (2, 1),
        "{children:?}\n{err}"
    );
    let waiting = server.start(&server.machine("Wait", WAIT), "wait-1");
    let (status, _, err) = fetched(&folder, &server, &[&waiting, "--follow"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(
        err.contains("RUNNING; ") && err.contains("SUCCEEDED; "),
        "{err}"
    );
    assert!(
        folder
            .read("wait-1/wait-1.history.json")
            .contains("ExecutionSucceeded")
    );
    assert!(
        folder
            .read("wait-1/wait-1.execution.json")
            .contains("SUCCEEDED")
    );
    let left: Vec<String> = folder
        .names()
        .into_iter()
        .filter(|name| name.contains(".part"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
    assert!(Path::new(&folder.0).join("run-1/run-1.asl.json").exists());
}
