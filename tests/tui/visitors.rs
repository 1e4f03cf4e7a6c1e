//! Tests of executions that clients start through `--listen`. They open in the debugger while their clients wait.

use super::{ORDER, Order, Screen, Setup};
use asldbg::endpoint::{Options, Server};
use asldbg::launch::{Door, Note, Origin, Program};
use asldbg::session::Unmocked;
use asldbg::tui::input::Input;
use client::Client;
use std::net::SocketAddr;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

#[path = "../endpoint/client.rs"]
#[allow(dead_code, reason = "the tests of the server use the rest")]
mod client;

const ARN: &str = "arn:aws:states:us-east-1:123456789012";

/// A debugger that listens for clients.
fn listening() -> (Screen, SocketAddr) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tui/order.asl.json");
    let door = Door::default();
    let options = Options {
        programs: vec![Program {
            file: file.clone(),
            ..Program::default()
        }],
        mock: Some(file.with_file_name("order.mock.json")),
        unmocked: Unmocked::Ask,
        debugger: Some(door.clone()),
        ..Options::default()
    };
    let server = Server::bind(options, |problem| panic!("{problem}")).expect("a server");
    let address = server.address();
    thread::spawn(move || server.serve());
    let setup = Setup {
        door: Some(door),
        origin: Origin {
            notes: vec![Note::Listening("127.0.0.1:8083".to_string())],
            ..Origin::default()
        },
        ..Setup::default()
    };
    (Screen::over(ORDER, None, Order::default(), setup), address)
}

impl Screen {
    /// Handles the events of the `--listen` server until the screen shows a text.
    fn await_text(&mut self, text: &str) {
        let end = Instant::now() + Duration::from_secs(20);
        while !self.text().contains(text) {
            assert!(Instant::now() < end, "no {text:?}\n{}", self.text());
            self.look();
        }
    }

    /// Handles the events of the `--listen` server, lets the executions run for a short time, and draws the screen.
    fn look(&mut self) {
        thread::sleep(Duration::from_millis(2));
        self.app.input(Input::Visitors);
        for _ in 0..20 {
            if !self.app.slice() {
                break;
            }
        }
        self.draw();
    }

    /// Handles the events of the `--listen` server until a thread has ended; returns the thread's result.
    fn await_thread<T>(&mut self, thread: JoinHandle<T>) -> T {
        let end = Instant::now() + Duration::from_secs(20);
        while !thread.is_finished() {
            assert!(Instant::now() < end, "the client waits\n{}", self.text());
            self.look();
        }
        thread.join().expect("a client")
    }

    fn steps(&mut self, steps: &str) {
        for step in steps.lines().map(str::trim) {
            if let Err(problem) = self.step(step) {
                panic!("at {step:?}: {problem}\n{}", self.text());
            }
        }
    }
}

fn call(address: SocketAddr, operation: &str, body: &str) -> String {
    let (status, text) = Client::new(address).call(operation, body);
    assert_eq!(status, 200, "{text}");
    text
}

fn start(address: SocketAddr, machine: &str, name: &str) -> String {
    let input = super::INPUT.replace('"', "\\\"");
    let body = format!(
        r#"{{"stateMachineArn":"{ARN}:stateMachine:{machine}","name":"{name}","input":"{input}"}}"#
    );
    call(address, "StartExecution", &body)
}

fn describe(address: SocketAddr, execution: &str) -> String {
    let body = format!(r#"{{"executionArn":"{ARN}:execution:{execution}"}}"#);
    call(address, "DescribeExecution", &body)
}

fn history(address: SocketAddr, execution: &str) -> String {
    let body = format!(r#"{{"executionArn":"{ARN}:execution:{execution}"}}"#);
    call(address, "GetExecutionHistory", &body)
}

#[test]
fn an_execution_stops_at_a_breakpoint_and_its_client_sees_the_end() {
    let (mut screen, address) = listening();
    screen.steps("see listens at 127.0.0.1:8083\nline break ChargeCard");
    start(address, "order#Happy", "first");
    screen.await_text("execution first");
    screen.steps("see Breakpoint 1\nkey X\nsee stopped at ChargeCard\nkey Esc");
    assert!(describe(address, "order:first").contains(r#""status":"RUNNING""#));
    assert!(history(address, "order:first").contains("ChargeCard"));
    // After the user has gone back and forward again, the client sees the end, and each event only once.
    screen.steps("key N n\nsee Breakpoint 1\nkey c\nsee SUCCEEDED");
    let described = describe(address, "order:first");
    assert!(described.contains(r#""status":"SUCCEEDED""#), "{described}");
    let events = history(address, "order:first");
    assert_eq!(
        events.matches(r#""name":"ChargeCard""#).count(),
        2,
        "{events}"
    );
    // Going back after the end changes nothing for the client.
    screen.steps("key C\nsee PAST\nkey X\nsee SUCCEEDED\nkey Esc");
    assert_eq!(describe(address, "order:first"), described);
    screen.steps("line executions -\nsee ready");
}

#[test]
fn others_wait_at_their_first_stop_or_are_held() {
    let (mut screen, address) = listening();
    screen.step("line break ChargeCard").expect("a breakpoint");
    for name in ["first", "second", "third"] {
        start(address, "order#Happy", name);
    }
    screen.await_text("2 executions wait");
    screen.steps(
        "see execution first\nline executions third\nsee execution third\nkey c\nsee SUCCEEDED",
    );
    assert!(describe(address, "order:third").contains("SUCCEEDED"));
    assert!(describe(address, "order:first").contains("RUNNING"));
    screen.steps("line executions second\nline delete\nkey c\nsee SUCCEEDED");
    screen.step("line hold").expect("held");
    start(address, "order#Happy", "fourth");
    screen.await_text("2 executions wait");
    screen.steps("key X\nsee held before\nkey Esc\nline hold off");
    let end = Instant::now() + Duration::from_secs(20);
    while !describe(address, "order:fourth").contains("SUCCEEDED") {
        assert!(Instant::now() < end, "{}", screen.text());
        screen.look();
    }
}

#[test]
fn a_stop_by_a_client_ends_the_execution() {
    let (mut screen, address) = listening();
    screen.step("line break ChargeCard").expect("a breakpoint");
    start(address, "order#Happy", "first");
    screen.await_text("execution first");
    let stop = thread::spawn(move || {
        let body = format!(r#"{{"executionArn":"{ARN}:execution:order:first","error":"Enough"}}"#);
        call(address, "StopExecution", &body)
    });
    screen.await_thread(stop);
    screen.await_text("a client stopped the execution first");
    let described = describe(address, "order:first");
    assert!(described.contains(r#""status":"ABORTED""#), "{described}");
    assert!(described.contains("Enough"), "{described}");
}

/// Creates a state machine that begins at `A`.
fn create(address: SocketAddr, name: &str, states: &str) {
    let definition = format!(r#"{{"StartAt":"A","States":{{{states}}}}}"#).replace('"', "\\\"");
    let body = format!(
        r#"{{"name":"{name}","definition":"{definition}","roleArn":"arn:aws:iam::123456789012:role/r"}}"#
    );
    call(address, "CreateStateMachine", &body);
}

/// Gets a task of an activity from the server, as a worker does, and completes the task.
fn work(address: SocketAddr, activity: &str) {
    let body = format!(r#"{{"activityArn":"{ARN}:activity:{activity}"}}"#);
    let task: serde_json::Value =
        serde_json::from_str(&call(address, "GetActivityTask", &body)).expect("JSON");
    let token = task["taskToken"].as_str().expect("a token").to_string();
    let body = format!(r#"{{"taskToken":"{token}","output":"{{\"done\":true}}"}}"#);
    call(address, "SendTaskSuccess", &body);
}

#[test]
fn clients_answer_tokens_activities_and_child_executions() {
    let (mut screen, address) = listening();
    call(address, "CreateActivity", r#"{"name":"work"}"#);
    create(
        address,
        "worker",
        &format!(r#""A":{{"Type":"Task","Resource":"{ARN}:activity:work","End":true}}"#),
    );
    create(
        address,
        "parent",
        &format!(
            r#""A":{{"Type":"Task","Resource":"arn:aws:states:::states:startExecution.sync:2","Parameters":{{"StateMachineArn":"{ARN}:stateMachine:worker","Name":"child"}},"End":true}}"#
        ),
    );
    start(address, "parent", "outer");
    let worker = thread::spawn(move || work(address, "work"));
    screen.await_text("execution outer");
    screen.await_text("SUCCEEDED");
    screen.await_thread(worker);
    let described = describe(address, "parent:outer");
    assert!(described.contains(r#"\"done\":true"#), "{described}");
    screen.steps(
        "key X\nsee child\nkey Esc\nline write case x\nsee a client created this state machine",
    );
}

#[test]
fn tasks_of_branches_are_awaited_together() {
    let (mut screen, address) = listening();
    let branch = |name: &str| {
        call(
            address,
            "CreateActivity",
            &format!(r#"{{"name":"{name}"}}"#),
        );
        format!(
            r#"{{"StartAt":"{name}","States":{{"{name}":{{"Type":"Task","Resource":"{ARN}:activity:{name}","End":true}}}}}}"#
        )
    };
    let branches = [branch("one"), branch("two")].join(",");
    create(
        address,
        "both",
        &format!(r#""A":{{"Type":"Parallel","Branches":[{branches}],"End":true}}"#),
    );
    start(address, "both", "outer");
    let worker = thread::spawn(move || ["two", "one"].map(|activity| work(address, activity)));
    screen.await_thread(worker);
    screen.await_text("SUCCEEDED");
    assert!(describe(address, "both:outer").contains("SUCCEEDED"));
}
