//! The selected value in full: the value, its expression, the remarks on its stage, its source line.

use super::super::pipeline::{node_at, template};
use super::{DataPane, Paint, Part};
use crate::json::{Value, pretty};
use crate::source::Span;
use crate::tui::pane::block::Spot;
use crate::tui::pane::folds::{Place, json_text};
use crate::tui::popup::whole;
use crate::tui::theme::Role;

/// Approximate maximum length of a value's text, in bytes; longer values are cut.
const LONGEST: usize = 400_000;

impl DataPane {
    /// Title and text of the selection.
    #[must_use]
    pub fn whole(&self, paint: &Paint) -> Option<(String, Vec<whole::Part>)> {
        let mut pane = self.clone();
        pane.note_position(paint);
        let plan = pane.plan(paint);
        let (part, spot) = plan.spot(pane.selected_row(&plan))?;
        let listed = plan.listed(part)?;
        let place = match spot {
            Spot::Node(place) => place,
            Spot::Note(_) => Place::default(),
        };
        let mut parts = Vec::new();
        let mut add = |heading: &'static str, text: String, role: Role| {
            if !text.is_empty() {
                parts.push(whole::Part {
                    heading,
                    text,
                    role,
                });
            }
        };
        let mut title = listed.block.name.clone();
        let mut span = None;
        if let Some(selected) = self.selected(paint) {
            title = format!("{}  {}", listed.block.name, selected.path);
            add("", value_text(&selected.value), Role::Text);
            if let Some(text) = json_text(&selected.value) {
                add("The text as JSON", value_text(&text), Role::Text);
            }
            let made = template(paint, part).and_then(|node| node_at(node, &selected.pointer.0));
            span = made.map(|node| node.span);
            let own = made.and_then(|node| node.as_str()).map(str::to_owned);
            let stage = listed
                .block
                .expression
                .clone()
                .filter(|_| place.0.is_empty());
            add("Made by", own.or(stage).unwrap_or_default(), Role::Path);
        }
        let told = paint.view.data.stages.iter();
        let stage = told
            .into_iter()
            .find(|view| Part::Stage(view.stage) == part);
        let notes: Vec<&str> = listed.block.notes.iter().map(|note| &*note.text).collect();
        add("Here", notes.join("\n"), Role::Text);
        let fault = paint
            .view
            .data
            .fault
            .as_ref()
            .filter(|_| part == Part::Error);
        if let Some(fault) = fault {
            add(
                "Why",
                std::iter::once(&fault.finding)
                    .chain(&fault.because)
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join("\n"),
                Role::Text,
            );
        }
        let span = span
            .or_else(|| fault.and_then(|fault| fault.span))
            .or_else(|| stage.and_then(|view| view.span));
        add(
            "Source",
            span.and_then(|span| line_text(paint, span))
                .unwrap_or_default(),
            Role::Path,
        );
        Some((title, parts))
    }
}

fn value_text(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.to_string(),
        other => pretty(other),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(&text)),
        None => text,
    }
}

/// Number and text of a line, such as `line 39: "window.$": "$.delivery.window",`.
fn line_text(paint: &Paint, span: Span) -> Option<String> {
    let sources = &paint.definition.sources;
    let line = sources.line(span)?;
    let text = sources.get(span.source)?.line(line).trim().to_owned();
    Some(format!("line {line}: {text}"))
}
