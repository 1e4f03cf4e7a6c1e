//! Tests that the targets of branches and items are called simultaneously.

use super::target::{self, FUNCTION, Folder, is_gone};
use super::{on, session};
use asldbg::interpreter::Answer;
use asldbg::session::view::RunStatus;
use asldbg::session::{Direction, Progress, Restart, Session, Stop};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Writes a machine with a Parallel of three branches, the last of which has two tasks, and a Map of three items.
fn simultaneous_machine(folder: &Folder) {
    let task = |mut fields: Value| {
        fields["Parameters"] = json!({"x.$": "$"});
        target::task(FUNCTION, fields)
    };
    let branch =
        |name: &str| json!({"StartAt": name, "States": {name: task(json!({"End": true}))}});
    let twice = json!({"StartAt": "Third", "States": {"Third": task(json!({"Next": "Fourth"})), "Fourth": task(json!({"End": true}))}});
    let definition = json!({"StartAt": "All", "States": {
        "All": {"Type": "Parallel", "Branches": [branch("First"), branch("Second"), twice], "ResultPath": null, "Next": "Each"},
        "Each": {"Type": "Map", "ItemsPath": "$.items", "ItemProcessor": branch("Item"), "End": true}}});
    folder.write("m.asl.json", &definition.to_string());
    folder.write("m.input.json", "{\"items\": [3, 2, 1]}");
}

#[test]
fn branches_and_items_call_at_the_same_time() {
    let folder = Folder::new("simultaneous");
    simultaneous_machine(&folder);
    // The first branch and the first item take longest, so that answers come in a different order than the calls were
    // made.
    let program = folder.program(
        "p",
        "body=$(cat); case \"$ASLDBG_STATE$body\" in First*|Item*3*) sleep 1.5;; *) sleep 1;; esac; echo \"{\\\"by\\\": \\\"$ASLDBG_STATE\\\", \\\"in\\\": $body}\"",
    );
    let (_, took) = folder.repeated(&program);
    // Consecutive calls would take eight seconds.
    assert!(took < Duration::from_secs(6), "{took:?}");
}

#[test]
fn calls_at_the_same_time_are_abandoned_together_and_not_made_again() {
    use asldbg::session::Command as Do;
    let folder = Folder::new("together");
    simultaneous_machine(&folder);
    let program = folder.program(
        "p",
        "case \"$ASLDBG_STATE\" in Item) echo x >> \"$(dirname \"$0\")/items\"; echo 1;; *) sleep 97571;; esac",
    );
    let mut session = session(&folder, &program);
    session.apply(Do::Continue(Direction::Forward)).unwrap();
    let begun = Instant::now();
    let calls = |session: &Session| {
        let calling = session.view().header.calling.clone();
        calling.map_or(0, |calling| calling.others + 1)
    };
    while calls(&session) < 3 && begun.elapsed() < Duration::from_secs(9) {
        assert_eq!(session.advance(100), Progress::Running);
    }
    assert_eq!(calls(&session), 3);
    session.apply(Do::Pause).unwrap();
    assert!(is_gone("sleep 97571"));
    let answer = || Answer::success(asldbg::json::Value::from(1));
    for _ in 0..4 {
        let Stop::Ask(ask) = *session.stop() else {
            panic!("{:?}", session.stop());
        };
        on(&mut session, Do::Answer(ask, answer()));
        session.apply(Do::Continue(Direction::Forward)).unwrap();
        // The third branch has a second task, which begins when the first one has been answered.
        let begun = Instant::now();
        while calls(&session) == 0 && session.advance(10) == Progress::Running {
            assert!(begun.elapsed() < Duration::from_secs(9));
        }
        if session
            .view()
            .header
            .calling
            .as_ref()
            .is_some_and(|call| &*call.state == "Fourth")
        {
            session.apply(Do::Pause).unwrap();
        }
    }
    session.settle();
    let succeeded = matches!(session.view().header.status, RunStatus::Succeeded { .. });
    assert!(succeeded, "{:?}", session.stop());
    // Go back, continue, and restart with the answers. Then compare the call count in the view with the number of times
    // that the items ran the program.
    on(&mut session, Do::Continue(Direction::Backward));
    on(&mut session, Do::Continue(Direction::Forward));
    on(&mut session, Do::Restart(Restart::KeepAnswers));
    on(&mut session, Do::Continue(Direction::Forward));
    assert!(
        matches!(session.view().header.status, RunStatus::Succeeded { .. }),
        "{:?}",
        session.stop()
    );
    let made = std::fs::read_to_string(folder.0.join("items"));
    let made = made.unwrap_or_default().lines().count();
    assert_eq!(session.view().header.calls, made);
}
