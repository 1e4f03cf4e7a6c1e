//! Tests of tasks that start child executions: what they return, and that each child runs only once.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::interpreter::{Answer, Ask, Header, Serve, Status, Want};
use asldbg::query::Profile;
use asldbg::session::execution::{ChildMachine, Children};
use asldbg::session::{
    Command, Direction, ErrorMoment, Left, Outer, Restart, Session, Setup, Stop, Switch, Unmocked,
};
use asldbg::worker::Worker;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use support::{Tell as _, command, go, good, value};

/// Answers requests like `Worker`, and counts the expressions that are evaluated. In these tests, a run of the child
/// evaluates one expression, and the parent evaluates none.
#[derive(Debug, Default)]
struct Counting {
    worker: Worker,
    count: AtomicU64,
}

impl Serve for Counting {
    fn serve(&self, ask: &Ask) -> Option<Answer> {
        if let Want::Evaluate(_) = ask.want {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
        self.worker.serve(ask)
    }
}

fn parent(pattern: &str) -> String {
    format!(
        r#"{{"StartAt": "Before", "States": {{
        "Before": {{"Type": "Pass", "Next": "Go"}},
        "Go": {{"Type": "Task", "Resource": "arn:aws:states:::states:startExecution{pattern}",
            "Parameters": {{"StateMachineArn": "arn:aws:states:eu-west-1:1:stateMachine:kid", "Input": {{"n": 1}}}},
            "OutputPath": "$.Output", "Next": "After"}},
        "After": {{"Type": "Pass", "End": true}}}}}}"#
    )
}

const TASK: &str = r#"{"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "TimeoutSeconds": 9, "End": true}}}"#;

fn kid(output: &str) -> String {
    format!(
        r#"{{"QueryLanguage": "JSONata", "StartAt": "P", "States": {{"P": {{"Type": "Pass", "Output": "{{% {output} %}}", "End": true}}}}}}"#
    )
}

fn children(text: &str) -> Arc<Children> {
    Arc::new(Children {
        machines: vec![ChildMachine {
            name: "kid".into(),
            definition: good("kid", text),
            case: None,
            cases: Vec::new(),
        }],
    })
}

fn session(parent: &str, child: &str, unmocked: Unmocked) -> (Session, Arc<Counting>) {
    let server = Arc::new(Counting::default());
    let header = Header::new(value("{}"), Profile::Spec);
    let session = Session::new(Setup {
        server: Arc::clone(&server) as Arc<dyn Serve>,
        children: children(child),
        unmocked,
        ..Setup::new(
            good("parent", parent),
            header,
            Arc::new(asldbg::worker::Worker::new()),
        )
    });
    (session, server)
}

fn output(session: &Session) -> String {
    match session.machine().status() {
        Status::Succeeded(output) => output.to_string(),
        Status::Failed(fault) => format!("{}: {}", fault.name(), fault.cause_text()),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_child_is_run_once() {
    let text = parent(".sync:2");
    let (mut session, server) = session(&text, &kid("$states.input.n + 1"), Unmocked::Ask);
    let runs = || server.count.load(Ordering::Relaxed);
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!((output(&session).as_str(), runs()), ("2", 1));

    // Going back and forward again, to the start and to the middle, does not run the child again.
    command(&mut session, Command::Travel(3));
    assert_eq!(
        command(&mut session, Command::Continue(Direction::Forward)),
        Stop::End
    );
    command(&mut session, Command::Next(Direction::Backward));
    command(&mut session, Command::Now);
    assert_eq!((output(&session).as_str(), runs()), ("2", 1));

    // Two restarts that keep the answers do not run the child again.
    for _ in 0..2 {
        command(&mut session, Command::Restart(Restart::KeepAnswers));
        assert_eq!(go(&mut session), Stop::End);
        assert_eq!((output(&session).as_str(), runs()), ("2", 1));
    }

    // A change to the parent that does not affect the call does not run the child again.
    let other = good(
        "parent",
        &text.replace(r#""After": {"Type""#, r#""After": {"Comment": "c", "Type""#),
    );
    drop(session.reload(other, Vec::new()));
    session.settle();
    go(&mut session);
    assert_eq!((output(&session).as_str(), runs()), ("2", 1));

    // After a reload, a child with the same text keeps its answer; a child with another text runs again.
    let parent = good("parent", &text);
    session.set_children(children(&kid("$states.input.n + 1")));
    drop(session.reload(Arc::clone(&parent), Vec::new()));
    session.settle();
    assert_eq!(runs(), 1);
    session.set_children(children(&kid("$states.input.n + 2")));
    drop(session.reload(parent, Vec::new()));
    session.settle();
    go(&mut session);
    assert_eq!((output(&session).as_str(), runs()), ("3", 2));

    // A child's answer is not typed by the user, so it is not saved for the next session.
    assert_eq!(session.saved(), None);
    command(&mut session, Command::Restart(Restart::Fresh));
    go(&mut session);
    assert_eq!((output(&session).as_str(), runs()), ("3", 3));
}

#[test]
fn a_child_that_never_ends_leaves_the_keys_working() {
    let endless = r#"{"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Pass", "Next": "A"}}}"#;
    let (mut session, _) = session(&parent(".sync:2"), endless, Unmocked::Ask);
    session.tell(Command::Continue(Direction::Forward));
    session.advance(10_000);
    assert!(session.is_busy());
    session.tell(Command::Pause);
    assert!(!session.is_busy());
    let ask = session.view().tasks[0].ask.id;
    session.tell(Command::Answer(
        ask,
        Answer::success(value(r#"{"Output": 7}"#)),
    ));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "7");
}

#[test]
fn a_childs_task_without_an_answer_follows_unmocked() {
    let said = |session: &mut Session| support::said(session).join("; ");
    let check = |pattern: &str, unmocked: Unmocked, end: &str, words: &str| {
        let (mut session, _) = session(&parent(pattern), TASK, unmocked);
        support::never_stop(&mut session);
        let found = match go(&mut session) {
            Stop::End => output(&session),
            other => format!("{other:?}").split('(').next().unwrap().to_string(),
        };
        assert!(found.starts_with(end), "{pattern} {unmocked:?}: {found}");
        let said = said(&mut session);
        assert!(said.contains(words), "{pattern} {unmocked:?}: {said}");
    };
    let no_answer = "the child kid cannot continue: task arn:aws:states:::sqs:sendMessage of the child's state T has no answer";
    check(".sync:2", Unmocked::Ask, "Ask", no_answer);
    check(".sync:2", Unmocked::Echo, r#"{"MD5OfMessageBody""#, "");
    check(
        ".sync:2",
        Unmocked::Fail,
        r#"States.TaskFailed: {"Cause":"no answer for T"#,
        "",
    );
    let (mut session, _) = session(
        &parent("").replace("$.Output", "$.ExecutionArn"),
        TASK,
        Unmocked::Ask,
    );
    assert_eq!(go(&mut session), Stop::End);
    assert!(output(&session).starts_with("\"arn:aws:states:eu-west-1:1:execution:kid:"));
    let said = said(&mut session);
    assert!(said.contains("(no task waits for this child)"), "{said}");
}

#[test]
fn a_child_whose_answers_changed_is_run_again() {
    let with = |returned: u32| {
        let text = format!(
            r#"{{"StateMachines": {{"kid": {{"TestCases": {{"C": {{"T": "R"}}}}}}}}, "MockedResponses": {{"R": {{"0": {{"Return": {returned}}}}}}}}}"#
        );
        let mut all = children(TASK);
        let machine = &mut Arc::get_mut(&mut all).unwrap().machines[0];
        machine.case = Some(support::mock("kid", &text, Some("C")));
        all
    };
    let text = parent(".sync:2");
    let parent = good("parent", &text);
    let mut session = session(&text, TASK, Unmocked::Ask).0;
    session.set_children(with(1));
    assert_eq!(
        (go(&mut session), output(&session)),
        (Stop::End, "1".into())
    );
    for (returned, wanted) in [(1, "1"), (2, "2")] {
        session.set_children(with(returned));
        drop(session.reload(Arc::clone(&parent), Vec::new()));
        session.settle();
        go(&mut session);
        assert_eq!(output(&session), wanted);
    }
}

/// Steps by stages until the run stops at the task that starts the child.
fn to_child(session: &mut Session) {
    for _ in 0..40 {
        if let Stop::Child(_) = command(session, Command::Step(Direction::Forward)) {
            return;
        }
    }
    panic!("no step came to the child: {:?}", session.stop());
}

#[test]
fn a_step_goes_into_a_child_and_its_end_leads_back() {
    let text = parent(".sync:2");
    let (mut session, server) = session(&text, &kid("$states.input.n + 1"), Unmocked::Ask);
    to_child(&mut session);
    let mut outer = Outer::default();
    assert!(outer.enter(&mut session) && !outer.enter(&mut session));
    assert_eq!(&*session.definition().name, "kid");
    assert_eq!(&*outer.outermost(&session).definition().name, "parent");
    // The child continues from its first step, and its output answers the task.
    command(&mut session, Command::Step(Direction::Forward));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "2");
    assert_eq!(outer.leave(&mut session), Some(Left::Answered));
    assert!(outer.is_empty());
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "2");
    assert_eq!(server.count.load(Ordering::Relaxed), 1);

    // Going back and continuing reuses the child's answer: the child does not run again.
    command(&mut session, Command::Travel(3));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!((output(&session).as_str(), outer.is_empty()), ("2", true));
}

#[test]
fn a_child_that_is_left_before_its_end_runs_by_itself() {
    let (mut session, _) = session(
        &parent(".sync:2"),
        &kid("$states.input.n + 1"),
        Unmocked::Ask,
    );
    let mut outer = Outer::default();
    to_child(&mut session);
    assert!(outer.enter(&mut session));
    assert_eq!(outer.leave(&mut session), Some(Left::Unfinished));
    assert_eq!(outer.leave(&mut session), None);
    // `Step` stops at the child again; `Next` runs the child without stopping in it.
    to_child(&mut session);
    command(&mut session, Command::Next(Direction::Forward));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "2");
}

#[test]
fn a_child_that_fails_fails_the_task_and_one_in_a_child_is_gone_into_too() {
    let inner = r#"{"StartAt": "F", "States": {"F": {"Type": "Fail", "Error": "Broken", "Cause": "inside"}}}"#;
    let (mut session, _) = session(&parent(".sync"), inner, Unmocked::Ask);
    let mut outer = Outer::default();
    to_child(&mut session);
    assert!(outer.enter(&mut session));
    command(
        &mut session,
        Command::StopOn(ErrorMoment::Uncaught, Switch::Off),
    );
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(outer.leave(&mut session), Some(Left::Answered));
    command(
        &mut session,
        Command::StopOn(ErrorMoment::Uncaught, Switch::Off),
    );
    assert_eq!(go(&mut session), Stop::End);
    let failed = output(&session);
    assert!(
        failed.starts_with("States.TaskFailed") && failed.contains("Broken"),
        "{failed}"
    );

    // A machine that starts itself.
    let endless = parent(".sync:2");
    let (mut session, _) = self::session(&endless, &endless, Unmocked::Ask);
    let mut outer = Outer::default();
    for depth in 1..4 {
        to_child(&mut session);
        assert!(outer.enter(&mut session));
        assert_eq!(outer.sessions().count(), depth);
    }
    assert!(outer.leave_all(&mut session) && !outer.leave_all(&mut session));
    assert_eq!(&*session.definition().name, "parent");
}

#[test]
fn a_child_that_calls_back_runs_by_itself() {
    let text = parent(".waitForTaskToken").replace(
        r#""Input": {"n": 1}"#,
        r#""Input": {"t.$": "$$.Task.Token"}"#,
    );
    let (mut session, _) = session(&text, TASK, Unmocked::Ask);
    for _ in 0..12 {
        let stop = command(&mut session, Command::Step(Direction::Forward));
        assert!(!matches!(stop, Stop::Child(_)));
    }
}
