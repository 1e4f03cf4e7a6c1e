//! Tests of Maps whose items fail.

use super::*;

#[test]
fn a_failure_that_a_map_makes_another_of_is_caught_by_that_name() {
    let states = json!({ "M": { "Type": "Map", "Next": "E", "ToleratedFailureCount": 1, "ItemProcessor": { "StartAt": "F", "States": { "F": { "Type": "Fail", "Error": "X" } } },
        "Catch": [{ "ErrorEquals": ["States.ExceedToleratedFailureThreshold"], "Next": "E" }] }, "E": { "Type": "Succeed" } });
    let mut session = over(&states, "[1, 2]");
    session.tell(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
    assert_eq!(go(&mut session), Stop::End);
}

#[test]
fn a_failure_that_a_map_tolerates_is_not_uncaught() {
    let map = |tolerated: u32| json!({ "M": { "Type": "Map", "End": true, "ToleratedFailureCount": tolerated, "ItemProcessor": { "StartAt": "F", "States": { "F": { "Type": "Fail", "Error": "X" } } } } });
    for (tolerated, items, stops) in [(2, "[1, 2]", 0), (1, "[1, 2]", 1), (0, "[1]", 1)] {
        let mut session = over(&map(tolerated), items);
        session.tell(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
        let mut stopped = 0;
        loop {
            match go(&mut session) {
                Stop::Error(ErrorMoment::Uncaught, name) if &*name == "X" => stopped += 1,
                Stop::Error(..) => {}
                stop => break assert_eq!(stop, Stop::End),
            }
        }
        assert_eq!(stopped, stops, "{tolerated}");
    }
}

#[test]
fn a_map_runs_on_over_its_failures() {
    let definition = good(
        "m",
        r#"{"StartAt": "M", "States": {
            "M": {"Type": "Map", "ItemsPath": "$.l", "MaxConcurrency": 2, "ItemProcessor": {"StartAt": "T", "States": {
                "T": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:f", "TimeoutSeconds": 9, "End": true}}},
                "Next": "P"},
            "P": {"Type": "Pass", "End": true}}}"#,
    );
    let broken = json!({"Throw": {"Error": "E", "Cause": "c"}});
    let mock = support::answers(&json!({
        "T": [{"Return": 0}, broken, {"Return": 2}, broken, {"Return": 4}]
    }));
    let header = Header::new(value(r#"{"l": [0, 1, 2, 3, 4]}"#), Profile::Aws);
    let mut session = session(&definition, header, mock);
    support::never_stop(&mut session);
    assert_eq!(go(&mut session), Stop::End);
    let Status::Failed(fault) = session.machine().status() else {
        panic!("{:?}", session.machine().status());
    };
    assert_eq!(fault.name(), "E");
    assert!(!session.view().header.not_aws);

    assert_eq!(command(&mut session, Command::IgnoreFailures), Stop::Step);
    assert_eq!(go(&mut session), Stop::End);
    let wanted = r#"[0,{"Error":"E","Cause":"c"},2,{"Error":"E","Cause":"c"},4]"#;
    assert_eq!(output(&session), wanted);
    assert!(session.view().header.not_aws);

    // The decision to ignore the failures belongs to the whole run. So the view says at every event, even before the
    // failures, that the run differs from AWS. Continuing to the end gives the same events.
    let count = session.event_count();
    command(&mut session, Command::Travel(3));
    assert!(session.view().header.not_aws);
    command(&mut session, Command::Travel(count - 1));
    command(&mut session, Command::Now);
    assert_eq!(
        (output(&session).as_str(), session.event_count()),
        (wanted, count)
    );
    command(&mut session, Command::Restart(Restart::KeepAnswers));
    go(&mut session);
    assert!(!session.view().header.not_aws);
    assert!(matches!(session.machine().status(), Status::Failed(_)));
}

#[test]
fn a_state_that_is_over_says_how_many_items_tries_and_milliseconds_it_took() {
    let states = json!({
        "M": { "Type": "Map", "Next": "W", "ItemProcessor": { "StartAt": "P", "States": { "P": { "Type": "Pass", "End": true } } } },
        "W": { "Type": "Wait", "Seconds": 3, "Next": "T" },
        "T": { "Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:f", "Next": "E",
            "Retry": [{ "ErrorEquals": ["States.ALL"], "IntervalSeconds": 2, "MaxAttempts": 1, "BackoffRate": 1.0 }],
            "Catch": [{ "ErrorEquals": ["States.ALL"], "Next": "E" }] },
        "E": { "Type": "Succeed" }
    });
    let text = json!({ "StartAt": "M", "States": states }).to_string();
    let broken = json!({ "Throw": { "Error": "E", "Cause": "c" } });
    let mock = support::answers(&json!({ "T": [broken.clone(), broken] }));
    let header = Header::new(value("[1, 2]"), Profile::Spec);
    let mut session = session(&good("over", &text), header, mock);
    support::never_stop(&mut session);
    let view = |session: &Session, name: &str| {
        let state = session.definition().find_by_name(name).unwrap();
        session.view().states[state.0 as usize].clone()
    };
    assert_eq!(view(&session, "M").progress, None);
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(view(&session, "M").progress, Some((2, 2)));
    assert_eq!(view(&session, "W").took, Some(3_000));
    assert_eq!(view(&session, "P").took, Some(0));
    let task = view(&session, "T");
    assert_eq!(
        (task.retried, task.retries, task.took),
        (1, None, Some(2_000))
    );
}

#[test]
fn items_that_are_read_are_counted_also_once_the_map_is_over() {
    for (tolerated, counted) in [(2, (3, 3)), (0, (1, 3))] {
        let states = json!({
            "M": { "Type": "Map", "MaxConcurrency": 1, "ToleratedFailureCount": tolerated, "Next": "E",
                "ItemReader": { "Resource": "arn:aws:states:::s3:getObject", "ReaderConfig": { "InputType": "JSON" },
                    "Parameters": { "Bucket": "b", "Key": "k" } },
                "ItemProcessor": { "ProcessorConfig": { "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD" },
                    "StartAt": "F", "States": { "F": { "Type": "Fail", "Error": "X" } } },
                "Catch": [{ "ErrorEquals": ["States.ALL"], "Next": "E" }] },
            "E": { "Type": "Succeed" }
        });
        let text = json!({ "StartAt": "M", "States": states }).to_string();
        let mock = support::answers(&json!({ "M": [{ "Return": [1, 2, 3] }] }));
        let header = Header::new(value("{}"), Profile::Spec);
        let mut session = session(&good("read", &text), header, mock);
        support::never_stop(&mut session);
        assert_eq!(go(&mut session), Stop::End);
        let map = session.definition().find_by_name("M").unwrap();
        let view = session.view().states[map.0 as usize].clone();
        assert_eq!(view.progress, Some(counted), "{tolerated}");
    }
}

#[test]
fn a_map_inside_a_map_counts_the_items_of_the_frame_in_focus() {
    let states = json!({
        "Outer": { "Type": "Map", "MaxConcurrency": 1, "End": true, "ItemProcessor": { "StartAt": "Begin", "States": {
            "Begin": { "Type": "Pass", "Next": "Inner" },
            "Inner": { "Type": "Map", "MaxConcurrency": 1, "Next": "Done", "ItemProcessor": { "StartAt": "Pack", "States": {
                "Pack": { "Type": "Pass", "End": true } } } },
            "Done": { "Type": "Succeed" } } } }
    });
    let mut session = over(&states, "[[1, 2], [3, 4, 5], [6]]");
    assert_eq!(go(&mut session), Stop::End);
    let seen = |session: &Session, name: &str| {
        let state = session.definition().find_by_name(name).unwrap();
        let view = session.view().states[state.0 as usize].clone();
        (view.visits, view.progress, view.runs)
    };
    assert_eq!(seen(&session, "Inner"), (3, Some((6, 6)), 3), "outside");
    let entries = |frame: &str| -> Vec<u64> {
        let rows = session.rows(1..session.event_count() + 1);
        let map_rows = rows
            .iter()
            .filter(|row| row.kind == EventKind::StateEntered && row.frame == frame);
        map_rows.map(|row| row.number).collect()
    };
    let [begin, inner, done] = entries("Outer[1]")[..] else {
        panic!("three states");
    };
    let [second] = entries("Outer[1]/Inner[1]")[..] else {
        panic!("one state");
    };
    let rows = [
        (begin, (0, None, 0), 0),
        (inner, (1, None, 0), 0),
        (second, (1, Some((1, 3)), 1), 1),
        (done, (1, Some((3, 3)), 1), 3),
    ];
    for (number, inner, packed) in rows {
        command(&mut session, Command::Travel(number));
        assert_eq!(seen(&session, "Inner"), inner, "at {number}");
        assert_eq!(seen(&session, "Pack").0, packed, "at {number}");
        assert_eq!(seen(&session, "Begin").0, 1, "at {number}");
        assert_eq!(seen(&session, "Outer").1, Some((1, 3)), "at {number}");
    }
}
