//! Tasks that are really called: functions and endpoints on this machine, programs, and what goes wrong with them.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// A folder of its own for each test; it goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("asldbg-task-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// A program that a shell runs.
    fn program(&self, name: &str, text: &str) -> String {
        let path = self.write(name, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A machine of one task.
    fn machine(&self, resource: &str, fields: Value) -> String {
        let mut task = json!({"Type": "Task", "Resource": resource, "End": true});
        let own = task.as_object_mut().unwrap();
        own.extend(fields.as_object().unwrap().clone());
        let definition = json!({"StartAt": "Call", "States": {"Call": task}});
        self.write("m.asl.json", &definition.to_string())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_asldbg"));
        command
            .args(args)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        let all = [&["run", "m.asl.json", "--format", "json"], args].concat();
        self.command(&all).output().unwrap()
    }

    /// How a run ended: its output, or its error and cause.
    fn came(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let text = String::from_utf8_lossy(&output.stdout);
        let Ok(result) = serde_json::from_str::<Value>(&text) else {
            return String::from_utf8_lossy(&output.stderr).into_owned();
        };
        match result["error"].as_str() {
            Some(error) => format!("{error}: {}", result["cause"].as_str().unwrap_or("")),
            None => result["output"].to_string(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const FUNCTION: &str = "arn:aws:lambda:us-east-1:123456789012:function:charge";
const INVOKE: &str = "arn:aws:states:::lambda:invoke";

/// A server that gives every request the same bytes, and keeps what it was sent.
struct Server {
    address: String,
    sent: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(answer: impl Fn(&mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let sent: Arc<Mutex<Vec<String>>> = Arc::default();
        let own = Arc::clone(&sent);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut text = String::new();
                let mut buffer = [0; 4096];
                // The header, and as much of a body as it announces.
                loop {
                    let count = stream.read(&mut buffer).unwrap_or(0);
                    text.push_str(&String::from_utf8_lossy(&buffer[..count]));
                    let Some((head, body)) = text.split_once("\r\n\r\n") else {
                        continue;
                    };
                    let length = head.split("Content-Length: ").nth(1).unwrap();
                    let length = length.lines().next().unwrap().parse::<usize>().unwrap();
                    if count == 0 || body.len() >= length {
                        break;
                    }
                }
                own.lock().unwrap().push(text);
                answer(&mut stream);
            }
        });
        Self { address, sent }
    }

    fn saying(status: &str, fields: &str, body: &str) -> Self {
        let text = format!(
            "HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        Self::new(move |stream| drop(stream.write_all(text.as_bytes())))
    }

    fn calls(&self) -> usize {
        self.sent.lock().unwrap().len()
    }
}

#[test]
fn a_function_is_called_by_lambdas_protocol() {
    let folder = Folder::new("function");
    let server = Server::saying("200 OK", "", "{\"ok\": true}");
    let task = format!("charge={}", server.address);
    folder.machine(FUNCTION, json!({}));
    assert_eq!(
        folder.came(&["-i", "{\"n\": 1}", "--task", &task]),
        "{\"ok\":true}"
    );
    folder.machine(
        INVOKE,
        json!({"Parameters": {"FunctionName": "charge", "Payload": {"a.$": "$.n"}}, "ResultSelector": {"got.$": "$.Payload.ok", "status.$": "$.StatusCode"}}),
    );
    let came = folder.came(&["-i", "{\"n\": 1}", "--task", &task]);
    assert_eq!(came, "{\"got\":true,\"status\":200}");
    let sent = server.sent.lock().unwrap();
    assert!(sent[0].starts_with("POST /2015-03-31/functions/charge/invocations HTTP/1.1\r\n"));
    assert!(sent[0].ends_with("\r\n\r\n{\"n\":1}"), "{}", sent[0]);
    assert!(sent[1].ends_with("\r\n\r\n{\"a\":1}"), "{}", sent[1]);
}

#[test]
fn errors_have_the_names_that_aws_gives_them() {
    let folder = Folder::new("errors");
    folder.machine(FUNCTION, json!({}));
    let raised = r#"{"errorType":"Custom","errorMessage":"boom"}"#;
    for (status, fields, body, target, wanted) in [
        ("200 OK", "X-Amz-Function-Error: Unhandled\r\n", raised, "", format!("Custom: {raised}")),
        ("200 OK", "", raised, "rie:", format!("Custom: {raised}")),
        ("200 OK", "", raised, "", raised.to_string()),
        ("302 Found", "Location: http://127.0.0.1:1/\r\n", "", "", "Lambda.ServiceException:  (Service: AWSLambda; Status Code: 302; Error Code: ServiceException; Request ID: unknown; Proxy: null)".into()),
        ("429 Slow", "", "slow", "", "Lambda.TooManyRequestsException: slow (Service: AWSLambda; Status Code: 429; Error Code: TooManyRequestsException; Request ID: unknown; Proxy: null)".into()),
    ] {
        let server = Server::saying(status, fields, body);
        let task = format!("Call={target}{}", server.address);
        assert_eq!(folder.came(&["--task", &task]), wanted, "{status} {fields}");
    }
    let came = folder.came(&["--task", "Call=http://127.0.0.1:1"]);
    assert!(
        came.starts_with("Lambda.SdkClientException: http://127.0.0.1:1 did not answer: "),
        "{came}"
    );
}

#[test]
fn an_endpoint_takes_and_gives_json() {
    let folder = Folder::new("endpoint");
    folder.machine(
        "arn:aws:states:::dynamodb:putItem",
        json!({"Parameters": {"TableName": "t", "Item": {"id": {"S": "x"}}}}),
    );
    let chunked = Server::new(|stream| {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\"a\"\r\n3;x=y\r\n: 1\r\n1\r\n}\r\n0\r\n\r\n";
        drop(stream.write_all(text.as_bytes()));
    });
    let task = format!("dynamodb:*={}/put", chunked.address);
    assert_eq!(folder.came(&["--task", &task]), "{\"a\":1}");
    let sent = chunked.sent.lock().unwrap()[0].clone();
    assert!(sent.starts_with("POST /put HTTP/1.1\r\n"), "{sent}");
    assert!(
        sent.ends_with("{\"TableName\":\"t\",\"Item\":{\"id\":{\"S\":\"x\"}}}"),
        "{sent}"
    );
    for (status, body, wanted) in [
        (
            "500 No",
            "{\"error\": \"DynamoDB.Odd\", \"cause\": \"why\"}",
            "DynamoDB.Odd: why".to_string(),
        ),
        (
            "500 No",
            "oh",
            "States.TaskFailed: ADDRESS answered 500: oh".to_string(),
        ),
        (
            "200 OK",
            "oh",
            "States.Runtime: ADDRESS did not answer in JSON: oh".to_string(),
        ),
    ] {
        let server = Server::saying(status, "", body);
        let task = format!("dynamodb:putItem={}", server.address);
        assert_eq!(
            folder.came(&["--task", &task]),
            wanted.replace("ADDRESS", &server.address)
        );
    }
}

#[test]
fn an_answer_that_never_ends_is_ended() {
    let folder = Folder::new("hostile");
    folder.machine(FUNCTION, json!({"TimeoutSeconds": 1}));
    let slow = Server::new(|stream| {
        drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"));
        for _ in 0..100 {
            thread::sleep(Duration::from_millis(100));
            if stream.write_all(b" ").is_err() {
                return;
            }
        }
    });
    let endless = Server::new(|stream| {
        drop(stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n"));
        while stream.write_all(&[b' '; 1 << 16]).is_ok() {}
    });
    let header = Server::new(|stream| {
        drop(stream.write_all(b"HTTP/1.1 200 OK\r\nX: "));
        while stream.write_all(&[b'x'; 1 << 12]).is_ok() {}
    });
    let smuggled = Server::saying("200 OK", "Content-Length: 1\r\n", "{}");
    let cut = Server::new(|stream| {
        drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"));
    });
    let chunk = Server::new(|stream| {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}";
        drop(stream.write_all(text.as_bytes()));
    });
    for (server, wanted) in [
        (&slow, "States.Timeout: "),
        (&endless, "States.DataLimitExceeded: "),
        (
            &header,
            "Lambda.SdkClientException: ADDRESS did not answer: its header is too large",
        ),
        (
            &smuggled,
            "Lambda.SdkClientException: ADDRESS did not answer: its length is unclear",
        ),
        (
            &cut,
            "Lambda.SdkClientException: ADDRESS did not answer: the connection was closed within the answer",
        ),
        (&chunk, "States.DataLimitExceeded: "),
    ] {
        let begun = Instant::now();
        let came = folder.came(&["--task", &format!("Call={}", server.address)]);
        assert!(
            came.starts_with(&wanted.replace("ADDRESS", &server.address)),
            "{came}"
        );
        assert!(begun.elapsed() < Duration::from_secs(8), "{wanted}");
    }
}

#[test]
fn a_program_gets_and_gives_json() {
    let folder = Folder::new("program");
    folder.machine(INVOKE, json!({"Parameters": {"FunctionName": "f", "Payload": {"n": 1}}, "OutputPath": "$.Payload"}));
    for (name, text, wanted) in [
        ("echo", "cat", "{\"n\":1}"),
        (
            "env",
            "printf '\"%s %s %s\"' \"$ASLDBG_STATE\" \"$ASLDBG_ATTEMPT\" \"$ASLDBG_RESOURCE\"",
            "\"Call 1 arn:aws:states:::lambda:invoke\"",
        ),
        (
            "told",
            "echo '{\"error\": \"Odd\", \"cause\": \"why\"}'; exit 3",
            "Odd: why",
        ),
        (
            "raised",
            "echo '{\"errorType\": \"E\", \"errorMessage\": \"m\"}'; exit 1",
            "E: {\"errorType\": \"E\", \"errorMessage\": \"m\"}",
        ),
        (
            "said",
            "echo half; echo gone >&2; exit 7",
            "Program.Exit7: gone",
        ),
        ("killed", "kill -9 $$", "Program.Killed: "),
        (
            "nothing",
            "true",
            "States.Runtime: PROGRAM answered nothing, where JSON has to be",
        ),
        (
            "text",
            "echo no JSON",
            "States.Runtime: PROGRAM did not answer in JSON: no JSON",
        ),
        ("deaf", "exec <&-; echo 1", "1"),
    ] {
        let program = folder.program(name, text);
        let came = folder.came(&["--task", &format!("f={program}")]);
        assert_eq!(came, wanted.replace("PROGRAM", &program), "{name}");
    }
    let program = folder.program("words", "printf '\"%s|%s\"' \"$1\" \"$2\"");
    let came = folder.came(&["--task", &format!("f={program} 'a $(id) b' --x")]);
    assert_eq!(came, "\"a $(id) b|--x\"");
}

/// Whether a process is there that has this word among its arguments.
fn runs(word: &str) -> bool {
    let listed = Command::new("ps")
        .args(["ax", "-o", "args"])
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    listed
        .lines()
        .any(|line| line.contains(word) && !line.starts_with("ps "))
}

fn is_gone(word: &str) -> bool {
    let begun = Instant::now();
    while runs(word) && begun.elapsed() < Duration::from_secs(6) {
        thread::sleep(Duration::from_millis(50));
    }
    !runs(word)
}

#[test]
fn a_program_that_never_ends_or_floods_is_ended_with_all_that_it_started() {
    let folder = Folder::new("endless");
    folder.machine(FUNCTION, json!({"TimeoutSeconds": 1}));
    for (name, text, wanted) in [
        ("hangs", "sleep 97531 & sleep 97532", "States.Timeout: "),
        (
            "stays",
            "trap '' TERM; sleep 97533 & while :; do sleep 97534; done",
            "States.Timeout: ",
        ),
        ("leaves", "sleep 97535 & echo 1", "1"),
        (
            "floods",
            "sleep 97536 & while :; do printf '%065536d' 0; done",
            "States.DataLimitExceeded: ",
        ),
        (
            "shouts",
            "sleep 97537 & while :; do printf '%065536d' 0 >&2; done",
            "States.Timeout: ",
        ),
    ] {
        let program = folder.program(name, text);
        let came = folder.came(&["--task", &format!("Call={program}")]);
        assert!(came.starts_with(wanted), "{name}: {came}");
    }
    for left in 97531..97538 {
        assert!(is_gone(&format!("sleep {left}")), "{left}");
    }
}

#[test]
fn a_signal_ends_what_was_started() {
    let folder = Folder::new("signal");
    folder.machine(FUNCTION, json!({}));
    let program = folder.program("hangs", "sleep 97541 & sleep 97542");
    for signal in ["TERM", "INT"] {
        let args = ["run", "m.asl.json", "--task", &format!("Call={program}")];
        let mut child = folder.command(&args).spawn().unwrap();
        let begun = Instant::now();
        while !runs("sleep 97542") && begun.elapsed() < Duration::from_secs(9) {
            thread::sleep(Duration::from_millis(20));
        }
        let signal = format!("-{signal}");
        Command::new("kill")
            .args([&signal, &child.id().to_string()])
            .status()
            .unwrap();
        child.wait().unwrap();
        assert!(is_gone("sleep 97541") && is_gone("sleep 97542"), "{signal}");
    }
}

#[test]
fn a_mock_answers_first_and_what_was_recorded_is_repeated_offline() {
    let folder = Folder::new("record");
    let task = |resource: &str, next: Value| {
        let mut task = json!({"Type": "Task", "Resource": resource, "ResultPath": null});
        task.as_object_mut()
            .unwrap()
            .extend(next.as_object().unwrap().clone());
        task
    };
    let definition = json!({"StartAt": "Mocked", "States": {
        "Mocked": task(FUNCTION, json!({"Next": "Fails"})),
        "Fails": task(FUNCTION, json!({"Retry": [{"ErrorEquals": ["Odd"], "MaxAttempts": 1}], "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.e", "Next": "Works"}], "End": true})),
        "Works": task(FUNCTION, json!({"End": true})),
    }});
    folder.write("m.asl.json", &definition.to_string());
    let mock = json!({"StateMachines": {"m": {"TestCases": {"C": {"Mocked": "M"}}}}, "MockedResponses": {"M": {"0": {"Return": 5}}}});
    folder.write("m.mock.json", &mock.to_string());
    let program = folder.program(
        "p",
        "case \"$ASLDBG_STATE\" in Works) echo '{\"token\": \"abc\"}';; *) sleep 0.1; echo '{\"error\": \"Odd\", \"cause\": \"c\"}'; exit 1;; esac",
    );
    let all = format!("*={program}");
    let real = folder.run(&[
        "--task",
        &all,
        "--record",
        "new.json",
        "--write-history",
        "a.json",
        "--start-time",
        "2026-01-01T00:00:00Z",
    ]);
    let said = String::from_utf8_lossy(&real.stderr).into_owned();
    assert!(real.status.success(), "{said}");
    assert!(said.contains("3 tasks were really called"), "{said}");
    assert!(
        said.contains(&format!("Works is answered by {program}")),
        "{said}"
    );
    let offline = folder.run(&[
        "--mock",
        "new.json",
        "--write-history",
        "b.json",
        "--start-time",
        "2026-01-01T00:00:00Z",
    ]);
    assert_eq!(real.stdout, offline.stdout);
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    assert_eq!(read("a.json"), read("b.json"));
    let recorded = read("new.json");
    assert!(
        recorded.contains("\"Delay\":0.") && recorded.contains("abc"),
        "{recorded}"
    );
    folder.run(&["--task", &all, "--record", "new.json", "--redact", "token"]);
    assert!(!read("new.json").contains("abc"));
}

#[test]
fn nothing_is_called_by_what_only_looks_at_a_definition() {
    let folder = Folder::new("refused");
    folder.machine(FUNCTION, json!({}));
    for command in [
        "check",
        "explore",
        "graph",
        "convert",
        "test",
        "replay",
        "test-state",
    ] {
        let output = folder
            .command(&[command, "m.asl.json", "--task", "Call=true"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(2) && said.contains("--task"),
            "{command}: {said}"
        );
    }
    for (task, wanted) in [
        (
            "Call=https://127.0.0.1",
            "cannot be called; give a program that calls it",
        ),
        ("Call=./no/such", "there is no program ./no/such"),
        ("Call", "write it as PATTERN=TARGET"),
    ] {
        let output = folder.run(&["--task", task]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(2) && said.contains(wanted),
            "{said}"
        );
    }
    let said = folder.run(&["--task", "Cal=true"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("no task is called Cal"), "{said}");
}

#[test]
fn a_token_is_not_taken_for_an_answer() {
    let folder = Folder::new("token");
    folder.machine(
        "arn:aws:states:::lambda:invoke.waitForTaskToken",
        json!({"Parameters": {"FunctionName": "f", "Payload": {"t.$": "$$.Task.Token"}}}),
    );
    let server = Server::saying("200 OK", "", "{}");
    let output = folder.run(&["--task", &format!("f={}", server.address)]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(2) && said.contains("waits for its token"),
        "{said}"
    );
    assert_eq!(server.calls(), 1);
}
