//! Tests of going back and forward in a run, and of running it again.

use super::*;

#[test]
fn the_view_of_a_sample_is_the_same_when_one_comes_back() {
    let mut random = Random::new(1);
    for sample in samples() {
        for profile in [Profile::Spec, Profile::Aws] {
            let mut session = sample.session(profile);
            check_views(&sample.name, &mut session, &mut random);
        }
    }
}

#[test]
fn the_view_of_a_random_run_is_the_same_when_one_comes_back() {
    let mut tally = Tally::default();
    let cases = cases(60);
    for seed in 0..cases.into() {
        let subject = Subject::new(seed);
        let mut session = subject.session();
        check_views(&subject.name, &mut session, &mut Random::new(seed));
        tally.count(&mut session);
    }
    let Tally { ends, kinds } = tally;
    println!(
        "{cases} made machines: {ends:?} succeeded, failed, timed out, stuck; {} kinds of events",
        kinds.len()
    );
    let least = cases as usize / 6;
    assert!(
        ends[0] > least && ends[1] > least && ends[2] > 0,
        "{ends:?}"
    );
    assert!(kinds.len() > 28, "{}", kinds.len());
}

#[test]
fn restarting_gives_the_same_events() {
    for seed in 0..60 {
        let subject = Subject::new(seed);
        let mut session = subject.session();
        go(&mut session);
        let (first, clock) = (events(&session), session.machine().now());
        for kept in [Restart::KeepAnswers, Restart::Fresh] {
            command(&mut session, Command::Restart(kept));
            assert_eq!(session.event_count(), 2);
            go(&mut session);
            assert_eq!(first, events(&session), "{}", subject.name);
            assert_eq!(clock, session.machine().now());
        }
    }
}

fn backwards(wish: &Command) -> Command {
    match wish {
        Command::Step(_) => Command::Step(BACK),
        Command::Next(_) => Command::Next(BACK),
        Command::Finish(_) => Command::Finish(BACK),
        Command::Attempt(_) => Command::Attempt(BACK),
        _ => Command::Continue(BACK),
    }
}

#[test]
fn going_back_stops_where_going_on_stopped() {
    let rules = [
        Command::Step(ON),
        Command::Next(ON),
        Command::Attempt(ON),
        Command::Continue(ON),
    ];
    for sample in samples() {
        let flat = sample.definition.scopes.len() == 1;
        for rule in &rules {
            let mut session = sample.session(Profile::Aws);
            let plain = matches!(rule, Command::Continue(_));
            // In a sample with inner scopes, these steps may stop at different events in the two directions: a step
            // into a branch follows that branch, and a step back past the branch's start returns to the outer frame.
            if !flat && matches!(rule, Command::Step(_) | Command::Attempt(_)) {
                continue;
            }
            if plain {
                for id in sample.definition.state_ids() {
                    session.tell(Command::ToggleBreak(id));
                }
                session.tell(Command::StopOn(ErrorMoment::Raised, Switch::On));
                session.tell(Command::StopOn(ErrorMoment::Retried, Switch::On));
            }
            stops_both_ways(&sample.name, &mut session, rule);
        }
    }
}

#[test]
fn finishing_backwards_stops_where_each_state_was_entered() {
    for sample in samples() {
        let mut session = sample.session(Profile::Aws);
        let finish = Command::Finish(ON);
        stops(&mut session, &finish);
        let mut before = session.view().header.event;
        while before > 2 {
            command(&mut session, backwards(&finish));
            let at = session.view().header.event;
            assert!(at < before, "{}: from {before} to {at}", sample.name);
            let kind = session.event(at).map(|event| event.kind);
            assert_eq!(kind, Some(EventKind::StateEntered), "{}: {at}", sample.name);
            before = at;
        }
    }
}

#[test]
fn errors_and_differences_stop_going_back_too() {
    let mut seen = 0;
    for sample in samples() {
        for profile in [Profile::Spec, Profile::Aws] {
            let mut session = sample.session(profile);
            session.tell(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
            session.tell(Command::StopOnDifference(Switch::On));
            seen += stops_both_ways(&sample.name, &mut session, &Command::Continue(ON)).len() - 2;
        }
    }
    assert!(seen > 0, "no sample stops anywhere");
    let states = json!({ "S": { "Type": "Pass", "Parameters": { "v.$": "$.l[1:-1]" }, "ResultPath": "$.s", "Next": "P" },
        "P": { "Type": "Parallel", "Next": "E", "Branches": [{ "StartAt": "F", "States": { "F": { "Type": "Fail", "Error": "X" } } }] }, "E": { "Type": "Succeed" } });
    let mut session = over(&states, r#"{"l": [1, 2, 3, 4]}"#);
    session.tell(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
    session.tell(Command::StopOnDifference(Switch::On));
    let stops = stops_both_ways("made", &mut session, &Command::Continue(ON));
    assert_eq!(stops.len(), 4, "{stops:?}");
}

/// Returns the events at which a command stops when it is repeated from start to end. Asserts that the command,
/// repeated backwards, stops at the same events.
fn stops_both_ways(name: &str, session: &mut Session, rule: &Command) -> Vec<u64> {
    let forward = stops(session, rule);
    let mut back = vec![session.view().header.event];
    while *back.last().unwrap() > 2 {
        command(session, backwards(rule));
        back.push(session.view().header.event);
        assert!(
            back.len() <= forward.len() + 1,
            "{name}: {rule:?}: {forward:?} {back:?}"
        );
    }
    back.reverse();
    assert_eq!(forward, back, "{name}: {rule:?}");
    forward
}

#[test]
fn going_back_asks_conditions_where_they_stood() {
    let definition = good(
        "loop",
        r#"{"StartAt":"Count","States":{
          "Count":{"Type":"Pass","Parameters":{"n.$":"States.MathAdd($.n, 1)"},"Next":"More?"},
          "More?":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericLessThan":300,"Next":"Count"}],"Default":"Done"},
          "Done":{"Type":"Succeed"}}}"#,
    );
    for condition in ["$.n == 7", "$.n == 40", "$.n == 298", "$.n < 3"] {
        let header = Header::new(value(r#"{"n":0}"#), Profile::Spec);
        let mut session = session(&definition, header, None);
        let count = definition.state(definition.find_by_name("Count").unwrap());
        let mut point = Breakpoint::at(Location::State(count.unwrap().path.clone()));
        point.condition = Some(condition.into());
        session.tell(Command::Break(point));
        let forward = stops_both_ways(condition, &mut session, &Command::Continue(ON));
        assert!(forward.len() > 2, "{condition}: {forward:?}");
    }
}

#[test]
fn going_back_always_goes_back_and_stays_with_the_frame() {
    for seed in 0..40 {
        let subject = Subject::new(seed);
        for rule in [
            Command::Step(ON),
            Command::Next(ON),
            Command::Finish(ON),
            Command::Attempt(ON),
        ] {
            let mut session = subject.session();
            let forward = stops(&mut session, &rule);
            assert!(
                forward.windows(2).all(|pair| pair[0] < pair[1]),
                "{rule:?} {forward:?} {}",
                subject.name
            );
            let mut at = session.view().header.event;
            while at > 2 {
                command(&mut session, backwards(&rule));
                let now = session.view().header.event;
                assert!(now < at, "{rule:?} stays at {at}: {}", subject.name);
                // The next step back begins at this event, and must stop at an earlier event.
                at = now;
            }
        }
    }
}

#[test]
fn redo_goes_back_to_the_entry_of_the_state() {
    let mut session = sample("order").session(Profile::Spec);
    session.tell(Command::StopOn(ErrorMoment::Retried, Switch::On));
    go(&mut session);
    let entry = entered(&session, "ChargeCard").0;
    let before = session.view().header.event;
    assert!(before > entry);
    command(&mut session, Command::RedoState);
    assert_eq!(session.view().header.event, entry);
    assert_eq!(session.event_count(), entry);
    go(&mut session);
    assert_eq!(session.view().header.event, before);
}

#[test]
fn a_long_run_is_gone_back_in_through_few_checkpoints() {
    let definition = good(
        "long",
        r#"{"StartAt":"Count","States":{"Count":{"Type":"Pass","Parameters":{"n.$":"States.MathAdd($.n, 1)","id.$":"States.UUID()"},"Next":"Enough"},
            "Enough":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericLessThan":1500,"Next":"Count"}],"Default":"Done"},"Done":{"Type":"Succeed"}}}"#,
    );
    let mut setup = Setup::new(
        Arc::clone(&definition),
        Header::new(value(r#"{"n":0}"#), Profile::Spec),
        Arc::new(asldbg::worker::Worker::new()),
    );
    setup.checkpoint_budget = 40_000;
    let mut session = Session::new(setup);
    assert_eq!(go(&mut session), Stop::End);
    let count = session.event_count();
    assert!(count > 10_000);
    let mut random = Random::new(5);
    let targets: Vec<u64> = (0..12)
        .map(|_| 2 + random.below(count as usize - 2) as u64)
        .collect();
    let look = |session: &mut Session, target: u64| {
        command(session, Command::Travel(target));
        plain(session.view())
    };
    let first: Vec<View> = targets
        .iter()
        .map(|target| look(&mut session, *target))
        .collect();
    let again: Vec<View> = targets
        .iter()
        .rev()
        .map(|target| look(&mut session, *target))
        .collect();
    assert!(first.iter().eq(again.iter().rev()));
    command(&mut session, Command::Travel(count - 1));
    let last = session.view();
    command(&mut session, Command::Next(BACK));
    assert!(session.view().header.event < last.header.event);
}

#[test]
fn hits_count_the_same_when_the_past_is_walked_again() {
    let mut session = sample("order").session(Profile::Aws);
    let mut third = Breakpoint::at(Location::Part(
        path("ChargeCard"),
        Part::Field("Parameters".into()),
    ));
    third.hit_count = 3;
    session.tell(Command::Break(third));
    assert!(matches!(go(&mut session), Stop::Breakpoint(_)));
    let at = session.view().header.event;
    assert_eq!(session.view().breakpoints[0].hits, 3);
    command(&mut session, Command::Travel(2));
    assert_eq!(session.view().breakpoints[0].hits, 0);
    assert!(matches!(go(&mut session), Stop::Breakpoint(_)));
    assert_eq!(session.view().header.event, at);
    assert_eq!(go(&mut session), Stop::End);
    command(&mut session, Command::Continue(BACK));
    assert_eq!(session.view().header.event, at);
    command(&mut session, Command::Continue(BACK));
    assert!(session.view().header.event < 3);
}
