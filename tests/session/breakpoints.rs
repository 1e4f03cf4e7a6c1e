//! Tests of everything that can stop a run, such as breakpoints and errors.

use super::*;
use asldbg::definition::field::{Effect, FieldSpec, STATE};
use asldbg::session::answers::MockCase;

/// Number, state and kind of each event at which a breakpoint stops a sample, in order.
fn hits(sample_name: &str, breakpoint: Breakpoint) -> Vec<(u64, String, EventKind)> {
    let mut session = sample(sample_name).session(Profile::Aws);
    session.tell(Command::Break(breakpoint));
    let mut hits = Vec::new();
    loop {
        match go(&mut session) {
            Stop::Breakpoint(_) => {}
            Stop::End => return hits,
            other => panic!("{other:?}"),
        }
        let number = session.view().header.event;
        let event = *session.event(number).unwrap();
        hits.push((number, state_of(&session, &event), event.kind));
    }
}

fn kinds(hits: &[(u64, String, EventKind)]) -> Vec<(&str, EventKind)> {
    hits.iter()
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
    let stops = hits(
        "import",
        Breakpoint::at(Location::Item(path("ImportRows"), 3)),
    );
    assert_eq!(kinds(&stops), [("ImportRows", EventKind::IterationStarted)]);
}

#[test]
fn a_data_breakpoint_stops_where_the_value_changed() {
    let stops = hits("order", Breakpoint::at(Location::Data("$.payment".into())));
    assert_eq!(kinds(&stops), [("ChargeCard", EventKind::StateExited)]);
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
    session.tell(Command::Break(log));
    assert_eq!(go(&mut session), Stop::End);
    let outputs = session.take_outputs().into_iter();
    let said: Vec<LogPoint> = outputs
        .filter_map(|output| match output {
            Output::LogPoint(said) => Some(said),
            _ => None,
        })
        .collect();
    assert_eq!(said.len(), 3, "{said:?}");
    let last = &said[2];
    assert!(
        last.text.starts_with("attempt 3 for 4280 with <"),
        "{said:?}"
    );
    assert_eq!((last.breakpoint, last.frame), (BreakpointId(1), FrameId(0)));
    let event = session.event(last.event).unwrap();
    assert_eq!(event.kind, EventKind::Stage(Stage::AfterParameters));
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
        drop(session.apply(Command::ToggleBreakLine(SourceId(0), line)));
        session
            .view()
            .breakpoints
            .first()
            .map(|point| asldbg::wording::location(&point.breakpoint.at))
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
    // Toggling a breakpoint twice removes it.
    let mut session = sample.session(Profile::Aws);
    for _ in 0..2 {
        session.tell(Command::ToggleBreakLine(
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
        ..Setup::new(
            Arc::new(definition),
            header,
            Arc::new(asldbg::worker::Worker::new()),
        )
    });
    let line = |text: &str| {
        let file = &sources.files()[1];
        let is = |line: &usize| file.line(*line).contains(text);
        (1..=file.line_count()).find(is).unwrap()
    };
    let refused = session.apply(Command::ToggleBreakLine(SourceId(0), line("\"Tell\": {")));
    assert!(matches!(refused, Err(Refused::LineWithoutState(_))));
    for text in ["\"Tell\": {", "\"Retry\""] {
        session.tell(Command::ToggleBreakLine(SourceId(1), line(text)));
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
            session.tell(Command::StopOn(*moment, Switch::On));
        }
        let mut errors = Vec::new();
        loop {
            match go(&mut session) {
                Stop::Error(moment, name) => errors.push((moment, name.to_string())),
                Stop::End => return errors,
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
        Arc::new(asldbg::worker::Worker::new()),
    ));
    session.tell(Command::StopOn(ErrorMoment::Uncaught, Switch::Off));
    let stop = go(&mut session);
    assert!(
        matches!(&stop, Stop::ProfilesDiffer(text) if text.contains("States.Runtime")),
        "{stop:?}"
    );
    assert_eq!(go(&mut session), Stop::End);
}

fn resolved(reply: Reply) -> Vec<Resolved> {
    match reply {
        Reply::Breakpoints(all) => all,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_breakpoints_of_a_source_are_set_at_once_and_say_where_they_stand() {
    let sample = sample("order");
    let lines: Vec<&str> = sample.text.lines().collect();
    let line = |text: &str| lines.iter().position(|line| line.contains(text)).unwrap() + 1;
    let mut session = sample.session(Profile::Aws);
    let (charge, stock) = (line("\"ChargeCard\": {"), line("\"InStock?\": {"));
    let conditional = SourceBreakpoint {
        condition: Some("attempt >= 2".into()),
        ..SourceBreakpoint::at((charge, None))
    };
    let wanted = vec![
        SourceBreakpoint::at((stock, None)),
        SourceBreakpoint::at((1, None)),
        conditional.clone(),
    ];
    let first = resolved(session.tell(Command::SetBreakpoints(SourceId(0), wanted)));
    let breakpoints: Vec<_> = first
        .iter()
        .map(|point| (point.id.map(|id| id.0), point.line))
        .collect();
    assert_eq!(
        breakpoints,
        [
            (Some(1), Some(stock)),
            (None, None),
            (Some(2), Some(charge))
        ]
    );
    assert_eq!(first[1].unverified, Some(Unverified::LineWithoutState(1)));
    assert_eq!(first[0].unverified, None);
    // `SetBreakpoints` replaces the breakpoints of the file. It keeps breakpoints that were set with `Break`, and a
    // breakpoint that was also in the earlier list keeps its number.
    session.tell(Command::Break(Breakpoint::at(Location::State(path(
        "Ship",
    )))));
    let wanted = vec![conditional, SourceBreakpoint::at((charge, None))];
    let second = resolved(session.tell(Command::SetBreakpoints(SourceId(0), wanted)));
    let ids = |all: &[Resolved]| -> Vec<u32> {
        all.iter().filter_map(|point| Some(point.id?.0)).collect()
    };
    assert_eq!(ids(&second), [2, 4]);
    let all: Vec<u32> = session
        .view()
        .breakpoints
        .iter()
        .map(|breakpoint| breakpoint.id.0)
        .collect();
    assert_eq!(all, [2, 3, 4]);
    let none = resolved(session.tell(Command::SetBreakpoints(SourceId(0), Vec::new())));
    assert!(none.is_empty());
    assert_eq!(session.view().breakpoints.len(), 1);
}

#[test]
fn states_and_errors_are_set_at_once_by_name() {
    let mut session = sample("order").session(Profile::Aws);
    let state = |name: &str| StateBreakpoint::at(name.into());
    let wanted = vec![state("Ship"), state("Nowhere")];
    let breakpoints = resolved(session.tell(Command::SetStateBreakpoints(wanted)));
    assert_eq!(breakpoints[0].at, Some(Location::State(path("Ship"))));
    assert_eq!(
        breakpoints[1].unverified,
        Some(Unverified::NoState("Nowhere".into()))
    );
    let filter = |moment, pattern: Option<&str>| ErrorFilter::at((moment, pattern.map(Into::into)));
    let filters = vec![
        filter(ErrorMoment::Caught, None),
        filter(ErrorMoment::Raised, Some("Payment.*")),
    ];
    let breakpoints = resolved(session.tell(Command::SetErrorFilters(filters, Switch::Off)));
    assert_eq!(breakpoints.len(), 1);
    assert_eq!(session.stops_on(), [ErrorMoment::Caught]);
    assert!(!session.stops_on_difference());
    let mut stops = Vec::new();
    loop {
        match go(&mut session) {
            Stop::End => break,
            stop => stops.push(stop),
        }
    }
    let at = |id| Stop::Breakpoint(BreakpointId(id));
    let caught = Stop::Error(ErrorMoment::Caught, "Carrier.Unavailable".into());
    assert!(stops.starts_with(&[at(2), at(2), at(1)]), "{stops:?}");
    assert!(
        matches!(stops.last(), Some(Stop::Error(ErrorMoment::Caught, _))),
        "{stops:?} {caught:?}"
    );
    let none = resolved(session.tell(Command::SetErrorFilters(Vec::new(), Switch::On)));
    assert!(none.is_empty() && session.stops_on().is_empty());
    assert_eq!(session.view().breakpoints.len(), 1);
}

#[test]
fn a_changed_breakpoint_keeps_its_number_and_its_hits() {
    let mut session = sample("order").session(Profile::Aws);
    let part = Location::Part(path("ChargeCard"), Part::Field("Parameters".into()));
    session.tell(Command::Break(Breakpoint::at(part.clone())));
    assert!(matches!(go(&mut session), Stop::Breakpoint(_)));
    let third = Breakpoint {
        hit_count: 3,
        ..Breakpoint::at(part)
    };
    session.tell(Command::ChangeBreak(BreakpointId(1), third.clone()));
    assert!(matches!(go(&mut session), Stop::Breakpoint(_)));
    assert_eq!(session.view().breakpoints[0].hits, 3);
    let refused = session.apply(Command::ChangeBreak(BreakpointId(9), third));
    assert_eq!(refused, Err(Refused::NoBreakpoint(BreakpointId(9))));
}

#[test]
fn watches_share_what_one_of_them_may_take() {
    let states = r#"{"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Succeed"}}"#;
    let definition = good("m", &format!(r#"{{"StartAt": "A", "States": {states}}}"#));
    let mut session = session(&definition, Header::new(value("{}"), Profile::Spec), None);
    let heavy = "{% $count($map([1..8000], function($x) { $x * 2 })) %}";
    let light = "{% $sum([1, 2]) %}";
    for text in [
        heavy, heavy, heavy, light, heavy, heavy, heavy, heavy, light, "$",
    ] {
        session.tell(Command::Watch(text.into()));
    }
    command(&mut session, Command::Next(ON));
    let watches = session.view().watches;
    for (place, watch) in watches.iter().enumerate() {
        match &*watch.text {
            "$" => assert!(watch.value.is_ok(), "{watch:?}"),
            text if text == light => assert_eq!(watch.value, Ok(Value::from(3)), "{place}"),
            _ => {
                let problem = watch.value.as_ref().unwrap_err();
                assert!(
                    problem.contains("the expressions of this stop take too long"),
                    "{problem}"
                );
            }
        }
    }
    // Evaluated alone, the heavy expression may use the whole time limit. On a busy machine, it may exceed even this
    // limit.
    if let Err(problem) = session.evaluate(heavy) {
        assert!(!problem.contains("beside"), "{problem}");
    }
}

#[test]
fn a_watch_of_a_path_selects_no_more_than_is_waited_for() {
    let states = r#"{"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Succeed"}}"#;
    let definition = good("m", &format!(r#"{{"StartAt": "A", "States": {states}}}"#));
    let items = format!("[{}[1]]", "[[1]],".repeat(300_000));
    let session = session(&definition, Header::new(value(&items), Profile::Spec), None);
    let result = session.evaluate("$..[0]");
    assert!(result.unwrap_err().contains("select"));
    assert!(session.evaluate("$[299999]").is_ok());
}

#[test]
fn a_column_says_which_of_several_in_a_line_is_meant() {
    let text = r#"{"StartAt": "Ä", "States": {"Ä": {"Type": "Pass", "Result": 1, "Next": "B"}, "B": {"Type": "Wait", "Seconds": 1, "End": true}}}"#;
    let definition = good("line", text);
    let mut session = session(&definition, Header::new(value("{}"), Profile::Spec), None);
    let column =
        |part: &str| text.chars().count() - text.split_once(part).unwrap().1.chars().count();
    let field = |state: &str, name: &str| Location::Part(path(state), Part::Field(name.into()));
    let cases = [
        (Some(column("\"Ä\": {")), Location::State(path("Ä"))),
        (Some(column("\"Result")), field("Ä", "Result")),
        (Some(column("\"Next")), field("Ä", "Next")),
        (Some(column("\"B\": {")), Location::State(path("B"))),
        (Some(column("\"Seconds\": 1")), field("B", "Seconds")),
        (Some(column("true}")), field("B", "End")),
    ];
    for (column, at) in cases {
        let wanted = SourceBreakpoint::at((1, column));
        let set = session.tell(Command::SetBreakpoints(SourceId(0), vec![wanted]));
        assert_eq!(resolved(set)[0].at, Some(at), "{column:?}");
    }
}

/// States that together use every field that has an effect on a state. Their paths fit the input in the test below.
const STATES: &[&str] = &[
    r#"{"Type":"Task","InputPath":"$","Parameters":{"a":1},"Resource":"arn:aws:states:::sqs:sendMessage","Credentials":{"RoleArn":"arn:aws:iam::1:role/x"},"TimeoutSeconds":9,"HeartbeatSeconds":5,"ResultSelector":{"b":1},"ResultPath":"$.r","OutputPath":"$","Assign":{"v":1},"Next":"Z"}"#,
    r#"{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","TimeoutSecondsPath":"$.ten","HeartbeatSecondsPath":"$.one","End":true}"#,
    r#"{"Type":"Task","QueryLanguage":"JSONata","Resource":"arn:aws:states:::sqs:sendMessage","Arguments":{"a":1},"Output":{"b":1},"End":true}"#,
    r#"{"Type":"Pass","Result":{"a":1},"End":true}"#,
    r#"{"Type":"Choice","Choices":[{"Variable":"$.one","NumericEquals":2,"Next":"Z"}],"Default":"Z"}"#,
    r#"{"Type":"Wait","Seconds":1,"End":true}"#,
    r#"{"Type":"Wait","SecondsPath":"$.one","End":true}"#,
    r#"{"Type":"Wait","Timestamp":"2016-03-14T01:59:00Z","End":true}"#,
    r#"{"Type":"Wait","TimestampPath":"$.time","End":true}"#,
    r#"{"Type":"Fail","Error":"E","Cause":"c"}"#,
    r#"{"Type":"Fail","ErrorPath":"$.time","CausePath":"$.time"}"#,
    r#"{"Type":"Map","ItemsPath":"$.list","Parameters":{"a":1},"MaxConcurrency":1,"Iterator":{"StartAt":"I","States":{"I":{"Type":"Succeed"}}},"End":true}"#,
    r#"{"Type":"Map","ItemsPath":"$.list","ItemSelector":{"a":1},"MaxConcurrencyPath":"$.one","ToleratedFailureCountPath":"$.one","ToleratedFailurePercentagePath":"$.one","ItemBatcher":{"MaxItemsPerBatch":1},"Label":"l","ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"I","States":{"I":{"Type":"Succeed"}}},"End":true}"#,
    r#"{"Type":"Map","QueryLanguage":"JSONata","Items":[1],"ToleratedFailureCount":1,"ToleratedFailurePercentage":1,"ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"I","States":{"I":{"Type":"Succeed"}}},"End":true}"#,
    r#"{"Type":"Map","ItemReader":{"Resource":"arn:aws:states:::s3:getObject","ReaderConfig":{"InputType":"JSON"},"Parameters":{"Bucket":"b","Key":"k"}},"ResultWriter":{"WriterConfig":{"OutputType":"JSON","Transformation":"NONE"}},"ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"I","States":{"I":{"Type":"Succeed"}}},"End":true}"#,
];

#[test]
fn a_breakpoint_on_any_field_that_takes_effect_stops() {
    let mut met = std::collections::BTreeSet::new();
    for state in STATES {
        let text =
            format!(r#"{{"StartAt":"A","States":{{"A":{state},"Z":{{"Type":"Succeed"}}}}}}"#);
        let definition = good("fields", &text);
        let fields = definition.states[0].fields.iter();
        for spec in fields.filter_map(|field| FieldSpec::of_state(&field.name)) {
            let part = match spec.effect {
                Effect::Nothing => continue,
                Effect::Default => Part::Default,
                _ => Part::Field(spec.name.into()),
            };
            let input = r#"{"one":1,"ten":10,"list":[1],"time":"2016-03-14T01:59:00Z"}"#;
            let answered = MockCase::always("fields", "A", Answer::success(value("[1]")));
            let header = Header::new(value(input), Profile::Spec);
            let mut session = support::session(&definition, header, Some(answered));
            session.tell(Command::Break(Breakpoint::at(Location::Part(
                path("A"),
                part,
            ))));
            let stop = go(&mut session);
            assert!(
                matches!(stop, Stop::Breakpoint(_)),
                "{} of {state}: {stop:?}",
                spec.name
            );
            met.insert(spec.name);
        }
    }
    let all = STATE.iter().filter(|spec| spec.effect != Effect::Nothing);
    let left: Vec<&str> = all
        .map(|spec| spec.name)
        .filter(|name| !met.contains(name))
        .collect();
    assert!(left.is_empty(), "no state above has {left:?}");
}
