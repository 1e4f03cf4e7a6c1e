//! A person watching runs: the samples to their ends, going back and forth, forks, breakpoints, watches, unanswered tasks.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::definition::{Definition, StatePath};
use asldbg::interpreter::{Answer, Event, EventKind, FrameId, Header, Outcome, Stage, Status};
use asldbg::json::{Pointer, Step, Value};
use asldbg::query::Profile;
use asldbg::session::view::{StatePane, StateStatus, View};
use asldbg::session::{
    Breakpoint, Command, Direction, ErrorMoment, Location, Notice, Part, Reach, Restart, Session,
    Setup, Stop, Switch, Unmocked,
};
use asldbg::source::SourceId;
use asldbg::source::load::{load, load_below};
use asldbg::source::open::{Wish, parse};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use support::views::{check_views, differing, look_at, plain};
use support::{
    Random, command, events, go, good, made, sample, samples, session, state_of, trace, value,
};

const BACK: Direction = Direction::Backward;
const ON: Direction = Direction::Forward;

/// Name, status or error, the last state entered, seconds on the clock (`None` where they are drawn at random).
const ENDS: [(&str, &str, &str, Option<f64>); 17] = [
    ("backoff", "SUCCEEDED", "Unannounced", None),
    ("callback", "SUCCEEDED", "PayOut", Some(13365.0)),
    ("cart", "SUCCEEDED", "PlaceOrder", Some(1.35)),
    ("context", "SUCCEEDED", "Keep", Some(1.0)),
    ("demo", "SUCCEEDED", "Delivered", None),
    ("fanout", "SUCCEEDED", "Offer", Some(6.0)),
    ("import", "SUCCEEDED", "Report", None),
    ("intrinsics", "SUCCEEDED", "Show", Some(0.0)),
    ("nested", "SUCCEEDED", "Send", Some(1.7)),
    ("onboarding", "SUCCEEDED", "Welcome", Some(270_060.0)),
    ("order", "SUCCEEDED", "Refund", Some(6.961)),
    ("poll", "SUCCEEDED", "MailReport", Some(94.4)),
    ("readings", "SUCCEEDED", "Tell", Some(4.2)),
    ("routing", "SUCCEEDED", "Logged", Some(0.0)),
    ("saga", "Car.SoldOut", "TripFailed", None),
    ("timeouts", "Training.WorkerLost", "WorkerLost", None),
    ("variables", "SUCCEEDED", "CloseSale", Some(2.2)),
];

#[test]
fn samples_end_as_they_should() {
    let all = samples();
    let names: Vec<&str> = all.iter().map(|sample| sample.name.as_str()).collect();
    assert_eq!(
        names,
        ENDS.map(|(name, ..)| name),
        "a sample without a line here, or the other way round"
    );
    let mut wrong = Vec::new();
    for (sample, (name, end, last, seconds)) in all.iter().zip(ENDS) {
        for profile in [Profile::Spec, Profile::Aws] {
            let mut session = sample.session(profile);
            let stop = go(&mut session);
            let found = match session.machine().status() {
                Status::Succeeded(_) => "SUCCEEDED".to_string(),
                Status::Failed(fault) => fault.name().to_string(),
                Status::TimedOut => "TIMED_OUT".to_string(),
                Status::Running => format!("{stop:?}"),
            };
            let entered = trace(&session).pop().unwrap_or_default();
            let clock = session.machine().now() as f64 / 1000.0;
            if found != end || entered != last || seconds.is_some_and(|seconds| seconds != clock) {
                wrong.push(format!(
                    "{name} {profile:?}: {found} in {entered} at {clock}: {:?}\n{:?}",
                    session.machine().status(),
                    trace(&session)
                ));
            }
        }
        let readme = support::read("samples/README.md");
        assert!(
            readme.contains(&format!("- `{name}`: ")),
            "{name} has no line in samples/README.md"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_cases_of_the_callback_sample() {
    let sample = sample("callback");
    let mocks = support::read("samples/callback.mock.json");
    for (case, seconds) in [("Rejected", 600), ("Forgotten", 3600 + 7200)] {
        let mut session = session(
            &sample.definition,
            Header::new(sample.input.clone(), Profile::Aws),
            Some(support::mock("callback", &mocks, Some(case))),
        );
        assert_eq!(go(&mut session), Stop::End);
        assert_eq!(
            trace(&session),
            ["AskForApproval", "TellEmployee"],
            "{case}"
        );
        assert_eq!(session.machine().now(), seconds * 1000, "{case}");
    }
}

// Going back.

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

struct Subject {
    name: String,
    definition: Arc<Definition>,
    made: made::Made,
    profile: Profile,
}

impl Subject {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed + 1);
        let made = made::machine(&mut random);
        let text = serde_json::to_string_pretty(&made.definition).unwrap();
        let profile = if seed.is_multiple_of(2) {
            Profile::Spec
        } else {
            Profile::Aws
        };
        Self {
            name: format!("made with seed {seed}: {text}"),
            definition: good("made", &text),
            made,
            profile,
        }
    }

    fn session(&self) -> Session {
        let mut header = Header::new(value(&self.made.input.to_string()), self.profile);
        header.seed = 7;
        let mut setup = Setup::new(Arc::clone(&self.definition), header);
        setup.mock = support::answers(&self.made.answers);
        setup.unmocked = Unmocked::Echo;
        let mut session = Session::new(setup);
        support::never_stop(&mut session);
        session
    }
}

#[test]
fn the_view_of_a_random_run_is_the_same_when_one_comes_back() {
    let mut ends = [0_usize; 4];
    let mut kinds = std::collections::HashSet::new();
    for seed in 0..200 {
        let subject = Subject::new(seed);
        let mut session = subject.session();
        check_views(&subject.name, &mut session, &mut Random::new(seed));
        command(&mut session, Command::Now);
        kinds.extend(
            events(&session)
                .iter()
                .map(|event| std::mem::discriminant(&event.kind)),
        );
        ends[match session.machine().status() {
            Status::Succeeded(_) => 0,
            Status::Failed(_) => 1,
            Status::TimedOut => 2,
            Status::Running => 3,
        }] += 1;
    }
    println!(
        "200 made machines: {ends:?} succeeded, failed, timed out, stuck; {} kinds of events",
        kinds.len()
    );
    assert!(ends[0] > 40 && ends[1] > 40 && ends[2] > 0, "{ends:?}");
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

/// Every stop of a rule from the start to the end.
fn stops(session: &mut Session, wish: &Command) -> Vec<u64> {
    let mut found = vec![session.view().header.event];
    loop {
        let stop = command(session, wish.clone());
        found.push(session.view().header.event);
        if stop == Stop::End {
            return found;
        }
        assert!(found.len() < 5000, "{wish:?} does not end");
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
        Command::Finish(ON),
        Command::Attempt(ON),
        Command::Continue(ON),
    ];
    for sample in samples() {
        let flat = sample.definition.scopes.len() == 1;
        for rule in &rules {
            let mut session = sample.session(Profile::Aws);
            let plain = matches!(rule, Command::Continue(_));
            // Stepping into a branch follows that branch; back from its end one is outside again.
            if !flat && matches!(rule, Command::Step(_) | Command::Attempt(_)) {
                continue;
            }
            if plain {
                for id in sample.definition.state_ids() {
                    session.apply(Command::ToggleBreak(id));
                }
                session.apply(Command::StopOn(ErrorMoment::Raised, Switch::On));
                session.apply(Command::StopOn(ErrorMoment::Retried, Switch::On));
            }
            stops_both_ways(&sample.name, &mut session, rule);
        }
    }
}

#[test]
fn errors_and_differences_stop_going_back_too() {
    let mut seen = 0;
    for sample in samples() {
        for profile in [Profile::Spec, Profile::Aws] {
            let mut session = sample.session(profile);
            session.apply(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
            session.apply(Command::StopOnDifference(Switch::On));
            seen += stops_both_ways(&sample.name, &mut session, &Command::Continue(ON)).len() - 2;
        }
    }
    assert!(seen > 0, "no sample stops anywhere");
    let states = json!({ "S": { "Type": "Pass", "Parameters": { "v.$": "$.l[1:-1]" }, "ResultPath": "$.s", "Next": "P" },
        "P": { "Type": "Parallel", "Next": "E", "Branches": [{ "StartAt": "F", "States": { "F": { "Type": "Fail", "Error": "X" } } }] }, "E": { "Type": "Succeed" } });
    let mut session = over(&states, r#"{"l": [1, 2, 3, 4]}"#);
    session.apply(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
    session.apply(Command::StopOnDifference(Switch::On));
    let found = stops_both_ways("made", &mut session, &Command::Continue(ON));
    assert_eq!(found.len(), 4, "{found:?}");
}

/// The stops of a rule from the start to the end, which are those from the end to the start too.
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
        session.apply(Command::Break(point));
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
                // From there the same rule leads on again, and not past where one came from in the same frame.
                at = now;
            }
        }
    }
}

// Forks.

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
    let notices = session.apply(Command::Edit {
        stage: Stage::Input,
        at,
        value: Value::from(1),
    });
    assert!(
        notices
            .iter()
            .any(|notice| text_of(notice).contains("given up")),
        "{notices:?}"
    );
    assert_eq!(session.event_count(), choice);
    assert_eq!(session.view().header.run, 2);
    assert!(choice < whole);
    let stop = go(&mut session);
    assert!(matches!(stop, Stop::Ask(_)), "{stop:?}");
    assert_eq!(trace(&session).last().unwrap(), "BackOrder");
    // The edit is part of the record: going back before it and on again brings it about again.
    let views = (session.event_count(), plain(session.view()));
    command(&mut session, Command::Travel(3));
    command(&mut session, Command::Travel(views.0));
    let mut again = plain(session.view());
    again.header.frame.clone_from(&views.1.header.frame);
    assert_eq!(again, views.1, "{}", differing(&views.1, &again));
}

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
    session.apply(Command::Answer(ask, Answer::success(value("1"))));
    assert_eq!(go(&mut session), Stop::End);
    let ended = session.event_count();
    assert_eq!(output(&session), "1");
    // Right after the call the question is open again.
    command(&mut session, Command::Travel(asked));
    let notices = session.apply(Command::Answer(ask, Answer::success(value("2"))));
    assert!(
        notices
            .iter()
            .any(|notice| text_of(notice).contains("given up")),
        "{notices:?}"
    );
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(
        (output(&session).as_str(), session.event_count()),
        ("2", ended)
    );
    // A restart keeps what was typed, unless told otherwise.
    command(&mut session, Command::Restart(Restart::KeepAnswers));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!(output(&session), "2");
    command(&mut session, Command::Restart(Restart::Fresh));
    assert!(matches!(go(&mut session), Stop::Ask(_)));
}

#[test]
fn redo_goes_back_to_the_entry_of_the_state() {
    let mut session = sample("order").session(Profile::Spec);
    session.apply(Command::StopOn(ErrorMoment::Retried, Switch::On));
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

// Stops.

fn path(text: &str) -> StatePath {
    StatePath(text.into())
}

/// Number and event of the first entry of a state.
fn entered(session: &Session, name: &str) -> (u64, Event) {
    let all = events(session);
    let place = all.iter().position(|event| {
        event.kind == EventKind::StateEntered && state_of(session, event) == name
    });
    let place = place.unwrap_or_else(|| panic!("{name} is not entered"));
    (place as u64 + 1, all[place])
}

fn text_of(notice: &Notice) -> &str {
    match notice {
        Notice::Info(text) | Notice::Refused(text) => text,
    }
}

fn output(session: &Session) -> String {
    match session.machine().status() {
        Status::Succeeded(output) => output.to_string(),
        other => format!("{other:?}"),
    }
}

/// The kinds of the events at which a breakpoint stops a sample, in order.
fn hits(sample_name: &str, breakpoint: Breakpoint) -> Vec<(u64, String, EventKind)> {
    let mut session = sample(sample_name).session(Profile::Aws);
    session.apply(Command::Break(breakpoint));
    let mut found = Vec::new();
    loop {
        match go(&mut session) {
            Stop::Breakpoint(_) => {}
            Stop::End => return found,
            other => panic!("{other:?}"),
        }
        let number = session.view().header.event;
        let event = *session.event(number).unwrap();
        found.push((number, state_of(&session, &event), event.kind));
    }
}

fn kinds(found: &[(u64, String, EventKind)]) -> Vec<(&str, EventKind)> {
    found
        .iter()
        .map(|(_, state, kind)| (state.as_str(), *kind))
        .collect()
}

#[test]
fn breakpoints_stop_where_their_place_takes_effect() {
    let part = |state: &str, part: Part| Breakpoint::at(Location::Part(path(state), part));
    let field = |state: &str, name: &str| part(state, Part::Field(name.into()));
    let charge = |kind, times| vec![("ChargeCard", kind); times];
    let cases = [
        (
            Breakpoint::at(Location::State(path("ChargeCard"))),
            charge(EventKind::StateEntered, 1),
        ),
        (
            part("ChargeCard", Part::Retrier(0)),
            charge(EventKind::RetryScheduled, 2),
        ),
        (part("ChargeCard", Part::Retrier(1)), vec![]),
        (
            part("Ship", Part::Catcher(0)),
            vec![("Ship", EventKind::Caught)],
        ),
        (
            part("InStock?", Part::Rule(0)),
            vec![("InStock?", EventKind::Chosen)],
        ),
        (part("InStock?", Part::Default), vec![]),
        (
            field("ChargeCard", "Parameters"),
            charge(EventKind::Stage(Stage::AfterParameters), 3),
        ),
        (
            field("ChargeCard", "ResultSelector"),
            charge(EventKind::Stage(Stage::AfterResultSelector), 1),
        ),
        (
            field("ChargeCard", "ResultPath"),
            charge(EventKind::Stage(Stage::AfterResultPath), 1),
        ),
        (
            field("ChargeCard", "Next"),
            charge(EventKind::StateExited, 1),
        ),
        (
            Breakpoint::at(Location::Error(ErrorMoment::Raised, "Payment.*".into())),
            charge(EventKind::ErrorRaised, 2),
        ),
        (
            Breakpoint::at(Location::Error(ErrorMoment::Raised, "*".into())),
            vec![
                ("ChargeCard", EventKind::ErrorRaised),
                ("ChargeCard", EventKind::ErrorRaised),
                ("Ship", EventKind::ErrorRaised),
            ],
        ),
        (
            Breakpoint::at(Location::Error(ErrorMoment::Caught, "*Unavailable".into())),
            vec![("Ship", EventKind::Caught)],
        ),
        (
            Breakpoint::at(Location::Error(ErrorMoment::Uncaught, "*".into())),
            vec![],
        ),
    ];
    for (breakpoint, wanted) in cases {
        let name = format!("{breakpoint:?}");
        assert_eq!(kinds(&hits("order", breakpoint)), wanted, "{name}");
    }
}

#[test]
fn a_breakpoint_on_an_item_stops_at_its_beginning() {
    let found = hits(
        "import",
        Breakpoint::at(Location::Item(path("ImportRows"), 3)),
    );
    assert_eq!(kinds(&found), [("ImportRows", EventKind::IterationStarted)]);
}

#[test]
fn a_data_breakpoint_stops_where_the_value_changed() {
    let found = hits("order", Breakpoint::at(Location::Data("$.payment".into())));
    assert_eq!(kinds(&found), [("ChargeCard", EventKind::StateExited)]);
}

#[test]
fn conditions_hit_counts_log_points_and_once() {
    let at = || {
        Breakpoint::at(Location::Part(
            path("ChargeCard"),
            Part::Field("Parameters".into()),
        ))
    };
    let mut third = at();
    third.condition = Some("attempt >= 3".into());
    assert_eq!(hits("order", third).len(), 1);
    let mut throttled = Breakpoint::at(Location::Error(ErrorMoment::Raised, "*".into()));
    throttled.condition =
        Some("$error.Error == 'Payment.Throttled' && error == $error.Error".into());
    assert_eq!(hits("order", throttled.clone()).len(), 2);
    throttled.condition = Some("$error.Error == 'Other'".into());
    assert_eq!(hits("order", throttled).len(), 0);
    let mut path_condition = at();
    path_condition.condition = Some("$.order.total == 4200 && $effective.cents > 4000".into());
    assert_eq!(hits("order", path_condition).len(), 3);
    let mut never = at();
    never.condition = Some("$.order.id == 'B'".into());
    assert_eq!(hits("order", never).len(), 0);
    let mut from_second = at();
    from_second.hit_count = 2;
    assert_eq!(hits("order", from_second).len(), 2);
    let mut once = at();
    once.once = true;
    assert_eq!(hits("order", once).len(), 1);

    let mut session = sample("order").session(Profile::Aws);
    let mut log = at();
    log.log_message = Some("attempt {attempt} for {$effective.cents} with {$.nothing}".into());
    session.apply(Command::Break(log));
    assert_eq!(go(&mut session), Stop::End);
    let said: Vec<String> = session
        .take_notices()
        .iter()
        .map(|notice| text_of(notice).to_string())
        .collect();
    let said: Vec<&String> = said
        .iter()
        .filter(|text| text.starts_with("attempt "))
        .collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[2].starts_with("attempt 3 for 4280 with <"), "{said:?}");
    assert_eq!(session.view().breakpoints[0].hits, 3);
}

#[test]
fn a_breakpoint_on_a_line_is_the_part_that_stands_there() {
    let sample = sample("order");
    let line = |text: &str| {
        sample
            .text
            .lines()
            .position(|line| line.contains(text))
            .unwrap()
            + 1
    };
    let location = |line: usize| {
        let mut session = sample.session(Profile::Aws);
        session.apply(Command::ToggleBreakLine(SourceId(0), line));
        session
            .view()
            .breakpoints
            .first()
            .map(|point| point.breakpoint.at.to_string())
    };
    let place = |text: &str| location(line(text));
    assert_eq!(
        place("\"ChargeCard\": {").as_deref(),
        Some("state ChargeCard")
    );
    assert_eq!(
        place("[\"Payment.Throttled\"]").as_deref(),
        Some("ChargeCard Retry[0]")
    );
    assert_eq!(
        place("[\"Payment.Declined\"]").as_deref(),
        Some("ChargeCard Catch[0]")
    );
    assert_eq!(
        place("\"Variable\": \"$.stock.onHand\"").as_deref(),
        Some("InStock? rule 0")
    );
    assert_eq!(
        place("\"Default\": \"BackOrder\"").as_deref(),
        Some("InStock? Default")
    );
    assert_eq!(
        place("\"card.$\"").as_deref(),
        Some("ChargeCard Parameters")
    );
    assert_eq!(location(1), None);
    // Twice is none.
    let mut session = sample.session(Profile::Aws);
    for _ in 0..2 {
        session.apply(Command::ToggleBreakLine(
            SourceId(0),
            line("\"ChargeCard\": {"),
        ));
    }
    assert!(session.view().breakpoints.is_empty());
}

#[test]
fn a_definition_in_a_second_file_stops_at_the_lines_of_that_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/template");
    let template = load(&folder.join("sam-uri.yaml")).unwrap();
    let opened = parse(
        template,
        &|name| load_below(&folder, name),
        &Wish::default(),
    );
    let sources = Arc::new(opened.sources);
    let node = Arc::new(opened.node.unwrap());
    let (definition, _) = asldbg::definition::lower(node, Arc::clone(&sources), "Invoices");
    let header = Header::new(value("{\"text\": \"x\"}"), Profile::Spec);
    let mut session = Session::new(Setup {
        unmocked: Unmocked::Echo,
        ..Setup::new(Arc::new(definition), header)
    });
    let line = |text: &str| {
        let own = &sources.files()[1];
        let is = |line: &usize| own.line(*line).contains(text);
        (1..=own.line_count()).find(is).unwrap()
    };
    let refused = session.apply(Command::ToggleBreakLine(SourceId(0), line("\"Tell\": {")));
    assert!(matches!(refused.as_slice(), [Notice::Refused(_)]));
    for text in ["\"Tell\": {", "\"Retry\""] {
        session.apply(Command::ToggleBreakLine(SourceId(1), line(text)));
    }
    assert!(matches!(go(&mut session), Stop::Breakpoint(_)));
    let view = session.view();
    let at = view.current_span.unwrap();
    assert_eq!(at.source, SourceId(1));
    assert_eq!(sources.place(at).unwrap().line, line("\"Tell\": {"));
    let placed: Vec<_> = view.breakpoints.iter().map(|point| point.span).collect();
    assert!(
        placed
            .iter()
            .all(|span| span.is_some_and(|span| span.source == SourceId(1))),
        "{placed:?}"
    );
}

#[test]
fn stops_on_errors() {
    let at = |moments: &[ErrorMoment]| {
        let mut session = sample("saga").session(Profile::Aws);
        for moment in moments {
            session.apply(Command::StopOn(*moment, Switch::On));
        }
        let mut found = Vec::new();
        loop {
            match go(&mut session) {
                Stop::Error(moment, name) => found.push((moment, name.to_string())),
                Stop::End => return found,
                other => panic!("{other:?}"),
            }
        }
    };
    assert_eq!(
        at(&[ErrorMoment::Caught]),
        [(ErrorMoment::Caught, "Car.SoldOut".to_string())]
    );
    assert_eq!(
        at(&[ErrorMoment::Uncaught]),
        [(ErrorMoment::Uncaught, "Car.SoldOut".to_string())]
    );
    assert_eq!(at(&[ErrorMoment::Retried]).len(), 3);
    assert_eq!(at(&[ErrorMoment::Raised]).len(), 5);
}

#[test]
fn a_difference_of_the_profiles_stops_and_says_so() {
    let definition = good(
        "differs",
        r#"{"StartAt":"A","States":{"A":{"Type":"Pass","InputPath":"$.none","End":true}}}"#,
    );
    let mut session = Session::new(Setup::new(
        Arc::clone(&definition),
        Header::new(value("{}"), Profile::Spec),
    ));
    session.apply(Command::StopOn(ErrorMoment::Uncaught, Switch::Off));
    let stop = go(&mut session);
    assert!(
        matches!(&stop, Stop::ProfilesDiffer(text) if text.contains("States.Runtime")),
        "{stop:?}"
    );
    assert_eq!(go(&mut session), Stop::End);
}

#[test]
fn running_to_a_state_and_stepping_in_and_out() {
    let sample = sample("demo");
    let mut session = sample.session(Profile::Aws);
    let cook = sample.definition.find_by_name("Cook").unwrap();
    assert_eq!(command(&mut session, Command::RunTo(cook)), Stop::Target);
    let view = session.view();
    assert_eq!(view.current, Some(cook));
    assert_eq!(view.header.frame, "CookAndFindRider[0]/CookDishes[0]");
    assert_eq!(view.frames.len(), 3);
    command(&mut session, Command::Finish(ON));
    assert_eq!(session.view().header.frame, "CookAndFindRider[0]");
    command(&mut session, Command::Finish(ON));
    assert_eq!(session.view().header.frame, "main");
    command(&mut session, Command::Next(ON));
    assert_eq!(trace(&session).last().unwrap(), "Ride");
}

#[test]
fn watches_show_what_was() {
    let mut session = sample("order").session(Profile::Aws);
    for text in ["$.stock", "$.payment.id", "$$.State.Name"] {
        session.apply(Command::Watch(text.into()));
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
    session.apply(Command::Unwatch(0));
    assert_eq!(session.view().watches.len(), 2);
}

// Answers.

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
    assert_eq!(view.header.frame, "Both[0]");
    let refused = session.apply(Command::Answer(
        asldbg::interpreter::AskId(99),
        Answer::success(Value::Null),
    ));
    assert!(
        matches!(refused.last(), Some(Notice::Refused(_))),
        "{refused:?}"
    );
    session.apply(Command::Answer(ask, Answer::success(Value::from(1))));
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
                session.apply(Command::Answer(
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
    assert!(!aws.stop_sentence().is_empty());
    // The specification gives a task a minute.
    let mut spec = session(&definition, Header::new(value("{}"), Profile::Spec), mock());
    assert_eq!(go(&mut spec), Stop::End);
    assert_eq!(spec.machine().now(), 60_000);
    // A person may say so as well.
    let mut asked = session(&definition, Header::new(value("{}"), Profile::Aws), None);
    let Stop::Ask(ask) = go(&mut asked) else {
        panic!()
    };
    let answer = Answer {
        outcome: Outcome::Never,
        took: 0,
        heartbeats: Vec::new(),
    };
    asked.apply(Command::Answer(ask, answer));
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
    let said = session.take_notices();
    assert!(
        said.iter()
            .any(|notice| text_of(notice).contains("ran out")),
        "{said:?}"
    );
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

// Anything in any order.

/// A command that a person could give here.
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
        23 => Command::KeepGoing,
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
    for seed in 0..120 {
        let subject = Subject::new(300 + seed);
        let mut random = Random::new(seed);
        let mut setup = Setup::new(
            Arc::clone(&subject.definition),
            Header::new(value(&subject.made.input.to_string()), subject.profile),
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
            session.apply(next);
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
        // Breakpoints count hits; what is compared is the run alone.
        for point in session.view().breakpoints {
            session.apply(Command::RemoveBreak(point.id));
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
        let ids: Vec<u32> = recorded
            .iter()
            .map(|event| event.history_id)
            .filter(|id| *id > 0)
            .collect();
        assert!(
            ids.iter().copied().eq(1..=ids.len() as u32),
            "{ids:?}: {done:?} {}",
            subject.name
        );
    }
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
            session.apply(Command::Edit {
                stage,
                at: Pointer::root(),
                value: input.clone(),
            });
            go(&mut session);
            let ids: Vec<u32> = events(&session)
                .iter()
                .map(|event| event.history_id)
                .filter(|id| *id > 0)
                .collect();
            assert!(
                ids.iter().copied().eq(1..=ids.len() as u32),
                "{stage:?} at {number}: {ids:?}"
            );
            assert_eq!(trace(&session)[0], "ValidateOrder", "{stage:?} at {number}");
        }
    }
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
            views.push((session.view().header.event, session.view()));
            // Not always the one that is asked for first.
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
            session.apply(Command::Answer(random.of(&tasks).ask.id, answer));
            assert!(views.len() < 500, "{}", subject.name);
        }
        let (all, end) = (events(&session), session.machine().status().clone());
        for (event, before) in views.iter().rev().take(20) {
            command(&mut session, Command::Travel(*event));
            let event = *session.event(*event).unwrap();
            look_at(&mut session, &event);
            let now = session.view();
            // Travel goes to right after the event: what was answered there, and is long in coming, is open again.
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
        // Side by side, it counts which question was answered first: then a restart may come to something else.
        if subject.definition.scopes.len() == 1 {
            command(&mut session, Command::Restart(Restart::KeepAnswers));
            assert_eq!(go(&mut session), Stop::End, "{}", subject.name);
            assert_eq!(session.machine().status(), &end, "{}", subject.name);
            assert_eq!(events(&session), all, "{}", subject.name);
        }
    }
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

// Edges of a run.

#[test]
fn nothing_happens_after_the_last_event_that_aws_writes() {
    // With 0 to 4 states before the loop, the limit falls on each event of a task in turn.
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

/// A session over states of which the first is the start, stopping at nothing.
fn over(states: &serde_json::Value, input: &str) -> Session {
    let first = states.as_object().unwrap().keys().next().unwrap();
    let text = json!({ "StartAt": first, "States": states }).to_string();
    session(
        &good("over", &text),
        Header::new(value(input), Profile::Spec),
        None,
    )
}

/// Puts a whole value in the place of a stage at the cursor.
fn put(session: &mut Session, stage: Stage, text: &str) -> Vec<Notice> {
    let at = Pointer::root();
    let value = value(text);
    session.apply(Command::Edit { stage, at, value })
}

#[test]
fn an_edit_of_a_map_at_work_begins_its_items_anew() {
    let states = json!({ "M": { "Type": "Map", "End": true, "ItemProcessor": { "StartAt": "T", "States": {
        "T": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "End": true } } } } });
    let mut session = over(&states, "[1, 2, 3]");
    assert!(matches!(go(&mut session), Stop::Ask(_)));
    session.apply(Command::Focus(FrameId(0)));
    put(&mut session, Stage::Input, "[7]");
    assert!(matches!(go(&mut session), Stop::Ask(_)));
    assert_eq!(session.machine().frames().count(), 2);
    let ask = session.machine().open_asks().next().unwrap().id;
    session.apply(Command::Answer(ask, Answer::success(value("70"))));
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
            session.apply(Command::Continue(ON));
            session.advance(1);
        }
        session.apply(Command::Pause);
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
fn an_error_after_an_edit_is_raised_like_any_other() {
    let states = json!({ "P": { "Type": "Pass", "Parameters": { "x.$": "$.x" }, "End": true } });
    let mut session = over(&states, "{}");
    session.apply(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
    for _ in 0..3 {
        let stop = go(&mut session);
        assert!(
            matches!(stop, Stop::Error(ErrorMoment::Uncaught, _)),
            "{stop:?}"
        );
        put(&mut session, Stage::Input, r#"{"y": 1}"#);
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
        session.apply(Command::Answer(ask, answer));
    }
    assert_eq!(go(&mut session), Stop::End);
    let (all, end) = (events(&session), output(&session));
    assert_eq!(end, "[2]");
    // The second round's input is the first one's output, so only the key tells the answers apart.
    command(&mut session, Command::Restart(Restart::KeepAnswers));
    assert_eq!(go(&mut session), Stop::End);
    assert_eq!((events(&session), output(&session)), (all.clone(), end));
    let again = Arc::clone(session.definition());
    session.reload(again, Vec::new());
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
            session.apply(Command::Continue(ON));
            session.advance(1);
        }
        session.apply(Command::Pause);
        let frame = session.event(session.event_count()).unwrap().frame;
        session.apply(Command::Focus(frame));
        assert_eq!(command(&mut session, wish), Stop::Step);
        let event = *session.event(session.event_count()).unwrap();
        assert_eq!((event.kind, event.frame), (wanted, FrameId(0)));
    }
}

#[test]
fn hits_count_the_same_when_the_past_is_walked_again() {
    let mut session = sample("order").session(Profile::Aws);
    let mut third = Breakpoint::at(Location::Part(
        path("ChargeCard"),
        Part::Field("Parameters".into()),
    ));
    third.hit_count = 3;
    session.apply(Command::Break(third));
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

#[test]
fn a_failure_that_a_map_makes_another_of_is_caught_by_that_name() {
    let states = json!({ "M": { "Type": "Map", "Next": "E", "ToleratedFailureCount": 1, "ItemProcessor": { "StartAt": "F", "States": { "F": { "Type": "Fail", "Error": "X" } } },
        "Catch": [{ "ErrorEquals": ["States.ExceedToleratedFailureThreshold"], "Next": "E" }] }, "E": { "Type": "Succeed" } });
    let mut session = over(&states, "[1, 2]");
    session.apply(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
    assert_eq!(go(&mut session), Stop::End);
}

#[test]
fn a_failure_that_a_map_tolerates_is_not_uncaught() {
    let map = |tolerated: u32| json!({ "M": { "Type": "Map", "End": true, "ToleratedFailureCount": tolerated, "ItemProcessor": { "StartAt": "F", "States": { "F": { "Type": "Fail", "Error": "X" } } } } });
    for (tolerated, items, stops) in [(2, "[1, 2]", 0), (1, "[1, 2]", 1), (0, "[1]", 1)] {
        let mut session = over(&map(tolerated), items);
        session.apply(Command::StopOn(ErrorMoment::Uncaught, Switch::On));
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

    assert_eq!(command(&mut session, Command::KeepGoing), Stop::Step);
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
    let texts: Vec<&str> = rules.iter().map(|rule| rule.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "{% $states.input.total > $max %} with $states.input.total = 15.5, $max = 100",
            "{% $sum($states.input.lines.price) = 3 and $exists($states.input.coupon.code) %} with \
             $states.input.lines = [{\"price\":1},{\"price\":2}…, $states.input.coupon = nothing",
            "Default",
        ]
    );
}
