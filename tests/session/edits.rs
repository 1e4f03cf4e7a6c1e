//! Tests of values that the user edits during a run.

use super::*;

#[test]
fn an_edit_in_the_past_gives_up_the_future() {
    let sample = sample("order");
    let mut session = sample.session(Profile::Spec);
    go(&mut session);
    let whole = session.event_count();
    let choice = entered(&session, "InStock?").0;
    command(&mut session, Command::Travel(choice));
    let at = Pointer::root()
        .child(Step::Member("stock".into()))
        .child(Step::Member("onHand".into()));
    let reply = session.tell(Command::Edit {
        stage: Stage::Input,
        at,
        value: Value::from(1),
    });
    assert_eq!(reply, Reply::Edited(Stage::Input));
    let forked = Output::Forked {
        after: choice,
        run: 2,
    };
    assert_eq!(session.take_outputs(), [forked]);
    assert_eq!(session.event_count(), choice);
    assert_eq!(session.view().header.run, 2);
    assert!(choice < whole);
    let stop = go(&mut session);
    assert!(matches!(stop, Stop::Ask(_)), "{stop:?}");
    assert_eq!(trace(&session).last().unwrap(), "BackOrder");
    // The edit is part of the recorded run: it is applied again when the run continues from an event before it.
    let views = (session.event_count(), plain(session.view()));
    command(&mut session, Command::Travel(3));
    command(&mut session, Command::Travel(views.0));
    let mut again = plain(session.view());
    again.header.frame.clone_from(&views.1.header.frame);
    assert_eq!(again, views.1, "{}", differing(&views.1, &again));
}

#[test]
fn an_edit_leaves_no_gap_in_the_history() {
    let sample = sample("order");
    let mut whole = sample.session(Profile::Aws);
    go(&mut whole);
    let input = value(&support::read("samples/order.input.json"));
    for number in 1..whole.event_count() {
        for stage in Stage::ALL {
            let mut session = sample.session(Profile::Aws);
            go(&mut session);
            command(&mut session, Command::Travel(number));
            drop(session.apply(Command::Edit {
                stage,
                at: Pointer::root(),
                value: input.clone(),
            }));
            go(&mut session);
            check_history_ids(&events(&session), &format!("{stage:?} at {number}"));
            assert_eq!(trace(&session)[0], "ValidateOrder", "{stage:?} at {number}");
        }
    }
}

/// Replaces the whole value of a stage at the cursor.
fn put(session: &mut Session, stage: Stage, text: &str) {
    let at = Pointer::root();
    let value = value(text);
    session.tell(Command::Edit { stage, at, value });
}

#[test]
fn an_edit_of_a_map_at_work_begins_its_items_anew() {
    let states = json!({ "M": { "Type": "Map", "End": true, "ItemProcessor": { "StartAt": "T", "States": {
        "T": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "End": true } } } } });
    let mut session = over(&states, "[1, 2, 3]");
    assert!(matches!(go(&mut session), Stop::Ask(_)));
    session.tell(Command::Focus(FrameId(0)));
    put(&mut session, Stage::Input, "[7]");
    assert!(matches!(go(&mut session), Stop::Ask(_)));
    assert_eq!(session.machine().frames().count(), 2);
    let ask = session.machine().open_asks().next().unwrap().id;
    session.tell(Command::Answer(ask, Answer::success(value("70"))));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "[70]");
    let ids = events(&session)
        .iter()
        .map(|event| event.history_id)
        .filter(|id| *id > 0)
        .collect::<Vec<_>>();
    assert!(ids.iter().copied().eq(1..=ids.len() as u32), "{ids:?}");
}

#[test]
fn an_edit_of_a_callback_task_leaves_it_a_token() {
    let states = json!({ "T": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        "Parameters": { "token.$": "$$.Task.Token", "x.$": "$.x" }, "End": true } });
    let mut session = over(&states, r#"{"x": 1}"#);
    assert!(matches!(go(&mut session), Stop::Ask(_)));
    put(&mut session, Stage::Input, r#"{"x": 2}"#);
    let stop = go(&mut session);
    assert!(matches!(stop, Stop::Ask(_)), "{stop:?}");
}

#[test]
fn an_edit_of_what_goes_out_leaves_the_way_decided() {
    let states = json!({
        "C": { "Type": "Choice", "Choices": [{ "Variable": "$.x", "NumericEquals": 1, "Next": "A", "Assign": { "n": 1 } }], "Default": "B" },
        "A": { "Type": "Pass", "End": true }, "B": { "Type": "Fail" } });
    for kind in [EventKind::Stage(Stage::Output), EventKind::StateExited] {
        let mut session = over(&states, r#"{"x": 1}"#);
        while session
            .event(session.event_count())
            .is_none_or(|event| event.kind != kind)
        {
            session.tell(Command::Continue(ON));
            session.advance(1);
        }
        session.tell(Command::Pause);
        put(&mut session, Stage::Output, r#"{"x": 5}"#);
        assert_eq!(go(&mut session), Stop::End);
        assert_eq!(output(&session), r#"{"x":5}"#, "{kind:?}");
        let left = events(&session)
            .iter()
            .filter(|event| event.kind == EventKind::StateExited)
            .count();
        assert_eq!(left, 2, "{kind:?}");
    }
}

#[test]
fn an_edit_of_the_output_leaves_what_is_assigned() {
    let states = json!({
        "P": { "Type": "Pass", "QueryLanguage": "JSONata", "Assign": { "n": "{% $states.input.x + 1 %}" }, "Output": { "y": 1 }, "Next": "Q" },
        "Q": { "Type": "Pass", "QueryLanguage": "JSONata", "Output": { "n": "{% $n %}", "y": "{% $states.input.y %}" }, "End": true } });
    let mut session = over(&states, r#"{"x": 1}"#);
    while session
        .event(session.event_count())
        .is_none_or(|event| event.kind != EventKind::Stage(Stage::Output))
    {
        session.tell(Command::Continue(ON));
        session.advance(1);
    }
    session.tell(Command::Pause);
    put(&mut session, Stage::Output, r#"{"y": 5}"#);
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), r#"{"n":2,"y":5}"#);
}

#[test]
fn an_error_after_an_edit_is_raised_like_any_other() {
    let states = json!({ "P": { "Type": "Pass", "Parameters": { "x.$": "$.x" }, "End": true } });
    let mut session = over(&states, "{}");
    session.tell(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
    for _ in 0..3 {
        let stop = go(&mut session);
        assert!(
            matches!(stop, Stop::Error(ErrorMoment::Uncaught, _)),
            "{stop:?}"
        );
        put(&mut session, Stage::Input, r#"{"y": 1}"#);
    }
}
