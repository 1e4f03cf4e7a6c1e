//! Tests of tasks that are really called: functions and endpoints on this computer, programs, and their failures.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

#[path = "task/aws.rs"]
mod aws;
#[path = "task/recipes.rs"]
mod recipes;
#[path = "pull/server.rs"]
mod server;
#[path = "task/simultaneous.rs"]
mod simultaneous;
#[path = "task/target.rs"]
mod target;

use asldbg::interpreter::{Answer, Stage};
use asldbg::launch::{LaunchConfig, Project};
use asldbg::session::view::RunStatus;
use asldbg::session::{Direction, Progress, Restart, Session, Stop};
use asldbg::target::Targets;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use target::{FUNCTION, Folder, INVOKE, Server, is_gone, runs};

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
            "Lambda.SdkClientException: ADDRESS did not answer: the header of the response is too large",
        ),
        (
            &smuggled,
            "Lambda.SdkClientException: ADDRESS did not answer: the header of the response states no valid length",
        ),
        (
            &cut,
            "Lambda.SdkClientException: ADDRESS did not answer: the connection was closed before the response was complete",
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
            "States.Runtime: PROGRAM returned nothing, but must return JSON",
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
    for signal in ["TERM", "INT", "KILL"] {
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
    let task = |resource: &str, mut fields: Value| {
        fields["ResultPath"] = Value::Null;
        target::task(resource, fields)
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
    let (said, _) = folder.repeated(&program);
    assert!(
        said.contains("3 tasks called their real targets, not mocks"),
        "{said}"
    );
    assert!(
        said.contains(&format!("Works is answered by {program}")),
        "{said}"
    );
    let recorded = folder.read("new.json");
    assert!(
        recorded.contains("\"Delay\":0.") && recorded.contains("abc"),
        "{recorded}"
    );
    folder.run(&[
        "--task",
        &format!("*={program}"),
        "--record",
        "new.json",
        "--redact",
        "token",
    ]);
    assert!(!folder.read("new.json").contains("abc"));
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
            "cannot be called directly; name a program that calls this URL",
        ),
        ("Call=./no/such", "the program ./no/such was not found"),
        ("Call", "write the target as PATTERN=TARGET"),
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
    assert!(said.contains("no task matches Cal"), "{said}");
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

/// A session whose tasks are all answered by this target.
fn session(folder: &Folder, target: &str) -> Session {
    let task = format!("*={target}");
    let config = LaunchConfig {
        fresh: true,
        targets: Targets::parse(&[task]).unwrap(),
        ..LaunchConfig::of(folder.0.join("m.asl.json"))
    };
    Project::open(config).unwrap().session().unwrap()
}

fn on(session: &mut Session, command: asldbg::session::Command) {
    session.apply(command).unwrap();
    session.settle();
}

#[test]
fn a_session_makes_no_call_twice_by_itself() {
    use asldbg::session::Command as Do;
    let folder = Folder::new("session");
    folder.machine(FUNCTION, json!({"InputPath": "$.n"}));
    let server = Server::saying("200 OK", "", "7");
    let mut session = session(&folder, &server.address);
    let input = |n: u32| Some(asldbg::json::parse(&format!("{{\"n\": {n}}}")).unwrap());
    let begin = |n| Do::Begin {
        start_at: None,
        input: input(n),
    };
    on(&mut session, begin(1));
    on(&mut session, Do::Continue(Direction::Forward));
    let succeeded =
        |session: &Session| matches!(session.view().header.status, RunStatus::Succeeded { .. });
    assert!(succeeded(&session) && server.calls() == 1);
    assert_eq!(session.view().header.calls, 1);
    // Going back and forward, and repeating the whole run, does not call the function again.
    on(&mut session, Do::Continue(Direction::Backward));
    on(&mut session, Do::Continue(Direction::Forward));
    on(&mut session, Do::Restart(Restart::KeepAnswers));
    on(&mut session, Do::Continue(Direction::Forward));
    assert!(succeeded(&session) && server.calls() == 1);
    // A fork from before the call, with the same input, does not call the function again.
    on(&mut session, Do::Travel(2));
    let at = asldbg::json::Pointer::default();
    let value = input(1).unwrap();
    on(
        &mut session,
        Do::Edit {
            stage: Stage::Input,
            at,
            value,
        },
    );
    on(&mut session, Do::Continue(Direction::Forward));
    assert!(succeeded(&session) && server.calls() == 1);
    // With another input, the session asks the user instead of calling the function.
    on(&mut session, begin(2));
    on(&mut session, Do::Continue(Direction::Forward));
    assert!(
        matches!(session.stop(), Stop::Ask(_)),
        "{:?}",
        session.stop()
    );
    assert_eq!(server.calls(), 1);
    // The user can repeat the call on purpose.
    on(&mut session, Do::RedoState);
    on(&mut session, Do::Continue(Direction::Forward));
    assert!(
        succeeded(&session) && server.calls() == 2,
        "{:?}",
        session.stop()
    );
    on(&mut session, Do::Restart(Restart::Fresh));
    on(&mut session, Do::Continue(Direction::Forward));
    assert!(succeeded(&session) && server.calls() == 3);
}

#[test]
fn a_call_in_flight_blocks_nothing_and_is_abandoned_by_a_pause() {
    use asldbg::session::Command as Do;
    let folder = Folder::new("pause");
    folder.machine(FUNCTION, json!({}));
    let program = folder.program("hangs", "sleep 97551 & sleep 97552");
    let mut session = session(&folder, &program);
    session.apply(Do::Continue(Direction::Forward)).unwrap();
    let begun = Instant::now();
    while !runs("sleep 97552") && begun.elapsed() < Duration::from_secs(9) {
        let slice = Instant::now();
        assert_eq!(session.advance(100), Progress::Running);
        assert!(
            slice.elapsed() < Duration::from_secs(2),
            "a slice of 100 looks"
        );
    }
    let calling = session.view().header.calling.unwrap();
    assert_eq!(
        (&*calling.state, &*calling.target),
        ("Call", program.as_str())
    );
    session.apply(Do::Pause).unwrap();
    assert!(
        matches!(session.stop(), Stop::Ask(_)),
        "{:?}",
        session.stop()
    );
    assert!(is_gone("sleep 97551") && is_gone("sleep 97552"));
    assert!(session.view().header.calling.is_none());
    let Stop::Ask(ask) = *session.stop() else {
        panic!("asked");
    };
    on(
        &mut session,
        Do::Answer(ask, Answer::success(asldbg::json::Value::from(1))),
    );
    on(&mut session, Do::Continue(Direction::Forward));
    assert!(matches!(
        session.view().header.status,
        RunStatus::Succeeded { .. }
    ));
}
