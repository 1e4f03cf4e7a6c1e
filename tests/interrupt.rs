//! Tests that the first Ctrl-C ends every command that can take long, at whatever moment it is pressed.
//!
//! With `INTERRUPT_MS=1000 INTERRUPT_ROUNDS=20 INTERRUPT_LATEST=700 ASLDBG_BIN=target/release/asldbg`, the command
//! `cargo test --test interrupt -- --nocapture` tests another build of the program, with a stricter time limit, on an
//! idle machine.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::Random;

/// Number of states of the large definition.
const LARGE: usize = 8000;
/// Longest time from the start of a command to the signal, in milliseconds; `INTERRUPT_LATEST` sets another limit.
const LATEST: u64 = 250;
/// The two ways in which an interrupted command may end: with exit status 130, or by the signal itself.
const ENDS: [(Option<i32>, Option<i32>); 2] = [(Some(130), None), (None, Some(libc::SIGINT))];

/// A command to interrupt. `never` is true if the command does not end by itself.
struct Case {
    line: &'static str,
    never: bool,
    /// Sends the request that keeps `serve` or `dap` busy; does nothing for other commands.
    starts: fn(&mut Child, &Path),
}

const fn long(line: &'static str) -> Case {
    Case {
        line,
        never: false,
        starts: |_, _| {},
    }
}

const fn endless(line: &'static str) -> Case {
    Case {
        never: true,
        ..long(line)
    }
}

const CASES: [Case; 22] = [
    endless("run loop.asl.json --profile spec"),
    endless("run loop.asl.json --profile spec --write-history out.json"),
    endless("run map.asl.json --profile spec"),
    endless("run slow.asl.json"),
    endless("run call.asl.json -i {} --task *=./slow-handler"),
    long("run large.asl.json -i {}"),
    long("check large.asl.json"),
    long("check large.asl.json --format json"),
    long("graph large.asl.json"),
    long("graph large.asl.json --format svg"),
    long("convert large.asl.json"),
    endless("explore branches.asl.json --time 60"),
    endless("explore large.asl.json --time 60"),
    endless("test loop.test.yaml"),
    endless("test loop.test.yaml --coverage"),
    endless("test --watch loop.test.yaml"),
    long("replay large.asl.json histories"),
    long("test-state slow.asl.json --state-name A -i {}"),
    endless("pull arn:aws:states:us-east-1:123456789012:execution:m:e --into pulled"),
    endless("pull --follow arn:aws:states:us-east-1:123456789012:execution:m:e --into pulled"),
    Case {
        starts: execution,
        ..endless("serve loop.asl.json --listen 127.0.0.1:0")
    },
    Case {
        starts: debugged,
        ..endless("dap")
    },
];

/// Waits until `serve` listens, and starts an execution with a request to its endpoint.
fn execution(child: &mut Child, _: &Path) {
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("endpoint http://") {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "no endpoint");
    }
    let address = line.split("http://").nth(1).unwrap();
    let address = address.split([';', ' ', '\n']).next().unwrap();
    let body = r#"{"stateMachineArn":"arn:aws:states:us-east-1:123456789012:stateMachine:loop"}"#;
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: {address}\r\nX-Amz-Target: AWSStepFunctions.StartExecution\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("executionArn"), "{answer}");
    child.stderr = Some(said.into_inner());
}

/// Starts an endless run in the debug adapter.
fn debugged(child: &mut Child, folder: &Path) {
    let program = folder.join("loop.asl.json");
    let program = program.to_str().unwrap();
    let input = child.stdin.as_mut().unwrap();
    for (seq, command, arguments) in [
        (1, "initialize", r#"{"adapterID":"asl"}"#.to_string()),
        (
            2,
            "launch",
            format!(r#"{{"program":"{program}","profile":"spec"}}"#),
        ),
        (3, "configurationDone", "{}".to_string()),
    ] {
        let body = format!(
            r#"{{"seq":{seq},"type":"request","command":"{command}","arguments":{arguments}}}"#
        );
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }
    input.flush().unwrap();
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

impl Folder {
    fn new() -> Self {
        let name = format!("asldbg-interrupt-{}", std::process::id());
        let folder = Self(std::env::temp_dir().join(name));
        std::fs::create_dir_all(folder.0.join("bin")).unwrap();
        std::fs::create_dir_all(folder.0.join("histories")).unwrap();
        folder.write("loop.asl.json", r#"{"StartAt":"A","States":{"A":{"Type":"Choice","Choices":[{"Variable":"$.end","IsPresent":true,"Next":"E"}],"Default":"A2"},"A2":{"Type":"Pass","Next":"A"},"E":{"Type":"Succeed"}}}"#);
        let case = |number| {
            format!(
                "  - name: c{number}\n    input: {{}}\n    profile: spec\n    expect:\n      status: SUCCEEDED\n"
            )
        };
        let cases: String = (0..20).map(case).collect();
        folder.write("loop.test.yaml", &format!("cases:\n{cases}"));
        folder.write("map.asl.json", r#"{"StartAt":"M","States":{"M":{"Type":"Map","ItemsPath":"$.items","ResultPath":"$.r","ItemProcessor":{"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}},"Next":"C"},"C":{"Type":"Choice","Choices":[{"Variable":"$.items","IsPresent":true,"Next":"M"}],"Default":"E"},"E":{"Type":"Succeed"}}}"#);
        let items: Vec<usize> = (0..20_000).collect();
        folder.write("map.input.json", &format!(r#"{{"items":{items:?}}}"#));
        folder.write("slow.asl.json", r#"{"QueryLanguage":"JSONata","StartAt":"A","States":{"A":{"Type":"Pass","Output":"{% $sum($map([1..900], function($i){ $sum($map([1..900], function($j){ $i*$j })) })) %}","Next":"C"},"C":{"Type":"Choice","Choices":[{"Condition":"{% $states.input > 0 %}","Next":"A"}],"Default":"E"},"E":{"Type":"Succeed"}}}"#);
        folder.write("call.asl.json", r#"{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:f","End":true}}}"#);
        let mut states = String::new();
        for at in 0..LARGE {
            write!(states, r#""S{at}":{{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:f","Parameters":{{"a.$":"$.x{at}"}},"ResultPath":"$.r{at}","Next":"S{}"}},"#, at + 1).unwrap();
        }
        folder.write(
            "large.asl.json",
            &format!(r#"{{"StartAt":"S0","States":{{{states}"S{LARGE}":{{"Type":"Succeed"}}}}}}"#),
        );
        let branch = |name: char| {
            let task = |at: usize| {
                let catchers: Vec<String> = (0..5)
                    .map(|to| {
                        let next = (at + to) % 12;
                        format!(r#"{{"ErrorEquals":["E{to}"],"Next":"S{next}{name}"}}"#)
                    })
                    .collect();
                let catchers = catchers.join(",");
                format!(
                    r#""S{at}{name}":{{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:f","Catch":[{catchers}],"Next":"S{}{name}"}},"#,
                    at + 1
                )
            };
            let tasks: String = (0..12).map(task).collect();
            format!(
                r#"{{"StartAt":"S0{name}","States":{{{tasks}"S12{name}":{{"Type":"Succeed"}}}}}}"#
            )
        };
        let branches: Vec<String> = "abcdef".chars().map(branch).collect();
        folder.write("branches.asl.json", &format!(r#"{{"StartAt":"P","States":{{"P":{{"Type":"Parallel","Branches":[{}],"End":true}}}}}}"#, branches.join(",")));
        for number in 0..20 {
            let history = r#"{"events":[{"timestamp":"2024-03-01T09:00:00Z","type":"ExecutionStarted","id":1,"previousEventId":0,"executionStartedEventDetails":{"input":"{}"}},{"timestamp":"2024-03-01T09:00:01Z","type":"ExecutionAborted","id":2,"previousEventId":1}]}"#;
            folder.write(&format!("histories/{number}.history.json"), history);
        }
        folder.program("bin/aws", "exec sleep 60");
        folder.program("slow-handler", "exec sleep 60");
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn program(&self, name: &str, line: &str) {
        self.write(name, &format!("#!/bin/sh\n{line}\n"));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.0.join(name), mode).unwrap();
    }

    fn start(&self, case: &Case) -> Child {
        let built = || env!("CARGO_BIN_EXE_asldbg").into();
        let program = std::env::var_os("ASLDBG_BIN").unwrap_or_else(built);
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new(std::path::absolute(program).unwrap())
            .args(case.line.split(' '))
            .current_dir(&self.0)
            .env("PATH", format!("{}:{path}", self.0.join("bin").display()))
            .env("ASLDBG_STATE_DIR", self.0.join("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The time from the signal to the end of the program; `None` if the program ended before the signal.
fn interrupted(folder: &Folder, case: &Case, after: Duration) -> Option<Duration> {
    let mut child = folder.start(case);
    (case.starts)(&mut child, &folder.0);
    std::thread::sleep(after);
    if let Some(status) = child.try_wait().unwrap() {
        let mut said = String::new();
        let stderr = child.stderr.take();
        drop(stderr.map(|mut stderr| stderr.read_to_string(&mut said)));
        assert!(
            !case.never && status.code() != Some(2),
            "{}: {said}",
            case.line
        );
        return None;
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    let begun = Instant::now();
    assert!(sent.success());
    while begun.elapsed() < Duration::from_secs(60) {
        if let Some(status) = child.try_wait().unwrap() {
            let end = (status.code(), status.signal());
            // The program may have ended by itself just before the signal.
            let by_itself = !case.never && matches!(end, (Some(0 | 1), None));
            assert!(by_itself || ENDS.contains(&end), "{}: {end:?}", case.line);
            return Some(begun.elapsed());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    panic!("{}: nothing ends it", case.line);
}

#[test]
fn the_first_ctrl_c_ends_every_command() {
    let folder = Folder::new();
    // The default limit is long, because other tests run at the same time.
    let limit = Duration::from_millis(number("INTERRUPT_MS", 15_000));
    let rounds = number("INTERRUPT_ROUNDS", 1);
    let mut random = Random::new(number("INTERRUPT_SEED", 1));
    let latest = number("INTERRUPT_LATEST", LATEST) as usize;
    let mut slow = Vec::new();
    for case in &CASES {
        let mut times = Vec::new();
        for _ in 0..rounds {
            let after = Duration::from_millis(random.below(latest) as u64);
            times.extend(interrupted(&folder, case, after));
        }
        let longest = times.iter().max().copied().unwrap_or_default();
        println!(
            "{:<70} {} of {rounds}, at most {longest:?}",
            case.line,
            times.len()
        );
        if longest > limit {
            slow.push((case.line, longest));
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
