//! Tests of `asldbg serve` over a connection: `tests/endpoint`, one behaviour per file.
//!
//! A file contains requests (`> OPERATION {BODY}`), each with its response: `< {BODY}` or `! CODE MESSAGE`. A request
//! `>> OPERATION {BODY}` is repeated until the status in its response is not RUNNING. `{x*300}` stands for 300 times
//! the character x. `TIME`, `UUID`, `TOKEN` and `NEXT` stand for values that differ each time; in a request, `TOKEN`,
//! `NEXT` and `MAPRUN` are replaced by the value in the last response that contained one. A line `options WORD...` sets
//! options of the server. `refused.txt` contains raw requests with the HTTP status of each. `BLESS=1` rewrites the
//! responses.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

#[path = "endpoint/client.rs"]
mod client;

use asldbg::endpoint::{Options, Server};
use asldbg::target::Targets;
use client::Client;
use regex::Regex;
use std::fs;
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/endpoint")
}

/// Starts a server in a thread of this process; returns its address. `words` contains the options.
fn server(words: &str) -> SocketAddr {
    let mut options = Options::default();
    for word in words.split_whitespace() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("mock", name) => options.mock = Some(folder().join(name)),
            ("task", task) => options.targets = Targets::parse(&[task.to_string()]).unwrap(),
            ("like-local", _) => options.like_local = true,
            ("realtime", factor) => options.realtime = Some(factor.parse().unwrap()),
            ("allow-host", name) => options.allowed_hosts.push(name.to_string()),
            other => panic!("unknown option {other:?}"),
        }
    }
    let server = Server::bind(options, |problem| panic!("{problem}")).unwrap();
    let address = server.address();
    thread::spawn(move || server.serve());
    address
}

/// Patterns of the values that differ from run to run, and the last values found in responses.
struct Names {
    time: Regex,
    uuid: Regex,
    token: Regex,
    next: Regex,
    repeated: Regex,
    map_run: Regex,
    last_token: String,
    last_next: String,
    last_map_run: String,
}

impl Names {
    fn new() -> Self {
        let regex = |text: &str| Regex::new(text).unwrap();
        Self {
            time: regex(r"\b1[789]\d{8}(\.\d+|\d{3}\b)"),
            uuid: regex(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
            token: regex(r#""taskToken":"([^"]+)""#),
            next: regex(r#""nextToken":"([^"]+)""#),
            repeated: regex(r"\{(.)\*(\d+)\}"),
            map_run: regex(r"mapRun:[^:]+:([0-9a-f-]{36})"),
            last_token: String::new(),
            last_map_run: String::new(),
            last_next: String::new(),
        }
    }

    fn hide(&mut self, answer: &str) -> String {
        if let Some(found) = self.token.captures(answer) {
            self.last_token = found[1].to_string();
        }
        if let Some(found) = self.next.captures(answer) {
            self.last_next = found[1].to_string();
        }
        if let Some(found) = self.map_run.captures(answer) {
            self.last_map_run = found[1].to_string();
        }
        let text = self.token.replace_all(answer, r#""taskToken":"TOKEN""#);
        let text = self.next.replace_all(&text, r#""nextToken":"NEXT""#);
        let text = self.time.replace_all(&text, "TIME");
        short(&self.uuid.replace_all(&text, "UUID"))
    }

    fn fill(&self, request: &str) -> String {
        let text = request.replace("TOKEN", &self.last_token);
        let text = text.replace("NEXT", &self.last_next);
        let text = text.replace("MAPRUN", &self.last_map_run);
        let repeated = |found: &regex::Captures<'_>| found[1].repeat(found[2].parse().unwrap());
        self.repeated.replace_all(&text, repeated).into_owned()
    }
}

/// Abbreviates 100 or more equal characters in a row: 300 times x becomes `{x*300}`.
fn short(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let count = rest.chars().take_while(|c| *c == first).count();
        match count {
            100.. => out += &format!("{{{first}*{count}}}"),
            _ => out.extend(std::iter::repeat_n(first, count)),
        }
        rest = &rest[count * first.len_utf8()..];
    }
    out
}

/// Sends a request and returns the response, written as in a test file. If `until_over`, repeats the request while the
/// status in the response is RUNNING.
fn asked(client: &mut Client, names: &mut Names, request: &str, until_over: bool) -> String {
    let (operation, body) = request.split_once(' ').unwrap_or((request, "{}"));
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let (status, text) = client.call(operation, &names.fill(body));
        if until_over && text.contains("\"status\":\"RUNNING\"") && Instant::now() < end {
            thread::sleep(Duration::from_millis(2));
            continue;
        }
        let shown = names.hide(&text);
        if status == 200 {
            return format!("< {shown}");
        }
        let error: serde_json::Value = serde_json::from_str(&shown).expect("an error is JSON");
        let part = |name: &str| error[name].as_str().unwrap_or("?").to_string();
        assert_eq!(client.error, Some(part("__type")));
        return format!("! {} {}", part("__type"), part("message"));
    }
}

fn played(text: &str) -> String {
    let words = text.lines().find_map(|line| line.strip_prefix("options "));
    let mut client = Client::new(server(words.unwrap_or_default()));
    let mut names = Names::new();
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with("< ") || line.starts_with("! ") {
            continue;
        }
        out += line;
        out.push('\n');
        let (request, until_over) = match (line.strip_prefix(">> "), line.strip_prefix("> ")) {
            (Some(request), _) => (request, true),
            (None, Some(request)) => (request, false),
            (None, None) => continue,
        };
        out += &asked(&mut client, &mut names, request, until_over);
        out.push('\n');
    }
    out
}

/// Sends the requests of a test file to a server and compares the responses with those in the file.
fn check(name: &str) {
    let path = folder().join(format!("{name}.txt"));
    let text = fs::read_to_string(&path).unwrap();
    let now = played(&text);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, now).unwrap();
        return;
    }
    for (line, (expected, other)) in text.lines().zip(now.lines()).enumerate() {
        assert_eq!(expected, other, "{name}.txt:{}", line + 1);
    }
    assert_eq!(text.lines().count(), now.lines().count(), "{name}.txt");
}

macro_rules! files {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*

        #[test]
        fn every_file_is_played() {
            let known = [$(stringify!($name)),*, "refused"];
            for entry in fs::read_dir(folder()).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|ending| ending == "txt") {
                    let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
                    assert!(known.contains(&&*stem), "{stem}.txt is played by no test");
                }
            }
        }
    };
}

files!(
    activity, alias, child, execution, express, history, limits, local, machine, map_run, mock,
    redrive, stop, tag, task, test_state, token, validate, version,
);

#[test]
fn what_no_program_means_to_send_is_refused() {
    let address = server("allow-host=host.docker.internal");
    let text = fs::read_to_string(folder().join("refused.txt")).unwrap();
    let mut count = 0;
    for part in text.split("=== ").skip(1) {
        let (name, rest) = part.split_once('\n').unwrap();
        let (name, wanted) = name.split_once(" -> ").unwrap();
        let sent = client::raw(rest);
        assert_eq!(client::status_of(address, &sent), wanted, "{name}");
        count += 1;
    }
    assert!(count > 20, "{count} requests");
}

#[test]
fn a_slow_or_large_request_harms_nobody() {
    let address = server("");
    let mut others = Vec::new();
    for _ in 0..20 {
        // These clients never finish their headers.
        others.push(client::begun(
            address,
            "POST / HTTP/1.1\r\nHost: localhost\r\n",
        ));
    }
    let mut client = Client::new(address);
    assert_eq!(client.call("ListStateMachines", "{}").0, 200);
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: AWSStepFunctions.ListStateMachines\r\n";
    let large = format!(
        "{head}Content-Length: 5242880\r\n\r\n{}",
        " ".repeat(5 << 20)
    );
    assert_eq!(client::status_of(address, large.as_bytes()), "413");
    let long = format!("{head}X: {}\r\n\r\n", "x".repeat(17 << 10));
    assert_eq!(client::status_of(address, long.as_bytes()), "431");
    let many = format!("{head}{}\r\n", "X: y\r\n".repeat(70));
    assert_eq!(client::status_of(address, many.as_bytes()), "431");
    drop(others);
}

#[test]
fn connections_come_and_go() {
    let address = server("");
    for _ in 0..2000 {
        assert_eq!(Client::new(address).call("ListActivities", "{}").0, 200);
    }
}

#[test]
fn a_connection_is_closed_when_its_client_asks_for_that() {
    let address = server("");
    for (version, field, closes) in [
        ("1.1", "", false),
        ("1.1", "Connection: keep-alive\r\n", false),
        ("1.1", "Connection: close\r\n", true),
        ("1.1", "Connection: TE, Close\r\n", true),
        ("1.0", "", true),
        ("1.0", "Connection: Keep-Alive\r\n", false),
    ] {
        let head = "Host: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: AWSStepFunctions.ListActivities";
        let sent =
            format!("POST / HTTP/{version}\r\n{head}\r\n{field}Content-Length: 2\r\n\r\n{{}}");
        let mut stream = client::begun(address, &sent);
        let patience = Duration::from_millis(if closes { 20_000 } else { 300 });
        stream.set_read_timeout(Some(patience)).unwrap();
        let mut said = String::new();
        let is_closed = stream.read_to_string(&mut said).is_ok();
        assert!(said.starts_with("HTTP/1.1 200 OK\r\n"), "{said}");
        let says_so = said.contains("\r\nConnection: close\r\n");
        assert_eq!((is_closed, says_so), (closes, closes), "{version} {field}");
    }
}

/// While `GetActivityTask` waits for a task, a client of HTTP/1.1 gets the response in chunks; a client of HTTP/1.0
/// does not.
#[test]
fn a_client_of_http_1_0_gets_no_chunks() {
    let address = server("");
    let mut client = Client::new(address);
    let (status, activity) = client.call("CreateActivity", r#"{"name": "A"}"#);
    assert_eq!(status, 200, "{activity}");
    let body = r#"{"activityArn": "arn:aws:states:us-east-1:123456789012:activity:A"}"#;
    let head = "Host: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: AWSStepFunctions.GetActivityTask";
    for (version, chunks) in [("1.1", true), ("1.0", false)] {
        let length = body.len();
        let sent =
            format!("POST / HTTP/{version}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}");
        let mut stream = client::begun(address, &sent);
        stream
            .set_read_timeout(Some(Duration::from_millis(1_500)))
            .unwrap();
        let mut first = [0; 1024];
        let said = stream.read(&mut first);
        let said = said.map(|read| String::from_utf8_lossy(&first[..read]).into_owned());
        match chunks {
            true => assert!(said.unwrap().contains("\r\nTransfer-Encoding: chunked\r\n")),
            false => assert!(said.is_err(), "{said:?}"),
        }
    }
}

#[test]
fn connections_beyond_the_limit_are_told_so() {
    let address = server("");
    let open: Vec<_> = (0..64).map(|_| client::begun(address, "P")).collect();
    let refused = || client::status_of(address, b"POST / HTTP/1.1\r\n\r\n") == "503";
    let end = Instant::now() + Duration::from_secs(5);
    while !refused() {
        assert!(Instant::now() < end, "65 connections are served");
    }
    drop(open);
    let end = Instant::now() + Duration::from_secs(5);
    while refused() {
        assert!(Instant::now() < end, "no connection is given back");
    }
}

#[test]
fn a_repeated_request_starts_nothing_twice() {
    let address = server("");
    let mut client = Client::new(address);
    let definition = r#"{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Succeed\"}}}"#;
    let body =
        format!(r#"{{"name":"m","definition":"{definition}","roleArn":"arn:aws:iam::1:role/r"}}"#);
    assert_eq!(client.call("CreateStateMachine", &body).0, 200);
    let body = r#"{"stateMachineArn":"arn:aws:states:us-east-1:123456789012:stateMachine:m"}"#;
    client.invocation = Some("8a5c5f9e-1".to_string());
    let (first, again) = (
        client.call("StartExecution", body),
        client.call("StartExecution", body),
    );
    assert_eq!(first, again);
    client.invocation = Some("8a5c5f9e-2".to_string());
    assert_ne!(first, client.call("StartExecution", body));
}

#[test]
fn executions_at_once_are_all_described_right() {
    let address = server("");
    let mut client = Client::new(address);
    let states: Vec<String> = (0..10)
        .map(|n| {
            let next = if n == 9 {
                r#"\"End\":true"#.to_string()
            } else {
                format!(r#"\"Next\":\"S{}\""#, n + 1)
            };
            format!(r#"\"S{n}\":{{\"Type\":\"Pass\",{next}}}"#)
        })
        .collect();
    let definition = format!(
        r#"{{\"StartAt\":\"S0\",\"States\":{{{}}}}}"#,
        states.join(",")
    );
    let body = format!(
        r#"{{"name":"ten","definition":"{definition}","roleArn":"arn:aws:iam::1:role/r"}}"#
    );
    assert_eq!(client.call("CreateStateMachine", &body).0, 200);
    let threads = (0..8).map(|place| {
        thread::spawn(move || {
            let mut client = Client::new(address);
            for run in 0..40 {
                let name = format!("e{place}-{run}");
                let start = format!(r#"{{"stateMachineArn":"arn:aws:states:us-east-1:123456789012:stateMachine:ten","name":"{name}","input":"{{\"n\":{run}}}"}}"#);
                assert_eq!(client.call("StartExecution", &start).0, 200);
                let describe = format!(r#"{{"executionArn":"arn:aws:states:us-east-1:123456789012:execution:ten:{name}"}}"#);
                let end = Instant::now() + Duration::from_secs(20);
                loop {
                    let (_, text) = client.call("DescribeExecution", &describe);
                    if text.contains("SUCCEEDED") {
                        assert!(text.contains(&format!(r#""output":"{{\"n\":{run}}}""#)), "{text}");
                        break;
                    }
                    assert!(Instant::now() < end, "{text}");
                }
            }
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        thread.join().expect("a client");
    }
}
