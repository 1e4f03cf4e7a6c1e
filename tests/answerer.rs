//! Tests of how an `Ask` (a request of a running machine, such as a call of a task) is answered, and by which source.
//! The debugger, `run`, child executions and `test-state` must all give the same answer.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::definition::Definition;
use asldbg::headless::{TestState, run};
use asldbg::interpreter::{Answer, AskKey, Fault, Header, Status};
use asldbg::query::Profile;
use asldbg::session::answers::MockCase;
use asldbg::session::execution::{ChildMachine, Children};
use asldbg::session::{Command, Reach, RecordedAnswer, Restart, Session, Setup, Stop, Unmocked};
use asldbg::testing::{End, Limits};
use asldbg::worker::Worker;
use serde_json::{Value as Json, json};
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use support::{Tell as _, answers, command, go, good, never_stop, value};

const POLICIES: [(&str, Unmocked); 3] = [
    ("ask", Unmocked::Ask),
    ("echo", Unmocked::Echo),
    ("fail", Unmocked::Fail),
];

/// The result of a run, in the form in which the test cases write it.
#[derive(Debug, PartialEq)]
enum Outcome {
    NoAnswer,
    Output(String),
    Error(String, String),
}

impl Outcome {
    fn of_fault(fault: &Fault) -> Self {
        Self::Error(fault.name().to_string(), fault.cause_text().to_string())
    }

    fn fits(&self, wanted: &Json) -> bool {
        match self {
            Self::NoAnswer => wanted == "no answer",
            Self::Output(output) => {
                wanted.get("output").map(Json::to_string).as_ref() == Some(output)
            }
            Self::Error(error, cause) => {
                wanted["error"] == **error && cause.contains(wanted["cause"].as_str().unwrap())
            }
        }
    }
}

fn machine(name: &str, text: &Json) -> Arc<Definition> {
    good(name, &text.to_string())
}

fn child(name: &str, text: &Json, case: Option<MockCase>) -> ChildMachine {
    ChildMachine {
        name: name.into(),
        definition: machine(name, text),
        case,
        cases: Vec::new(),
    }
}

/// Returns an idle machine, which no task starts, followed by the child machines of a case. Tasks can start children
/// only if this list is not empty; the idle machine ensures this.
fn children(case: &Json) -> Vec<ChildMachine> {
    let idle = json!({"StartAt": "P", "States": {"P": {"Type": "Succeed"}}});
    let mut all = vec![child("idle", &idle, None)];
    for (name, text) in case["children"].as_object().into_iter().flatten() {
        all.push(child(name, text, None));
    }
    all
}

fn setup(definition: Arc<Definition>, machines: Vec<ChildMachine>) -> Setup {
    let header = Header::new(value(r#"{"a": 1}"#), Profile::Spec);
    Setup {
        children: Arc::new(Children { machines }),
        ..Setup::new(definition, header, Arc::new(Worker::new()))
    }
}

fn in_debugger(setup: Setup) -> Outcome {
    let mut session = Session::new(setup);
    never_stop(&mut session);
    match go(&mut session) {
        Stop::Ask(_) => Outcome::NoAnswer,
        Stop::End => match session.machine().status() {
            Status::Succeeded(output) => Outcome::Output(output.to_string()),
            Status::Failed(fault) => Outcome::of_fault(fault),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn limits(max_steps: u64, interrupted: &AtomicBool) -> Limits<'_> {
    Limits {
        max_steps,
        interrupted,
    }
}

fn in_run(setup: &Setup) -> Outcome {
    let interrupted = AtomicBool::new(false);
    match run(setup, limits(10_000, &interrupted), false, &mut [])
        .unwrap()
        .end
    {
        End::NoAnswer(..) => Outcome::NoAnswer,
        End::Succeeded(output) => Outcome::Output(output.to_string()),
        End::Failed(fault) => Outcome::of_fault(&fault),
        other => panic!("{other:?}"),
    }
}

/// The result of the child execution that a run starts: its output, or its error and cause. A failed child is described
/// as JSON in the cause of the parent's task.
fn in_child(setup: &Setup) -> Outcome {
    let Outcome::Error(error, cause) = in_run(setup) else {
        return in_run(setup);
    };
    assert_eq!(error, "States.TaskFailed");
    let described: Json = serde_json::from_str(&cause).unwrap_or_else(|_| panic!("{cause}"));
    let part = |name: &str| described[name].as_str().unwrap_or("").to_string();
    Outcome::Error(part("Error"), part("Cause"))
}

fn in_test_state(definition: &Arc<Definition>, state: &str) -> Outcome {
    let sources = &definition.sources;
    let (node, _) = asldbg::source::parse_json(&sources.files()[0], asldbg::source::SourceId(0));
    let test = TestState::new(&Arc::new(node.unwrap()), sources, "m", Some(state)).unwrap();
    let header = Header::new(value(r#"{"a": 1}"#), Profile::Spec);
    match test.run(header) {
        Err(_) => Outcome::NoAnswer,
        Ok(result) => Outcome::Output(result.output.unwrap().to_string()),
    }
}

#[test]
fn every_front_end_answers_alike() {
    let cases: Vec<Json> =
        serde_json::from_str(&support::read("tests/answers/cases.json")).unwrap();
    let parent = json!({"StartAt": "Go", "States": {"Go": {"Type": "Task",
        "Resource": "arn:aws:states:::states:startExecution.sync:2", "TimeoutSeconds": 9,
        "Parameters": {"StateMachineArn": "kid", "Input.$": "$"}, "OutputPath": "$.Output", "End": true}}});
    let mut wrong = Vec::new();
    for case in &cases {
        let name = case["case"].as_str().unwrap();
        let mut check = |front: &str, policy: &str, found: &dyn Debug, fits: bool| {
            if !fits {
                wrong.push(format!(
                    "{name}: {front} under {policy}: {found:?}, not {}",
                    case[policy]
                ));
            }
        };
        let definition = machine("m", &case["machine"]);
        let mock = answers(&case["mock"]);
        for (policy, unmocked) in POLICIES {
            let alone = Setup {
                mock: mock.clone(),
                unmocked,
                ..setup(Arc::clone(&definition), children(case))
            };
            let found = in_run(&alone);
            check("run", policy, &found, found.fits(&case[policy]));
            let found = in_debugger(alone);
            check("the debugger", policy, &found, found.fits(&case[policy]));
            let mut machines = children(case);
            machines.push(child("kid", &case["machine"], mock.clone()));
            let around = Setup {
                unmocked,
                ..setup(machine("parent", &parent), machines)
            };
            let found = in_child(&around);
            check("a child", policy, &found, found.fits(&case[policy]));
        }
        if let Some(state) = case["test-state"].as_str() {
            let found = in_test_state(&definition, state);
            check("test-state", "ask", &found, found.fits(&case["ask"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const TASK: &str = r#"{"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:111111111111:function:f", "TimeoutSeconds": 9, "End": true}}}"#;

fn key(path: &str) -> AskKey {
    AskKey {
        path: path.into(),
        indices: Vec::new(),
        rounds: Vec::new(),
        visit: 1,
        attempt: 1,
    }
}

fn output(session: &Session) -> String {
    match session.machine().status() {
        Status::Succeeded(output) => output.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_recording_answers_before_the_mock_file_and_after_a_person() {
    let recorded = |input: Option<&str>| {
        let answer = Answer {
            took: 1500,
            ..Answer::success(value("\"recorded\""))
        };
        let recorded = RecordedAnswer {
            input: input.map(value),
            answer,
        };
        Setup {
            recorded: Arc::new([(key("T"), recorded)].into()),
            mock: answers(&json!({"T": [{"Return": "mocked"}]})),
            ..setup(good("m", TASK), Vec::new())
        }
    };
    for input in [None, Some(r#"{"a": 1}"#)] {
        let mut session = Session::new(recorded(input));
        assert_eq!(go(&mut session), Stop::End);
        assert_eq!(output(&session), "\"recorded\"");
        assert_eq!(session.machine().now(), 1500);
        let interrupted = AtomicBool::new(false);
        let result = run(&recorded(input), limits(10, &interrupted), false, &mut []).unwrap();
        assert!(
            matches!(result.end, End::Succeeded(output) if output.to_string() == "\"recorded\"")
        );
        assert_eq!((result.took, result.transitions), (1500, 1));
    }
    // An answer recorded for other input data is not used, and a message says so.
    let mut session = Session::new(recorded(Some("{}")));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "\"mocked\"");
    let text = support::said(&mut session).join("; ");
    assert!(
        text.contains("different data than in the recorded execution"),
        "{text}"
    );

    // An answer that the user typed for all calls of a function takes precedence over a recorded answer.
    let two = TASK.replace(r#""End": true"#, r#""Next": "U"}, "U": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:111111111111:function:f", "TimeoutSeconds": 9, "End": true"#);
    let answer = Answer::success(value("\"recorded\""));
    let recorded = RecordedAnswer {
        input: None,
        answer,
    };
    let mut session = Session::new(Setup {
        recorded: Arc::new([(key("U"), recorded)].into()),
        ..setup(good("m", &two), Vec::new())
    });
    let Stop::Ask(ask) = go(&mut session) else {
        panic!("{:?}", session.stop());
    };
    let typed = Answer::success(value("\"typed\""));
    session.tell(Command::AnswerAll(ask, typed, Reach::Resource));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "\"typed\"");
    // After the typed answer is deleted, the user is asked again.
    session.tell(Command::ForgetAnswer(0));
    command(&mut session, Command::Restart(Restart::Fresh));
    assert!(matches!(go(&mut session), Stop::Ask(_)));
}

/// A Map whose items call a task: in the order of their indices or, if `waits`, in the order in which their Wait states
/// end.
fn items(waits: bool) -> Arc<Definition> {
    let first = match waits {
        true => r#"{"Type": "Wait", "SecondsPath": "$.w", "Next": "T"}"#,
        false => r#"{"Type": "Pass", "Next": "T"}"#,
    };
    good(
        "m",
        &format!(
            r#"{{"StartAt": "M", "States": {{"M": {{"Type": "Map", "End": true, "ItemProcessor": {{"StartAt": "W", "States": {{
            "W": {first},
            "T": {{"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:111111111111:function:f", "TimeoutSeconds": 9, "End": true}}}}}}}}}}}}"#
        ),
    )
}

#[test]
fn a_call_of_an_item_keeps_its_mocked_answer_over_reloads_and_forks() {
    let header = Header::new(value(r#"[{"w": 3}, {"w": 2}, {"w": 1}]"#), Profile::Spec);
    let mut session = Session::new(Setup {
        mock: answers(
            &json!({"T": [{"Return": "first"}, {"Return": "second"}, {"Return": "third"}]}),
        ),
        ..Setup::new(items(false), header, Arc::new(Worker::new()))
    });
    never_stop(&mut session);
    let in_order = r#"["first","second","third"]"#;
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), in_order);
    // The items now make their calls in reverse order; each still gets its previous answer.
    drop(session.reload(items(true), Vec::new()));
    session.settle();
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), in_order);
    // Go back to an event before the calls, and continue from there as a new run.
    command(&mut session, Command::Travel(4));
    command(&mut session, Command::RedoState);
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), in_order);
    // A run from the start numbers its calls in the order in which they occur, like AWS Step Functions Local.
    command(&mut session, Command::Restart(Restart::KeepAnswers));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), r#"["third","second","first"]"#);
}

/// A machine that starts child executions, one after the other, without end.
fn endless() -> Setup {
    let parent = r#"{"StartAt": "G", "States": {"G": {"Type": "Task", "Resource": "arn:aws:states:::states:startExecution.sync:2", "TimeoutSeconds": 9, "Parameters": {"StateMachineArn": "kid"}, "ResultPath": null, "Next": "G"}}}"#;
    let kid = json!({"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Pass", "End": true}}});
    setup(good("m", parent), vec![child("kid", &kid, None)])
}

#[test]
fn children_share_the_limit_of_their_run() {
    let interrupted = AtomicBool::new(false);
    let result = run(&endless(), limits(100, &interrupted), false, &mut []).unwrap();
    assert!(
        matches!(
            result.end,
            End::TooLong {
                most: 100,
                with_children: true
            }
        ),
        "{:?}",
        result.end
    );
    // Of every three transitions, two happen in a child and one in the parent. The result counts only those in the
    // parent.
    assert!(
        (33..=34).contains(&result.transitions),
        "{}",
        result.transitions
    );

    for (_, unmocked) in POLICIES {
        let mut session = Session::new(Setup {
            max_child_steps: 100,
            unmocked,
            ..endless()
        });
        never_stop(&mut session);
        assert!(matches!(go(&mut session), Stop::Ask(_)), "{unmocked:?}");
        let text = support::said(&mut session).join("; ");
        assert!(
            text.contains("stopped after 100 states and retries"),
            "{text}"
        );
        assert!(
            text.contains("answer the task that started the children"),
            "{text}"
        );
    }
}
