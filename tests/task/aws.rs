//! Tests of tasks that the `aws` program answers: a fake program, or the real one with servers that emulate AWS.

use super::server::Servers;
use super::target::{Folder, Server, is_gone};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A fake `aws` program. It records its arguments and the files that they name; its answer depends on the operation.
const PROGRAM: &str = r#"
here=$(dirname "$0")
case "$*" in
  *--generate-cli-skeleton*) echo '{"name": "", "cluster": "", "tasks": [""], "executionArn": "", "Item": {"KeyName": {"S": ""}}}'; exit;;
  --version) cat "$here/version" 2>/dev/null || echo aws-cli/1.46.3; exit;;
  *get-caller-identity*) echo '{"Account": "123456789012", "Arn": "arn:aws:iam::123456789012:user/u"}'; exit;;
esac
for word in "$@"; do
  printf '%s\n' "$word" >>"$here/calls"
  case "$word" in file://*) cat "${word#file://}" >>"$here/files"; ls -l "${word#file://}" >>"$here/modes";; esac
done
printf '\n' >>"$here/files"
. "$here/answer"
"#;

/// Creates a folder with the fake program, which answers with these lines of shell script.
fn folder(name: &str, answer: &str) -> Folder {
    let folder = Folder::new(name);
    folder.program("aws", PROGRAM);
    folder.write("answer", answer);
    folder
}

fn run(folder: &Folder, args: &[&str]) -> Output {
    let path = std::env::var("PATH").unwrap();
    let mut command = folder.command(&[&["run", "m.asl.json", "--format", "json"], args].concat());
    let path = format!("{}:{path}", folder.0.display());
    command.env("PATH", path).output().unwrap()
}

fn said(output: &Output) -> (Value, String) {
    let printed = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (
        printed,
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.0.join(name)).unwrap_or_default()
}

/// True if the process with this id has left no temporary files.
fn is_clean(id: u32) -> bool {
    let name = format!(".asldbg-{id}-");
    let mut all = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    !all.any(|entry| entry.file_name().to_string_lossy().starts_with(&name))
}

#[test]
fn a_real_account_is_called_only_if_a_person_says_so() {
    let folder = folder("account", "echo '{}'");
    folder.machine(
        "arn:aws:states:::dynamodb:putItem",
        json!({"Parameters": {"TableName": "t", "Item": {}}}),
    );
    let output = run(&folder, &["--task", "*=aws --region eu-west-1"]);
    let (_, err) = said(&output);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(
        err.contains("account 123456789012 as arn:aws:iam::123456789012:user/u, region eu-west-1"),
        "{err}"
    );
    assert!(
        err.contains("--yes") && read(&folder, "files").trim().is_empty(),
        "{err}"
    );
    let output = run(&folder, &["--task", "*=aws", "--yes"]);
    assert!(output.status.success(), "{:?}", said(&output));
    let output = run(
        &folder,
        &[
            "--task",
            "*=aws",
            "--",
            "--endpoint-url",
            "http://127.0.0.1:1",
        ],
    );
    assert!(output.status.success(), "{:?}", said(&output));
    assert!(read(&folder, "calls").contains("\n--endpoint-url\nhttp://127.0.0.1:1\n"));
    let output = run(&folder, &["--task", "*=true", "--", "--profile", "x"]);
    assert!(
        said(&output).1.contains("are for aws"),
        "{:?}",
        said(&output)
    );
}

#[test]
fn nothing_of_a_payload_becomes_an_option() {
    let folder = folder("options", "echo '{}'");
    let hostile = [
        "file:///etc/passwd",
        "http://127.0.0.1:1/x",
        "--debug",
        "$(id)",
        "a\u{0}b",
    ];
    for text in hostile {
        folder.machine(
            "arn:aws:states:::aws-sdk:dynamodb:putItem",
            json!({"Parameters": {"TableName": text, "ConditionExpression": text, "Item": {"id": {"S": text}}}}),
        );
        let output = run(
            &folder,
            &["--task", "*=aws --endpoint-url http://127.0.0.1:1"],
        );
        assert!(output.status.success(), "{text:?}: {:?}", said(&output));
        let sent = read(&folder, "files");
        let sent: Value = serde_json::from_str(sent.lines().last().unwrap()).unwrap();
        assert_eq!(
            sent,
            json!({"TableName": text, "ConditionExpression": text, "Item": {"id": {"S": text}}})
        );
    }
    let calls = read(&folder, "calls");
    assert!(hostile.iter().all(|text| !calls.contains(text)), "{calls}");
    let modes = read(&folder, "modes");
    assert!(
        modes.lines().all(|line| line.starts_with("-rw-------")),
        "{modes}"
    );
}

#[test]
fn bytes_are_text_for_both_versions_of_the_program() {
    for version in [
        "aws-cli/1.46.3 Python/3.11.7",
        "aws-cli/2.9.19 Python/3.11.2",
    ] {
        let folder = folder(
            &version.replace(['/', ' '], "-"),
            r#"echo '{"ShardId": "s", "SequenceNumber": "aGk=", "Records": [{"Data": "aGk="}, {"Data": "/w=="}]}'"#,
        );
        folder.write("version", version);
        let task = ["--task", "*=aws --endpoint-url http://127.0.0.1:1"];
        for (action, parameters) in [
            (
                "putRecord",
                json!({"StreamName": "s", "Data": "hi", "PartitionKey": null}),
            ),
            ("getRecords", json!({"ShardIterator": "i"})),
        ] {
            let resource = format!("arn:aws:states:::aws-sdk:kinesis:{action}");
            folder.machine(&resource, json!({"Parameters": parameters}));
            let (came, err) = said(&run(&folder, &task));
            let wanted = json!({"ShardId": "s", "SequenceNumber": "aGk=", "Records": [{"Data": "hi"}, {"Data": "/w=="}]});
            let of_put = json!({"ShardId": "s", "SequenceNumber": "aGk=", "Records": [{"Data": "aGk="}, {"Data": "/w=="}]});
            let wanted = if action == "putRecord" {
                of_put
            } else {
                wanted
            };
            assert_eq!(came["output"], wanted, "{err}");
        }
        let sent = read(&folder, "files");
        let first: Value = serde_json::from_str(sent.lines().next().unwrap()).unwrap();
        assert_eq!(first, json!({"StreamName": "s", "Data": "hi"}));
        let is_raw = read(&folder, "calls").contains("\n--cli-binary-format\nraw-in-base64-out\n");
        assert_eq!(is_raw, version.starts_with("aws-cli/2"), "{version}");
    }
}

#[test]
fn a_job_is_asked_for_until_it_ends() {
    let folder = folder(
        "job",
        r#"case "$2" in
start-execution) echo '{"executionArn": "arn:e", "startDate": 1.5}';;
*) if [ -e "$here/asked" ]; then echo '{"executionArn": "arn:e", "status": "'$(cat "$here/ends")'", "output": "{\"a\":1}", "startDate": 1700000000.25}'; else : >"$here/asked"; echo '{"status": "RUNNING"}'; fi;;
esac"#,
    );
    let machine = json!({"Parameters": {"StateMachineArn": "arn:m", "Input": {"n": 1}}});
    folder.machine("arn:aws:states:::states:startExecution.sync:2", machine);
    folder.write("ends", "SUCCEEDED");
    let task = ["--task", "*=aws --endpoint-url http://127.0.0.1:1"];
    let (came, err) = said(&run(&folder, &task));
    let wanted = json!({"ExecutionArn": "arn:e", "Status": "SUCCEEDED", "Output": {"a": 1}, "StartDate": 1_700_000_000_250_u64});
    assert_eq!(came["output"], wanted, "{err}");
    let sent = read(&folder, "files");
    assert!(
        sent.contains(r#""Input":"{\"n\":1}""#) && sent.contains(r#"{"executionArn":"arn:e"}"#),
        "{sent}"
    );
    folder.write("ends", "FAILED");
    let (came, err) = said(&run(&folder, &task));
    assert_eq!(came["error"], "States.TaskFailed", "{err}");
    // A job that asldbg cannot follow has to be answered by the user.
    folder.machine(
        "arn:aws:states:::codebuild:startBuild.sync",
        json!({"Parameters": {"ProjectName": "p"}}),
    );
    let (_, err) = said(&run(&folder, &task));
    assert!(
        err.contains("Call: this task waits for a job that asldbg cannot follow"),
        "{err}"
    );
}

#[test]
fn a_call_ends_with_its_timeout_and_leaves_nothing() {
    let folder = folder("slow", "sleep 97561 & sleep 97562");
    folder.machine(
        "arn:aws:states:::sns:publish",
        json!({"Parameters": {"TopicArn": "t", "Message": "secret"}, "TimeoutSeconds": 2}),
    );
    let task = ["--task", "*=aws --endpoint-url http://127.0.0.1:1"];
    let (came, err) = said(&run(&folder, &task));
    assert_eq!(came["error"], "States.Timeout", "{err}");
    assert!(is_gone("sleep 97561") && is_gone("sleep 97562"));
    folder.machine(
        "arn:aws:states:::sns:publish",
        json!({"Parameters": {"TopicArn": "t", "Message": "secret"}}),
    );
    let path = format!("{}:{}", folder.0.display(), std::env::var("PATH").unwrap());
    let args = [
        "run",
        "m.asl.json",
        "--task",
        "*=aws --endpoint-url http://127.0.0.1:1",
    ];
    let mut child = folder.command(&args).env("PATH", path).spawn().unwrap();
    let begun = Instant::now();
    while !super::target::runs("sleep 97562") && begun.elapsed() < Duration::from_secs(9) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = child.id();
    Command::new("kill")
        .args(["-TERM", &id.to_string()])
        .status()
        .unwrap();
    child.wait().unwrap();
    assert!(is_gone("sleep 97561") && is_gone("sleep 97562") && is_clean(id));
}

/// Runs a task with the real client as its target.
fn answered(folder: &Folder, servers: &Servers, url: &str, args: &[&str]) -> (Value, String) {
    let mut all = vec!["run", "m.asl.json", "--format", "json", "--task", "*=aws"];
    all.extend(args);
    all.extend(["--", "--endpoint-url", url, "--region", "us-east-1"]);
    said(&servers.client(&mut folder.command(&all)).output().unwrap())
}

#[test]
fn files_of_a_killed_program_are_removed_by_the_next_one() {
    let folder = folder(
        "killed",
        "[ -e slow ] && { rm slow; sleep 97563; }; echo '{}'",
    );
    folder.machine(
        "arn:aws:states:::sns:publish",
        json!({"Parameters": {"TopicArn": "t", "Message": "secret"}}),
    );
    folder.write("slow", "");
    let (path, room) = (folder.0.display().to_string(), folder.0.join("temporary"));
    std::fs::create_dir(&room).unwrap();
    let path = format!("{path}:{}", std::env::var("PATH").unwrap());
    let start = || {
        let args = [
            "run",
            "m.asl.json",
            "--task",
            "*=aws --endpoint-url http://127.0.0.1:1",
        ];
        let mut command = folder.command(&args);
        command
            .env("PATH", &path)
            .env("TMPDIR", &room)
            .spawn()
            .unwrap()
    };
    let mut child = start();
    let begun = Instant::now();
    while !super::target::runs("sleep 97563") && begun.elapsed() < Duration::from_secs(9) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_gone("sleep 97563"));
    let left = || std::fs::read_dir(&room).unwrap().count();
    assert_eq!(left(), 1);
    assert!(start().wait().unwrap().success());
    assert_eq!(left(), 0);
}

#[test]
fn the_real_client_takes_every_parameter_as_text() {
    let Some(servers) = Servers::installed() else {
        return;
    };
    let folder = Folder::new("client");
    let listener = Server::saying("200 OK", "", "x");
    let url = format!("{}/x", listener.address);
    let long = "x".repeat(200 << 10);
    for text in [
        "file:///etc/hostname",
        &url,
        "--debug",
        "$(id)",
        "a\u{1}b",
        &long,
    ] {
        let service = Server::saying(
            "200 OK",
            "Content-Type: application/x-amz-json-1.0\r\n",
            r#"{"MessageId": "m"}"#,
        );
        folder.machine(
            "arn:aws:states:::sqs:sendMessage",
            json!({"Parameters": {"QueueUrl": format!("{}/1/q", service.address), "MessageBody": text, "MessageGroupId": text}}),
        );
        let (came, err) = answered(&folder, &servers, &service.address, &[]);
        assert_eq!(came["output"]["MessageId"], "m", "{came} {err}");
        let sent = service.sent.lock().unwrap()[0].clone();
        let body: Value = serde_json::from_str(sent.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!(
            (&body["MessageBody"], &body["MessageGroupId"]),
            (&json!(text), &json!(text))
        );
        // An action for which the `aws` program takes each parameter as an option of its own.
        let service = Server::saying(
            "404 No",
            "",
            "<Error><Code>NoSuchKey</Code><Message>gone</Message></Error>",
        );
        let short: String = text.chars().take(90).collect();
        folder.machine(
            "arn:aws:states:::aws-sdk:s3:getObject",
            json!({"Parameters": {"Bucket": "bucket1", "Key": short}}),
        );
        let (came, err) = answered(&folder, &servers, &service.address, &[]);
        assert_eq!(
            came["error"], "S3.NoSuchKeyException",
            "{text:.99} {came} {err}"
        );
        let sent = service.sent.lock().unwrap()[0].clone();
        let plain = |text: &str| {
            text.replace("%3A", ":")
                .replace("%24", "$")
                .replace("%28", "(")
                .replace("%29", ")")
                .replace("%01", "\u{1}")
        };
        assert!(
            plain(&sent).starts_with(&format!("GET /bucket1/{short} ")),
            "{short:?} {sent:.200}"
        );
    }
    assert_eq!(listener.calls(), 0);
    assert!(!Path::new("/tmp/x").exists() || listener.calls() == 0);
}

/// Writes a machine whose tasks all have a catcher. The machine's output contains, under the name of each task's state,
/// the result or error of the task.
fn chain(folder: &Folder, tasks: &[(&str, &str, Value)]) {
    let mut states = serde_json::Map::new();
    for (place, (name, resource, parameters)) in tasks.iter().enumerate() {
        let path = format!("$.{name}");
        let next = tasks.get(place + 1).map_or("End", |(name, ..)| name);
        let catch = json!([{"ErrorEquals": ["States.ALL"], "ResultPath": path, "Next": next}]);
        let task = json!({"Type": "Task", "Resource": resource, "Parameters": parameters, "ResultPath": path, "Catch": catch, "Next": next});
        states.insert((*name).to_string(), task);
    }
    states.insert("End".to_string(), json!({"Type": "Succeed"}));
    folder.write(
        "m.asl.json",
        &json!({"StartAt": tasks[0].0, "States": states}).to_string(),
    );
}

#[test]
fn ministack_answers_by_the_real_client() {
    let Some(servers) = Servers::installed() else {
        return;
    };
    let (folder, server) = (Folder::new("ministack"), servers.ministack());
    server.aws(&[
        "dynamodb",
        "create-table",
        "--table-name",
        "tab",
        "--attribute-definitions",
        "AttributeName=id,AttributeType=S",
        "--key-schema",
        "AttributeName=id,KeyType=HASH",
        "--billing-mode",
        "PAY_PER_REQUEST",
    ]);
    server.aws(&["sqs", "create-queue", "--queue-name", "q"]);
    let put = |id: &str| json!({"TableName": "tab", "Item": {"id": {"S": id}}, "ConditionExpression": "attribute_not_exists(id)"});
    let queue = |name: &str| json!({"QueueUrl": format!("{}/000000000000/{name}", server.url()), "MessageBody": {"a": 1}});
    let sdk = "arn:aws:states:::aws-sdk:dynamodb:putItem";
    let optimized = "arn:aws:states:::dynamodb:putItem";
    let invoke = "arn:aws:states:::lambda:invoke";
    let arn = "arn:aws:states:us-east-1:000000000000:stateMachine:none";
    chain(
        &folder,
        &[
            ("Put", optimized, put("a")),
            ("Again", optimized, put("a")),
            ("Sdk", sdk, put("a")),
            (
                "Table",
                sdk,
                json!({"TableName": "none", "Item": {"id": {"S": "x"}}}),
            ),
            ("Send", "arn:aws:states:::sqs:sendMessage", queue("q")),
            ("Queue", "arn:aws:states:::sqs:sendMessage", queue("none")),
            (
                "QueueSdk",
                "arn:aws:states:::aws-sdk:sqs:sendMessage",
                queue("none"),
            ),
            (
                "Empty",
                sdk,
                json!({"TableName": "", "Item": {"id": {"S": "x"}}}),
            ),
            (
                "Object",
                "arn:aws:states:::aws-sdk:s3:getObject",
                json!({"Bucket": "none-such", "Key": "k"}),
            ),
            (
                "Head",
                "arn:aws:states:::aws-sdk:s3:headBucket",
                json!({"Bucket": "none-such"}),
            ),
            (
                "Function",
                invoke,
                json!({"FunctionName": "none", "Payload": {}}),
            ),
            (
                "Start",
                "arn:aws:states:::states:startExecution",
                json!({"StateMachineArn": arn}),
            ),
        ],
    );
    let begun = ["--start-time", "2026-01-01T00:00:00Z"];
    let real = [
        &begun[..],
        &["--record", "new.json", "--write-history", "a.json"],
    ]
    .concat();
    let (came, err) = answered(&folder, &servers, server.url(), &real);
    let output = &came["output"];
    assert!(
        output["Send"]["MessageId"].is_string() && output["Put"]["SdkHttpMetadata"].is_object(),
        "{came} {err}"
    );
    for (state, error) in [
        ("Again", "DynamoDB.ConditionalCheckFailedException"),
        ("Sdk", "DynamoDb.ConditionalCheckFailedException"),
        ("Table", "DynamoDb.ResourceNotFoundException"),
        ("Queue", "SQS.AmazonSQSException"),
        ("QueueSdk", "Sqs.QueueDoesNotExistException"),
        ("Empty", "DynamoDb.DynamoDbException"),
        ("Object", "S3.NoSuchBucketException"),
        ("Head", "S3.NoSuchBucketException"),
        ("Function", "Lambda.ResourceNotFoundException"),
        ("Start", "StepFunctions.StateMachineDoesNotExistException"),
    ] {
        assert_eq!(output[state]["Error"], error, "{state}: {output}");
    }
    let offline = folder.run(
        &[
            &begun[..],
            &["--mock", "new.json", "--write-history", "b.json"],
        ]
        .concat(),
    );
    assert!(offline.status.success());
    assert_eq!(read(&folder, "a.json"), read(&folder, "b.json"));
}

#[test]
fn moto_runs_an_execution_that_a_task_waits_for() {
    let Some(servers) = Servers::installed() else {
        return;
    };
    let (folder, server) = (Folder::new("moto"), servers.moto());
    server.run_machines();
    let inner = server.machine(
        "Inner",
        r#"{"StartAt":"P","States":{"P":{"Type":"Pass","Result":{"a":1},"End":true}}}"#,
    );
    folder.machine(
        "arn:aws:states:::states:startExecution.sync:2",
        json!({"Parameters": {"StateMachineArn": inner, "Input": {"n": 1}}}),
    );
    let (came, err) = answered(&folder, &servers, server.url(), &[]);
    let output = &came["output"];
    assert_eq!(
        (&output["Status"], &output["Output"], &output["Input"]),
        (&json!("SUCCEEDED"), &json!({"a": 1}), &json!({"n": 1})),
        "{came} {err}"
    );
    assert!(
        output["StartDate"].as_u64() > Some(1_600_000_000_000),
        "{output}"
    );
}
