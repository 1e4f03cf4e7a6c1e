//! A sample view for tests: the view of a run that is stopped because the third attempt of a task failed.

use crate::definition::{Definition, StateId, StatePath, Unit};
use crate::interpreter::{
    Ask, AskId, AskKey, Edge, EventKind, Fault, FrameId, Millis, Stage, Want,
};
use crate::json::{Value, parse};
use crate::query::Profile;
use crate::session::Finding;
use crate::session::view::{
    AttemptView, BreakpointView, CatcherView, DataView, EventDetail, EventRow, FaultView, Follows,
    Forecast, FrameView, HandlingView, HeaderView, ItemStanding, ItemView, LaneView, OperandView,
    RetrierView, RuleView, RunStatus, StageView, StatePane as Content, StateStatus, StateView,
    TaskView, ToCome, View, VisitView, WatchView, When,
};
use crate::session::{Breakpoint, BreakpointId, ErrorMoment, EventNote, Location, Stop};

pub(crate) fn json(text: &str) -> Value {
    parse(text).expect("json")
}

fn stage(stage: Stage, value: Option<&str>, expression: Option<&str>) -> StageView {
    StageView {
        stage,
        item: None,
        unread: None,
        remarks: Vec::new(),
        value: value.map(json),
        expression: expression.map(str::to_owned),
        span: None,
        loss: None,
    }
}

/// Returns the view of a run that is stopped at event 26, where the third attempt of `ChargeCard` failed.
pub(crate) fn view(definition: &Definition) -> View {
    let charge = id(definition, "ChargeCard");
    let mut states = vec![StateView::default(); definition.states.len()];
    for (name, status) in [
        ("ValidateOrder", StateStatus::Succeeded),
        ("CheckStock", StateStatus::Succeeded),
        ("InStock?", StateStatus::Succeeded),
        ("ChargeCard", StateStatus::ErrorRaised),
    ] {
        let state = &mut states[id(definition, name).0 as usize];
        state.status = status;
        state.visits = 1;
    }
    states[charge.0 as usize].retries = Some((2, 3));
    states[charge.0 as usize].live = 1;
    View {
        header: HeaderView {
            machine: "order".into(),
            not_aws: false,
            touched: (0, 0),
            calls: 0,
            calling: None,
            differs: String::new(),
            run: 1,
            status: RunStatus::Paused(Stop::Error(ErrorMoment::Raised, "Payment.Throttled".into())),
            event: 26,
            event_count: 26,
            history_id: 19,
            clock: 6412,
            frame: "main".into(),
            profile: Profile::Spec,
            test_case: None,
        },
        recorded: None,
        current: Some(charge),
        current_span: Some(definition.states[charge.0 as usize].name_span),
        states,
        edges: vec![
            (id(definition, "ValidateOrder"), Edge::Next, 1),
            (id(definition, "CheckStock"), Edge::Next, 1),
            (id(definition, "InStock?"), Edge::Rule(0), 1),
        ],
        data: data(definition, charge),
        state: Content::Task(handling(definition)),
        frames: vec![FrameView {
            frame: FrameId(0),
            name: "main".into(),
            state: Some(charge),
        }],
        tasks: vec![TaskView {
            ask: Ask {
                id: AskId(4),
                key: AskKey {
                    path: "ChargeCard".into(),
                    indices: vec![],
                    rounds: vec![],
                    visit: 1,
                    attempt: 3,
                },
                state: charge,
                frame: FrameId(0),
                want: Want::Call {
                    resource: "arn:aws:lambda:eu-central-1:1:function:charge".into(),
                    input: json("{}"),
                    token: Some("tok-1".into()),
                    timeout_at: Some(60_000),
                    heartbeat: Some(5000),
                },
            },
            since: 4_000,
            heartbeat_at: Some(12_000),
            timeout_at: Some(30_000),
            answer_at: None,
        }],
        held: Vec::new(),
        end: None,
        to_come: Default::default(),
        answer_rules: Vec::new(),
        breakpoints: breakpoints(definition),
        has_answer: false,
        led_to: None,
        missing: None,
        made_by: Vec::new(),
        raised: None,
        led: None,
        watches: vec![
            WatchView {
                text: "$.order.total".into(),
                value: Ok(Value::from(4200)),
                was: None,
            },
            WatchView {
                text: "$$.State.RetryCount".into(),
                value: Ok(Value::from(2)),
                was: Some(Ok(Value::from(1))),
            },
            WatchView {
                text: "$.nope".into(),
                value: Err("$ has no member nope".into()),
                was: None,
            },
        ],
    }
}

fn forecast(when: When, text: &str) -> Forecast {
    let follows = Follows::plain(text);
    Forecast { when, follows }
}

fn data(definition: &Definition, charge: StateId) -> DataView {
    let fault = Fault::task("Payment.Throttled", "429 Too Many Requests from gateway");
    let mut parameters = stage(
        Stage::AfterParameters,
        Some(r#"{"card":"tok_9","cents":4280}"#),
        Some("{ 2 fields }"),
    );
    parameters.loss = Some("left out: id, sku, qty, total, fee".into());
    let state = &definition.states[charge.0 as usize];
    let stages = vec![
        stage(
            Stage::Input,
            Some(
                r#"{"order":{"id":"A-17","sku":"SKU-9","qty":2,"card":"tok_9","total":4200,"fee":80},"stock":{"onHand":12}}"#,
            ),
            None,
        ),
        stage(
            Stage::AfterInputPath,
            Some(r#"{"id":"A-17","sku":"SKU-9","qty":2,"card":"tok_9","total":4200,"fee":80}"#),
            Some("$.order"),
        ),
        parameters,
        stage(Stage::Result, None, None),
        stage(Stage::AfterResultSelector, None, Some("{ 1 field }")),
        stage(Stage::AfterResultPath, None, Some("$.payment")),
        stage(Stage::Output, None, None),
    ];
    let spanned = |view: StageView| StageView {
        span: state.written(view.stage),
        ..view
    };
    DataView {
        visit: Some(VisitView {
            entered: 120,
            took: 6_292,
            is_over: false,
            status: StateStatus::ErrorRaised,
            number: 1,
        }),
        answer: None,
        assign: None,
        assign_remarks: Vec::new(),
        item: None,
        caught: false,
        to_come: ToCome::All,
        state: Some(charge),
        attempt: 3,
        stages: stages.into_iter().map(spanned).collect(),
        now: Some(Stage::Result),
        fault: Some(FaultView {
            fault,
            stage: None,
            finding: Finding::of_error(
                "answered",
                "Payment.Throttled",
                "429 Too Many Requests from gateway",
            ),
            misses: None,
            span: None,
            because: vec![Finding::new(
                "answered-by",
                "answered by order.mock.json, ChargeCard #3",
            )],
            aws: None,
            no_retry: None,
            entered: None,
        }),
        forecast: vec![
            forecast(When::Now, "retry 3 of 3 in 8 s (clock +00:14.412)"),
            forecast(When::AfterRetries, "Catch[1] States.ALL -> Compensate"),
            forecast(When::OnSuccess, "$.payment = { id } -> Parcels"),
        ],
        variables: vec![],
        context: json(r#"{"State":{"Name":"ChargeCard","RetryCount":2}}"#),
    }
}

pub(crate) fn handling(definition: &Definition) -> HandlingView {
    let state = &definition.states[id(definition, "ChargeCard").0 as usize];
    let retrier = |index: usize, used, max, back_off: &str, takes, why: &str| RetrierView {
        is_close: false,
        errors: state.retry[index].error_equals.clone(),
        used,
        max,
        back_off: back_off.into(),
        cut_short: None,
        waited: if takes { vec![2000, 4000] } else { vec![] },
        next: takes.then_some(8000),
        waits: false,
        takes,
        why: why.into(),
        span: state.retry[index].span,
    };
    let catcher = |index: usize, path: &str, takes, why: &str| CatcherView {
        errors: state.catch[index].error_equals.clone(),
        next: state.catch[index].next.as_ref().expect("next").name.clone(),
        result_path: path.into(),
        takes,
        matched: None,
        why: why.into(),
        span: state.catch[index].span,
    };
    let attempt = |number: u32, started| AttemptView {
        number,
        started,
        took: Some(90),
        error: Some("Payment.Throttled".into()),
        status: StateStatus::ErrorRaised,
    };
    HandlingView {
        near: None,
        retriers: vec![
            retrier(0, 2, 3, "2 s × 2.0", true, "takes Payment.Throttled"),
            retrier(
                1,
                0,
                1,
                "1 s × 2.0",
                false,
                "no: \"States.Timeout\" does not take Payment.Throttled",
            ),
        ],
        catchers: vec![
            catcher(
                0,
                "$",
                false,
                "no: \"Payment.Declined\" does not take Payment.Throttled",
            ),
            catcher(1, "$.error", true, "takes it when retries run out"),
        ],
        attempts: vec![attempt(1, 120), attempt(2, 2210), attempt(3, 6300)],
        timeout_at: Some(66_300),
        heartbeat_at: None,
    }
}

fn breakpoints(definition: &Definition) -> Vec<BreakpointView> {
    let path = |name: &str| StatePath(name.into());
    let mut charge = Breakpoint::at(Location::State(path("ChargeCard")));
    charge.condition = Some("attempt >= 3".into());
    let mut log = Breakpoint::at(Location::State(path("CheckStock")));
    log.log_message = Some("on={$.stock.onHand}".into());
    let all = [
        (Breakpoint::at(Location::State(path("CheckStock"))), true, 1),
        (charge, true, 1),
        (Breakpoint::at(Location::State(path("BackOrder"))), false, 0),
        (
            Breakpoint::at(Location::Error(ErrorMoment::Raised, "Payment.*".into())),
            true,
            3,
        ),
        (Breakpoint::at(Location::Data("$.payment".into())), true, 0),
        (log, true, 1),
        (Breakpoint::at(Location::State(path("Refund"))), true, 0),
    ];
    all.into_iter()
        .enumerate()
        .map(|(place, (breakpoint, enabled, hits))| {
            let state = match &breakpoint.at {
                Location::State(path) => definition.find(path),
                _ => None,
            };
            BreakpointView {
                id: BreakpointId(place as u32 + 1),
                gone: matches!(&breakpoint.at, Location::State(_)) && state.is_none(),
                here: place == 3,
                breakpoint,
                enabled,
                hits,
                state,
                span: None,
            }
        })
        .collect()
}

pub(crate) fn rules() -> Content {
    let rule = |index, text: &str, result, asked, taken, next: &str| RuleView {
        absent: false,
        index,
        operands: vec![OperandView {
            text: text.into(),
            ..OperandView::default()
        }],
        result,
        asked,
        after: !asked,
        taken,
        next: next.into(),
        span: None,
    };
    Content::Choice(vec![
        rule(
            Some(0),
            "$.qty (2) > 9",
            Some(Ok(false)),
            true,
            false,
            "Bulk",
        ),
        rule(
            Some(1),
            "$.stock.onHand (12) > 0",
            Some(Ok(true)),
            true,
            true,
            "ChargeCard",
        ),
        rule(
            Some(2),
            "$.vip (true) = true",
            Some(Ok(true)),
            false,
            false,
            "Express",
        ),
        rule(None, "Default", None, false, false, "BackOrder"),
    ])
}

pub(crate) fn map(definition: &Definition) -> Content {
    let item = |index: u32, status, error: Option<&str>| ItemView {
        lane: LaneView {
            index,
            frame: (status == StateStatus::Running).then_some(FrameId(40 + index)),
            state: Some(id(definition, "Weigh")),
            inner: None,
            status,
            error: error.map(Into::into),
        },
        column: None,
        point: None,
        tries: 1 + index % 2,
        item: json(&format!(
            "{{\"orderId\":\"o-{index}\",\"kg\":{}}}",
            index * 3
        )),
        result: None,
    };
    Content::Map {
        fitting: None,
        filter: "".into(),
        column: None,
        no_items: None,
        items: vec![
            item(12, StateStatus::Failed, Some("Throttled")),
            item(31, StateStatus::Failed, Some("Throttled")),
            item(99, StateStatus::Running, None),
            item(0, StateStatus::Succeeded, None),
            item(1, StateStatus::Succeeded, None),
        ],
        summary: vec![
            (ItemStanding::Ok, 97),
            (ItemStanding::Failed("Throttled".into()), 2),
            (ItemStanding::Running, 1),
        ],
        total: 100,
        handling: HandlingView::default(),
    }
}

pub(crate) fn lanes(definition: &Definition) -> Content {
    let lane = |index, status, error: Option<&str>| LaneView {
        index,
        frame: (status == StateStatus::Running).then_some(FrameId(7 + index)),
        state: Some(id(definition, "Ship")),
        inner: None,
        status,
        error: error.map(Into::into),
    };
    Content::Parallel {
        lanes: vec![
            lane(0, StateStatus::Succeeded, None),
            lane(1, StateStatus::Failed, Some("Carrier.Down")),
            lane(2, StateStatus::Running, None),
        ],
        handling: HandlingView::default(),
    }
}

/// The sample event with this number, such as an entry, an attempt or an exit of a state.
pub(crate) fn row(definition: &Definition, number: u64) -> EventRow {
    let next = |state: &str| EventDetail::Next(Some(state.into()), None);
    let script: [(&str, EventKind, u32, EventDetail, StateStatus); 8] = [
        (
            "CheckStock",
            EventKind::StateEntered,
            0,
            EventDetail::Nothing,
            StateStatus::Running,
        ),
        (
            "CheckStock",
            EventKind::StateExited,
            0,
            next("InStock?"),
            StateStatus::Succeeded,
        ),
        (
            "InStock?",
            EventKind::StateEntered,
            0,
            EventDetail::Nothing,
            StateStatus::Running,
        ),
        (
            "InStock?",
            EventKind::Chosen,
            0,
            next("ChargeCard"),
            StateStatus::Succeeded,
        ),
        (
            "InStock?",
            EventKind::StateExited,
            0,
            next("ChargeCard"),
            StateStatus::Succeeded,
        ),
        (
            "ChargeCard",
            EventKind::StateEntered,
            0,
            EventDetail::Nothing,
            StateStatus::Running,
        ),
        (
            "ChargeCard",
            EventKind::TaskFailed,
            0,
            EventDetail::Note(EventNote::Error(Some("Payment.Throttled".into()))),
            StateStatus::ErrorRaised,
        ),
        (
            "ChargeCard",
            EventKind::RetryScheduled,
            0,
            EventDetail::Note(EventNote::Delay(4_000)),
            StateStatus::Retrying,
        ),
    ];
    let (name, kind, arg, detail, status) = script[((number + 4) % 8) as usize].clone();
    EventRow {
        number,
        history_id: (number / 2) as u32,
        time: number * 247 as Millis,
        kind,
        state: definition.find_by_name(name).or(Some(StateId(1))),
        frame: String::new(),
        frame_id: FrameId(0),
        unit: Unit::Item,
        arg,
        detail,
        touched: None,
        status,
    }
}

pub(crate) fn id(definition: &Definition, name: &str) -> StateId {
    definition.find_by_name(name).expect("state")
}
