//! A definition and a view to draw in tests: an order workflow, stopped where a charge was refused a third time.
//!
//! It must not know panes.

use crate::definition::*;
use crate::interpreter::{
    Ask, AskId, AskKey, Edge, EventKind, Fault, FrameId, Millis, Stage, Want,
};
use crate::json::{Value, parse};
use crate::query::{Path, Profile};
use crate::session::view::{
    AttemptView, BreakpointView, CatcherView, DataView, EventRow, FaultView, FrameView,
    HandlingView, HeaderView, ItemView, LaneView, RetrierView, RuleView, RunStatus, StageView,
    StatePane as Content, StateStatus, StateView, View, WatchView,
};
use crate::session::{Breakpoint, BreakpointId, ErrorMoment, Location, Stop};
use crate::source::{Node, SourceFile, SourceId, SourceMap, Span, parse_json};
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;

use super::{Level, Paint};

pub(crate) const ORDER: &str = r#"{
  "StartAt": "ValidateOrder",
  "States": {
    "ValidateOrder": {"Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:validate", "Next": "CheckStock"},
    "CheckStock": {"Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:stock", "Next": "InStock?"},
    "InStock?": {
      "Type": "Choice",
      "Choices": [{"Variable": "$.stock.onHand", "NumericGreaterThan": 0, "Next": "ChargeCard"}],
      "Default": "BackOrder"
    },
    "ChargeCard": {
      "Type": "Task",
      "Resource": "arn:aws:lambda:eu-central-1:1:function:charge",
      "InputPath": "$.order",
      "Parameters": {"card.$": "$.card", "cents.$": "States.MathAdd($.total, $.fee)"},
      "ResultSelector": {"id.$": "$.receiptId"},
      "ResultPath": "$.payment",
      "Retry": [
        {"ErrorEquals": ["Payment.Throttled"], "IntervalSeconds": 2, "BackoffRate": 2, "MaxAttempts": 3},
        {"ErrorEquals": ["States.Timeout"], "MaxAttempts": 1}
      ],
      "Catch": [
        {"ErrorEquals": ["Payment.Declined"], "Next": "NotifyDeclined"},
        {"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Compensate"}
      ],
      "Next": "Parcels"
    },
    "Parcels": {
      "Type": "Map",
      "ItemsPath": "$.parcels",
      "ItemProcessor": {
        "StartAt": "Weigh",
        "States": {
          "Weigh": {"Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:weigh", "Next": "Label"},
          "Label": {"Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:label", "End": true}
        }
      },
      "Next": "Ship"
    },
    "Ship": {"Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:ship", "End": true},
    "NotifyDeclined": {"Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:notify", "End": true},
    "Compensate": {"Type": "Task", "Resource": "arn:aws:lambda:eu-central-1:1:function:undo", "End": true},
    "BackOrder": {"Type": "Succeed"}
  }
}"#;

pub(crate) fn definition() -> Definition {
    definition_of(ORDER)
}

/// As much of a definition as panes look at.
pub(crate) fn definition_of(text: &str) -> Definition {
    let file = SourceFile::new("order.asl.json", text);
    let (node, _) = parse_json(&file, SourceId(0));
    let node = node.expect("json");
    let mut definition = Definition {
        name: "order".into(),
        sources: Arc::new(SourceMap::of(file)),
        node: Arc::new(node.clone()),
        comment: None,
        language: QueryLanguage::JsonPath,
        timeout_seconds: None,
        scopes: Vec::new(),
        states: Vec::new(),
    };
    lower_scope(&mut definition, &node, None, 0, "");
    resolve(&mut definition);
    definition
}

fn text_of(node: &Node, name: &str) -> String {
    node.get(name)
        .and_then(Node::as_str)
        .unwrap_or("")
        .to_owned()
}

fn target(node: &Node) -> Option<Target> {
    Some(Target {
        name: node.as_str()?.into(),
        state: None,
        span: node.span,
    })
}

fn lower_scope(
    definition: &mut Definition,
    node: &Node,
    owner: Option<StateId>,
    index: u32,
    prefix: &str,
) -> ScopeId {
    let id = ScopeId(definition.scopes.len() as u32);
    definition.scopes.push(Scope {
        owner,
        index,
        span: node.span,
        location: "".into(),
        comment: None,
        start_at: node.get("StartAt").and_then(target),
        states: Vec::new(),
    });
    for member in node.get("States").and_then(Node::members).expect("states") {
        let path = format!("{prefix}{}", member.key.text);
        let state = lower_state(
            definition,
            &member.key.text,
            member.key.span,
            &member.value,
            id,
            &path,
        );
        definition.scopes[id.0 as usize].states.push(state);
    }
    id
}

fn lower_state(
    definition: &mut Definition,
    name: &str,
    name_span: Span,
    node: &Node,
    scope: ScopeId,
    path: &str,
) -> StateId {
    let id = StateId(definition.states.len() as u32);
    let list = |name: &str| node.get(name).and_then(Node::items).unwrap_or(&[]);
    let errors = |node: &Node| -> Vec<Arc<str>> {
        let items = node.get("ErrorEquals").and_then(Node::items);
        items
            .unwrap_or(&[])
            .iter()
            .filter_map(|item| item.as_str().map(Into::into))
            .collect()
    };
    let rules = list("Choices").iter().map(|rule| Rule {
        span: rule.span,
        test: Test::Broken("".into()),
        next: rule.get("Next").and_then(target),
        assign: None,
        comment: None,
    });
    let kind = match text_of(node, "Type").as_str() {
        "Task" => StateKind::Task(Task {
            resource: text_of(node, "Resource").as_str().into(),
            integration: Integration::Lambda,
            timeout: None,
            heartbeat: None,
            credentials: None,
        }),
        "Choice" => StateKind::Choice(Choice {
            rules: rules.collect(),
            default: node.get("Default").and_then(target),
        }),
        "Wait" => StateKind::Wait(WaitUntil::Seconds(1)),
        "Succeed" => StateKind::Succeed,
        "Fail" => StateKind::Fail(Fail::default()),
        "Parallel" => StateKind::Parallel {
            branches: Vec::new(),
        },
        "Map" => StateKind::Map(Box::new(Map {
            processor: ScopeId(0),
            mode: MapMode::Inline,
            items_path: PathField::Path(Path::parse("$.parcels").expect("path")),
            item_selector: None,
            max_concurrency: None,
            tolerated_failure_count: None,
            tolerated_failure_percentage: None,
            label: None,
        })),
        _ => StateKind::Pass { result: None },
    };
    let fields = node.members().unwrap_or(&[]).iter().map(|member| Field {
        name: member.key.text.clone(),
        key: member.key.span,
        value: member.value.span,
    });
    definition.states.push(State {
        name: name.into(),
        path: StatePath(path.into()),
        scope,
        name_span,
        span: node.span,
        location: "".into(),
        comment: None,
        language: QueryLanguage::JsonPath,
        fields: fields.collect(),
        input_path: PathField::Whole,
        parameters: None,
        result_selector: None,
        result_path: ResultPath::Replace,
        output_path: PathField::Whole,
        assign: None,
        transition: match node.get("Next").and_then(target) {
            Some(target) => Transition::Next(target),
            None if node.get("End").is_some() => Transition::End,
            None => Transition::None,
        },
        retry: list("Retry")
            .iter()
            .map(|retrier| Retrier {
                span: retrier.span,
                error_equals: errors(retrier),
                interval_seconds: 2,
                max_attempts: 3,
                backoff_rate: 2.0,
                max_delay_seconds: None,
                jitter: Jitter::None,
            })
            .collect(),
        catch: list("Catch")
            .iter()
            .map(|catcher| Catcher {
                span: catcher.span,
                error_equals: errors(catcher),
                next: catcher.get("Next").and_then(target),
                result_path: ResultPath::Replace,
                assign: None,
            })
            .collect(),
        kind,
        broken: None,
    });
    if let Some(inner) = node.get("ItemProcessor") {
        let scope = lower_scope(definition, inner, Some(id), 0, &format!("{path}/"));
        if let StateKind::Map(map) = &mut definition.states[id.0 as usize].kind {
            map.processor = scope;
        }
    }
    for (index, branch) in list("Branches").iter().enumerate() {
        let prefix = format!("{path}[{index}]/");
        let scope = lower_scope(definition, branch, Some(id), index as u32, &prefix);
        if let StateKind::Parallel { branches } = &mut definition.states[id.0 as usize].kind {
            branches.push(scope);
        }
    }
    id
}

fn resolve(definition: &mut Definition) {
    let names: Vec<(ScopeId, Arc<str>, StateId)> = definition
        .state_ids()
        .map(|id| {
            let state = &definition.states[id.0 as usize];
            (state.scope, state.name.clone(), id)
        })
        .collect();
    let find = |scope: ScopeId, target: &mut Target| {
        target.state = names
            .iter()
            .find(|(own, name, _)| *own == scope && *name == target.name)
            .map(|(_, _, id)| *id);
    };
    for (index, scope) in definition.scopes.iter_mut().enumerate() {
        scope
            .start_at
            .iter_mut()
            .for_each(|target| find(ScopeId(index as u32), target));
    }
    for state in &mut definition.states {
        let scope = state.scope;
        if let Transition::Next(target) = &mut state.transition {
            find(scope, target);
        }
        state
            .catch
            .iter_mut()
            .filter_map(|catcher| catcher.next.as_mut())
            .for_each(|target| find(scope, target));
        if let StateKind::Choice(choice) = &mut state.kind {
            choice
                .rules
                .iter_mut()
                .filter_map(|rule| rule.next.as_mut())
                .for_each(|target| find(scope, target));
            choice
                .default
                .iter_mut()
                .for_each(|target| find(scope, target));
        }
    }
}

pub(crate) fn json(text: &str) -> Value {
    parse(text).expect("json")
}

fn stage(stage: Stage, value: Option<&str>, expression: Option<&str>) -> StageView {
    StageView {
        stage,
        value: value.map(json),
        expression: expression.map(str::to_owned),
        span: None,
        loss: None,
    }
}

pub(crate) fn id(definition: &Definition, name: &str) -> StateId {
    definition.find_by_name(name).expect("state")
}

/// Stopped at event 26: the third attempt of `ChargeCard` failed.
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
        current: Some(charge),
        current_span: Some(definition.states[charge.0 as usize].name_span),
        states,
        edges: vec![
            (id(definition, "ValidateOrder"), Edge::Next, 1),
            (id(definition, "CheckStock"), Edge::Next, 1),
            (id(definition, "InStock?"), Edge::Rule(0), 1),
        ],
        data: data(charge),
        state: Content::Task(handling(definition)),
        frames: vec![FrameView {
            frame: FrameId(0),
            name: "main".into(),
            state: Some(charge),
        }],
        tasks: vec![Ask {
            id: AskId(4),
            key: AskKey {
                path: "ChargeCard".into(),
                indices: vec![],
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
        }],
        breakpoints: breakpoints(definition),
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

fn data(charge: StateId) -> DataView {
    let fault = Fault::task("Payment.Throttled", "429 Too Many Requests from gateway");
    let mut parameters = stage(
        Stage::AfterParameters,
        Some(r#"{"card":"tok_9","cents":4280}"#),
        Some("{ 2 fields }"),
    );
    parameters.loss = Some("5 not passed: id sku qty total fee".into());
    DataView {
        state: Some(charge),
        attempt: 3,
        stages: vec![
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
        ],
        now: Some(Stage::Result),
        fault: Some(FaultView {
            fault,
            stage: None,
            span: None,
            explanation: vec!["answered by order.mock.json, ChargeCard #3".into()],
            aws: None,
        }),
        forecast: vec![
            "now  retry 3 of 3 in 8 s (clock +00:14.412)".into(),
            "if used up  Catch[1] States.ALL -> Compensate".into(),
            "if ok  $.payment = { id } -> Parcels".into(),
        ],
        variables: vec![],
        context: json(r#"{"State":{"Name":"ChargeCard","RetryCount":2}}"#),
    }
}

pub(crate) fn handling(definition: &Definition) -> HandlingView {
    let state = &definition.states[id(definition, "ChargeCard").0 as usize];
    let retrier = |index: usize, used, max, back_off: &str, takes, why: &str| RetrierView {
        errors: state.retry[index].error_equals.clone(),
        used,
        max,
        back_off: back_off.into(),
        waited: if takes { vec![2000, 4000] } else { vec![] },
        next: takes.then_some(8000),
        takes,
        why: why.into(),
        span: state.retry[index].span,
    };
    let catcher = |index: usize, path: &str, takes, why: &str| CatcherView {
        errors: state.catch[index].error_equals.clone(),
        next: state.catch[index].next.as_ref().expect("next").name.clone(),
        result_path: path.into(),
        takes,
        why: why.into(),
        span: state.catch[index].span,
    };
    let attempt = |number: u32, started| AttemptView {
        number,
        started,
        took: Some(90),
        error: Some("Payment.Throttled".into()),
        done: true,
    };
    HandlingView {
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
        index,
        text: text.into(),
        result,
        asked,
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
        index,
        frame: (status == StateStatus::Running).then_some(FrameId(40 + index)),
        state: Some(id(definition, "Weigh")),
        status,
        item: json(&format!(
            "{{\"orderId\":\"o-{index}\",\"kg\":{}}}",
            index * 3
        )),
        error: error.map(Into::into),
    };
    Content::Map {
        items: vec![
            item(12, StateStatus::Failed, Some("Throttled")),
            item(31, StateStatus::Failed, Some("Throttled")),
            item(99, StateStatus::Running, None),
            item(0, StateStatus::Succeeded, None),
            item(1, StateStatus::Succeeded, None),
        ],
        summary: vec![
            ("ok".into(), 97),
            ("Throttled".into(), 2),
            ("live".into(), 1),
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

/// Rows of the run: entered, attempts, exited.
pub(crate) fn row(definition: &Definition, number: u64) -> EventRow {
    let script: [(&str, EventKind, &str, &str, StateStatus); 8] = [
        (
            "CheckStock",
            EventKind::StateEntered,
            "entered",
            "",
            StateStatus::Running,
        ),
        (
            "CheckStock",
            EventKind::StateExited,
            "exited",
            "→ InStock?",
            StateStatus::Succeeded,
        ),
        (
            "InStock?",
            EventKind::StateEntered,
            "entered",
            "",
            StateStatus::Running,
        ),
        (
            "InStock?",
            EventKind::Chosen,
            "rule 0",
            "→ ChargeCard",
            StateStatus::Succeeded,
        ),
        (
            "InStock?",
            EventKind::StateExited,
            "exited",
            "→ ChargeCard",
            StateStatus::Succeeded,
        ),
        (
            "ChargeCard",
            EventKind::StateEntered,
            "entered",
            "",
            StateStatus::Running,
        ),
        (
            "ChargeCard",
            EventKind::TaskFailed,
            "attempt 3",
            "Payment.Throttled",
            StateStatus::ErrorRaised,
        ),
        (
            "ChargeCard",
            EventKind::RetryScheduled,
            "retry 2/3",
            "wait 4 s",
            StateStatus::Retrying,
        ),
    ];
    let (name, kind, title, detail, status) = script[((number + 4) % 8) as usize];
    EventRow {
        number,
        history_id: (number / 2) as u32,
        time: number * 247 as Millis,
        kind,
        state: Some(id(definition, name)),
        frame: String::new(),
        frame_id: FrameId(0),
        title: title.into(),
        detail: detail.into(),
        status,
    }
}

/// Everything a test draws with.
pub(crate) struct Scene {
    pub(crate) definition: Definition,
    pub(crate) view: View,
    pub(crate) theme: Theme,
    pub(crate) ascii: bool,
    pub(crate) level: Level,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let definition = definition();
        Self {
            view: view(&definition),
            definition,
            theme: Theme::default(),
            ascii: true,
            level: Level::Debug,
        }
    }

    pub(crate) fn paint(&self) -> Paint<'_> {
        Paint {
            view: &self.view,
            definition: &self.definition,
            theme: &self.theme,
            glyphs: Glyphs::of(self.ascii),
            focused: true,
            level: self.level,
        }
    }
}

/// What `draw` leaves in a buffer of this size, as text; rows are trimmed at their end.
pub(crate) fn screen(width: u16, height: u16, draw: impl FnOnce(Rect, &mut Buffer)) -> String {
    // A margin shows whoever draws outside.
    let whole = Rect::new(0, 0, width + 2, height + 2);
    let mut buffer = Buffer::filled(whole, ratatui::buffer::Cell::new("@"));
    let area = Rect::new(1, 1, width, height);
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            buffer[(x, y)].reset();
        }
    }
    draw(area, &mut buffer);
    let mut text = String::new();
    for y in 0..whole.height {
        let mut line = String::new();
        let mut x = 0;
        while x < whole.width {
            let symbol = buffer[(x, y)].symbol();
            let inside = area.contains((x, y).into());
            assert!(inside || symbol == "@", "drew outside at {x},{y}: {symbol}");
            assert!(!symbol.chars().any(char::is_control), "control at {x},{y}");
            if inside {
                line.push_str(symbol);
            }
            let wide = unicode_width::UnicodeWidthStr::width(symbol).max(1);
            x += wide as u16;
        }
        if y > 0 && y <= height {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}
