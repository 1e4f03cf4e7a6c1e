//! A definition to draw in tests, an order workflow, and what a test draws with.
//!
//! It must not know panes.

pub(crate) use super::sample_view::{json, lanes, map, row, rules, view};
use super::{Level, Paint};
use crate::definition::*;
use crate::query::Path;
use crate::session::view::View;
use crate::source::{Node, SourceFile, SourceId, SourceMap, Span, parse_json};
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;

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

pub(crate) fn id(definition: &Definition, name: &str) -> StateId {
    definition.find_by_name(name).expect("state")
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

/// Compares with `screens/NAME.txt`; `BLESS=1` writes it.
pub(crate) fn check(name: &str, text: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/tui/pane/screens")
        .join(name)
        .with_extension("txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("folder")).expect("folder");
        std::fs::write(&file, text).expect("written");
    }
    let wanted = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(wanted == text, "{name} is drawn otherwise:\n{text}");
}
