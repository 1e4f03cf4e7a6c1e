//! Tests of runs that reach their memory limit: the run stops, and nothing is lost.

use super::*;

const LIMIT: u64 = 3 << 20;

/// A session with an endless loop and a low memory limit, so that it stops soon.
fn endless(states: &str) -> Session {
    let definition = good(
        "loop",
        &format!(r#"{{"StartAt": "A", "States": {states}}}"#),
    );
    let header = Header::new(json_value(json!({"n": 0})), Profile::Spec);
    let mut setup = Setup::new(definition, header, Arc::new(asldbg::worker::Worker::new()));
    setup.unmocked = Unmocked::Echo;
    setup.memory_limit = LIMIT;
    setup.checkpoint_budget = 1 << 20;
    let mut session = Session::new(setup);
    support::never_stop(&mut session);
    session
}

fn json_value(value: serde_json::Value) -> Value {
    super::value(&value.to_string())
}

#[test]
fn a_record_that_is_full_stops_the_run_and_stays_so() {
    let mut session =
        endless(r#"{"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Pass", "Next": "A"}}"#);
    assert_eq!(go(&mut session), Stop::Memory(LIMIT));
    let full = session.event_count();
    assert!((10_000..70_000).contains(&full), "{full} events");
    for command in [
        Command::Continue(Direction::Forward),
        Command::Step(Direction::Forward),
        Command::Next(Direction::Forward),
    ] {
        assert_eq!(support::command(&mut session, command), Stop::Memory(LIMIT));
        assert_eq!(session.event_count(), full);
    }
    // Every recorded event can still be visited.
    assert_eq!(
        support::command(&mut session, Command::Travel(7)),
        Stop::Travel
    );
    assert_eq!(session.event_count(), full);
    // A fork that begins at this event is recorded until the memory limit is reached again.
    session.tell(Command::Edit {
        stage: Stage::Input,
        at: Pointer::root(),
        value: json_value(json!({"n": 1})),
    });
    assert!(session.event_count() < 20);
    assert_eq!(go(&mut session), Stop::Memory(LIMIT));
    assert!(session.event_count().abs_diff(full) < full / 10);
}

#[test]
fn the_answers_of_tasks_count() {
    let resource = "arn:aws:lambda:us-east-1:123456789012:function:f";
    let text = "x".repeat(2_000);
    let mut session = endless(&format!(
        r#"{{"A": {{"Type": "Pass", "Parameters": {{"t.$": "States.Format('{text}{{}}', $.n)", "n": 1}}, "Next": "B"}},
            "B": {{"Type": "Task", "Resource": "{resource}", "ResultPath": null, "Next": "A"}}}}"#
    ));
    assert_eq!(go(&mut session), Stop::Memory(LIMIT));
    let calls = events(&session)
        .iter()
        .filter(|event| event.kind == EventKind::TaskScheduled)
        .count();
    // Each call added about 2,000 bytes to the log, and these bytes count towards the memory limit.
    assert!((400..1_600).contains(&calls), "{calls} calls");
}
