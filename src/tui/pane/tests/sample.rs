//! A sample definition (an order workflow) and the drawing context for tests.

pub(crate) use super::sample_view::{id, json, lanes, map, row, rules, view};
use crate::definition::{Definition, diagnose, lower};
use crate::query::Profile;
use crate::session::view::View;
use crate::source::{SourceFile, SourceId, SourceMap, parse_json};
use crate::tui::finding::Findings;
use crate::tui::glyph::Glyphs;
use crate::tui::pane::{Level, Paint, Text};
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

pub(crate) fn definition_of(text: &str) -> Definition {
    let file = SourceFile::new("order.asl.json", text);
    let (node, _) = parse_json(&file, SourceId(0));
    let node = Arc::new(node.expect("json"));
    lower(node, Arc::new(SourceMap::of(file)), "order").0
}

/// Everything that a test needs for drawing.
pub(crate) struct Scene {
    pub(crate) definition: Definition,
    pub(crate) view: View,
    pub(crate) theme: Theme,
    pub(crate) ascii: bool,
    pub(crate) level: Level,
    pub(crate) findings: Findings,
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
            findings: Findings::default(),
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
            findings: &self.findings,
            reached: None,
            text: Text {
                sources: &self.definition.sources,
                diagnostics: &[],
                in_force: true,
                machine: None,
            },
            rows: &|_| Vec::new(),
            alone: false,
        }
    }
}

/// The findings that the panes show for a definition.
pub(crate) fn findings(definition: &Definition) -> Findings {
    let diagnostics = diagnose(definition, &[], Profile::Spec);
    Findings::of(&diagnostics, &definition.sources, definition, true)
}

/// Returns what `draw` writes to a buffer of this size, as text with trailing spaces removed.
pub(crate) fn screen(width: u16, height: u16, draw: impl FnOnce(Rect, &mut Buffer)) -> String {
    // A margin around the area shows whether `draw` draws outside the area.
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

/// Compares the text with `screens/NAME.txt`; `BLESS=1` writes the file instead.
pub(crate) fn check(name: &str, text: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/tui/pane/tests/screens")
        .join(name)
        .with_extension("txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("folder")).expect("folder");
        std::fs::write(&file, text).expect("written");
    }
    let wanted = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(wanted == text, "{name} is drawn otherwise:\n{text}");
}
