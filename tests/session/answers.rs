//! Tests of the answers for tasks: typed by the user, from the mock file, or missing.

use super::*;

#[test]
fn an_answer_in_the_past_gives_up_the_future() {
    let definition = good(
        "two",
        r#"{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:a","Next":"B"},
            "B":{"Type":"Pass","End":true}}}"#,
    );
    let mut session = session(&definition, Header::new(value("{}"), Profile::Aws), None);
    let Stop::Ask(ask) = go(&mut session) else {
        panic!()
    };
    let asked = session.view().header.event;
    session.tell(Command::Answer(ask, Answer::success(value("1"))));
    assert_eq!(go(&mut session), Stop::End);
    let ended = session.event_count();
    assert_eq!(output(&session), "1");
    // At the event of the call, the task waits for an answer again.
    command(&mut session, Command::Travel(asked));
    assert_eq!(
        session.tell(Command::Answer(ask, Answer::success(value("2")))),
        Reply::Answered
    );
    let forked = Output::Forked {
        after: asked,
        run: 2,
    };
    assert_eq!(session.take_outputs(), [forked]);
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(
        (output(&session).as_str(), session.event_count()),
        ("2", ended)
    );
    // By default, a restart keeps the typed answers.
    command(&mut session, Command::Restart(Restart::KeepAnswers));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "2");
    command(&mut session, Command::Restart(Restart::Fresh));
    assert!(matches!(go(&mut session), Stop::Ask(_)));
}

#[test]
fn an_answer_for_some_items_wins_over_a_later_one_for_the_state() {
    let definition = good(
        "items",
        r#"{"StartAt":"M","States":{"M":{"Type":"Map","End":true,"MaxConcurrency":1,"ItemProcessor":{"StartAt":"T","States":{
            "T":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:t","End":true}}}}}}"#,
    );
    let header = Header::new(value("[1, 2, 3]"), Profile::Aws);
    let mut session = session(&definition, header, None);
    for (reach, answer) in [
        (Reach::Items("$ == 3".into()), "some"),
        (Reach::State, "state"),
        (Reach::Resource, "resource"),
    ] {
        let Stop::Ask(ask) = go(&mut session) else {
            break;
        };
        session.tell(Command::AnswerAll(
            ask,
            Answer::success(Value::from(answer)),
            reach,
        ));
    }
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), r#"["state","state","some"]"#);
}

const PAIR: &str = r#"{"StartAt":"Both","States":{"Both":{"Type":"Parallel","End":true,"Branches":[
    {"StartAt":"Slow","States":{"Slow":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:slow","End":true}}},
    {"StartAt":"Quick","States":{"Quick":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:quick","Next":"After"},
        "After":{"Type":"Pass","End":true}}}]}}}"#;

#[test]
fn a_task_without_an_answer_leaves_the_others_running() {
    let definition = good("pair", PAIR);
    let mock = support::answers(&json!({ "Quick": [{ "Return": 2 }] }));
    let mut session = session(&definition, Header::new(value("{}"), Profile::Aws), mock);
    let Stop::Ask(ask) = go(&mut session) else {
        panic!("{:?}", session.stop())
    };
    assert_eq!(trace(&session), ["Both", "Slow", "Quick", "After"]);
    let view = session.view();
    assert_eq!(view.tasks.len(), 1);
    assert_eq!(view.tasks[0].ask.id, ask);
    assert_eq!(view.header.frame, "Both[Slow]");
    let refused = session.apply(Command::Answer(
        asldbg::interpreter::AskId(99),
        Answer::success(Value::Null),
    ));
    assert_eq!(refused, Err(Refused::NotAsked));
    session.tell(Command::Answer(ask, Answer::success(Value::from(1))));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "[1,2]");
}

#[test]
fn two_tasks_without_answers_are_asked_for_one_after_the_other() {
    let definition = good("pair", PAIR);
    let mut session = session(&definition, Header::new(value("{}"), Profile::Aws), None);
    let mut asked = Vec::new();
    loop {
        match go(&mut session) {
            Stop::Ask(ask) => {
                let state = session
                    .view()
                    .tasks
                    .iter()
                    .find(|task| task.ask.id == ask)
                    .map(|task| task.ask.state)
                    .unwrap();
                asked.push(session.definition().state(state).unwrap().name.to_string());
                let offer = session.offer(ask).unwrap();
                assert_eq!(offer.state, state);
                session.tell(Command::Answer(
                    ask,
                    Answer::success(Value::from(asked.len() as i64)),
                ));
            }
            Stop::End => break,
            other => panic!("{other:?}"),
        }
        assert!(asked.len() < 5);
    }
    assert_eq!(asked, ["Slow", "Quick"]);
    assert_eq!(output(&session), "[1,2]");
}

#[test]
fn never_is_stuck_without_a_timeout() {
    let text = r#"{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:a","End":true}}}"#;
    let mock = || support::answers(&json!({ "A": [{ "Never": true }] }));
    let definition = good("never", text);
    let mut aws = session(&definition, Header::new(value("{}"), Profile::Aws), mock());
    assert_eq!(go(&mut aws), Stop::Stuck);
    assert_eq!(*aws.machine().status(), Status::Running);
    // In the specification, a task's default timeout is 60 seconds.
    let mut spec = session(&definition, Header::new(value("{}"), Profile::Spec), mock());
    assert_eq!(go(&mut spec), Stop::End);
    assert_eq!(spec.machine().now(), 60_000);
    // The user may also answer that the task never ends.
    let mut asked = session(&definition, Header::new(value("{}"), Profile::Aws), None);
    let Stop::Ask(ask) = go(&mut asked) else {
        panic!()
    };
    let answer = Answer {
        outcome: Outcome::Never,
        took: 0,
        heartbeats: Vec::new(),
    };
    asked.tell(Command::Answer(ask, answer));
    assert_eq!(go(&mut asked), Stop::Stuck);
}

#[test]
fn answers_that_run_out_are_said_and_asked_for() {
    let definition = good("pair", PAIR);
    let mock = support::answers(
        &json!({ "Slow": [], "Quick": [{ "Return": 1 }] })
            .as_object()
            .map(|all| {
                let mut all = all.clone();
                all.remove("Slow");
                json!(all)
            })
            .unwrap(),
    );
    let mut session = session(&definition, Header::new(value("{}"), Profile::Aws), mock);
    assert!(matches!(go(&mut session), Stop::Ask(_)));
    let poll = sample("poll");
    let mock = support::answers(&json!({
        "StartReport": [{ "Return": { "QueryExecutionId": "q" } }],
        "AskReport": [{ "Return": { "QueryExecution": { "QueryExecutionId": "q", "Status": { "State": "RUNNING" } } } }],
    }));
    let mut session = support::session(
        &poll.definition,
        Header::new(poll.input.clone(), Profile::Aws),
        mock,
    );
    assert!(matches!(go(&mut session), Stop::Ask(_)));
    let said = support::said(&mut session);
    assert!(said.iter().any(|text| text.contains("ran out")), "{said:?}");
}

#[test]
fn typed_answers_are_part_of_the_record() {
    for seed in 0..60 {
        let subject = Subject::new(600 + seed);
        let mut random = Random::new(seed);
        let header = Header::new(value(&subject.made.input.to_string()), subject.profile);
        let mut session = session(&subject.definition, header, None);
        let mut views = Vec::new();
        while let Stop::Ask(_) = go(&mut session) {
            // The graph depends on the focused frame, so the frame of the event is focused before views are compared.
            let number = session.view().header.event;
            let event = *session.event(number).unwrap();
            look_at(&mut session, &event);
            views.push((number, session.view()));
            // Any of the waiting tasks may be answered, not only the first one.
            let tasks = session.view().tasks;
            let answer = match random.below(4) {
                0 => Answer::failure("Made.Busy", "typed"),
                1 => Answer {
                    took: 2000,
                    ..Answer::success(value(r#"{"typed":1}"#))
                },
                2 => Answer {
                    outcome: Outcome::Never,
                    took: 0,
                    heartbeats: vec![1000],
                },
                _ => Answer::success(value(
                    r#"{"n":1,"inner":{},"list":[1],"text":"t","seconds":3}"#,
                )),
            };
            session.tell(Command::Answer(random.of(&tasks).ask.id, answer));
            assert!(views.len() < 500, "{}", subject.name);
        }
        let (all, end) = (events(&session), session.machine().status().clone());
        for (event, before) in views.iter().rev().take(20) {
            command(&mut session, Command::Travel(*event));
            let event = *session.event(*event).unwrap();
            look_at(&mut session, &event);
            let now = session.view();
            // A task that was waiting for the end of its call may ask for an answer again after the jump to this event,
            // so the statuses `Waiting` and `Asking` count as equal.
            let states = |view: &View| {
                let mut states = view.states.clone();
                for state in &mut states {
                    if state.status == StateStatus::Waiting {
                        state.status = StateStatus::Asking;
                    }
                }
                states
            };
            assert_eq!(
                (states(before), &before.edges, &before.header.clock),
                (states(&now), &now.edges, &now.header.clock),
                "{}",
                subject.name
            );
        }
        // With concurrent branches, the order in which answers are given matters, so a restart may end differently.
        if subject.definition.scopes.len() == 1 {
            command(&mut session, Command::Restart(Restart::KeepAnswers));
            assert_eq!(go(&mut session), Stop::End, "{}", subject.name);
            assert_eq!(session.machine().status(), &end, "{}", subject.name);
            assert_eq!(events(&session), all, "{}", subject.name);
        }
    }
}

#[test]
fn answers_of_every_round_of_a_map_are_kept_apart() {
    let states = json!({ "M": { "Type": "Map", "Retry": [{ "ErrorEquals": ["Again"] }], "ItemProcessor": { "StartAt": "T", "States": {
            "T": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "End": true } } }, "Next": "C" },
        "C": { "Type": "Choice", "Choices": [{ "Variable": "$[0]", "NumericEquals": 1, "Next": "M" }], "Default": "E" }, "E": { "Type": "Succeed" } });
    let mut session = over(&states, "[0]");
    let typed = [
        Answer::failure("Again", ""),
        Answer::success(value("1")),
        Answer::failure("Again", ""),
        Answer::success(value("2")),
    ];
    for answer in typed {
        assert!(matches!(go(&mut session), Stop::Ask(_)));
        let ask = session.machine().open_asks().next().unwrap().id;
        session.tell(Command::Answer(ask, answer));
    }
    assert_eq!(go(&mut session), Stop::End);
    let (all, end) = (events(&session), output(&session));
    assert_eq!(end, "[2]");
    // The loop runs the Map twice. After a restart, each of the two iterations must get its own answers again.
    command(&mut session, Command::Restart(Restart::KeepAnswers));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!((events(&session), output(&session)), (all.clone(), end));
    let again = Arc::clone(session.definition());
    drop(session.reload(again, Vec::new()));
    session.settle();
    assert_eq!(events(&session), all);
}

#[test]
fn a_state_whose_name_has_a_slash_takes_its_answers_in_turn() {
    let text = json!({ "StartAt": "a/b", "States": { "a/b": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "Retry": [{ "ErrorEquals": ["X"] }], "End": true } } });
    let lists = json!({ "a/b": [{ "Throw": { "Error": "X", "Cause": "" } }, { "Return": 1 }] });
    let mut session = session(
        &good("slash", &text.to_string()),
        Header::new(value("{}"), Profile::Spec),
        support::answers(&lists),
    );
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "1");
}
