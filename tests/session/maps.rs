//! The failures of a Map.

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
        let mut found = 0;
        loop {
            match go(&mut session) {
                Stop::Error(ErrorMoment::Uncaught, name) if &*name == "X" => found += 1,
                Stop::Error(..) => {}
                stop => break assert_eq!(stop, Stop::End),
            }
        }
        assert_eq!(found, stops, "{tolerated}");
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

    // It is part of the record: the same again from any event, and gone before it.
    let count = session.event_count();
    command(&mut session, Command::Travel(3));
    assert!(!session.view().header.not_aws);
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
