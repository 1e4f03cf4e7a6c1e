//! Tests of steps, watches and random sequences of commands.

use super::*;

#[test]
fn running_to_a_state_and_stepping_in_and_out() {
    let sample = sample("demo");
    let mut session = sample.session(Profile::Aws);
    let cook = sample.definition.find_by_name("Cook").unwrap();
    assert_eq!(command(&mut session, Command::RunTo(cook)), Stop::Target);
    let view = session.view();
    assert_eq!(view.current, Some(cook));
    assert_eq!(
        view.header.frame,
        "CookAndFindRider[CookDishes]/CookDishes[0]"
    );
    assert_eq!(view.frames.len(), 3);
    command(&mut session, Command::Finish(ON));
    assert_eq!(session.view().header.frame, "CookAndFindRider[CookDishes]");
    command(&mut session, Command::Finish(ON));
    assert_eq!(session.view().header.frame, "main");
    command(&mut session, Command::Next(ON));
    assert_eq!(trace(&session).last().unwrap(), "Ride");
}

#[test]
fn watches_show_what_was() {
    let mut session = sample("order").session(Profile::Aws);
    for text in ["$.stock", "$.payment.id", "$$.State.Name"] {
        session.tell(Command::Watch(text.into()));
    }
    let watch = |session: &Session, place: usize| session.view().watches[place].clone();
    assert_eq!(watch(&session, 2).value, Ok(Value::from("ValidateOrder")));
    command(&mut session, Command::Next(ON));
    assert_eq!(watch(&session, 2).value, Ok(Value::from("CheckStock")));
    assert_eq!(
        watch(&session, 2).was,
        Some(Ok(Value::from("ValidateOrder")))
    );
    assert_eq!(watch(&session, 0).was, None);
    command(&mut session, Command::Next(ON));
    assert_eq!(watch(&session, 0).value, Ok(value(r#"{"onHand":12}"#)));
    assert_eq!(
        watch(&session, 0).was,
        Some(Ok(value(r#"{"onHand":12,"warehouse":"FRA-2"}"#)))
    );
    assert!(watch(&session, 1).value.is_err());
    let ship = session.definition().find_by_name("Ship").unwrap();
    command(&mut session, Command::RunTo(ship));
    assert_eq!(watch(&session, 1).value, Ok(Value::from("r-1")));
    assert!(matches!(watch(&session, 1).was, Some(Err(_))));
    session.tell(Command::Unwatch(0));
    assert_eq!(session.view().watches.len(), 2);
}

#[test]
fn a_change_of_profile_replays_and_shows_where_it_differs() {
    let definition = good(
        "differs",
        r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"B":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:b",
            "Parameters":{"x.$":"$.none"},"Catch":[{"ErrorEquals":["States.ALL"],"Next":"C"}],"End":true},"C":{"Type":"Pass","End":true}}}"#,
    );
    let mut session = session(&definition, Header::new(value("{}"), Profile::Spec), None);
    go(&mut session);
    assert_eq!(trace(&session), ["A", "B", "C"]);
    let stop = command(&mut session, Command::SetProfile(Profile::Aws));
    assert!(matches!(stop, Stop::Reload(Some(_))), "{stop:?}");
    go(&mut session);
    assert_eq!(trace(&session), ["A", "B"]);
    assert!(
        matches!(session.machine().status(), Status::Failed(fault) if fault.name() == "States.Runtime")
    );
}

/// A random command that a user could give here.
fn any_command(session: &Session, random: &mut Random) -> Command {
    let direction = if random.one_in(2) { ON } else { BACK };
    let states: Vec<_> = session.definition().state_ids().collect();
    let state = *random.of(&states);
    let path = session.definition().state(state).unwrap().path.clone();
    let stage = *random.of(&Stage::ALL);
    let frames: Vec<FrameId> = session.machine().frames().map(|frame| frame.id).collect();
    let location = match random.below(6) {
        0 => Location::State(path),
        1 => Location::Part(path, Part::Field("ResultPath".into())),
        2 => Location::Part(path, Part::Retrier(0)),
        3 => Location::Item(path, 0),
        4 => Location::Error(*random.of(&ErrorMoment::ALL), "Made.*".into()),
        _ => Location::Data("$.inner".into()),
    };
    match random.below(28) {
        0 | 1 => Command::Step(direction),
        2 => Command::Next(direction),
        3 => Command::Finish(direction),
        4 => Command::Attempt(direction),
        5..=7 => Command::Continue(direction),
        8 => Command::RunTo(state),
        9 | 10 => Command::Travel(random.below(session.event_count() as usize + 2) as u64),
        11 => Command::Now,
        12 => Command::RedoState,
        13 => Command::Restart(if random.one_in(2) {
            Restart::Fresh
        } else {
            Restart::KeepAnswers
        }),
        14 | 15 => match session.view().tasks.first() {
            Some(task) if random.one_in(3) => {
                Command::Answer(task.ask.id, Answer::failure("Made.Busy", "typed"))
            }
            Some(task) => Command::Answer(
                task.ask.id,
                Answer::success(Value::from(random.below(9) as i64)),
            ),
            None => Command::Pause,
        },
        16 | 17 => Command::Edit {
            stage,
            at: Pointer::root(),
            value: value(r#"{"n":9,"inner":{"flag":true},"list":[3],"text":"edited","seconds":1}"#),
        },
        18 => Command::Focus(*random.of(&frames)),
        19 => Command::ToggleBreak(state),
        20 => {
            let mut breakpoint = Breakpoint::at(location);
            breakpoint.once = random.one_in(3);
            breakpoint.condition = random.one_in(4).then(|| "$.n > 3".into());
            Command::Break(breakpoint)
        }
        21 => Command::StopOn(
            *random.of(&ErrorMoment::ALL),
            if random.one_in(2) {
                Switch::On
            } else {
                Switch::Off
            },
        ),
        22 => Command::Sibling(direction),
        23 => Command::IgnoreFailures,
        24 => Command::EnterItem(random.below(4) as u32),
        25 => Command::FilterItems("n".into()),
        26 => match session.view().tasks.first() {
            Some(task) => Command::AnswerAll(
                task.ask.id,
                Answer::success(value(r#"{"n":1}"#)),
                match random.below(3) {
                    0 => Reach::State,
                    1 => Reach::Resource,
                    _ => Reach::Items("index >= 1".into()),
                },
            ),
            None => Command::ForgetAnswer(0),
        },
        _ => Command::SetProfile(if random.one_in(2) {
            Profile::Spec
        } else {
            Profile::Aws
        }),
    }
}

#[test]
fn any_commands_leave_a_run_that_can_be_repeated() {
    for seed in 0..cases(50).into() {
        let subject = Subject::new(300 + seed);
        let mut random = Random::new(seed);
        let mut setup = Setup::new(
            Arc::clone(&subject.definition),
            Header::new(value(&subject.made.input.to_string()), subject.profile),
            Arc::new(asldbg::worker::Worker::new()),
        );
        if seed.is_multiple_of(3) {
            setup.mock = support::answers(&subject.made.answers);
        }
        setup.checkpoint_budget = 100_000;
        let mut session = Session::new(setup);
        let mut done = Vec::new();
        for _ in 0..50 {
            let next = any_command(&session, &mut random);
            done.push(format!("{next:?}"));
            drop(session.apply(next));
            for _ in 0..50 {
                session.advance(200);
            }
            assert!(!session.is_busy(), "{done:?} {}", subject.name);
            let view = session.view();
            assert!(
                view.header.event <= view.header.event_count,
                "{done:?} {}",
                subject.name
            );
            let _ = session.rows(1..view.header.event_count + 1);
        }
        // Breakpoints count their hits, which are not compared, so the breakpoints are removed: only the run itself is
        // compared.
        for point in session.view().breakpoints {
            session.tell(Command::RemoveBreak(point.id));
        }
        support::never_stop(&mut session);
        command(&mut session, Command::Now);
        let count = session.event_count();
        assert!(count > 0, "{done:?} {}", subject.name);
        let at = 1 + random.below(count as usize) as u64;
        let look = |session: &mut Session| {
            command(session, Command::Travel(at));
            let event = *session.event(at).unwrap();
            look_at(session, &event);
            let mut view = plain(session.view());
            view.header.test_case = None;
            view
        };
        let before = look(&mut session);
        command(&mut session, Command::Travel(0));
        let again = look(&mut session);
        assert!(
            before == again,
            "{}: {done:?} {}",
            differing(&before, &again),
            subject.name
        );
        let recorded = events(&session);
        for number in (1..=count).rev() {
            command(&mut session, Command::Travel(number));
            assert_eq!(
                session.view().header.event,
                number,
                "{done:?} {}",
                subject.name
            );
        }
        assert_eq!(recorded, events(&session));
        check_history_ids(&recorded, &format!("{done:?} {}", subject.name));
    }
}

#[test]
fn nothing_happens_after_the_last_event_that_aws_writes() {
    // The number of states before the loop decides which event of a task is the last one within AWS's limit of 25,000
    // events: with 0 to 4 states, each event is the last one once.
    for before in 0..5 {
        let mut states = serde_json::Map::new();
        for place in 0..before {
            let next = if place + 1 == before {
                "T".to_string()
            } else {
                format!("P{}", place + 1)
            };
            states.insert(format!("P{place}"), json!({ "Type": "Pass", "Next": next }));
        }
        let task = json!({ "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "TimeoutSeconds": 9, "Next": "T" });
        states.insert("T".into(), task);
        let first = if before == 0 { "T" } else { "P0" };
        let text = json!({ "StartAt": first, "States": states }).to_string();
        let mut session = support::echo_session(
            &good("limit", &text),
            Header::new(value("{}"), Profile::Aws),
        );
        assert_eq!(go(&mut session), Stop::End);
        let last = *session.event(session.event_count()).unwrap();
        assert_eq!(last.kind, EventKind::ExecutionFailed, "{before}");
        assert_eq!(last.history_id, 25_000, "{before}");
        assert_eq!(session.machine().open_asks().count(), 0, "{before}");
    }
}

#[test]
fn a_step_in_a_branch_that_is_stopped_ends_in_the_frame_around_it() {
    let states = json!({ "P": { "Type": "Parallel", "Next": "E", "Catch": [{ "ErrorEquals": ["X"], "Next": "Caught" }], "Branches": [
            { "StartAt": "W", "States": { "W": { "Type": "Wait", "Seconds": 9, "Next": "N" }, "N": { "Type": "Pass", "End": true } } },
            { "StartAt": "V", "States": { "V": { "Type": "Wait", "Seconds": 3, "Next": "F" }, "F": { "Type": "Fail", "Error": "X" } } }] },
        "E": { "Type": "Succeed" }, "Caught": { "Type": "Succeed" } });
    for (wish, wanted) in [
        (Command::Next(ON), EventKind::StateEntered),
        (Command::Finish(ON), EventKind::ErrorRaised),
    ] {
        let mut session = over(&states, "{}");
        while session
            .event(session.event_count())
            .is_none_or(|event| event.kind != EventKind::WaitStarted)
        {
            session.tell(Command::Continue(ON));
            session.advance(1);
        }
        session.tell(Command::Pause);
        let frame = session.event(session.event_count()).unwrap().frame;
        session.tell(Command::Focus(frame));
        assert_eq!(command(&mut session, wish), Stop::Step);
        let event = *session.event(session.event_count()).unwrap();
        assert_eq!((event.kind, event.frame), (wanted, FrameId(0)));
    }
}

#[test]
fn a_condition_shows_the_values_that_it_names() {
    let definition = good(
        "conditions",
        r#"{"QueryLanguage": "JSONata", "StartAt": "S", "States": {
            "S": {"Type": "Pass", "Assign": {"max": 100}, "Next": "C"},
            "C": {"Type": "Choice", "Default": "E", "Choices": [
                {"Condition": "{% $states.input.total > $max %}", "Next": "E"},
                {"Condition": "{% $sum($states.input.lines.price) = 3 and $exists($states.input.coupon.code) %}", "Next": "E"}
            ]},
            "E": {"Type": "Succeed"}}}"#,
    );
    let input = value(r#"{"total": 15.5, "lines": [{"price": 1}, {"price": 2}]}"#);
    let mut session = session(&definition, Header::new(input, Profile::Aws), None);
    command(&mut session, Command::Next(ON));
    let StatePane::Choice(rules) = session.view().state else {
        panic!("a Choice");
    };
    let texts: Vec<(&str, Option<bool>)> = rules
        .iter()
        .flat_map(|rule| &rule.operands)
        .map(|part| (part.text.as_str(), part.result.clone().and_then(Result::ok)))
        .collect();
    assert_eq!(
        texts,
        [
            ("$states.input.total (15.5) > $max (100)", Some(false)),
            ("And: all of these must be true", Some(false)),
            ("$sum($states.input.lines.price) (3) = 3", Some(true)),
            (
                "$exists($states.input.coupon.code) with $states.input.coupon = nothing",
                Some(false)
            ),
            ("Default", None),
        ]
    );
}

#[test]
fn expressions_are_evaluated_in_any_frame_of_the_stack() {
    let states = json!({ "M": { "Type": "Map", "End": true, "ItemProcessor": { "StartAt": "T", "States": {
        "T": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "End": true } } } } });
    let mut session = over(&states, "[10, 20]");
    assert!(matches!(go(&mut session), Stop::Ask(_)));
    let frames = session.view().frames;
    assert_eq!(frames.len(), 2);
    let (outer, inner) = (frames[0].frame, frames[1].frame);
    assert_eq!(session.evaluate_in(inner, "$"), Ok(value("10")));
    assert_eq!(session.evaluate_in(outer, "$"), Ok(value("[10, 20]")));
    assert!(session.evaluate_in(FrameId(99), "$").is_err());
}

#[test]
fn a_refused_beginning_changes_nothing() {
    let states = json!({
        "P": { "Type": "Parallel", "Next": "Q", "Branches": [{ "StartAt": "In", "States": { "In": { "Type": "Pass", "End": true } } }] },
        "Q": { "Type": "Pass", "End": true } });
    let mut session = over(&states, r#"{"a": 1}"#);
    assert_eq!(go(&mut session), Stop::End);
    let (before, run) = (events(&session), session.view().header.run);
    let start_at = session.definition().find_by_name("In");
    let input = Some(value("2"));
    let refused = session.apply(Command::Begin { start_at, input });
    assert_eq!(refused, Err(Refused::InsideGroup("In".into())));
    assert_eq!((events(&session), session.view().header.run), (before, run));
    command(&mut session, Command::Restart(Restart::KeepAnswers));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), r#"[{"a":1}]"#);
}

#[test]
fn the_seek_of_an_attempt_lands_on_its_end_in_the_frame_looked_at() {
    let mock = support::answers(&json!({ "T": [
        { "Throw": { "Error": "X", "Cause": "" } }, { "Throw": { "Error": "X", "Cause": "" } },
        { "Return": 1 }, { "Return": 2 }] }));
    let text = json!({ "StartAt": "M", "States": { "M": { "Type": "Map", "End": true, "ItemProcessor": { "StartAt": "T", "States": {
        "T": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "End": true,
               "Retry": [{ "ErrorEquals": ["X"], "IntervalSeconds": 1 }] } } } } } });
    let definition = good("attempts", &text.to_string());
    let mut session = session(
        &definition,
        Header::new(value("[1, 2]"), Profile::Aws),
        mock,
    );
    assert_eq!(go(&mut session), Stop::End);
    let all = events(&session);
    let ends = |frame: FrameId, kind: EventKind| {
        let is = |event: &Event| event.frame == frame && event.kind == kind;
        all.iter()
            .position(is)
            .map(|place| place as u64 + 1)
            .unwrap()
    };
    let items: Vec<FrameId> = all
        .iter()
        .filter(|event| event.kind == EventKind::IterationStarted)
        .map(|event| event.frame)
        .collect();
    for item in items {
        let exited = ends(item, EventKind::StateExited);
        command(&mut session, Command::Travel(exited));
        session.tell(Command::Focus(item));
        for (number, kind) in [(2, EventKind::TaskSucceeded), (1, EventKind::TaskFailed)] {
            command(&mut session, Command::Seek(Landmark::Attempt(number), BACK));
            let at = session.view().header.event;
            assert_eq!(at, ends(item, kind), "attempt {number} of {item:?}");
            command(&mut session, Command::Travel(exited));
            session.tell(Command::Focus(item));
        }
        let refused = session.apply(Command::Seek(Landmark::Attempt(3), BACK));
        assert_eq!(refused, Err(Refused::NoAttempt(3)));
    }
}
