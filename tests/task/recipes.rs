//! Tests of the recipes in the documentation, each with an error, a retry and a timeout. A second run from the recorded
//! answers must call nothing and have the same events.

use super::server::{Server, Servers, free_port};
use super::target::{self, FUNCTION, Folder};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A process that is killed when this value is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes a machine whose tasks call a function: one succeeds, one fails twice, and one takes too long.
fn machine(folder: &Folder) {
    let task = |name: &str, error: &str, next: &str| {
        let patience = if name == "slow" { 2 } else { 60 };
        json!({
            "Type": "Task", "Resource": FUNCTION, "Parameters": {"do": name}, "TimeoutSeconds": patience,
            "Retry": [{"ErrorEquals": ["Declined"], "MaxAttempts": 1}],
            "Catch": [{"ErrorEquals": [error], "ResultPath": format!("$.{name}"), "Next": next}],
            "ResultPath": format!("$.{name}"), "Next": next})
    };
    let definition = json!({"StartAt": "Good", "States": {
        "Good": task("good", "States.ALL", "Bad"), "Bad": task("bad", "Declined", "Slow"),
        "Slow": task("slow", "States.Timeout", "End"), "End": {"Type": "Succeed"}}});
    folder.write("m.asl.json", &definition.to_string());
}

/// Runs the machine with the target, and again with the recorded answers, which must give the same events; returns the
/// events.
fn twice(folder: &Folder, target: &str) -> String {
    let begun = ["--start-time", "2026-01-01T00:00:00Z"];
    let real = [
        "--task",
        target,
        "--record",
        "new.json",
        "--write-history",
        "a.json",
    ];
    let again = ["--mock", "new.json", "--write-history", "b.json"];
    for args in [&real[..], &again] {
        let output = folder.run(&[&begun[..], args].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {said}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    let events = read("a.json");
    assert_eq!(events, read("b.json"));
    assert!(events.contains("ExecutionSucceeded"), "{events}");
    for (text, count) in [
        ("\"error\":\"Declined\"", 2),
        ("\"error\":\"States.Timeout\"", 1),
    ] {
        assert_eq!(events.matches(text).count(), count, "{text}: {events}");
    }
    events
}

const PROGRAM: &str = r#"
case "$(cat)" in
  *good*) echo "{\"attempt\": $ASLDBG_ATTEMPT}";;
  *bad*) echo '{"error": "Declined", "cause": "no funds"}'; exit 1;;
  *) sleep 60;;
esac"#;

#[test]
fn a_program_answers_twice() {
    let folder = Folder::new("recipe-program");
    machine(&folder);
    let program = folder.program("charge", PROGRAM);
    let events = twice(&folder, &format!("*={program}"));
    assert!(events.contains("no funds"), "{events}");
}

#[test]
fn an_address_answers_twice() {
    let folder = Folder::new("recipe-address");
    machine(&folder);
    let server = target::Server::answering(|stream, request| {
        let (field, body) = match () {
            () if request.contains("good") => ("", "{\"attempt\": 1}"),
            () if request.contains("bad") => (
                "X-Amz-Function-Error: Unhandled\r\n",
                r#"{"errorType": "Declined", "errorMessage": "no funds"}"#,
            ),
            () => return std::thread::sleep(Duration::from_secs(4)),
        };
        let length = body.len();
        let text = format!("HTTP/1.1 200 OK\r\n{field}Content-Length: {length}\r\n\r\n{body}");
        drop(stream.write_all(text.as_bytes()));
    });
    let events = twice(&folder, &format!("*={}", server.address));
    assert!(events.contains("no funds"), "{events}");
    assert_eq!(server.calls(), 4);
}

const HANDLER: &str = "
import time

class Declined(Exception):
    pass

def handler(event, context):
    if event['do'] == 'bad':
        raise Declined('no funds')
    if event['do'] == 'slow':
        time.sleep(5)
    return {'id': context.aws_request_id}
";

#[test]
fn a_python_function_answers_behind_the_runtimes_protocol() {
    let Some(servers) = Servers::installed() else {
        return;
    };
    let Some(mut runtime) = servers.python("awslambdaric") else {
        return;
    };
    let folder = Folder::new("recipe-python");
    machine(&folder);
    folder.write("app.py", HANDLER);
    let port = free_port();
    let emulator = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/task/emulator.py");
    let mut command = Command::new("python3");
    command.args([emulator, &port.to_string()]);
    let server = servers.begin(command, port);
    runtime
        .args(["-m", "awslambdaric", "app.handler"])
        .current_dir(&folder.0)
        .env("AWS_LAMBDA_RUNTIME_API", format!("127.0.0.1:{port}"))
        .env("AWS_LAMBDA_FUNCTION_NAME", "charge")
        .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128")
        .env("AWS_LAMBDA_FUNCTION_VERSION", "1")
        .env("AWS_LAMBDA_LOG_GROUP_NAME", "g")
        .env("AWS_LAMBDA_LOG_STREAM_NAME", "s")
        .stdout(Stdio::null());
    let _runtime = Running(runtime.spawn().unwrap());
    let events = twice(&folder, &format!("*=rie:{}", server.url()));
    assert!(
        events.contains("stackTrace") && events.contains("requestId"),
        "{events}"
    );
}

/// Starts `asldbg serve` with the machine of the folder.
fn endpoint(servers: &Servers, folder: &Folder, args: &[&str]) -> Server {
    let port = free_port();
    let listen = format!("127.0.0.1:{port}");
    let all = [&["serve", "m.asl.json", "--listen", &listen], args].concat();
    servers.begin(folder.command(&all), port)
}

/// Runs a script with a client library, which executes the machine at the server; returns the events that the script
/// prints.
fn with_client(mut program: Command, script: &str, server: &Server, case: &str) -> String {
    let script = format!("{}/tests/task/{script}", env!("CARGO_MANIFEST_DIR"));
    program.args([&script, server.url(), case, "one"]);
    let output = server.client(&mut program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn boto3_and_the_client_of_aws_run_a_machine_of_the_endpoint() {
    let Some(servers) = Servers::installed() else {
        return;
    };
    let (Some(first), Some(other)) = (servers.python("boto3"), servers.python("boto3")) else {
        return;
    };
    let folder = Folder::new("recipe-endpoint");
    machine(&folder);
    let task = format!("*={}", folder.program("charge", PROGRAM));
    twice(&folder, &task);
    let real = endpoint(&servers, &folder, &["--task", &task]);
    let offline = endpoint(&servers, &folder, &["--mock", "new.json"]);
    let events = with_client(first, "client.py", &real, "");
    assert_eq!(
        events,
        with_client(other, "client.py", &offline, "#recorded")
    );
    assert!(
        events.contains("no funds") && events.ends_with("ExecutionAlreadyExists\n"),
        "{events}"
    );
    // Both executions have the same name, so their events differ only in their times.
    let by_client = |server: &Server, case: &str| {
        let machine = format!("arn:aws:states:us-east-1:123456789012:stateMachine:m{case}");
        let execution = server.start(&machine, "two");
        server.until_ended(&execution);
        let query = "events[].[id, previousEventId, type, stateEnteredEventDetails.input, lambdaFunctionFailedEventDetails.cause, executionSucceededEventDetails.output]";
        let of = [
            "--reverse-order",
            "--execution-arn",
            &execution,
            "--query",
            query,
        ];
        server.aws(&[&["stepfunctions", "get-execution-history"][..], &of].concat())
    };
    let events = by_client(&real, "");
    assert_eq!(events, by_client(&offline, "#recorded"));
    for (text, count) in [
        ("LambdaFunctionFailed", 2),
        ("LambdaFunctionTimedOut", 1),
        ("ExecutionSucceeded", 1),
    ] {
        assert_eq!(events.matches(text).count(), count, "{text}: {events}");
    }
}

#[test]
fn the_sdk_for_javascript_runs_a_machine_of_the_endpoint() {
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/target/npm/node_modules");
    let Some(servers) = Servers::installed() else {
        return;
    };
    if !Path::new(modules).join("@aws-sdk/client-sfn").exists() {
        return;
    }
    let folder = Folder::new("recipe-javascript");
    machine(&folder);
    let task = format!("*={}", folder.program("charge", PROGRAM));
    twice(&folder, &task);
    let real = endpoint(&servers, &folder, &["--task", &task]);
    let offline = endpoint(&servers, &folder, &["--mock", "new.json"]);
    let node = || {
        let mut node = Command::new("node");
        node.env("NODE_PATH", modules);
        node
    };
    let events = with_client(node(), "client.cjs", &real, "");
    assert_eq!(
        events,
        with_client(node(), "client.cjs", &offline, "#recorded")
    );
    assert!(
        events.contains("no funds")
            && events.ends_with("SUCCEEDED {\"n\":2} SUCCEEDED 3\nExecutionDoesNotExist\n"),
        "{events}"
    );
}

/// A machine that puts an item twice, reads it, and waits for a message that never comes.
fn store(folder: &Folder, queue: &str) {
    let item = json!({"TableName": "tab", "Item": {"id": {"S": "a"}, "blob": {"B": "aGk="}}, "ConditionExpression": "attribute_not_exists(id)"});
    let failed = "DynamoDb.ConditionalCheckFailedException";
    let task = |name: &str, resource: &str, parameters: Value, next: &str| {
        json!({
            "Type": "Task", "Resource": format!("arn:aws:states:::{resource}"), "Parameters": parameters,
            "TimeoutSeconds": if name == "wait" { 5 } else { 120 },
            "Retry": [{"ErrorEquals": [failed], "MaxAttempts": 1}],
            "Catch": [{"ErrorEquals": [failed, "States.Timeout"], "ResultPath": format!("$.{name}"), "Next": next}],
            "ResultPath": format!("$.{name}"), "Next": next})
    };
    let key = json!({"TableName": "tab", "Key": {"id": {"S": "a"}}});
    let wait = json!({"QueueUrl": queue, "WaitTimeSeconds": 20});
    let definition = json!({"StartAt": "Put", "States": {
        "Put": task("put", "dynamodb:putItem", item.clone(), "Again"),
        "Again": task("again", "aws-sdk:dynamodb:putItem", item, "Get"),
        "Get": task("get", "dynamodb:getItem", key, "Wait"),
        "Wait": task("wait", "aws-sdk:sqs:receiveMessage", wait, "End"), "End": {"Type": "Succeed"}}});
    folder.write("m.asl.json", &definition.to_string());
}

#[test]
fn ministack_and_moto_answer_twice() {
    let Some(servers) = Servers::installed() else {
        return;
    };
    for (server, account) in [
        (servers.ministack(), "000000000000"),
        (servers.moto(), "123456789012"),
    ] {
        let folder = Folder::new(&format!("recipe-{account}"));
        let table = "dynamodb create-table --table-name tab --attribute-definitions AttributeName=id,AttributeType=S --key-schema AttributeName=id,KeyType=HASH --billing-mode PAY_PER_REQUEST";
        server.aws(&table.split(' ').collect::<Vec<_>>());
        server.aws(&["sqs", "create-queue", "--queue-name", "q"]);
        store(&folder, &format!("{}/{account}/q", server.url()));
        let run = [
            "run",
            "m.asl.json",
            "--start-time",
            "2026-01-01T00:00:00Z",
            "--write-history",
        ];
        let real = [
            "a.json",
            "--record",
            "new.json",
            "--task",
            "dynamodb:*=aws",
            "--task",
            "aws-sdk:*=aws",
            "--",
        ];
        let real = [
            &run[..],
            &real,
            &["--endpoint-url", server.url(), "--region", "us-east-1"],
        ]
        .concat();
        let offline = [&run[..], &["b.json", "--mock", "new.json"]].concat();
        for args in [real, offline] {
            let output = servers.client(&mut folder.command(&args)).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{args:?}: {said}");
        }
        let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
        let events = read("a.json");
        assert_eq!(events, read("b.json"));
        for (text, count) in [
            ("\"error\":\"DynamoDb.ConditionalCheckFailedException\"", 2),
            ("\"error\":\"States.Timeout\"", 1),
            ("aGk=", 3),
        ] {
            assert!(events.matches(text).count() >= count, "{text}: {events}");
        }
    }
}
