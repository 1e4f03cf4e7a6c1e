//! The contents of the popup that shows the selected value in full: the value, its expression, the remarks on its
//! stage, its source line.

use super::super::pipeline::{node_at, template};
use super::{DataPane, Paint, Part};
use crate::json::Value;
use crate::source::Span;
use crate::tui::command::data::raw;
use crate::tui::pane::block::view_of;
use crate::tui::pane::folds::json_text;
use crate::tui::popup::whole;
use crate::tui::theme::Role;

/// Approximate maximum number of bytes of a value to show in the popup; a longer text is cut.
const LONGEST: usize = 400_000;

impl DataPane {
    /// The title of the popup, which is the path of the selected value, and the sections of the popup.
    #[must_use]
    pub fn whole(&self, paint: &Paint) -> Option<(String, Vec<whole::Part>)> {
        let (plan, row) = self.planned(paint);
        let (part, place) = plan.spot(row)?;
        let listed = plan.listed(part)?;
        let is_whole = place.of_value().0.is_empty();
        let mut parts = Vec::new();
        let mut add = |heading: &'static str, text: String, role: Role| {
            if !text.is_empty() {
                parts.push(whole::Part::new(heading, text, role));
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
            let expression = made.and_then(|node| node.as_str()).map(str::to_owned);
            let stage = listed.block.expression.clone().filter(|_| is_whole);
            add(
                "Produced by",
                expression.or(stage).unwrap_or_default(),
                Role::Path,
            );
        }
        let notes: Vec<&str> = listed.block.notes.iter().map(|note| &*note.text).collect();
        add("Here", notes.join("\n"), Role::Text);
        let fault = paint.view.data.fault.as_ref();
        let fault = fault.filter(|_| part == Part::Error);
        if let Some(fault) = fault {
            let why = std::iter::once(&fault.finding).chain(&fault.because);
            let why: Vec<String> = why.map(ToString::to_string).collect();
            add("Why", why.join("\n"), Role::Text);
        }
        let span = span
            .or_else(|| fault.and_then(|fault| fault.span))
            .or_else(|| view_of(paint, part)?.span);
        let line = span.and_then(|span| line_text(paint, span));
        add("Source", line.unwrap_or_default(), Role::Path);
        Some((title, parts))
    }
}

fn value_text(value: &Value) -> String {
    let text = raw(value);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(&text)),
        None => text,
    }
}

/// Number and text of the source line at `span`, such as `line 39: "window.$": "$.delivery.window",`.
fn line_text(paint: &Paint, span: Span) -> Option<String> {
    let sources = &paint.definition.sources;
    let line = sources.line(span)?;
    let text = sources.get(span.source)?.line(line).trim().to_owned();
    Some(format!("line {line}: {text}"))
}
