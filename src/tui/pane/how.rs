//! Shows how a stage was produced: each member of its template with expression, value and line.

use super::Paint;
use super::block::{Made, Part, flatten, state_of};
use super::data_line::preview;
use super::folds::Place;
use super::line::Line;
use crate::definition::{Make, StageStep};
use crate::interpreter::Stage;
use crate::json::{Pointer, Step, Value};
use crate::query::jsonata::Tree;
use crate::query::{Path, Root, jsonata};
use crate::source::Node;
use crate::tui::fit::{width, wrapped};
use crate::tui::theme::Role;

/// Width of a line number, in cells.
const LINE: usize = 6;

/// The members of a template, each in a row of its own; a long expression continues in the next rows.
pub(super) fn fields(
    paint: &Paint,
    template: &Node,
    value: Option<&Value>,
    room: usize,
) -> Vec<Line> {
    let mut made = Vec::new();
    flatten(template, &Pointer::root(), &mut made);
    let shown = |field: &Made| {
        let value = field.at.get(value?)?;
        Some(preview(value, 40))
    };
    let widest = |cells: usize, most: usize| cells.min(most.max(4));
    let names = made.iter().map(|field| width(&field.name)).max();
    let names = widest(names.unwrap_or(0), room / 3);
    let values = made.iter().filter(|field| field.computed);
    let values = values.filter_map(|field| Some(width(&shown(field)?.0)));
    let values = widest(values.max().unwrap_or(0), room / 3);
    let expressions = room.saturating_sub(names + values + LINE + 6);
    let mut lines = Vec::new();
    for field in &made {
        let line = paint.definition.sources.line(field.span);
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        let gave = shown(field).filter(|_| field.computed);
        let gave = gave.unwrap_or((String::new(), Role::Dim));
        let role = if field.computed {
            Role::Path
        } else {
            Role::Dim
        };
        let mut pieces = wrapped(&field.expression, expressions).into_iter();
        let first = pieces.next().unwrap_or_default();
        let (text, style) = gave;
        let head = Line::new()
            .gap(2)
            .cell(&*field.name, names + 2, Role::Key)
            .cell(first, expressions + 2, role)
            .text(text, style);
        lines.push(head.right(line, Role::Dim));
        lines.extend(pieces.map(|piece| Line::new().gap(names + 4).text(piece, role)));
        let reads = field.computed.then(|| read(paint, &field.expression));
        let reads = reads
            .into_iter()
            .flatten()
            .map(|path_and_value| format!("with {path_and_value}"));
        lines.extend(reads.map(|text| Line::new().gap(names + 4).text(text, Role::Dim)));
    }
    lines
}

/// Rows for the path that produced the selected member: a row for each step of the path, with the value that this step
/// reaches.
pub(super) fn path_steps(
    paint: &Paint,
    part: Part,
    template: &Node,
    place: &Place,
    room: usize,
) -> Vec<Line> {
    let step = match part {
        Part::Stage(stage) => state_of(paint).and_then(|state| state.step(stage)),
        _ => None,
    };
    let step = step.filter(|step| step.make == Make::Template);
    let document = step.and_then(StageStep::reads);
    let document = document.and_then(|stage| paint.view.data.value(stage).cloned());
    let expression = super::pipeline::expression_at(template, &place.pointer().0);
    let (Some(document), Some(expression)) = (document, expression) else {
        return Vec::new();
    };
    let Ok(path) = Path::parse(expression) else {
        return Vec::new();
    };
    let names = path.names().unwrap_or_default();
    if !matches!(path.root(), Root::Data) || names.len() < 2 {
        return Vec::new();
    }
    let row = |label: &str, step: String, value: Option<Value>| {
        let (text, role) = match &value {
            Some(value) => preview(value, room.saturating_sub(30)),
            None => ("nothing".to_owned(), Role::Error),
        };
        Line::new()
            .gap(2)
            .cell(label, 12, Role::Dim)
            .cell(step, 16, Role::Path)
            .text(text, role)
    };
    let mut lines = vec![row("path steps", "$".to_owned(), Some(document.clone()))];
    for count in 1..=names.len() {
        let at = Pointer(names.get(..count).unwrap_or_default().to_vec());
        let last = Pointer(names.get(count - 1..count).unwrap_or_default().to_vec());
        let step = last.to_string().trim_start_matches('$').to_owned();
        let value = at.get(&document);
        let over = value.is_none();
        lines.push(row("", step, value.cloned()));
        if over {
            break;
        }
    }
    lines
}

/// Maximum number of paths that are listed for an expression.
const MOST_READS: usize = 6;
/// Maximum width of a value, in columns.
const VALUE: usize = 40;

/// The paths that an expression reads, with their values, in the order of the text: `$states.input.sku = nothing`. A
/// path that is the whole expression is left out if it has a value.
pub(super) fn read(paint: &Paint, field: &str) -> Vec<String> {
    let Some(text) = jsonata::inner(field) else {
        return Vec::new();
    };
    let paths = Tree::parse(text).map(|tree| tree.root().paths());
    let reads = paths.unwrap_or_default().into_iter().filter_map(|names| {
        let [states, document, names @ ..] = names.as_slice() else {
            return None;
        };
        let stage = match (states.as_str(), document.as_str()) {
            ("states", "input") => Stage::Input,
            ("states", "result") => Stage::Result,
            _ => return None,
        };
        let whole = paint.view.data.value(stage)?;
        let steps = names.iter().map(|name| Step::Member(name.as_str().into()));
        let at = Pointer(steps.collect());
        // Inside an array, a name selects a member of every item, so there is no single value to show.
        let is_through = (0..at.0.len()).any(|count| {
            let above = Pointer(at.0.get(..count).unwrap_or_default().to_vec());
            above.get(whole).is_some_and(|value| value.is_array())
        });
        let rest = at.to_string();
        let path = format!(
            "$states.{document}{path}",
            path = rest.trim_start_matches('$')
        );
        match at.get(whole) {
            _ if is_through => None,
            Some(_) if path == text.trim() => None,
            Some(value) => Some(format!("{path} = {value}", value = preview(value, VALUE).0)),
            None => Some(format!("{path} = nothing")),
        }
    });
    reads.take(MOST_READS).collect()
}
